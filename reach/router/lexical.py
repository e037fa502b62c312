"""The index over a registry's texts: weighted terms of every tool, and of each of its sentences.

Rule: built once and never changed; a query is only looked up, so the cost of a query grows with its matches.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import OSA

from reach.router.text import background_share, clauses, kind_weight, sentences, terms
from reach.spec import ParameterSpec, Text, ToolSpec

Kind = Literal["example", "text", "counter"]

FIELD_WEIGHTS = {
    "name": 3.0,
    "title": 3.0,
    "description": 2.0,
    "when": 2.0,
    "example": 1.5,
    "parameter": 1.0,
    "value": 0.7,
}
_K1, _B = 1.0, 0.4
_BACKGROUND = 20.0
"""How many imagined tools stand behind the real ones, so that a small registry still knows rare from common."""
_UNKNOWN = 0.6
"""What a query word that no tool knows weighs, beside the rarest word that one does: it may be a name or a value."""
_TYPO = 0.75
_TYPO_MIN_LENGTH = 5
_FREQUENT = 1000
"""A term of more tools than this is looked up for its best tools and for those that other terms point at."""
_CHAMPIONS = 200
_PROMISING = 200
_NOTHING: Mapping[int, Sequence[tuple[int, float]]] = {}


def texts(text: Text | None) -> Iterator[str]:
    """`text` in every language that it has."""
    if text is None:
        return
    yield from (text,) if isinstance(text, str) else text.values()


def _parameter_fields(name: str, parameter: ParameterSpec) -> Iterator[tuple[str, str]]:
    yield "parameter", name
    for text in (*texts(parameter.title), *texts(parameter.description)):
        yield "parameter", text
    for value in parameter.enum or ():
        yield "value", str(value)
    if parameter.known_values is not None:
        for value in parameter.known_values.values or ():
            yield "value", value
    for words in (parameter.synonyms or {}).values():
        for word in words:
            yield "value", word
    yield from _nested_fields({"properties": parameter.properties, "items": parameter.items})


def _nested_fields(schema: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """The names and descriptions inside an object or list parameter."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            yield "parameter", str(name)
            if isinstance(inner, Mapping):
                yield "parameter", str(inner.get("description", ""))
                yield from _nested_fields(inner)
    if isinstance(items := schema.get("items"), Mapping):
        yield from _nested_fields(items)


def tool_fields(tool: ToolSpec) -> Iterator[tuple[str, str]]:
    """Every text that speaks for `tool`, with the field that it stands in."""
    yield "name", tool.name
    for name, value in (("title", tool.title), ("description", tool.description), ("when", tool.when_to_use)):
        for text in texts(value):
            yield name, text
    for text in tool.examples:
        yield "example", text
    for name, parameter in tool.parameters.items():
        yield from _parameter_fields(name, parameter)


def tool_sentences(tool: ToolSpec) -> Iterator[tuple[Kind, str]]:
    """The sentences that a query may resemble: examples, the tool's own texts, and those that count against it."""
    for text in tool.examples:
        yield "example", text
    for text in texts(tool.description):
        for sentence in sentences(text):
            yield "text", sentence
    for text in texts(tool.when_to_use):
        for part in (*sentences(text), *clauses(text)):
            yield "text", part
    for text in texts(tool.when_not_to_use):
        for part in (*sentences(text), *clauses(text)):
            yield "counter", part
    for text in tool.counter_examples:
        yield "counter", text


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A query's terms that some tool knows, with their weights; `total` and `norm` count the unknown ones too."""

    known: Mapping[str, float]
    total: float
    norm: float


@dataclass(slots=True)
class Similarity:
    """How close a query comes to one tool's sentences, as cosines in 0..1.

    `example` is the best example, `support` the mean of the best three, `text` the best sentence of its description,
    and `counter` the best of those that count against it.
    """

    example: float = 0.0
    support: float = 0.0
    text: float = 0.0
    counter: float = 0.0


