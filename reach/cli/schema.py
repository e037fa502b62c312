"""`reach schema`: the JSON Schemas of the YAML files, for editors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from reach.cli.common import print_json


class Kind(StrEnum):
    """The kinds of files."""

    tools = "tools"
    policies = "policies"
    evals = "evals"
    callers = "callers"


def schema(
    kind: Annotated[
        Kind, typer.Argument(metavar="KIND", help="tools, policies, evals or callers: which file's schema.")
    ],
) -> None:
    """Print the JSON Schema of a file, so that an editor can complete and check it.

    Example:
      reach schema tools > tools.schema.json
    """
    from reach.registry import json_schema

    print_json(json_schema(kind.value))
