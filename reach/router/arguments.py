"""Arguments that a host or a model gives by name: checked, never repaired.

Rule: a value is either taken as it is or refused with a message that says which argument, what was expected and what
was given, so that a model can correct the call by itself.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from reach.router.extract.shape import shape_of
from reach.router.validation import ToolValidator, validator_of
from reach.spec import ToolSpec
from reach.types import Arguments, Provenance

_MAX_DEPTH = 64
_ARTICLES = {"integer": "an integer", "array": "an array", "object": "an object", "null": "null"}


def check_arguments(tool: ToolSpec, values: Mapping[str, Any]) -> Arguments:
    """`values` checked against the tool's parameters, with declared defaults bound.

    Strings are brought to Unicode NFC and tuples to lists; nothing else changes and no type is coerced. Raises nothing:
    unknown names and values that do not fit are in `invalid`, absent required ones in `missing`.
    """
    validator = validator_of(tool)
    invalid: dict[str, str] = {}
    good: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key)
        if name not in tool.parameters:
            invalid[name] = _unknown(name, tool.parameters)
        elif problem := not_json(value):
            invalid[name] = f'"{name}" {problem}'
        else:
            good[name] = normal(value)
    if not validator.accept_all(good):
        for name in [name for name, value in good.items() if not validator.accepts(name, value)]:
            invalid[name] = word_problem(validator, name, good.pop(name))
    provenance = {name: Provenance("host") for name in good}
    bind_defaults(tool, good, provenance, but_not=invalid)
    return Arguments(good, provenance, missing_of(tool, {*good, *invalid}), invalid)


def bind_defaults(
    tool: ToolSpec, values: dict[str, Any], provenance: dict[str, Provenance], *, but_not: Iterable[str]
) -> None:
    """Give every parameter without a value its declared default, except those of `but_not`."""
    left_out = set(but_not)
    for name, parameter in tool.parameters.items():
        if parameter.default is not None and name not in values and name not in left_out:
            values[name] = deepcopy(parameter.default)
            provenance[name] = Provenance("default")


def missing_of(tool: ToolSpec, given: Iterable[str]) -> tuple[str, ...]:
    """Required parameters that are not `given`, and the first name of each unmet `require_one_of` group."""
    known = set(given)
    missing = [name for name, parameter in tool.parameters.items() if parameter.required and name not in known]
    missing += [group[0] for group in tool.require_one_of if not known.intersection(group)]
    return tuple(dict.fromkeys(missing))


def normal(value: Any) -> Any:
    """JSON data with its strings in NFC."""
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {normal(key): normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]
    return value


def not_json(value: Any, depth: int = 0) -> str:
    """Why `value` is not JSON data; empty where it is."""
    if depth > _MAX_DEPTH:
        return f"is nested more than {_MAX_DEPTH} levels deep"
    if value is None or isinstance(value, bool | int):
        return ""
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"must be a finite number, got {value}"
    if isinstance(value, str):
        return "must be valid Unicode text, got a lone surrogate" if _has_surrogate(value) else ""
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) and not _has_surrogate(key) for key in value):
            return "must have strings as keys of every object"
        return next(filter(None, (not_json(item, depth + 1) for item in value.values())), "")
    if isinstance(value, list | tuple):
        return next(filter(None, (not_json(item, depth + 1) for item in value)), "")
    return f"must be JSON data, got a Python {type(value).__name__}"


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


# ------------------------------------------------------------------------------------------------ wording


def word_problem(validator: ToolValidator, name: str, value: Any) -> str:
    """What is wrong with `value` as the parameter `name`, in one sentence."""
    try:
        error = min(validator.errors(name, value), key=lambda e: len(e.absolute_path), default=None)
    except Exception:  # noqa: BLE001  -- a schema that cannot be evaluated refuses, as it did when the value was checked
        error = None
    if error is None:
        return f'"{name}" does not fit its schema, got {_shown(value)}'
    where = f'"{name}"' + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    return f"{where} {_expectation(str(error.validator), error.validator_value, error.instance)}"


def _expectation(word: str, expected: Any, value: Any) -> str:
    got = f"got {_shown(value)}"
    match word:
        case "type":
            kinds = [expected] if isinstance(expected, str) else list(expected)
            hint = "; leave it out instead" if value is None else ""
            return f"must be {' or '.join(_ARTICLES.get(k, f'a {k}') for k in kinds)}, got {_described(value)}{hint}"
        case "enum":
            return f"must be one of {', '.join(_shown(v) for v in expected[:50])}, {got}{_nearest(value, expected)}"
        case "const":
            return f"must be {_shown(expected)}, {got}"
        case "pattern":
            shape = shape_of(expected)
            return f"must match {expected}{f', such as {shape}' if shape else ''}, {got}"
        case "format":
            return f"must be a valid {expected}{_FORMAT_EXAMPLES.get(expected, '')}, {got}"
        case "minimum" | "maximum":
            return f"must be {_SIDES[word[:3]]} {expected}, {got}"
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            what = "characters" if word.endswith("Length") else "items"
            return f"must have {_SIDES[word[:3]]} {expected} {what}, got {len(value)}"
        case "required":
            absent = [name for name in expected if name not in value]
            return f"lacks {', '.join(_shown(name) for name in absent)}, {got}"
        case _:
            return f"must satisfy {word} {_shown(expected)}, {got}"


_SIDES = {"min": "at least", "max": "at most"}
_FORMAT_EXAMPLES = {
    "date": " (YYYY-MM-DD)",
    "date-time": " (YYYY-MM-DDThh:mm:ss+hh:mm)",
    "time": " (HH:MM)",
}


def _described(value: Any) -> str:
    kind = {bool: "the boolean", int: "the integer", float: "the number", str: "the string"}.get(type(value))
    if kind:
        return f"{kind} {_shown(value)}"
    return "null" if value is None else f"the {'object' if isinstance(value, Mapping) else 'array'} {_shown(value)}"


def _shown(value: Any, limit: int = 80) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _nearest(value: Any, known: Iterable[Any]) -> str:
    if not isinstance(value, str):
        return ""
    from rapidfuzz import fuzz, process, utils

    names = [name for name in known if isinstance(name, str)]
    best = process.extractOne(value, names, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=60)
    return f"; did you mean {_shown(best[0])}?" if best else ""


def _unknown(name: str, parameters: Mapping[str, Any]) -> str:
    takes = f"this tool takes {', '.join(parameters)}" if parameters else "this tool takes no arguments"
    return f"{_shown(name)} is not an argument{_nearest(name, parameters) or ';'} {takes}"
