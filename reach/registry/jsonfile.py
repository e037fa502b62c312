"""JSON text as the same nodes that YAML gives, with their places.

Rule: strictly JSON (RFC 8259); what is made of the nodes, duplicate keys included, is decided in one place for both.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder

from yaml.error import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reach.registry.construct import MAX_DEPTH, PLAIN, TEXT

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9A-Za-z_.])|(?:true|false|null)\b", re.ASCII
)


class JSONSyntaxError(ValueError):
    """Where and why a text is no JSON. `offset` is in characters."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


_DECODER = JSONDecoder()


def _mark(offset: int) -> Mark:
    """A YAML mark; only its offset is ever read."""
    return Mark("", offset, 0, 0, None, 0)


def compose_json(text: str) -> Node | None:
    """The node tree of a JSON text; None for an empty one. Raises JSONSyntaxError."""
    composer = _Composer(text)
    if composer.skip(0) == len(text):
        return None
    node, end = composer.value(composer.skip(0), 0)
    end = composer.skip(end)
    if end != len(text):
        raise JSONSyntaxError("is not valid JSON: nothing may follow the first value", end)
    return node


class _Composer:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> int:
        """The offset of the next character that is no white space."""
        match = _SPACE.match(self._text, at)
        return match.end() if match else at

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        """The node that begins at `at`, and where it ends."""
        if depth > MAX_DEPTH:
            raise JSONSyntaxError(f"more than {MAX_DEPTH} levels of nesting", at)
        first = self._text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if first == '"':
            return self._string(at)
        match = _SCALAR.match(self._text, at)
        if match is None:
            found = f"'{first}'" if first else "the end of the file"
            raise JSONSyntaxError(f"is not valid JSON: a value is expected here, found {found}", at)
        return ScalarNode(PLAIN, match.group(), _mark(at), _mark(match.end())), match.end()

    def _string(self, at: int) -> tuple[ScalarNode, int]:
        try:
            text, end = _DECODER.raw_decode(self._text, at)
        except JSONDecodeError as error:
            reason = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
            raise JSONSyntaxError(f"is not valid JSON: {reason}", error.pos) from None
        return ScalarNode(TEXT, text, _mark(at), _mark(end), style='"'), end

    def _object(self, start: int, depth: int) -> tuple[Node, int]:
        pairs: list[tuple[Node, Node]] = []
        at = self.skip(start + 1)
        if self._text[at : at + 1] == "}":
            return MappingNode(TEXT, pairs, _mark(start), _mark(at + 1)), at + 1
        while True:
            if self._text[at : at + 1] != '"':
                raise JSONSyntaxError("is not valid JSON: a key in double quotes is expected here", at)
            key, at = self._string(at)
            at = self._expect(":", at)
            value, at = self.value(self.skip(at), depth + 1)
            pairs.append((key, value))
            at = self.skip(at)
            if self._text[at : at + 1] == "}":
                return MappingNode(TEXT, pairs, _mark(start), _mark(at + 1)), at + 1
            at = self.skip(self._expect(",", at))

    def _array(self, start: int, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        at = self.skip(start + 1)
        if self._text[at : at + 1] == "]":
            return SequenceNode(TEXT, items, _mark(start), _mark(at + 1)), at + 1
        while True:
            item, at = self.value(at, depth + 1)
            items.append(item)
            at = self.skip(at)
            if self._text[at : at + 1] == "]":
                return SequenceNode(TEXT, items, _mark(start), _mark(at + 1)), at + 1
            at = self.skip(self._expect(",", at))

    def _expect(self, sign: str, at: int) -> int:
        at = self.skip(at)
        if self._text[at : at + 1] != sign:
            raise JSONSyntaxError(f"is not valid JSON: '{sign}' is expected here", at)
        return at + 1
