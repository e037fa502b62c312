"""The stages of `fill` for free text: the bare answer to a question, quotations, labelled text.

Rule: the whole bare answer goes to the free text that was asked for, and then nothing else is read out of it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Any

from reach.router.draft import Draft
from reach.router.extract.labels import find_labelled, find_route
from reach.router.extract.parameter import Parameter
from reach.router.extract.texts import bare_answer, find_quoted
from reach.router.extract.utterance import Found

_NAMED = 1.2
_RANGE_WORD = re.compile(r"\s*[~～到至]\s*(?=\d)")


def fill_answer(draft: Draft) -> None:
    """The whole answer, for a free text that was just asked for and has no catalogue."""
    asked = draft.asked
    if asked is None or asked.kind != "text" or asked.spec.known_values or asked.name in draft.catalogues:
        return
    labelled = [f for f in find_labelled(draft.text, asked) if f.recogniser == "labelled"]
    found = (
        labelled[0] if len(labelled) == 1 and not draft.is_cut(labelled[0].end) else bare_answer(draft.utterance.text)
    )
    if found and _put(draft, asked, [found], "answer"):
        draft.taken.append((0, len(draft.utterance.text)))


def fill_texts(draft: Draft) -> None:
    """Quotations and labelled text; a catalogue parameter that was asked for takes the bare answer as a last resort."""
    wanted = draft.open("text")
    if not wanted:
        return
    _fill_quoted(draft, wanted)
    for parameter in draft.open("text"):
        found = [f for f in find_labelled(draft.text, parameter) if draft.is_free(f.start, f.end)]
        found = [f for f in found if not draft.is_cut(f.end)]
        if not found:
            routes = [f for f in find_route(draft.text, parameter) if draft.is_free(f.start, f.end)]
            found = routes if len(routes) == 1 else []
        if found and (parameter.name not in draft.held or parameter is draft.asked or len(found) == 1):
            _put(draft, parameter, found[:1], found[0].recogniser)
    asked = draft.asked
    if asked and asked.kind == "text" and not draft.settled(asked) and (answer := bare_answer(draft.utterance.text)):
        _put(draft, asked, [answer], "answer")


def _fill_quoted(draft: Draft, wanted: list[Parameter]) -> None:
    quotes = [q for q in find_quoted(draft.text) if draft.is_free(q.start, q.end)]
    named: dict[str, list[Found]] = {}
    for quote in quotes:
        scores = sorted(
            ((draft.score(p, quote.start - 1, quote.end + 1), -i, p) for i, p in enumerate(wanted)),
            reverse=True,
            key=lambda s: s[:2],
        )
        best = scores[0]
        if best[0] >= _NAMED and (len(scores) == 1 or best[0] > scores[1][0]):
            named.setdefault(best[2].name, []).append(quote)
    for parameter in wanted:
        found = named.get(parameter.name, [])
        if parameter.many and found and _is_list(draft.text, quotes):
            found = quotes
        if len(found) == 1 or (parameter.many and found):
            _put(draft, parameter, found, "quoted")
    lacking = [p for p in draft.open("text") if draft.needs(p)]
    if len(lacking) != 1 or not quotes or not all(draft.is_free(q.start, q.end) for q in quotes):
        return
    if len(quotes) == 1 or (lacking[0].many and _is_list(draft.text, quotes)):
        _put(draft, lacking[0], quotes, "quoted")


_LIST_GAP = re.compile(r"[\s\"'“”,，、;和及与」「]*(?:and|or|&)?[\s\"'“”「]*", re.IGNORECASE)


def _is_list(text: str, quotes: list[Found]) -> bool:
    return all(_LIST_GAP.fullmatch(text[a.end : b.start]) for a, b in pairwise(quotes))


def _put(draft: Draft, parameter: Parameter, found: list[Found], recogniser: str) -> bool:
    values = [unicodedata.normalize("NFC", draft.utterance.source(f.start, f.end)[0]) for f in found]
    if recogniser == "labelled_amount":
        values = [_RANGE_WORD.sub("-", value) for value in values]
    value: Any = values if parameter.many else values[0]
    return draft.put(parameter, value, recogniser, *((f.start, f.end) for f in found))
