"""From YAML or JSON nodes to plain data.

Rule: only `true` and `false` are booleans and only plain decimal notation is a number; what YAML 1.1 would read as
something else (`on`, `12:30:00`, `2026-03-05`, `0755`) stays the text that is written there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

PLAIN = "plain"
"""Tag of a scalar without quotes, whose text decides what it is."""

TEXT = "text"
"""Tag of every other node without an explicit tag: a quoted scalar, a mapping or a sequence."""

MAX_DEPTH = 100
"""Most levels of nesting."""

MAX_NODES = 500_000
"""Most values of one file, aliases expanded."""

MAX_DIGITS = 300
"""Most characters of one number."""

Report = Callable[[Node, str], None]
"""How a problem at a node is handed on; reading goes on afterwards."""

Pairs = dict[str, tuple[Node, Node]]
"""The entries of a mapping: key and value node by the key's text."""

_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_FIRST = frozenset("+-.0123456789")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_UNPAIRED = re.compile(r"[\ud800-\udfff]")


class TooLarge(Exception):
    """The document is nested too deeply, or expands to too many values. `node` is where that showed."""

    def __init__(self, node: Node, message: str) -> None:
        super().__init__(message)
        self.node = node


def scalar(text: str) -> Any:
    """What an unquoted scalar is: None, a boolean, a number, or its own text. Raises ValueError for a huge number."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _FIRST:
        return text
    if _INT.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise ValueError(f"a number of {len(text)} characters is too long; quote it where text is meant")
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number) or len(text) > MAX_DIGITS:
            raise ValueError("the number is too large; quote it where text is meant")
        return number
    return text


def _ignore(_node: Node, _message: str) -> None:
    """What is wrong was reported when the data was made."""


class Entries:
    """The entries of mappings, merge keys (`<<`) resolved: own keys come first, then the earlier merged mapping."""

    def __init__(self, report: Report | None = None) -> None:
        self._report: Report = report or _ignore
        self._known: dict[int, Pairs] = {}
        self._open: set[int] = set()
        self._left = MAX_NODES

    def of(self, node: MappingNode) -> Pairs:
        """Key and value node of every entry, by the key's text."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._collect(node)
        return known

    def _collect(self, node: MappingNode) -> Pairs:
        pairs: Pairs = {}
        merged: list[Node] = []
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self._report(key, "a key must be plain text, not a list or a mapping")
            elif key.tag == PLAIN and key.value == "<<":
                merged.append(value)
            elif key.value in pairs:
                first = pairs[key.value][0]
                self._report(
                    key, f"the key '{key.value}' is here a second time; the first is at {{{first.start_mark.index}}}"
                )
            else:
                self._check_key(key)
                pairs[key.value] = (key, value)
        if merged:
            self._open.add(id(node))
            for value in merged:
                self._merge(pairs, value)
            self._open.discard(id(node))
        return pairs

    def _check_key(self, key: ScalarNode) -> None:
        if key.tag not in (PLAIN, TEXT):
            self._report(key, f"the tag '{key.tag}' is not supported; remove it")
        elif not key.value:
            self._report(key, "a key is empty")
        elif _UNPAIRED.search(key.value) or "\0" in key.value:
            self._report(key, "the key holds a character that is not allowed in text")

    def _merge(self, pairs: Pairs, value: Node) -> None:
        sources = value.value if isinstance(value, SequenceNode) else [value]
        for source in sources:
            if not isinstance(source, MappingNode):
                self._report(source, "'<<' merges a mapping or a list of mappings")
            elif id(source) in self._open:
                self._report(source, "a mapping merges itself")
            else:
                found = self.of(source)
                self._left -= len(found) + 1
                if self._left < 0:
                    raise TooLarge(source, f"the file expands to more than {MAX_NODES:,} values")
                for name, pair in found.items():
                    pairs.setdefault(name, pair)


class Constructor:
    """Makes plain data of a node tree; aliases are expanded, within `MAX_NODES`."""

    def __init__(self, entries: Entries, report: Report) -> None:
        self._entries = entries
        self._report = report
        self._open: set[int] = set()
        self._left = MAX_NODES

    def build(self, node: Node) -> Any:
        """The data of `node`. Raises TooLarge; everything else that is wrong is reported."""
        self._left -= 1
        if self._left < 0:
            raise TooLarge(node, f"the file expands to more than {MAX_NODES:,} values")
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if node.tag != TEXT:
            self._report(node, f"the tag '{node.tag}' is not supported; remove it")
        if id(node) in self._open:
            self._report(node, "an alias refers to the value that it is a part of")
            return None
        if len(self._open) >= MAX_DEPTH:
            raise TooLarge(node, f"more than {MAX_DEPTH} levels of nesting")
        self._open.add(id(node))
        try:
            if isinstance(node, MappingNode):
                return {name: self.build(value) for name, (_, value) in self._entries.of(node).items()}
            return [self.build(item) for item in node.value]
        finally:
            self._open.discard(id(node))

    def _scalar(self, node: ScalarNode) -> Any:
        text: str = node.value
        if node.tag == PLAIN:
            try:
                return scalar(text)
            except ValueError as error:
                self._report(node, str(error))
                return 0
        if node.tag != TEXT:
            self._report(node, f"the tag '{node.tag}' is not supported; quote text, or remove it")
        elif node.style == '"' and not text.isascii() and _UNPAIRED.search(text):
            self._report(node, "the text holds half of a surrogate pair, which is not a character")
        elif "\0" in text:
            self._report(node, "the text holds a NUL character")
        return text
