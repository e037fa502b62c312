"""What a backend returned, as plain JSON data.

Rule: a value is written so that nothing of it is lost, or it is refused; nothing is rounded or cut silently.

- Decimal: an integer where it has no fraction digits, a float where 15 digits hold it exactly, else a string
- NaN and infinities: the strings `NaN`, `Infinity`, `-Infinity`, because JSON has no such numbers
- date, time, datetime: ISO 8601; timedelta: seconds; UUID and enum: their string or value; bytes: base64
- dataclasses, pydantic models, named tuples and mappings: objects; lists, tuples and sets: lists
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel

PLAIN = frozenset({str, int, bool, type(None)})
"""Types whose values are JSON as they are."""

_EXACT_DIGITS = 15
_EXACT_EXPONENT = 300


def jsonable(value: Any) -> Any:
    """`value` as JSON data. Raises TypeError for a type that this module does not name."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Enum):
        return jsonable(value.value)
    if isinstance(value, BaseModel):
        return jsonable({name: getattr(value, name) for name in type(value).model_fields})
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: jsonable(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): jsonable(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        names = getattr(value, "_fields", None)
        if isinstance(value, tuple) and names is not None:
            return {name: jsonable(item) for name, item in zip(names, value, strict=True)}
        return [jsonable(item) for item in cast("Iterable[Any]", value)]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(float(value))
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode("ascii")
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"a value of type {type(value).__name__} can't be written as JSON")


def _key(key: Any) -> str:
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, (str, int)) and not isinstance(key, bool):
        return str(key)
    if isinstance(key, (date, time, UUID)):
        return str(_scalar(key))
    raise TypeError(f"a key of type {type(key).__name__} can't be written as JSON")


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal) -> int | float | str:
    if not value.is_finite():
        return "NaN" if value.is_nan() else _number(float(value))
    _, digits, exponent = value.as_tuple()
    if isinstance(exponent, int) and exponent >= 0 and len(digits) + exponent <= _EXACT_EXPONENT:
        return int(value)
    if len(value.normalize().as_tuple().digits) <= _EXACT_DIGITS and abs(value.adjusted()) <= _EXACT_EXPONENT:
        return float(value)
    return str(value)
