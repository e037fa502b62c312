"""The local ranker: which tools a query asks for, without a model.

Rule: a score adds up absolute evidence with fixed weights and never divides by the best candidate of the same query, so
it means the same from query to query; a tool outside `visible` can't become a candidate nor lend its words.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from reach.router.lexical import LexicalIndex, QueryTerms, texts
from reach.router.smalltalk import smalltalk
from reach.router.text import is_stop, normalise, plain
from reach.spec import ToolSpec
from reach.types import Candidate, Route

WEIGHTS: Mapping[str, float] = {
    "coverage": 4.5,  # the share of the query's weight that the tool accounts for
    "mass": 7.7,  # how much was matched in all, saturated: long queries are never covered whole
    "example": 0.8,  # the nearest example
    "support": 1.4,  # the nearest three examples together
    "same": 4.0,  # all but the same sentence as an example
    "text": 4.3,  # the nearest sentence of title, description and when_to_use
    "name": 1.2,  # the share of the name or title that the query says
    "value": 2.1,  # an enum value or a synonym of one stands in the query
    "pattern": 4.2,  # a token has the form that one of its parameters demands
    "unused": -3.0,  # the query gives a number of a form that other tools take and this one does not
    "counter": -8.0,  # nearer to what it is not for than to what it is for
}
"""Log-odds for each kind of evidence in 0..1. They were fitted once over public sets in both languages, each set also
with weights from the others alone, and rounded; `same`, `pattern` and `counter`, which those sets do not have, are set
by hand."""
BIAS = -5.6
_HALF_MASS = 8.0
_SAME_FROM = 0.8
_POOL = 32
"""How many tools, best by BM25, are looked at closely; the work for one query is bounded by it."""
_VALUE_MAX_WORDS = 8
_NOBODY: frozenset[int] = frozenset()
_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./@+#:-]{0,63}", re.ASCII)
_PROBES = ("a", "I", "to", "order", "Hello", "status", "query-tool", "user_name", "1", "10")


@dataclass(frozen=True, slots=True)
class _Traits:
    """What of one tool is compared with the whole query rather than with its terms."""

    names: tuple[Mapping[str, float], ...]
    patterns: tuple[re.Pattern[str], ...]

    def takes(self, token: str) -> bool:
        """True where a parameter's pattern accepts the token, in whatever case it was typed."""
        return any(p.fullmatch(form) for p in self.patterns for form in (token, token.upper(), token.lower()))


def _value_words(tool: ToolSpec) -> Iterator[str]:
    """The enum words, their synonyms and the listed known values of a tool, as plain text."""
    for parameter in tool.parameters.values():
        known = parameter.known_values.values if parameter.known_values is not None else None
        for value in (*(parameter.enum or ()), *(known or ()), *chain(*(parameter.synonyms or {}).values())):
            word = plain(value) if isinstance(value, str) else ""
            if len(word) > 1 and not is_stop(word):
                yield word


def _specific_patterns(tool: ToolSpec) -> Iterator[re.Pattern[str]]:
    """The patterns of the tool's parameters, without those that an ordinary word or number matches."""
    for parameter in tool.parameters.values():
        if parameter.pattern is not None:
            pattern = re.compile(parameter.pattern)
            if not any(pattern.search(probe) for probe in _PROBES):
                yield pattern


