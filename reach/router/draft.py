"""The arguments of one call while they are being read from one utterance.

Rule: one span of the utterance fills at most one parameter, and a value enters only if the tool's schema accepts it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

from reach.messages import language_of
from reach.router.arguments import normal
from reach.router.direction import direction_of
from reach.router.extract.catalogues import Listed
from reach.router.extract.cues import cue_score
from reach.router.extract.dates import Days, Reading, find_days
from reach.router.extract.identifiers import find_emails, find_phones, find_uris, find_uuids
from reach.router.extract.numbers import Amount, find_amounts
from reach.router.extract.parameter import Kind, Parameter, parameters_of
from reach.router.extract.times import Clock, find_clocks
from reach.router.extract.utterance import Found, Utterance, corrected
from reach.router.validation import PerTool, validator_of
from reach.spec import ToolSpec
from reach.types import Choice, Provenance

parameters = PerTool(parameters_of)
LONGEST = 2000
"""Characters in which values are looked for, so that time stays bounded; a bare answer may be longer."""
_CLEARLY = 0.3
_ASKED = 2.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """`found` may be the value of `parameter`; `score` is how well the words around say so."""

    parameter: Parameter
    found: Found
    score: float


class Draft:
    """What one utterance says about one tool's parameters; the stages of `fill` write into it, the surest first."""

    def __init__(
        self,
        tool: ToolSpec,
        query: str,
        *,
        now: datetime,
        asked: str | None,
        held: Collection[str],
        catalogues: Mapping[str, Sequence[str]],
    ) -> None:
        self.tool = tool
        self.utterance = Utterance(query)
        self.text = self.utterance.text[:LONGEST]
        self.now = now
        self.parameters = parameters(tool)
        self.asked = next((p for p in self.parameters if p.name == asked), None)
        self.held = frozenset(held)
        self.catalogues = catalogues
        self.language = language_of(query)
        self.values: dict[str, Any] = {}
        self.provenance: dict[str, Provenance] = {}
        self.invalid: dict[str, str] = {}
        self.ambiguous: dict[str, tuple[Choice, ...]] = {}
        self.taken: list[tuple[int, int]] = []
        self._validator = validator_of(tool)
        self.listed: dict[str, list[Listed]] = {}
        self._scores: dict[tuple[str, int, int], float] = {}

    # -------------------------------------------------------------------------------------------- what is said

    @cached_property
    def identifiers(self) -> dict[str, list[Found]]:
        """E-mail addresses, UUIDs, URIs and phone numbers, by format."""
        return {
            "email": find_emails(self.text),
            "uuid": find_uuids(self.text),
            "uri": find_uris(self.text),
            "phone": find_phones(self.text),
        }

    @cached_property
    def days(self) -> list[Days]:
        """Days and periods that are not denied and not inside an identifier."""
        found = find_days(self.text, Reading(self.now.date(), self._direction()))
        return [d for d in found if not self._in_identifier(d.start, d.end) and not corrected(self.text, d.start)]

    @cached_property
    def clocks(self) -> list[Clock]:
        """Times of day."""
        return [c for c in find_clocks(self.text) if not self._in_identifier(c.start, c.end)]

    @cached_property
    def amounts(self) -> list[Amount]:
        """Numbers with their units, outside dates, times and identifiers; "last 7 days" counts as both."""
        spans = [(d.start, d.end) for d in self.days if not d.counted]
        spans += [(c.start, c.end) for c in self.clocks]
        spans += [(f.start, f.end) for group in self.identifiers.values() for f in group]
        return find_amounts(self.text, spans)

    def _in_identifier(self, start: int, end: int) -> bool:
        return any(f.start < end and start < f.end for group in self.identifiers.values() for f in group)

    def _direction(self) -> Literal[-1, 0, 1]:
        return direction_of(self.text, self.tool, self.parameters)

    # -------------------------------------------------------------------------------------------- what is still open

    def open(self, *kinds: Kind) -> list[Parameter]:
        """Parameters of these kinds that this utterance has not settled yet."""
        return [p for p in self.parameters if p.kind in kinds and not self.settled(p)]

    def settled(self, parameter: Parameter) -> bool:
        """True where this utterance has given the parameter a value, a choice or a fault."""
        return parameter.name in self.values or parameter.name in self.ambiguous or parameter.name in self.invalid

    def is_cut(self, end: int) -> bool:
        """True where words that end here may go on beyond what is read."""
        return end >= LONGEST

    def is_free(self, start: int, end: int) -> bool:
        """True where no parameter has taken any of these characters."""
        return not any(start < e and s < end for s, e in self.taken)

    def needs(self, parameter: Parameter) -> bool:
        """True where the call lacks this parameter: required (alone or as one of a group), not held, no default."""
        grouped = any(
            parameter.name in group and not self.held.intersection(group) and not set(group) & set(self.values)
            for group in self.tool.require_one_of
        )
        unknown = parameter.name not in self.held and parameter.spec.default is None
        return unknown and (parameter.spec.required or grouped)

    def score(self, parameter: Parameter, start: int, end: int) -> float:
        """How well the words around a value name `parameter`; one that was just asked for leads."""
        key = (parameter.name, start, end)
        if key not in self._scores:
            asked = _ASKED if parameter is self.asked else 0.0
            self._scores[key] = asked + cue_score(self.utterance, start, end, parameter)
        return self._scores[key]

    def candidates(self, parameter: Parameter, found: Iterable[Found]) -> list[Candidate]:
        """Each found value as a candidate for `parameter`."""
        return [Candidate(parameter, one, self.score(parameter, one.start, one.end)) for one in found]

    # -------------------------------------------------------------------------------------------- writing

    def accepts(self, parameter: Parameter, value: Any) -> bool:
        """True where the tool's schema accepts `value` (a whole list for an array)."""
        return self._validator.accepts(parameter.name, value)

    def put(self, parameter: Parameter, value: Any, recogniser: str, *spans: tuple[int, int]) -> bool:
        """Set the value, read from `spans`. False where the schema refuses it or a span is taken."""
        value = normal(value)
        if not spans or self.settled(parameter) or not all(self.is_free(*span) for span in spans):
            return False
        if not self.accepts(parameter, value):
            return False
        text, start = self.utterance.source(min(s for s, _ in spans), max(e for _, e in spans))
        self.values[parameter.name] = value
        self.provenance[parameter.name] = Provenance("user", text, start, recogniser)
        self._take(spans)
        return True

    def _take(self, spans: Iterable[tuple[int, int]]) -> None:
        self.taken.extend(self.utterance.whole(*span) for span in spans)

    def choose(self, parameter: Parameter, choices: Iterable[Choice], *spans: tuple[int, int]) -> bool:
        """Leave the value open between the readings that the schema accepts; one reading left is the value."""
        real = {repr(c.value): c for c in choices if self.accepts(parameter, [c.value] if parameter.many else c.value)}
        if not real:
            return False
        if len(real) == 1 and spans:
            value = next(iter(real.values())).value
            return self.put(parameter, [value] if parameter.many else value, "choice", *spans)
        self.ambiguous[parameter.name] = tuple(real.values())
        self._take(spans)
        return True

    def reject(self, parameter: Parameter, problem: str, *spans: tuple[int, int]) -> None:
        """Record that a value was given that cannot be used, and why."""
        self.invalid[parameter.name] = problem
        self._take(spans)

    # -------------------------------------------------------------------------------------------- deciding

    def settle(self, candidates: Iterable[Candidate]) -> None:
        """Give each found value to the parameter that its words name best, then each parameter its value or choices."""
        open_ = [c for c in candidates if not self.settled(c.parameter) and self.is_free(c.found.start, c.found.end)]
        claims: dict[str, list[Candidate]] = {}
        undecided: dict[tuple[str, ...], list[list[Candidate]]] = {}
        for rivals in _by_span(open_):
            best = sorted(rivals, key=lambda c: -c.score)
            if len(best) == 1 or best[0].score - best[1].score >= _CLEARLY:
                claims.setdefault(best[0].parameter.name, []).append(best[0])
            else:
                undecided.setdefault(tuple(sorted(c.parameter.name for c in rivals)), []).append(rivals)
        for group in undecided.values():
            self._share(group, claims)
        for name in [p.name for p in self.parameters if p.name in claims]:
            self._conclude(claims[name])

    def _share(self, group: list[list[Candidate]], claims: dict[str, list[Candidate]]) -> None:
        """Values that several parameters could take alike: in order where there are as many, else to those in need."""
        rivals = [
            c.parameter
            for c in sorted(group[0], key=lambda c: self._place(c.parameter))
            if c.parameter.name not in claims
        ]
        needy = [p for p in rivals if self.needs(p)]
        takers = rivals if len(rivals) == len(group) else needy if len(needy) == len(group) else []
        for parameter, spans in zip(takers, group, strict=False):
            claims[parameter.name] = [next(c for c in spans if c.parameter is parameter)]

    def _place(self, parameter: Parameter) -> int:
        return self.parameters.index(parameter)

    def _conclude(self, claims: list[Candidate]) -> None:
        parameter = claims[0].parameter
        spans = [(c.found.start, c.found.end) for c in claims]
        distinct = {repr(c.found.value): c for c in reversed(claims)}
        if parameter.many:
            values = [c.found.value for c in reversed(distinct.values())]
            self.put(parameter, values, claims[0].found.recogniser, *spans)
        elif len(distinct) == 1:
            self.put(parameter, claims[0].found.value, claims[0].found.recogniser, spans[0])
        else:
            ranked = sorted(distinct.values(), key=lambda c: -c.score)
            if ranked[0].score - ranked[1].score >= 1.0:
                found = ranked[0].found
                self.put(parameter, found.value, found.recogniser, (found.start, found.end))
            else:
                ordered = sorted(distinct.values(), key=lambda c: c.found.start)
                self.choose(parameter, [Choice(c.found.value, str(c.found.value)) for c in ordered], *spans)


def _by_span(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    spans: dict[tuple[int, int], list[Candidate]] = {}
    for one in candidates:
        spans.setdefault((one.found.start, one.found.end), []).append(one)
    return [spans[key] for key in sorted(spans)]
