"""Catalogues of known values (`values:` of a parameter), read from their backend and kept for a while.

Rule: a catalogue that can't be read is empty, which means that the user is asked; it never fails a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reach.errors import CallError
from reach.ports import Clock, Deadline, Queries
from reach.router import phrases_of, plain
from reach.spec import ToolSpec, ValuesSpec

_KEEP_S = 60.0
_REST_S = 5.0
"""How long a catalogue that could not be read is left alone."""
_SHARE = 0.25
"""The part of a turn's remaining time that one catalogue may take: the rest belongs to the call."""
_MAX_VALUES = 20_000


@dataclass(frozen=True, slots=True)
class _Catalogue:
    """The values of one catalogue, and the same as plain phrases."""

    values: tuple[str, ...] = ()
    phrases: frozenset[str] = frozenset()


class Catalogues:
    """Reads and keeps the catalogues of all tools, in this process."""

    def __init__(self, queries: Mapping[str, Queries], clock: Clock) -> None:
        self._queries = queries
        self._clock = clock
        self._kept: dict[tuple[str, str], tuple[float, _Catalogue]] = {}

    async def of(self, tool: ToolSpec, deadline: Deadline) -> Mapping[str, Sequence[str]]:
        """The known values of each parameter of `tool` that has a catalogue."""
        return {
            name: (await self._catalogue(parameter.known_values, deadline)).values
            for name, parameter in tool.parameters.items()
            if parameter.known_values is not None
        }

    async def mentioned(self, text: str, tools: Iterable[ToolSpec], deadline: Deadline) -> frozenset[str]:
        """Names of those `tools` of which `text` says a known value, as a whole word or phrase."""
        phrases: frozenset[str] | None = None
        found: set[str] = set()
        for tool in tools:
            for parameter in tool.parameters.values():
                if parameter.known_values is None:
                    continue
                phrases = phrases_of(text) if phrases is None else phrases
                catalogue = await self._catalogue(parameter.known_values, deadline)
                if not phrases.isdisjoint(catalogue.phrases):
                    found.add(tool.name)
        return frozenset(found)

    async def _catalogue(self, spec: ValuesSpec, deadline: Deadline) -> _Catalogue:
        key = (spec.backend or "", spec.sql or repr(spec.values))
        kept = self._kept.get(key)
        if kept is not None and kept[0] > self._clock.monotonic():
            return kept[1]
        values = spec.values
        if values is None:
            values = await self._read(spec, deadline.at_most_ms(deadline.remaining_s() * 1000 * _SHARE))
        if values is None:
            last = kept[1] if kept is not None else _Catalogue()
            self._kept[key] = (self._clock.monotonic() + _REST_S, last)
            return last
        phrases = frozenset(phrase for value in values if len(phrase := plain(value)) > 1)
        catalogue = _Catalogue(tuple(values), phrases)
        self._kept[key] = (self._clock.monotonic() + _KEEP_S, catalogue)
        return catalogue

    async def _read(self, spec: ValuesSpec, deadline: Deadline) -> Sequence[str] | None:
        try:
            rows = await self._queries[spec.backend or ""].rows(spec.sql or "", {}, deadline, max_rows=_MAX_VALUES)
        except CallError:
            return None
        return [str(value) for row in rows for value in list(row.values())[:1] if value is not None]