class Router:
    """Ranks the tools of one registry for a query; built once, then only read, and safe to share between threads.

    `threshold` (0..1) is the score from which a candidate may be used; `top_k` is how many candidates a route holds.
    """

    def __init__(self, tools: Iterable[ToolSpec], *, threshold: float, top_k: int) -> None:
        self._tools = tuple(tools)
        self._threshold = threshold
        self._top_k = top_k
        self._places = {tool.name: index for index, tool in enumerate(self._tools)}
        self._index = LexicalIndex(self._tools)
        self._traits = tuple(self._traits_of(tool) for tool in self._tools)
        self._patterned = frozenset(index for index, traits in enumerate(self._traits) if traits.patterns)
        self._values: dict[str, set[int]] = {}
        self._examples: dict[str, list[int]] = {}
        for index, tool in enumerate(self._tools):
            for word in _value_words(tool):
                self._values.setdefault(word, set()).add(index)
            for example in tool.examples:
                self._examples.setdefault(plain(example), []).append(index)

    def _traits_of(self, tool: ToolSpec) -> _Traits:
        names = (self._index.vector(text) for text in (tool.name, *texts(tool.title)))
        return _Traits(tuple(n for n in names if n), tuple(_specific_patterns(tool)))

    def route(self, query: str, *, visible: Collection[str] | None = None, mentioned: Collection[str] = ()) -> Route:
        """The candidates for `query`, best first, out of the tools named in `visible` (None: all).

        `mentioned` names the tools of which the query says a known value, as far as the caller of this knows.

        Small talk and empty queries have no candidates, unless a tool has the very query as an example. The weight of a
        word comes from all tools of the registry, but a word that only tools outside `visible` use counts as unknown:
        what cannot be seen changes neither who is a candidate nor why. Equal scores keep the registry's order.
        """
        places = None if visible is None else frozenset(self._places[name] for name in visible if name in self._places)
        talk = smalltalk(query)
        if talk is not None and not self._is_example(query, places):
            return Route(query, (), abstained=True, threshold=self._threshold, reason=talk)
        if not (self._tools if places is None else places):
            return Route(query, (), abstained=True, threshold=self._threshold, reason="no_tools")
        known = frozenset(self._places[name] for name in mentioned if name in self._places)
        ranked = self._rank(query, places, known if places is None else known & places)
        abstained = not ranked or ranked[0].score < self._threshold
        reason = "below_threshold" if abstained else "ranked"
        return Route(query, ranked, abstained=abstained, threshold=self._threshold, reason=reason)

    def _is_example(self, query: str, places: frozenset[int] | None) -> bool:
        return any(places is None or index in places for index in self._examples.get(plain(query), ()))

    def _rank(self, query: str, places: frozenset[int] | None, mentioned: frozenset[int]) -> tuple[Candidate, ...]:
        evidence = self.evidence(query, places, mentioned)
        scored = ((_score(parts), index) for index, parts in evidence.items())
        best = heapq.nsmallest(self._top_k, scored, key=lambda pair: (-pair[0], pair[1]))
        return tuple(Candidate(self._tools[i].name, score, _why(evidence[i])) for score, i in best)

    def evidence(
        self, query: str, places: frozenset[int] | None = None, mentioned: frozenset[int] = frozenset()
    ) -> dict[int, dict[str, float]]:
        """The evidence (0..1 for each key of WEIGHTS) for every tool, by place, that the query has anything to do with.

        Only the 32 best by BM25 are looked at, and those with a parameter whose pattern a token of the query has.
        """
        text = normalise(query)
        formed = self._formed(text, places)
        for token in {token for tokens in formed.values() for token in tokens}:
            text = text.replace(token, " ")
        terms = self._index.query_terms(text, places)
        masses = self._index.masses(terms, places)
        pool = heapq.nsmallest(_POOL, masses, key=lambda index: (-masses[index], index))
        named = self._named(text)
        identified = any(not token.isdigit() for tokens in formed.values() for token in tokens)
        found: dict[int, dict[str, float]] = {}
        for index in dict.fromkeys((*pool, *sorted(formed)[:_POOL], *sorted(mentioned)[:_POOL])):
            parts = self._parts(terms, index, masses.get(index, 0.0))
            parts["value"] = float(index in named or index in mentioned)
            strongest = max((0.3 if token.isdigit() else 1.0 for token in formed.get(index, ())), default=0.0)
            parts["pattern"] = strongest
            parts["unused"] = float(identified and index not in formed)
            found[index] = parts
        return found

    def _named(self, text: str) -> set[int]:
        """The tools with a value that stands in the text as a whole word or phrase."""
        words = plain(text).split(" ")
        found: set[int] = set()
        for at in range(len(words)):
            for end in range(at + 1, min(at + _VALUE_MAX_WORDS, len(words)) + 1):
                found |= self._values.get(" ".join(words[at:end]), _NOBODY)
        return found

    def _formed(self, text: str, places: frozenset[int] | None) -> dict[int, list[str]]:
        """The tools with a parameter whose pattern some token of the text has, with those tokens."""
        tokens = [token for token in _TOKEN.findall(text) if any(char.isdigit() for char in token)]
        if not tokens:
            return {}
        found: dict[int, list[str]] = {}
        for index in self._patterned if places is None else self._patterned & places:
            hits = [t for t in tokens if self._traits[index].takes(t)]
            if hits:
                found[index] = hits
        return found

    def _parts(self, terms: QueryTerms, index: int, mass: float) -> dict[str, float]:
        near = self._index.similarity(terms, index)
        return {
            "coverage": mass / terms.total if terms.total else 0.0,
            "mass": mass / (mass + _HALF_MASS),
            "example": near.example,
            "support": near.support,
            "same": max(0.0, near.example - _SAME_FROM) / (1 - _SAME_FROM),
            "text": near.text,
            "name": max((_said(name, terms.known) for name in self._traits[index].names), default=0.0),
            "counter": max(0.0, near.counter - max(near.example, near.text)),
        }


def _said(wanted: Mapping[str, float], known: Mapping[str, float]) -> float:
    """Which share of the weight of the `wanted` terms is among the `known` ones, 0..1."""
    return sum(weight for term, weight in wanted.items() if term in known) / sum(wanted.values())


def _score(parts: Mapping[str, float]) -> float:
    odds = BIAS + sum(WEIGHTS[name] * part for name, part in parts.items())
    return 1 / (1 + math.exp(-odds))


def log_odds(score: float) -> float:
    """The evidence behind a score: the inverse of how it was made. A score of 0 or 1 counts as all but that."""
    score = min(max(score, 1e-9), 1 - 1e-9)
    return math.log(score / (1 - score))


def _why(parts: Mapping[str, float]) -> dict[str, float]:
    """What each part added to the log-odds of the score, without those that added nothing."""
    return {name: added for name, part in parts.items() if (added := round(WEIGHTS[name] * part, 3))}
