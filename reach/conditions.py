"""Conditions of policy rules, written in CEL (Common Expression Language).

Rule: a condition is true or false. Whatever else comes out of one, an error or a value of another type, is raised as
ValueError, so that who asks can fail closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

FUNCTIONS = frozenset({
    "size", "contains", "startsWith", "endsWith", "matches", "int", "uint", "double", "string", "bytes", "type", "dyn",
    "timestamp", "duration", "getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear",
    "getHours", "getMinutes", "getSeconds", "getMilliseconds",
})  # fmt: skip
"""The functions that a condition may call, beside operators and the macros `has`, `all`, `exists`, `map`, `filter`."""

_TOKEN = re.compile(
    r"""
    //[^\n]*
    | (?P<string> [bB]?[rR][bB]?(?:\"{3}.*?\"{3} | '{3}.*?'{3} | "[^"\n]*" | '[^'\n]*')
    | [bB]?(?:\"{3}(?:\\.|.)*?\"{3} | '{3}(?:\\.|.)*?'{3} | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'))
    | (?P<name> [A-Za-z_][A-Za-z0-9_]*)
    | (?P<number> [0-9][0-9A-Za-z.]*)
    | (?P<sign> [=!<>]=|&&|\|\||\S)
    """,
    re.VERBOSE | re.DOTALL,
)
_MACROS = frozenset({"all", "exists", "exists_one", "existsOne", "map", "filter"})
_PLACE = re.compile(r"<input>:(\d+):(\d+): (.*)")


class ConditionError(ValueError):
    """A condition that does not compile. `line` and `column` count from 1 within the source; 0: not known."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Condition:
    """One compiled condition.

    `variables` are the root names that it reads (`args`, `caller` ...), `references` the members that it reads of them,
    such as `("args", "amount")`. Raises ConditionError, a ValueError, for a source that does not compile.
    """

    source: str
    variables: frozenset[str] = field(init=False, repr=False, compare=False)
    references: frozenset[tuple[str, str]] = field(init=False, repr=False, compare=False)
    _program: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        program = _compile(self.source)
        tokens = list(tokens_of(self.source))
        unknown = sorted(f for f in program.functions() if f[0].isalpha() and f not in FUNCTIONS)
        if unknown:
            raise ConditionError(f"unknown function '{unknown[0]}'; known: {', '.join(sorted(FUNCTIONS))}")
        object.__setattr__(self, "_program", program)
        variables = frozenset[str](program.variables()) - _bound_names(tokens) - FUNCTIONS
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "references", frozenset(pair for pair in _members(tokens) if pair[0] in variables))

    def evaluate(self, namespace: Mapping[str, Any]) -> bool:
        """True or false for the values of `namespace`, by root name. Raises ValueError for anything else."""
        try:
            value = self._program.execute(dict(namespace))
        except Exception as error:
            raise ValueError(f"the condition could not be evaluated: {_reason(error)}") from error
        if value is not True and value is not False:
            raise ValueError(f"the condition gave {type(value).__name__}, not true or false")
        return value


def tokens_of(source: str) -> Iterator[tuple[str, str]]:
    """The tokens of a CEL source as (kind, text); kind is string, name, number or sign. Comments are left out."""
    for match in _TOKEN.finditer(source):
        if match.lastgroup:
            yield match.lastgroup, match.group()


def _compile(source: str) -> Any:
    import cel

    try:
        return cel.compile(source)
    except ValueError as error:
        match = _PLACE.search(str(error))
        if match is None:
            raise ConditionError("is not a valid CEL expression") from None
        detail = re.sub(r" expecting \{.*", "", match.group(3).removeprefix("Syntax error: "))
        raise ConditionError(f"is not a valid CEL expression: {detail}", *map(int, match.group(1, 2))) from None


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error.args[0] if error.args else error}; ask for it with has(...)"
    return str(error).split(". ", 1)[0]


def _bound_names(tokens: list[tuple[str, str]]) -> frozenset[str]:
    """The names that macros such as `exists(x, ...)` bind."""
    texts = [text for _, text in tokens]
    return frozenset(
        texts[at + 2]
        for at in range(1, len(texts) - 3)
        if texts[at] in _MACROS and texts[at - 1] == "." and texts[at + 1] == "(" and tokens[at + 2][0] == "name"
    )


def _members(tokens: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for at, (kind, root) in enumerate(tokens[:-2]):
        if kind != "name" or (at and tokens[at - 1][1] == "."):
            continue
        (_, sign), (next_kind, member) = tokens[at + 1], tokens[at + 2]
        after = tokens[at + 3][1] if at + 3 < len(tokens) else ""
        if sign == "." and next_kind == "name" and after != "(":
            yield root, member
        elif sign == "[" and next_kind == "string" and after == "]":
            yield root, member.strip("'\"")
