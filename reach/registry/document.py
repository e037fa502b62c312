"""A parsed YAML or JSON file: plain data, and the place of every value in the text.

Rule: a place is worked out only when somebody asks for it, from the same nodes that the data was made of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reach.errors import Problem
from reach.registry.construct import Entries

Path: TypeAlias = tuple[str | int, ...]
"""A place in a document: keys and list positions from the root."""

_LINE_END = re.compile(r"\r\n|\n|\r")
_PLAIN_KEY = re.compile(r"[^\W\d][\w-]*")


class Mark(NamedTuple):
    """A place in a text; both numbers count from 1, columns in characters."""

    line: int
    column: int


class Lines:
    """Offsets of one text as lines and columns, as an editor counts them."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self._text))]

    def mark(self, offset: int) -> Mark:
        """The line and column of `offset`, in characters."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset)
        return Mark(line, offset - self._starts[line - 1] + 1)


def format_path(path: Sequence[str | int]) -> str:
    """A path as people write it: `tools[2].parameters.order_id.pattern`."""
    parts: list[str] = []
    for part in path:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        elif _PLAIN_KEY.fullmatch(part):
            parts.append(f".{part}" if parts else part)
        else:
            parts.append(f'["{part}"]')
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file. `data` is JSON data (dict, list, str, int, float, bool, None); keys are always text."""

    file: str
    text: str = field(repr=False)
    data: Any = field(repr=False)
    root: Node | None = field(repr=False)
    entries: Entries = field(repr=False)
    lines: Lines = field(repr=False, compare=False)

    def mark(self, path: Path, *, key: bool = False) -> Mark:
        """Where the value at `path` begins, or with `key` its key. The deepest part of `path` that is there counts."""
        return self.lines.mark(self._offset(path, key=key))

    def mark_in(self, path: Path, pattern: str) -> Mark | None:
        """Where the text of the value at `path` first matches the regular expression `pattern`, or None."""
        nodes = self._walk(path)
        if len(nodes) != len(path) + 1:
            return None
        node = nodes[-1][1]
        match = re.compile(pattern).search(self.text, node.start_mark.index, node.end_mark.index)
        return self.lines.mark(match.start()) if match else None

    def value(self, path: Path) -> Any:
        """The data at `path`, or None where there is none."""
        value = self.data
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def plain(self, path: Path) -> str | None:
        """The text of an unquoted scalar at `path` as it is written, or None."""
        nodes = self._walk(path)
        node = nodes[-1][1] if nodes else None
        if len(nodes) == len(path) + 1 and isinstance(node, ScalarNode) and not node.style:
            return node.value
        return None

    def problem(
        self, path: Path, message: str, hint: str = "", *, key: bool = False, at: Mark | None = None
    ) -> Problem:
        """A problem at `path`; `at` is a more precise place, `key` points at the key rather than the value."""
        line, column = at or self.mark(path, key=key)
        return Problem(self.file, line, column, format_path(path), message, hint)

    def _offset(self, path: Path, *, key: bool) -> int:
        nodes = self._walk(path)
        if not nodes:
            return 0
        key_node, value_node = nodes[-1]
        node = key_node if key and key_node is not None and len(nodes) == len(path) + 1 else value_node
        return node.start_mark.index

    def _walk(self, path: Path) -> list[tuple[Node | None, Node]]:
        """The nodes along `path`, from the root on, each with its key; it ends where the path leaves the document."""
        if self.root is None:
            return []
        found: list[tuple[Node | None, Node]] = [(None, self.root)]
        for part in path:
            node = found[-1][1]
            if isinstance(node, MappingNode) and isinstance(part, str):
                pair = self.entries.of(node).get(part)
            elif isinstance(node, SequenceNode) and isinstance(part, int) and 0 <= part < len(node.value):
                pair = (None, node.value[part])
            else:
                pair = None
            if pair is None:
                break
            found.append(pair)
        return found
