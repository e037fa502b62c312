"""What a database error means for the call: the one place that decides it.

Rule: a message names the backend and what the schema says (tables, columns, constraints), never a value, a statement's
parameters or an address; `applied` is "no" wherever the database has said, or must have, that nothing was committed.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from reach.adapters.statements import StatementError
from reach.errors import Applied, BackendFailure, BackendRejected, BackendUnavailable, CallError
from reach.spec import localized

_READ_ONLY = "tried to change data, which a read-only tool may not do"
_SCHEMA_MESSAGE = re.compile(
    r"(no such (table|column|function|module|index|view)|ambiguous column name|near \"|incomplete input"
    r"|wrong number of arguments to function|misuse of|table .* has no column named|unrecognized token)"
)
_REJECTIONS = {
    "SQLITE_TOOBIG": "a value is too large for it",
    "SQLITE_MISMATCH": "a value does not fit its column",
    "SQLITE_RANGE": "a value is out of range",
}
_UNAVAILABLE = {
    "SQLITE_BUSY": "is locked by another process",
    "SQLITE_LOCKED": "is locked by another call",
    "SQLITE_CANTOPEN": "could not be opened",
    "SQLITE_FULL": "has no disk space left",
    "SQLITE_NOMEM": "has no memory left",
    "SQLITE_PROTOCOL": "could not be locked",
    "SQLITE_SCHEMA": "changed its tables during the call",
}
_PG_UNAVAILABLE = {
    "08": "is not connected",
    "53": "has no resources left",
    "57": "is shutting down or starting",
    "40": "gave way to another transaction",
    "55": "is locked by another call",
}


def classify(error: BaseException, name: str, *, read_only: bool, committing: bool) -> CallError:
    """The CallError for what a statement, or with `committing` the COMMIT itself, raised on backend `name`."""
    raw = getattr(error, "orig", None) or error
    if isinstance(raw, CallError):
        return raw
    if isinstance(raw, StatementError):
        return BackendRejected(f"A statement for backend '{name}' was refused: {raw}.")
    if isinstance(raw, (OverflowError, UnicodeEncodeError)):
        return BackendRejected(f"A value can't be stored by backend '{name}': {type(raw).__name__}.")
    if isinstance(raw, sqlite3.Error):
        return _of_sqlite(raw, name, read_only=read_only, committing=committing)
    if hasattr(raw, "sqlstate"):
        return _of_postgres(raw, name, committing=committing)
    return _failure(f"Backend '{name}' failed: {type(raw).__name__}.", "maybe" if committing else "no")


def not_met(name: str, reason: str | Mapping[Any, str] | None, expected: int, changed: int) -> BackendRejected:
    """The refusal of a step that changed another number of rows than it had to."""
    if reason is not None:
        return BackendRejected(localized(reason, "en"), text=reason)
    return BackendRejected(f"Backend '{name}' would have changed {changed} rows where {expected} were expected.")


def _failure(message: str, applied: Applied, hint: str = "") -> BackendFailure:
    failure = BackendFailure(message, hint=hint)
    failure.applied = applied
    return failure


def _of_sqlite(raw: sqlite3.Error, name: str, *, read_only: bool, committing: bool) -> CallError:
    code: str = getattr(raw, "sqlite_errorname", None) or ""
    kind = "_".join(code.split("_")[:2])
    if kind == "SQLITE_CONSTRAINT":
        detail = "" if code == "SQLITE_CONSTRAINT_TRIGGER" else f": {raw}"
        return BackendRejected(f"Backend '{name}' refused the change ({code}){detail}.")
    if kind in _REJECTIONS:
        return BackendRejected(f"Backend '{name}' refused the call: {_REJECTIONS[kind]}.")
    if kind == "SQLITE_AUTH":
        what = _READ_ONLY if read_only else "used something Reach does not allow, such as ATTACH or PRAGMA"
        return BackendRejected(f"The statement for backend '{name}' {what}.")
    if code == "SQLITE_READONLY" and read_only:
        return BackendRejected(f"The statement for backend '{name}' {_READ_ONLY}.")
    # A wrong name can come as SQLITE_SCHEMA: SQLite reads the schema once more before it gives up.
    wrong = kind in {"SQLITE_ERROR", "SQLITE_SCHEMA"} and _SCHEMA_MESSAGE.match(str(raw))
    if kind in _UNAVAILABLE and not wrong:
        return BackendUnavailable(f"Backend '{name}' {_UNAVAILABLE[kind]}.")
    if kind == "SQLITE_READONLY":
        return BackendUnavailable(f"Backend '{name}' can't be written ({code}).", hint="Check the file's permissions.")
    if code.startswith("SQLITE_IOERR"):
        return _failure(f"Backend '{name}' can't read or write its file ({code}).", "maybe" if committing else "no")
    if not code and isinstance(raw, sqlite3.ProgrammingError):
        return _failure(f"Backend '{name}' could not run the statement: its parameters do not fit it.", "no")
    detail = f": {raw}" if wrong else ""
    return _failure(f"Backend '{name}' could not run the statement ({code or type(raw).__name__}){detail}.", "no")


def _of_postgres(raw: Any, name: str, *, committing: bool) -> CallError:
    state: str = raw.sqlstate or ""
    # An ERROR in answer to COMMIT is a rollback; a lost connection or a FATAL leaves it open.
    answered = bool(state) and raw.diag.severity_nonlocalized == "ERROR"
    if committing and not answered:
        return _failure(f"Backend '{name}' did not say whether it kept the change.", "maybe")
    if state.startswith("23"):
        constraint = f" (constraint {raw.diag.constraint_name})" if raw.diag.constraint_name else ""
        return BackendRejected(f"Backend '{name}' refused the change: {type(raw).__name__}{constraint}.")
    if state == "25006":
        return BackendRejected(f"The statement for backend '{name}' {_READ_ONLY}.")
    if state == "42P18":
        hint = "Write CAST(:name AS text), or the type that it has."
        return _failure(f"Backend '{name}' can't tell the type of a parameter.", "no", hint)
    if state.startswith("42"):
        return _failure(f"Backend '{name}' could not run the statement: {raw.diag.message_primary}.", "no")
    if state[:2] in {"22", "P0", "44"} or (not state and type(raw).__name__ == "DataError"):
        return BackendRejected(f"Backend '{name}' refused a value: {type(raw).__name__} ({state or 'in the driver'}).")
    if state[:2] in _PG_UNAVAILABLE:
        return BackendUnavailable(f"Backend '{name}' {_PG_UNAVAILABLE[state[:2]]} ({state}).")
    if not state and type(raw).__name__ in {"OperationalError", "InterfaceError", "ConnectionTimeout"}:
        return BackendUnavailable(f"Backend '{name}' could not be reached.")
    return _failure(f"Backend '{name}' failed ({state or type(raw).__name__}).", "no")
