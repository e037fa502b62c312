"""Fills a tool's parameters from one utterance, what is already known, the caller's claims and declared defaults.

Rule: a value is filled only from a span of the user's words, a slot, a claim or a default, and says which; where the
words are weak or open the parameter stays empty, so that the user is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from reach.router.arguments import bind_defaults, missing_of, normal, not_json
from reach.router.draft import Draft
from reach.router.fill_dates import fill_dates, fill_times
from reach.router.fill_numbers import fill_numbers
from reach.router.fill_texts import fill_answer, fill_texts
from reach.router.fill_words import fill_booleans, fill_catalogues, fill_enums, fill_identifiers, fill_shared_names
from reach.router.validation import validator_of
from reach.spec import ToolSpec
from reach.types import Arguments, Caller, Choice, Provenance

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_STAGES = (
    fill_answer,
    fill_identifiers,
    fill_catalogues,
    fill_enums,
    fill_shared_names,
    fill_dates,
    fill_times,
    fill_numbers,
    fill_booleans,
    fill_texts,
)


def fill(
    tool: ToolSpec,
    query: str,
    *,
    now: datetime,
    caller: Caller,
    slots: Mapping[str, tuple[Any, Provenance]] = _NOTHING,
    asked: str | None = None,
    catalogues: Mapping[str, Sequence[str]] = _NOTHING,
) -> Arguments:
    """The arguments of `tool` as far as `query` and what is known give them.

    `now` is aware, in the caller's zone. `slots` are values of earlier turns with where they came from; the user's new
    words override them. `asked` names the parameter that was just asked for, so that a bare answer fills it.
    `catalogues` gives the known values of a parameter by its name. Raises nothing for any text.
    """
    draft = Draft(tool, query, now=now, asked=asked, held=slots, catalogues=catalogues)
    if draft.text.strip():
        for stage in _STAGES:
            stage(draft)
    values, provenance = dict(draft.values), dict(draft.provenance)
    unsettled = {*draft.invalid, *draft.ambiguous}
    _add_slots(tool, slots, values, provenance, unsettled)
    ambiguous = dict(draft.ambiguous) | _add_claims(tool, caller, values, provenance, unsettled)
    unsettled.update(ambiguous)
    bind_defaults(tool, values, provenance, but_not=unsettled)
    missing = missing_of(tool, {*values, *unsettled})
    return Arguments(values, provenance, missing, draft.invalid, ambiguous)


def _add_slots(
    tool: ToolSpec,
    slots: Mapping[str, tuple[Any, Provenance]],
    values: dict[str, Any],
    provenance: dict[str, Provenance],
    unsettled: set[str],
) -> None:
    validator = validator_of(tool)
    for name, (value, origin) in slots.items():
        if name in tool.parameters and name not in values and name not in unsettled and validator.accepts(name, value):
            values[name] = value
            provenance[name] = Provenance("slot", origin.text, origin.start, origin.recogniser)


def _add_claims(
    tool: ToolSpec,
    caller: Caller,
    values: dict[str, Any],
    provenance: dict[str, Provenance],
    unsettled: set[str],
) -> dict[str, tuple[Choice, ...]]:
    """Fill from claims; a claim that is a list of several values is a choice where the parameter takes one."""
    validator = validator_of(tool)
    choices: dict[str, tuple[Choice, ...]] = {}
    held = {**caller.claims, "id": caller.id}
    for name, parameter in tool.parameters.items():
        claim = parameter.claim
        if claim is None or claim not in held or name in values or name in unsettled:
            continue
        value = held[claim]
        if parameter.type != "array" and isinstance(value, list | tuple | set | frozenset):
            usable = [v for v in value if not not_json(v) and validator.accepts(name, v)]
            if len(usable) > 1:
                choices[name] = tuple(Choice(v, str(v)) for v in usable)
                continue
            value = usable[0] if usable else None
        if value is not None and not not_json(value) and validator.accepts(name, value):
            values[name] = normal(value)
            provenance[name] = Provenance("claim", claim)
    return choices
