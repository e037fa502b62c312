"""PostgreSQL as a SQL backend, through psycopg.

Rule: a read runs in a transaction that the server keeps read-only; every statement has the time that is left as its
`statement_timeout`; a thread that waits for a server that is gone is freed by closing its socket.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, CursorResult, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from reach.adapters.workers import Attempt

_CANCEL_S = 1.0  # how long the server may take to stop a statement before its socket is closed
_COMMIT_S = 5.0  # the same for a COMMIT that was sent
_BUFFERED_ROWS = 1000
_QUERIES = frozenset({"SELECT", "WITH", "VALUES", "TABLE"})


class PostgresDatabase:
    """One PostgreSQL database: kept connections for reading and for writing, and how a call is stopped."""

    def __init__(self, url: str, password: str = "", connect_timeout_s: int = 5) -> None:
        address = make_url(url).set(drivername="postgresql+psycopg")
        if password:
            address = address.set(password=password)
        arguments: dict[str, Any] = {}
        if "connect_timeout" not in address.query:
            arguments["connect_timeout"] = connect_timeout_s
        self._engine = create_engine(address, poolclass=NullPool, hide_parameters=True, connect_args=arguments)
        self._idle: dict[bool, list[Connection]] = {True: [], False: []}
        self.dialect = self._engine.dialect

    @contextmanager
    def session(self, attempt: Attempt, *, read_only: bool, steps: int) -> Generator[Connection]:
        """A connection for one transaction, which is rolled back unless `commit` was called. Raises AbandonedError."""
        del steps  # psycopg begins a transaction with the first statement
        connection = self._take(read_only)
        stopper = _Stopper(connection)
        try:
            attempt.hold(stopper.stop)
            yield connection
        except SQLAlchemyError:
            if connection.invalidated:
                self.close()  # the server went away: the idle connections went with it
            raise
        finally:
            attempt.release()
            stopper.finish()
            self._give_back(read_only, connection, attempt)

    def _take(self, read_only: bool) -> Connection:
        with suppress(IndexError):
            return self._idle[read_only].pop()
        return self._engine.connect().execution_options(postgresql_readonly=read_only)

    def _give_back(self, read_only: bool, connection: Connection, attempt: Attempt) -> None:
        if attempt.abandoned or connection.invalidated:
            connection.invalidate()  # a late cancel request must not meet the next call's statement
            connection.close()
            return
        try:
            connection.rollback()
        except SQLAlchemyError:
            connection.close()
            return
        self._idle[read_only].append(connection)

    def execute(
        self, connection: Connection, sql: str, parameters: Any, attempt: Attempt, *, streamed: bool
    ) -> CursorResult[Any]:
        """Run one statement within the time that is left; with `streamed`, rows come in chunks from a server cursor."""
        timeout_ms = max(1, int(attempt.deadline.remaining_s() * 1000))
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = {timeout_ms}")
        if not streamed:
            return connection.exec_driver_sql(sql, parameters)
        options = {"stream_results": True, "max_row_buffer": _BUFFERED_ROWS}
        return connection.exec_driver_sql(sql, parameters, execution_options=options)

    def changed(self, connection: Connection, result: CursorResult[Any], verb: str) -> int:
        """How many rows the statement changed."""
        del connection, verb
        return max(0, result.rowcount)

    def commit(self, connection: Connection, attempt: Attempt) -> None:
        """Commit."""
        del attempt
        connection.commit()

    def close(self) -> None:
        """Close the idle connections."""
        for idle in self._idle.values():
            while idle:
                with suppress(IndexError):
                    idle.pop().close()


class _Stopper:
    """Stops what a connection is doing: by a cancel request, and where no answer comes, by closing its socket."""

    def __init__(self, connection: Connection) -> None:
        self._raw: Any = connection.connection.driver_connection
        self._lock = threading.Lock()
        self._finished = threading.Event()

    def stop(self, committing: bool) -> None:
        """Begin to stop it, without waiting."""
        threading.Thread(target=self._stop, args=(committing,), name="reach-cancel", daemon=True).start()

    def finish(self) -> None:
        """The connection is idle: leave it alone from now on."""
        with self._lock:
            self._finished.set()

    def _stop(self, committing: bool) -> None:
        if not committing:
            with suppress(Exception):
                self._raw.cancel_safe(timeout=_CANCEL_S)
        if self._finished.wait(_COMMIT_S if committing else _CANCEL_S):
            return
        with self._lock, suppress(OSError):
            if not self._finished.is_set():
                with socket.socket(fileno=os.dup(self._raw.fileno())) as held:
                    held.shutdown(socket.SHUT_RDWR)
