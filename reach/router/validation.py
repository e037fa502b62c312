"""The compiled validators of a tool's parameters.

Rule: a tool's schema is compiled once; whether a value fits is asked of jsonschema-rs, and of jsonschema only where the
schema says something that jsonschema-rs does not know. Both read a pattern as JSON Schema does: unanchored, and `$` is
the very end.
"""

from __future__ import annotations

import re
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlsplit

import jsonschema_rs

from reach.spec import ToolSpec

T = TypeVar("T")


class PerTool(Generic[T]):
    """A value made once for each tool object and dropped together with it."""

    def __init__(self, make: Callable[[ToolSpec], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}

    def __call__(self, tool: ToolSpec) -> T:
        """The value that belongs to `tool`."""
        key = id(tool)
        if key not in self._made:
            made = self._make(tool)
            weakref.finalize(tool, self._made.pop, key, None).atexit = False
            self._made[key] = made
        return self._made[key]


class _Check(Protocol):
    def is_valid(self, instance: Any) -> bool: ...


class ToolValidator:
    """Validates values of one tool. Values are JSON data: what is not must be refused before (see `arguments`)."""

    def __init__(self, tool: ToolSpec) -> None:
        schema = tool.schema_object()
        self._schemas: Mapping[str, dict[str, Any]] = schema["properties"]
        self._checks = {name: _compile(part) for name, part in self._schemas.items()}
        self._all = _compile({"type": "object", "properties": self._schemas, "additionalProperties": False})

    def accept_all(self, values: Mapping[str, Any]) -> bool:
        """True where every name is known and every value fits; what is absent is not looked at."""
        return _holds(self._all, values)

    def accepts(self, name: str, value: Any) -> bool:
        """True where `value` fits the parameter `name`."""
        return _holds(self._checks[name], value)

    def errors(self, name: str, value: Any) -> Iterator[Any]:
        """What is wrong with `value`, as errors of jsonschema."""
        return _worded(self._schemas[name]).iter_errors(value)


validator_of = PerTool(ToolValidator)


def _compile(schema: dict[str, Any]) -> _Check:
    try:
        return jsonschema_rs.Draft202012Validator(
            schema, validate_formats=True, formats={"time": _is_time}, offline=True
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        return _worded(schema)


def _holds(check: _Check, value: Any) -> bool:
    try:
        return check.is_valid(value)
    except Exception:  # noqa: BLE001  -- a value that cannot be checked has not been found valid
        return False


# ------------------------------------------------------------------------------------------------ the slow twin


def _worded(schema: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator, FormatChecker, ValidationError
    from jsonschema.validators import extend

    def pattern(_: Any, expected: str, value: Any, __: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not pattern_of(expected).search(value):
            yield ValidationError(f"{value!r} does not match {expected!r}")

    checker = FormatChecker(formats=())
    for name, check in _FORMATS.items():
        checker.checks(name)(check)
    return extend(Draft202012Validator, {"pattern": pattern})(schema, format_checker=checker)


def pattern_of(pattern: str) -> re.Pattern[str]:
    r"""`pattern` with the meaning it has in JSON Schema: `$` only at the very end, `\d` and `\w` only ASCII."""
    parts = re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$|[^\\\[$]+|.", pattern, re.DOTALL)
    return re.compile("".join(r"\Z" if part == "$" else part for part in parts), re.ASCII)


_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"]+@[^\s@.]+(?:\.[^\s@.]+)*\Z")
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)\Z", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?\Z", re.ASCII)


def _parses(parse: Callable[[str], Any], value: str) -> bool:
    try:
        parse(value)
    except ValueError:
        return False
    return True


def _is_date(value: Any) -> bool:
    return not isinstance(value, str) or (bool(_DATE.match(value)) and _parses(date.fromisoformat, value))


def _is_date_time(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    return bool(_DATE_TIME.match(value)) and _parses(datetime.fromisoformat, value.upper().replace("Z", "+00:00"))


def _is_time(value: Any) -> bool:
    return not isinstance(value, str) or bool(_TIME.match(value))


def _is_email(value: Any) -> bool:
    return not isinstance(value, str) or bool(_EMAIL.match(value))


def _is_uuid(value: Any) -> bool:
    return not isinstance(value, str) or (len(value) == 36 and _parses(uuid.UUID, value))


def _is_uri(value: Any) -> bool:
    if not isinstance(value, str):
        return True
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S+\Z", value)) and _parses(urlsplit, value)


_FORMATS: dict[str, Callable[[Any], bool]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "time": _is_time,
    "email": _is_email,
    "uri": _is_uri,
    "uuid": _is_uuid,
}
