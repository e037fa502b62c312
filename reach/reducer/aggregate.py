"""Statistics over all rows of a list.

Rule: every number here is computed over every row before anything is cut, and a masked field is never computed at all.

One field gives one of these objects; `count` counts values, `nulls` rows without one:

    {"type": "number", "count", "nulls", "min", "max", "mean", "sum"}
    {"type": "date", "count", "nulls", "min", "max"}                      ISO dates and times, as they were written
    {"type": "string", "count", "nulls", "distinct", "top": [{"value", "count"}]}    `top` where few are distinct
    {"type": "boolean", "count", "nulls", "true", "false"}
    {"type": "object" | "list" | "mixed" | "null", "count", "nulls"}
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from math import fsum
from operator import attrgetter
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from reach.reducer.paths import Keys, Tree, attributes, member
from reach.reducer.redact import touches

MAX_FIELDS = 24
FEW_DISTINCT = 20
TOP = 5
MAX_TEXT = 64

_CLOCK = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:?\d{2})?"
_ISO = re.compile(rf"\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:{_CLOCK})?")
_NOTHING: frozenset[type] = frozenset({type(None), UnsetType})
_NUMBERS: frozenset[type] = frozenset({int, float})


def statistics_of(rows: Sequence[Any], columns: Mapping[str, Keys], redacted: Tree) -> dict[str, Any]:
    """The statistics of each column over all `rows`, by the column's written path; masked columns are left out."""
    return {name: describe(column(rows, keys)) for name, keys in columns.items() if not touches(redacted, keys)}


def inferred_columns(rows: Sequence[Any], names: Mapping[str, Keys]) -> dict[str, Keys]:
    """The columns where none are declared: the whitelist, else every key that any row has; `()` for scalars."""
    if names:
        return dict(names)
    kinds = set(map(type, rows))
    if dict not in kinds:
        return {"value": ()}
    objects: Iterable[dict[str, Any]] = rows if kinds == {dict} else (row for row in rows if type(row) is dict)
    keys: dict[str, None] = {}
    for row in objects:
        if row.keys() - keys.keys():
            keys.update(dict.fromkeys(row))
    return {key: (key,) for key in keys}


def column(rows: Sequence[Any], keys: Keys) -> list[Any]:
    """The values at `keys` of every row, UNSET where a row has none; lists on the way give one value an item."""
    values: list[Any] = list(rows)
    for key in keys:
        values = _members(values, key)
        if key != keys[-1] and list in set(map(type, values)):
            values = _flattened(values)
    return values


def _members(values: list[Any], key: str) -> list[Any]:
    kinds = set(map(type, values))
    if kinds == {dict}:
        return [value.get(key, UNSET) for value in values]
    if len(kinds) == 1 and issubclass(kind := next(iter(kinds)), msgspec.Struct):
        name = attributes(kind).get(key)
        return [UNSET] * len(values) if name is None else list(map(attrgetter(name), values))
    return [member(value, key) for value in values]


def _flattened(values: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for value in values:
        if isinstance(value, list):
            flat.extend(_flattened(cast("list[Any]", value)))
        else:
            flat.append(value)
    return flat


def describe(values: Sequence[Any]) -> dict[str, Any]:
    """The statistics of one column."""
    kinds = set(map(type, values))
    given = values if not kinds & _NOTHING else [value for value in values if value is not None and value is not UNSET]
    kinds -= _NOTHING
    base = {"count": len(given), "nulls": len(values) - len(given)}
    if not kinds:
        return {"type": "null", **base}
    if kinds <= _NUMBERS:
        return {"type": "number", **base, **_numbers(given, float in kinds)}
    if kinds == {str}:
        return _strings(given, base)
    if kinds == {bool}:
        yes = sum(given)
        return {"type": "boolean", **base, "true": yes, "false": len(given) - yes}
    if kinds == {list}:
        return {"type": "list", **base}
    structural = kinds == {dict} or all(issubclass(kind, msgspec.Struct) for kind in kinds)
    return {"type": "object" if structural else "mixed", **base}


def _numbers(values: Sequence[Any], floats: bool) -> dict[str, Any]:
    bounds = {"min": min(values), "max": max(values)}
    try:
        total = _tidy(fsum(values)) if floats else sum(values)
        return {**bounds, "mean": _tidy(total / len(values)), "sum": total}
    except OverflowError:  # beyond what a float holds
        return {**bounds, "mean": None, "sum": None}


def _tidy(number: float) -> float:
    """Fifteen digits: what a float holds for certain, without the noise of binary fractions."""
    return float(f"{number:.15g}")


def _strings(values: Sequence[str], base: dict[str, int]) -> dict[str, Any]:
    if _ISO.fullmatch(values[0]) and all(map(_ISO.fullmatch, values)) and (bounds := _dates(values)):
        return {"type": "date", **base, **bounds}
    counts = Counter(values)
    result: dict[str, Any] = {"type": "string", **base, "distinct": len(counts)}
    if len(counts) <= FEW_DISTINCT and (len(counts) < len(values) or len(counts) == 1):
        result["top"] = [{"value": value[:MAX_TEXT], "count": count} for value, count in counts.most_common(TOP)]
    return result


def _dates(values: Sequence[str]) -> dict[str, str] | None:
    """The earliest and latest, as instants (a time without a zone counts as UTC); None where one is no real date."""
    if set(map(len, values)) == {10}:
        return {"min": min(values), "max": max(values)}
    try:
        moments = [(_moment(value), value) for value in values]
    except ValueError:
        return None
    return {"min": min(moments)[1], "max": max(moments)[1]}


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
