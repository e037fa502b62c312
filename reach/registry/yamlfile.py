"""YAML text as nodes, and the one door from bytes to a Document.

Rule: whatever comes in, only ConfigError comes out, with the place and all that is wrong with the file.
"""

from __future__ import annotations

import codecs
import re
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.error import MarkedYAMLError
from yaml.nodes import Node, ScalarNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from reach.errors import ConfigError, Problem
from reach.registry.construct import MAX_DEPTH, PLAIN, TEXT, Constructor, Entries, TooLarge
from reach.registry.document import Document, Lines
from reach.registry.jsonfile import JSONSyntaxError, compose_json

MAX_BYTES = 10 * 1024 * 1024
"""Most bytes of one file."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_UNPAIRED = re.compile("[\ud800-\udfff]")
_OFFSET = re.compile(r"\{(\d+)\}")


class _Resolver:
    """Marks plain scalars; what they are is decided when the data is made."""

    def descend_resolver(self, *_: Any) -> None:
        """Nothing depends on the path."""

    def ascend_resolver(self) -> None:
        """Nothing depends on the path."""

    def resolve(self, kind: type[Node], _value: Any, implicit: Any) -> str:
        """PLAIN for a scalar without quotes, TEXT for everything else."""
        return PLAIN if kind is ScalarNode and implicit[0] else TEXT


class PythonLoader(Reader, Scanner, Parser, Composer, _Resolver):  # pyright: ignore[reportIncompatibleMethodOverride]
    """The loader where PyYAML was built without libyaml."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)


def _fastest_loader() -> type[Any]:
    if not yaml.__with_libyaml__:
        return PythonLoader
    from yaml.cyaml import CParser  # pyright: ignore[reportAttributeAccessIssue]

    class CompiledLoader(CParser, _Resolver):  # pyright: ignore[reportGeneralTypeIssues, reportUntypedBaseClass]
        """libyaml's parser with the resolver of this module."""

        def __init__(self, text: str) -> None:
            CParser.__init__(self, text)

    return CompiledLoader


_LOADER = _fastest_loader()


def parse(text: str | bytes, file: str) -> Document:
    """The document in `text`; `file` names it in problems, and a name that ends in .json means JSON.

    Raises ConfigError with every problem of the file.
    """
    document, problems = read(text, file)
    if problems:
        raise ConfigError(problems)
    return document


def read(text: str | bytes, file: str, *, loader: type[Any] | None = None) -> tuple[Document, list[Problem]]:
    """The document in `text` and the problems that did not keep it from being read (duplicate keys, tags ...).

    Raises ConfigError where it could not be read.
    """
    text = _decode(text, file)
    lines = Lines(text)
    problems: dict[Problem, None] = {}

    def report(node: Node, message: str) -> None:
        message = _OFFSET.sub(lambda m: "line {}, column {}".format(*lines.mark(int(m.group(1)))), message)
        problems[Problem(file, *lines.mark(node.start_mark.index), "", message)] = None

    root = _compose(text, file, lines, loader or _LOADER)
    entries = Entries(report)
    try:
        data = Constructor(entries, report).build(root) if root is not None else None
    except TooLarge as error:
        raise ConfigError([Problem(file, *lines.mark(error.node.start_mark.index), "", str(error))]) from None
    return Document(file, text, data, root, entries, lines), sorted(problems, key=lambda p: (p.line, p.column))


def document_of(data: Any) -> Document:
    """A document of data that stands in no file; it has no places."""
    return Document("", "", data, None, Entries(), Lines(""))


def _compose(text: str, file: str, lines: Lines, loader: type[Any]) -> Node | None:
    try:
        if file.endswith(".json"):
            return compose_json(text)
        return loader(text).get_single_node()
    except JSONSyntaxError as error:
        raise ConfigError([Problem(file, *lines.mark(error.offset), "", str(error))]) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = mark.index if mark else 0
        raise ConfigError([Problem(file, *lines.mark(offset), "", _wording(error, text, offset, lines))]) from None
    except RecursionError:
        raise ConfigError([Problem(file, 1, 1, "", f"more than {MAX_DEPTH} levels of nesting")]) from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError([Problem(file, 1, 1, "", f"is not valid YAML: {error}")]) from None


def _decode(text: str | bytes, file: str) -> str:
    """The text without its byte order mark. Raises ConfigError for what is no text."""
    if isinstance(text, bytes):
        if len(text) > MAX_BYTES:
            raise ConfigError([Problem(file, 0, 0, "", f"the file is larger than {MAX_BYTES // 1024 // 1024} MB")])
        if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ConfigError([Problem(file, 1, 1, "", "the file is UTF-16; save it as UTF-8")])
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            before = text[: error.start].decode("utf-8", "replace").removeprefix("\ufeff")
            place = Lines(before).mark(len(before))
            raise ConfigError([Problem(file, *place, "", f"not UTF-8: byte 0x{text[error.start]:02x}")]) from None
    elif len(text) > MAX_BYTES:
        raise ConfigError([Problem(file, 0, 0, "", f"the text is larger than {MAX_BYTES // 1024 // 1024} MB")])
    text = text.removeprefix("\ufeff")
    forbidden = _UNPAIRED if file.endswith(".json") else _FORBIDDEN
    if match := forbidden.search(text):
        message = f"the character U+{ord(match.group()):04X} is not allowed"
        raise ConfigError([Problem(file, *Lines(text).mark(match.start()), "", message)])
    return text


def _wording(error: MarkedYAMLError, text: str, offset: int, lines: Lines) -> str:
    """A parser's error in words that say what to do."""
    problem = error.problem or ""
    if "cannot start any token" in problem:
        character = text[offset : offset + 1]
        if character == "\t":
            return "a tab can't indent; use spaces"
        return f"a text can't begin with '{character}' unless it is quoted"
    for part, words in _WORDINGS.items():
        if part in problem:
            return words
    context = error.context or ""
    if context and error.context_mark:
        context += f" that begins at line {lines.mark(error.context_mark.index).line}"
    return "is not valid YAML: " + ", ".join(part for part in (context, problem) if part)


_WORDINGS = {
    "found a tab character": "a tab can't indent; use spaces",
    "mapping values are not allowed": "': ' is not allowed here; quote a text that holds it, or check the indentation",
    "did not find expected key": "does not fit the lines above; check the indentation, quotes and brackets",
    "expected <block end>": "does not fit the lines above; check the indentation, quotes and brackets",
    "found another document": "a second document begins here; a file holds one",
    "exceeded maximum nesting depth": f"more than {MAX_DEPTH} levels of nesting",
    "could not find expected ':'": "a key is not followed by ': '",
}