class LexicalIndex:
    """BM25 postings of the tools, and cosine postings of their sentences."""

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._size = len(tools)
        self._read: dict[str, list[str]] = {}  # a text stands in a bag and as a sentence; read it once
        bags = [self._bag(tool) for tool in tools]
        frequency = Counter(term for bag in bags for term in bag)
        self._idf = {term: self._weight(term, count) for term, count in frequency.items()}
        self._postings: dict[str, tuple[list[int], list[float]]] = {}
        self._sentence_postings: dict[str, dict[int, list[tuple[int, float]]]] = {}
        self._kinds: list[Kind] = []
        self._add_bags(bags)
        self._champions = {
            term: heapq.nsmallest(_CHAMPIONS, zip(*posting, strict=True), key=lambda pair: (-pair[1], pair[0]))
            for term, posting in self._postings.items()
            if len(posting[0]) > _FREQUENT
        }
        self._champion_ids = {term: frozenset(index for index, _ in best) for term, best in self._champions.items()}
        for index, tool in enumerate(tools):
            self._add_sentences(index, tool)
        self._read = {}
        self._typos = self._deletions()

    # -------------------------------------------------------------------------------------------- building

    def _terms(self, text: str) -> list[str]:
        found = self._read.get(text)
        if found is None:
            found = self._read[text] = terms(text)
        return found

    def _bag(self, tool: ToolSpec) -> Counter[str]:
        bag: Counter[str] = Counter()
        for name, text in tool_fields(tool):
            for term in self._terms(text):
                bag[term] += FIELD_WEIGHTS[name]  # pyright: ignore[reportArgumentType]  -- weighted counts
        return bag

    def _weight(self, term: str, count: int) -> float:
        """How much `term` tells tools apart where `count` of them have it: idf with the background's tools behind."""
        rare = (self._size + _BACKGROUND) / (count + _BACKGROUND * background_share(term))
        return max(math.log(rare), 0.05) * kind_weight(term)

    def _add_bags(self, bags: Sequence[Counter[str]]) -> None:
        lengths = [sum(bag.values()) for bag in bags]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        for index, bag in enumerate(bags):
            damping = _K1 * (1 - _B + _B * lengths[index] / mean)
            for term, count in bag.items():
                ids, impacts = self._postings.setdefault(term, ([], []))
                ids.append(index)
                impacts.append(count / (count + damping))

    def _add_sentences(self, index: int, tool: ToolSpec) -> None:
        seen: set[tuple[Kind, frozenset[str]]] = set()
        for kind, text in tool_sentences(tool):
            vector = self._vector(self._terms(text))
            key = (kind, frozenset(vector))
            if not vector or key in seen:
                continue
            seen.add(key)
            norm = math.sqrt(sum(weight * weight for weight in vector.values()))
            place = len(self._kinds)
            self._kinds.append(kind)
            for term, weight in vector.items():
                self._idf.setdefault(term, weight)
                self._sentence_postings.setdefault(term, {}).setdefault(index, []).append((place, weight / norm))

    def _deletions(self) -> dict[str, tuple[str, ...]]:
        """Each way to leave one letter out of a word of the registry, with the words that it may come from."""
        found: dict[str, list[str]] = {}
        for term in self._postings:
            if len(term) >= _TYPO_MIN_LENGTH and term.isalpha() and term.isascii():
                for form in {term, *(term[:i] + term[i + 1 :] for i in range(len(term)))}:
                    found.setdefault(form, []).append(term)
        return {form: tuple(words) for form, words in found.items()}

    # -------------------------------------------------------------------------------------------- looking up

    def query_terms(self, query: str, visible: Collection[int] | None = None) -> QueryTerms:
        """The weighted terms of `query`; an unknown word is read as a known one that differs from it by one slip.

        A word that only tools outside `visible` use is unknown, so no answer shows that such tools exist.
        """
        known: dict[str, float] = {}
        total = square = 0.0
        for term in dict.fromkeys(terms(query)):
            if self._is_known(term, visible):
                weight = known[term] = self._idf[term]
            elif meant := self._meant(term, visible):
                weight = self._idf[meant] * _TYPO
                known.setdefault(meant, weight)
            else:
                weight = _UNKNOWN * self._weight(term, 1)
            total += weight
            square += weight * weight
        return QueryTerms(known, total, math.sqrt(square))

    def _is_known(self, term: str, visible: Collection[int] | None) -> bool:
        if term not in self._idf or visible is None:
            return term in self._idf
        if term in self._postings and next(iter(self._seen(term, visible)), None):
            return True
        return any(index in visible for index in self._sentence_postings.get(term, ()))

    def _seen(self, term: str, visible: Collection[int] | None) -> Iterable[tuple[int, float]]:
        """The visible tools that have `term`, each with its saturation; cheap where either side is short."""
        ids, impacts = self._postings[term]
        if visible is None:
            return zip(ids, impacts, strict=True)
        if len(visible) * 8 > len(ids):
            return (pair for pair in zip(ids, impacts, strict=True) if pair[0] in visible)
        places = ((index, bisect_left(ids, index)) for index in visible)
        return ((index, impacts[at]) for index, at in places if at < len(ids) and ids[at] == index)

    def _meant(self, term: str, visible: Collection[int] | None) -> str | None:
        if len(term) < _TYPO_MIN_LENGTH or not (term.isalpha() and term.isascii()):
            return None
        for form in (term, *(term[:i] + term[i + 1 :] for i in range(len(term)))):
            for word in self._typos.get(form, ()):
                if OSA.distance(term, word) == 1 and self._is_known(word, visible):
                    return word
        return None

    def masses(self, query: QueryTerms, visible: Collection[int] | None = None) -> dict[int, float]:
        """BM25 of the visible tools that share a term with the query: the sum of term weight x saturation (0..1).

        In a registry of thousands, tools that share only words that very many have are left out but for the best of
        each word, and the sums of the others are completed for the most promising only.
        """
        scores: dict[int, float] = {}
        get = scores.get
        frequent: list[tuple[str, float]] = []
        many = visible is None or len(visible) > _FREQUENT
        for term, weight in query.known.items():
            if many and term in self._champions:
                frequent.append((term, weight))
                best = self._champions[term]
                hits = best if visible is None else (pair for pair in best if pair[0] in visible)
            elif term in self._postings:
                hits = self._seen(term, visible)
            else:
                continue
            for index, impact in hits:
                scores[index] = get(index, 0.0) + weight * impact
        return self._completed(scores, frequent) if frequent else scores

    def _completed(self, scores: dict[int, float], frequent: list[tuple[str, float]]) -> dict[int, float]:
        """The most promising of `scores`, with what the frequent terms add to a tool that is not among their best."""
        kept = heapq.nsmallest(_PROMISING, scores, key=lambda index: (-scores[index], index))
        completed = {index: scores[index] for index in kept}
        for term, weight in frequent:
            best = self._champion_ids[term]
            for index, impact in self._seen(term, completed):
                if index not in best:
                    completed[index] += weight * impact
        return completed

    def similarity(self, query: QueryTerms, index: int) -> Similarity:
        """How close the query comes to the sentences of one tool."""
        dots: dict[int, float] = {}
        for term, weight in query.known.items():
            for place, part in self._sentence_postings.get(term, _NOTHING).get(index, ()):
                dots[place] = dots.get(place, 0.0) + weight * part
        near = Similarity()
        examples: list[float] = []
        for place, dot in dots.items():
            cosine = min(1.0, dot / query.norm)
            kind = self._kinds[place]
            if kind == "example":
                examples.append(cosine)
            elif kind == "text":
                near.text = max(near.text, cosine)
            else:
                near.counter = max(near.counter, cosine)
        if examples:
            examples.sort(reverse=True)
            near.example = examples[0]
            near.support = sum(examples[:3]) / 3
        return near

    def vector(self, text: str) -> dict[str, float]:
        """The terms of a text of the registry, each with its weight."""
        return self._vector(terms(text))

    def _vector(self, found: Iterable[str]) -> dict[str, float]:
        return {term: self._idf.get(term) or self._weight(term, 1) for term in found}
