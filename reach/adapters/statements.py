"""One SQL statement of a tool file: what it may be, and how its `:name` parameters reach a driver.

Rule: a value is only ever bound, and what counts as a parameter is decided by the same reading that the loader checked;
SQLAlchemy must find the same names, or the statement is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reach.spec import sql_binds, sql_tokens

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

_CONTROL = frozenset({
    "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE", "PREPARE", "ATTACH", "DETACH",
    "PRAGMA", "VACUUM", "COPY", "LOAD",
})  # fmt: skip
_SETTINGS = frozenset({"SET", "RESET", "DISCARD"})
_WRITES = frozenset({
    "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "TRUNCATE", "CREATE", "DROP", "ALTER", "GRANT", "REVOKE",
    "REINDEX", "ANALYZE", "CALL", "DO",
})  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+")


class StatementError(ValueError):
    """A statement that Reach does not run; the message says why."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in its driver's own parameter style. `names` are its parameters, in order if they are positional."""

    sql: str
    names: tuple[str, ...]
    positional: bool
    verb: str

    def bound(self, values: Mapping[str, Any]) -> tuple[Any, ...] | dict[str, Any]:
        """The parameters for the driver: lists and objects as JSON text, a name without a value as NULL."""
        if self.positional:
            return tuple(_bindable(values.get(name)) for name in self.names)
        return {name: _bindable(values.get(name)) for name in self.names}


def _bindable(value: Any) -> Any:
    if isinstance(value, (list, tuple, Mapping)):
        return json.dumps(value, ensure_ascii=False, default=dict)
    return value


def statement_problems(sql: str, *, read_only: bool) -> Iterator[str]:
    """Why Reach does not run `sql`, as far as its words tell. The database's own read-only mode is what protects."""
    bare = _without_tokens(sql)
    if not bare.strip(" \t\r\n;"):
        yield "the statement is empty"
        return
    if ";" in bare.strip(" \t\r\n;"):
        yield "it holds more than one statement; list them under 'statements' to run them in one transaction"
    verb = _verb(bare)
    if verb in _CONTROL or (read_only and verb in _SETTINGS):
        yield f"{verb} is not allowed: Reach opens connections and transactions itself"
    if read_only and verb in _WRITES:
        yield f"the tool is read_only and its statement is {verb}; say 'side_effect: write' if it should change data"


def compile_statement(sql: str, dialect: Dialect, *, read_only: bool) -> Statement:
    """`sql` for the driver of `dialect`. Raises StatementError."""
    from sqlalchemy import text

    for problem in statement_problems(sql, read_only=read_only):
        raise StatementError(problem)
    compiled = text(_for_sqlalchemy(sql)).compile(dialect=dialect)
    names: tuple[str, ...] = tuple(getattr(compiled, "positiontup", None) or compiled.params)
    if frozenset(names) != sql_binds(sql):
        raise StatementError("its parameters can't be told from the rest; write each as :name, apart from other signs")
    return Statement(str(compiled), names, bool(dialect.positional), _verb(_without_tokens(sql)))


def _for_sqlalchemy(sql: str) -> str:
    """Every colon that is not a parameter's is escaped, and a parameter stands apart, as in `:a ::text`."""
    parts: list[str] = []
    end = 0
    for token in sql_tokens(sql):
        parts.append(sql[end : token.start()].replace(":", r"\:"))
        parts.append(f" :{token.group(1)} " if token.group(1) else token.group().replace(":", r"\:"))
        end = token.end()
    parts.append(sql[end:].replace(":", r"\:"))
    return "".join(parts)


def _without_tokens(sql: str) -> str:
    parts: list[str] = []
    end = 0
    for token in sql_tokens(sql):
        parts.append(sql[end : token.start()])
        end = token.end()
    return " ".join([*parts, sql[end:]])


def _verb(bare: str) -> str:
    match = _WORD.search(bare)
    return match.group().upper() if match else ""
