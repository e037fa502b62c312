"""Describe: from tools.yaml and policies/ to a checked Registry.

Rule: every mistake in a file is told with its line, its column, what was expected and what was probably meant, all
mistakes at once.
"""

from reach.registry.advice import Advice, lint
from reach.registry.document import Document, Mark
from reach.registry.load import load_document, load_file
from reach.registry.registry import Registry, card_of, load_registry
from reach.registry.schema import json_schema, write_schemas
from reach.registry.yamlfile import parse

__all__ = [
    "Advice",
    "Document",
    "Mark",
    "Registry",
    "card_of",
    "json_schema",
    "lint",
    "load_document",
    "load_file",
    "load_registry",
    "parse",
    "write_schemas",
]
