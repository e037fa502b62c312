"""The statements of one call as one transaction, from the first step to the payload.

Rule: everything that can fail, reading and converting the rows included, happens before COMMIT; so an error before it
certainly applied nothing, and only an unanswered COMMIT leaves "maybe".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol

from reach.adapters.classify import classify, not_met
from reach.adapters.jsonable import PLAIN, jsonable
from reach.adapters.statements import Statement
from reach.adapters.workers import AbandonedError, Attempt
from reach.errors import BackendFailure, CallError
from reach.spec import SqlStep
from reach.types import Payload

if TYPE_CHECKING:
    from sqlalchemy import Connection, CursorResult
    from sqlalchemy.engine import Dialect

_CHUNK_ROWS = 1000
_JSON_SUFFIX = "__json"
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})


class Database(Protocol):
    """What differs between databases. Its methods run in a worker thread and raise what the driver raises."""

    dialect: Dialect

    def session(self, attempt: Attempt, *, read_only: bool, steps: int) -> AbstractContextManager[Connection]:
        """A connection for one transaction, which is rolled back unless `commit` was called."""
        ...

    def execute(
        self, connection: Connection, sql: str, parameters: Any, attempt: Attempt, *, streamed: bool
    ) -> CursorResult[Any]:
        """Run one statement; with `streamed`, its rows are not all held at once."""
        ...

    def changed(self, connection: Connection, result: CursorResult[Any], verb: str) -> int:
        """How many rows the statement changed."""
        ...

    def commit(self, connection: Connection, attempt: Attempt) -> None:
        """Commit."""
        ...

    def close(self) -> None:
        """Close the idle connections."""
        ...


@dataclass(frozen=True, slots=True)
class Transaction:
    """The steps of one call on backend `name` and the values that they may bind."""

    name: str
    steps: Sequence[SqlStep]
    values: Mapping[str, Any]
    returns: Literal["rows", "row", "value"]
    max_rows: int
    read_only: bool

    def run(self, database: Database, compiled: Callable[[str, bool], Statement], attempt: Attempt) -> Payload:
        """Run it in this thread. Raises CallError, or AbandonedError where nobody waits any more."""
        try:
            statements = [compiled(step.sql, self.read_only) for step in self.steps]
            with database.session(attempt, read_only=self.read_only, steps=len(statements)) as connection:
                payload = self._payload(database, connection, statements, attempt)
                if not self.read_only:
                    attempt.begin_commit()
                    database.commit(connection, attempt)
        except CallError:
            raise
        except AbandonedError:
            attempt.commit_refused()  # a COMMIT gives way only while the database says that it can't be done yet
            raise
        except Exception as error:  # noqa: BLE001 -- whatever the driver raises is classified
            self._fail(error, attempt)
        return payload

    def _fail(self, error: Exception, attempt: Attempt) -> NoReturn:
        if attempt.over() and not attempt.committing:
            raise AbandonedError from None
        failure = classify(error, self.name, read_only=self.read_only, committing=attempt.committing)
        if failure.applied == "no":
            attempt.commit_refused()
        raise failure from None  # the driver's own text may hold values

    def _payload(
        self, database: Database, connection: Connection, statements: Sequence[Statement], attempt: Attempt
    ) -> Payload:
        payload: Payload | None = None
        changed = 0
        for step, statement in zip(self.steps, statements, strict=True):
            attempt.check()
            many = self.returns == "rows" and self.max_rows > 1
            streamed = self.read_only and many and statement.verb in _QUERIES
            result = database.execute(
                connection, statement.sql, statement.bound(self.values), attempt, streamed=streamed
            )
            if result.returns_rows:
                payload, count = self._read(result, attempt)
            else:
                count = database.changed(connection, result, statement.verb)
                changed += count
            if step.expect_rows is not None and count != step.expect_rows:
                raise not_met(self.name, step.reason, step.expect_rows, count)
        return payload or Payload({"changed": changed})

    def _read(self, result: CursorResult[Any], attempt: Attempt) -> tuple[Payload, int]:
        """The payload and the number of rows. A write's rows are all read, so that it is done and counted."""
        columns = self._columns(list(result.keys()))
        limit = self.max_rows if self.returns == "rows" else 1
        records: list[dict[str, Any]] = []
        count = 0
        while chunk := result.fetchmany(min(_CHUNK_ROWS, limit + 1)):
            attempt.check()
            records.extend(self._records(columns, chunk[: limit - len(records)]))
            count += len(chunk)
            if self.read_only and count > limit:
                break
        result.close()
        if self.returns == "rows":
            return Payload(records, partial=count > limit), count
        record = records[0] if records else None
        if self.returns == "value":
            return Payload(None if record is None else next(iter(record.values()))), count
        return Payload(record), count

    def _columns(self, keys: Sequence[str]) -> list[tuple[str, bool]]:
        columns = [(key.removesuffix(_JSON_SUFFIX), key.endswith(_JSON_SUFFIX)) for key in keys]
        names = [name for name, _ in columns]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise self._broken(f"returns more than one column '{doubled[0]}'", "Give each column an alias of its own.")
        return columns

    def _records(self, columns: Sequence[tuple[str, bool]], rows: Iterable[Any]) -> Iterator[dict[str, Any]]:
        names = [name for name, _ in columns]
        parsed = [name for name, is_json in columns if is_json]
        for row in rows:
            try:
                record = {
                    name: value if type(value) in PLAIN else jsonable(value)
                    for name, value in zip(names, row, strict=True)
                }
            except TypeError as error:
                raise self._broken(f"returns {error}", "Cast the column in the statement.") from None
            for name in parsed:
                record[name] = self._parsed(name, record[name])
            yield record

    def _parsed(self, name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value, parse_constant=_no_constant)
        except ValueError:
            raise self._broken(f"returns something that is not JSON as '{name}{_JSON_SUFFIX}'", "") from None

    def _broken(self, what: str, hint: str) -> BackendFailure:
        failure = BackendFailure(f"The statement for backend '{self.name}' {what}.", hint=hint)
        failure.applied = "no"
        return failure


def _no_constant(word: str) -> NoReturn:
    raise ValueError(word)
