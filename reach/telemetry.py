"""What a turn leaves behind for people who ask why, and the names under which it does.

Rule: a trace says what each layer saw and decided, in order; it never holds a secret, and nobody's behaviour depends on
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, Literal, cast

from reach.ports import Clock
from reach.types import to_json

Layer = Literal["turn", "route", "fill", "permit", "execute", "return", "answer"]

_MASK = "***"
_HIDDEN_FROM = 3
"""Shorter texts are not looked for: they stand in every trace by chance."""
_MAX_DEPTH = 12
_MAX_ITEMS = 200
_MAX_CHARACTERS = 8000
_MAX_BITS = 4096
_MORE = "…"


class Trace:
    """The events of one turn or call. Each has its layer, milliseconds since the start, and that layer's facts."""

    def __init__(self, clock: Clock, **about: Any) -> None:
        self._clock = clock
        self._started = clock.monotonic()
        self.about: dict[str, Any] = {"at": clock.now().isoformat(), **_plain(about)}
        self.events: list[dict[str, Any]] = []
        self._hidden: set[str] = set()

    def hide(self, values: Iterable[Any]) -> None:
        """Mask these values wherever they stand in this trace."""
        for value in values:
            text = str(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""
            if len(text) >= _HIDDEN_FROM:
                self._hidden.add(text)

    def note(self, layer: Layer, **facts: Any) -> None:
        """Add one event."""
        at_ms = round((self._clock.monotonic() - self._started) * 1000, 3)
        self.events.append({"layer": layer, "at_ms": at_ms, **_plain(facts)})

    def as_json(self) -> Mapping[str, Any]:
        """The trace as JSON data."""
        return self._masked({**self.about, "events": self.events})

    def _masked(self, value: Any) -> Any:
        if not self._hidden:
            return value
        if isinstance(value, str):
            for text in sorted(self._hidden, key=len, reverse=True):
                value = value.replace(text, _MASK)
            return value
        if isinstance(value, dict):
            return {key: self._masked(item) for key, item in cast("dict[str, Any]", value).items()}
        if isinstance(value, list):
            return [self._masked(item) for item in cast("list[Any]", value)]
        return _MASK if str(value) in self._hidden else value


def _plain(value: Any, depth: int = 0) -> Any:
    """JSON data of bounded depth, width and length: a trace must not grow with what is sent in."""
    if depth > _MAX_DEPTH:
        return _MORE
    if isinstance(value, str):
        return value if len(value) <= _MAX_CHARACTERS else value[:_MAX_CHARACTERS] + _MORE
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return _MORE
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        items = islice(cast("Mapping[Any, Any]", value).items(), _MAX_ITEMS)
        return {str(key)[:_MAX_CHARACTERS]: _plain(item, depth + 1) for key, item in items}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item, depth + 1) for item in islice(cast("Iterable[Any]", value), _MAX_ITEMS)]
    return to_json(value)
