"""Catalogues of known values (`values:` of a parameter), read from their backend and kept for a while.

Rule: a catalogue that can't be read is empty, which means that the user is asked; it never fails a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reach.errors import CallError
from reach.ports import Clock, Deadline, Queries
from reach.spec import ToolSpec, ValuesSpec

_KEEP_S = 60.0
_MAX_VALUES = 20_000


class Catalogues:
    """Reads and keeps the catalogues of all tools, in this process."""

    def __init__(self, queries: Mapping[str, Queries], clock: Clock) -> None:
        self._queries = queries
        self._clock = clock
        self._kept: dict[tuple[str, str], tuple[float, tuple[str, ...]]] = {}

    async def of(self, tool: ToolSpec, deadline: Deadline) -> Mapping[str, Sequence[str]]:
        """The known values of each parameter of `tool` that has a catalogue."""
        return {
            name: await self._values(parameter.known_values, deadline)
            for name, parameter in tool.parameters.items()
            if parameter.known_values is not None
        }

    async def _values(self, spec: ValuesSpec, deadline: Deadline) -> tuple[str, ...]:
        if spec.values is not None:
            return tuple(spec.values)
        key = (spec.backend or "", spec.sql or "")
        kept = self._kept.get(key)
        if kept is not None and kept[0] > self._clock.monotonic():
            return kept[1]
        try:
            rows = await self._queries[key[0]].rows(key[1], {}, deadline, max_rows=_MAX_VALUES)
        except CallError:
            return kept[1] if kept is not None else ()
        values = tuple(str(value) for row in rows for value in list(row.values())[:1] if value is not None)
        self._kept[key] = (self._clock.monotonic() + _KEEP_S, values)
        return values
