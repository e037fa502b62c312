"""What a turn leaves behind for people who ask why, and the names under which it does.

Rule: a trace says what each layer saw and decided, in order; it never holds a secret, and nobody's behaviour depends on
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from reach.ports import Clock
from reach.types import to_json

Layer = Literal["turn", "route", "fill", "permit", "execute", "return", "answer"]


class Trace:
    """The events of one turn or call. Each has its layer, milliseconds since the start, and that layer's facts."""

    def __init__(self, clock: Clock, **about: Any) -> None:
        self._clock = clock
        self._started = clock.monotonic()
        self.about: dict[str, Any] = {"at": clock.now().isoformat(), **about}
        self.events: list[dict[str, Any]] = []

    def note(self, layer: Layer, **facts: Any) -> None:
        """Add one event."""
        at_ms = round((self._clock.monotonic() - self._started) * 1000, 3)
        self.events.append({"layer": layer, "at_ms": at_ms, **to_json(facts)})

    def as_json(self) -> Mapping[str, Any]:
        """The trace as JSON data."""
        return {**to_json(self.about), "events": self.events}
