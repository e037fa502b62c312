"""The stages of `fill` that recognise words as such: identifiers, known names, closed lists, switches.

Rule: an identifier that is given but does not fit is said to be wrong, never passed over as if nothing was given.
"""

from __future__ import annotations

import re

from reach.messages import message
from reach.router.draft import Candidate, Draft
from reach.router.extract.booleans import bare_boolean, find_boolean
from reach.router.extract.catalogues import Listed, find_listed
from reach.router.extract.enums import find_enum
from reach.router.extract.identifiers import find_near_misses, find_pattern
from reach.router.extract.parameter import Parameter
from reach.router.extract.shape import shape_of
from reach.router.extract.texts import bare_answer
from reach.router.extract.units import units_of
from reach.router.extract.utterance import Found, in_denial, negated
from reach.types import Choice

_TOKEN = re.compile(r"[A-Za-z0-9#_-]*\d[A-Za-z0-9#_-]*")


def fill_identifiers(draft: Draft) -> None:
    """Values with a pattern of their own, e-mail addresses, phones, URIs, UUIDs."""
    candidates: list[Candidate] = []
    for parameter in draft.open("pattern", "email", "uuid", "uri", "phone"):
        candidates += draft.candidates(parameter, _identifiers(draft, parameter))
    draft.settle(candidates)
    for parameter in sorted(draft.open("pattern"), key=lambda p: (p is not draft.asked, not draft.needs(p))):
        _near_miss(draft, parameter)


def _identifiers(draft: Draft, parameter: Parameter) -> list[Found]:
    if parameter.kind != "pattern":
        return draft.identifiers[parameter.kind]
    found = find_pattern(draft.text, parameter.schema["pattern"])
    found = [f for f in found if not negated(draft.text, f.start)]
    return [f for f in found if not draft.text[f.start : f.end].isdigit() or not _is_other(draft, f)]


def _is_other(draft: Draft, found: Found) -> bool:
    """True where digits are part of a date, a time, a phone number or an amount rather than an identifier."""
    spans = [(d.start, d.end) for d in draft.days] + [(c.start, c.end) for c in draft.clocks]
    spans += [(f.start, f.end) for f in draft.identifiers["phone"] if f.end - f.start > found.end - found.start]
    spans += [
        (a.start, a.end) for a in draft.amounts if a.unit and any(u.dimension != "count" for u in units_of(a.unit))
    ]
    return found.overlaps(spans)


def _near_miss(draft: Draft, parameter: Parameter) -> None:
    pattern = parameter.schema["pattern"]
    near = [f for f in find_near_misses(draft.text, pattern) if draft.is_free(f.start, f.end)]
    if not near and parameter is draft.asked and (answer := bare_answer(draft.text)):
        near = [answer] if _TOKEN.fullmatch(answer.value) and draft.is_free(answer.start, answer.end) else []
    if near:
        given, _ = draft.utterance.source(near[0].start, near[0].end)
        shape = shape_of(pattern) or pattern
        problem = message("wrong_shape", draft.language, value=given, shape=shape)
        draft.reject(parameter, problem, (near[0].start, near[0].end))


def fill_catalogues(draft: Draft) -> None:
    """Names that a catalogue lists."""
    candidates: list[Candidate] = []
    for parameter in draft.open("text", "pattern"):
        for listed in _listed(draft, parameter):
            if len(listed.names) == 1:
                found = Found(listed.start, listed.end, listed.names[0], listed.recogniser)
                candidates += draft.candidates(parameter, [found])
    draft.settle(candidates)


def fill_shared_names(draft: Draft) -> None:
    """Words that several names of a catalogue share leave a choice; closed lists have had their words before."""
    for parameter in draft.open("text", "pattern"):
        for listed in _listed(draft, parameter):
            if len(listed.names) > 1 and not draft.settled(parameter) and draft.is_free(listed.start, listed.end):
                draft.choose(parameter, [Choice(n, n) for n in listed.names], (listed.start, listed.end))


def _listed(draft: Draft, parameter: Parameter) -> list[Listed]:
    if parameter.name not in draft.listed:
        names = _names(draft, parameter)
        found = find_listed(draft.text, names) if names else []
        draft.listed[parameter.name] = [one for one in found if not negated(draft.text, one.start)]
    return draft.listed[parameter.name]


def _names(draft: Draft, parameter: Parameter) -> list[str]:
    if parameter.name in draft.catalogues:
        return list(draft.catalogues[parameter.name])
    known = parameter.spec.known_values
    return list(known.values or ()) if known else []


def fill_enums(draft: Draft) -> None:
    """Values of closed lists."""
    candidates: list[Candidate] = []
    for parameter in [p for p in draft.open("enum") if not p.numeric]:
        about = frozenset((*parameter.names, *parameter.hints))
        found = find_enum(draft.text, parameter.schema["enum"], parameter.spec.synonyms, about=about)
        candidates += draft.candidates(parameter, found)
    draft.settle(candidates)
    asked = draft.asked
    if asked and asked.kind == "enum" and not draft.settled(asked) and (answer := bare_answer(draft.text)):
        for value in asked.schema["enum"]:
            if str(value).casefold() == answer.value.casefold():
                draft.put(asked, [value] if asked.many else value, "answer", (answer.start, answer.end))


def fill_booleans(draft: Draft) -> None:
    """Switches that the utterance names or denies; a bare yes or no answers the one that was asked for."""
    asked = draft.asked
    if asked and asked.kind == "boolean" and (answer := bare_boolean(draft.text)) is not None:
        stripped = len(draft.text.rstrip())
        start = len(draft.text) - len(draft.text.lstrip())
        draft.put(asked, answer, "answer", (start, stripped))
    candidates: list[Candidate] = []
    for parameter in draft.open("boolean"):
        found = find_boolean(draft.text, parameter)
        certain = [f for f in found if not f.value or not in_denial(draft.utterance, f.start, f.end)]
        candidates += draft.candidates(parameter, certain)
    draft.settle(candidates)
