"""SQLite files as a SQL backend.

Rule: reads run on connections that can't write (opened `mode=ro`, `query_only`, and an authorizer that lets nothing but
reading through); writes run one after another, each in a transaction that is begun IMMEDIATE.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, CursorResult, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from reach.adapters.seed import Seeder
from reach.adapters.workers import Attempt

T = TypeVar("T")

_BUSY_SLICE_MS = (
    10  # SQLite's own wait can't be interrupted, so it waits in slices and the attempt is looked at between
)
_PATIENCE = 0.9  # share of the time left after which a locked database is reported as locked, not as a time-out
_OPCODES_PER_LOOK = 10_000  # about 0.2 ms of work between two looks at the deadline
_BUSY = frozenset({"SQLITE_BUSY", "SQLITE_BUSY_RECOVERY"})
_UNFINISHED = frozenset({"SQLITE_READONLY_ROLLBACK", "SQLITE_READONLY_RECOVERY"})  # what a crashed process left
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_TRANSACTION})
_NEVER = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_HARMLESS_PRAGMAS = frozenset({
    "table_info", "table_xinfo", "table_list", "index_info", "index_list", "foreign_key_list", "data_version",
    "read_uncommitted",
})  # fmt: skip
_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})


def _authorize_read(action: int, first: str | None, second: str | None, *rest: Any) -> int:
    if action in _READING or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master"):
        return sqlite3.SQLITE_OK  # declaring a table-valued function, such as json_each, looks like the latter
    if action in {sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA}:
        return _authorize_write(action, first, second, *rest)
    return sqlite3.SQLITE_DENY


def _authorize_write(action: int, first: str | None, second: str | None, *_rest: Any) -> int:
    if action in _NEVER:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() not in _HARMLESS_PRAGMAS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


class SqliteDatabase:
    """One SQLite file: kept connections for reading and for writing, and how a call is stopped."""

    def __init__(self, name: str, path: Path, seed: str | None, root: Path) -> None:
        self._path = path
        self._seeder = Seeder(name, path, seed, root)
        self._engines = {mode: self._engine(read_only=mode) for mode in (True, False)}
        self._idle: dict[bool, list[Connection]] = {True: [], False: []}
        self._file: tuple[int, int] | None = None
        self._file_lock = threading.Lock()
        self.dialect = self._engines[True].dialect

    def _engine(self, *, read_only: bool) -> Any:
        return create_engine(
            "sqlite+pysqlite://", creator=lambda: self._open(read_only), poolclass=NullPool, hide_parameters=True
        )

    def _open(self, read_only: bool) -> sqlite3.Connection:
        uri = f"file:{quote(str(self._path))}?mode={'ro' if read_only else 'rw'}"
        raw = sqlite3.connect(
            uri, uri=True, isolation_level=None, check_same_thread=False, timeout=_BUSY_SLICE_MS / 1000
        )
        # Settings first: the authorizer denies them from then on.
        raw.execute("PRAGMA query_only = ON" if read_only else "PRAGMA foreign_keys = ON")
        raw.set_authorizer(_authorize_read if read_only else _authorize_write)
        return raw

    @contextmanager
    def session(self, attempt: Attempt, *, read_only: bool, steps: int) -> Generator[Connection]:
        """A connection for one transaction, which is rolled back unless `commit` was called. Raises AbandonedError."""
        file = self._settle_file(attempt)
        connection = self._take(read_only, attempt)
        raw = _raw(connection)
        try:
            raw.set_progress_handler(attempt.over, _OPCODES_PER_LOOK)
            attempt.hold(lambda committing: None if committing else raw.interrupt())
            if not read_only:
                _patiently(attempt, lambda: raw.execute("BEGIN IMMEDIATE"))
            elif steps > 1:
                raw.execute("BEGIN")
            yield connection
        except DBAPIError as error:
            if _code(error) in _UNFINISHED:
                self._file = None  # the next call recovers the file
            raise
        finally:
            attempt.release()
            raw.set_progress_handler(None, 0)
            self._give_back(read_only, connection, file)

    def _take(self, read_only: bool, attempt: Attempt) -> Connection:
        with suppress(IndexError):
            return self._idle[read_only].pop()
        return _patiently(attempt, self._engines[read_only].connect)

    def _give_back(self, read_only: bool, connection: Connection, file: tuple[int, int]) -> None:
        try:
            _raw(connection).rollback()
            connection.rollback()
        except (DBAPIError, sqlite3.Error):
            connection.close()
            return
        if file == self._file:
            self._idle[read_only].append(connection)
        else:
            connection.close()

    def _settle_file(self, attempt: Attempt) -> tuple[int, int]:
        """Make the file where it is missing; drop connections to a file that was replaced."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._seeder.ensure(attempt)
            status = self._path.stat()
        file = (status.st_dev, status.st_ino)
        if file != self._file:
            with self._file_lock:
                if file != self._file:
                    self.close()
                    self._recover(attempt)
                    self._file = file
        return file

    def _recover(self, attempt: Attempt) -> None:
        """Finish what a crashed process left in the file's journal: read-only connections may not."""
        with closing(self._open(read_only=False)) as raw, suppress(sqlite3.OperationalError):
            attempt.check()
            raw.execute("SELECT 1 FROM sqlite_master LIMIT 1")

    def execute(
        self, connection: Connection, sql: str, parameters: Any, attempt: Attempt, *, streamed: bool
    ) -> CursorResult[Any]:
        """Run one statement; `streamed` is of no matter, because SQLite always streams."""
        del streamed
        return _patiently(attempt, lambda: connection.exec_driver_sql(sql, parameters))

    def changed(self, connection: Connection, result: CursorResult[Any], verb: str) -> int:
        """How many rows the statement changed; the driver counts none for a change that begins with WITH."""
        if verb == "WITH":
            return _raw(connection).execute("SELECT changes()").fetchone()[0]
        return max(0, result.rowcount)

    def commit(self, connection: Connection, attempt: Attempt) -> None:
        """Commit; a reader that stands in the way is waited for."""
        _patiently(attempt, _raw(connection).commit)

    def close(self) -> None:
        """Close the idle connections."""
        for idle in self._idle.values():
            while idle:
                with suppress(IndexError):
                    idle.pop().close()


def _raw(connection: Connection) -> sqlite3.Connection:
    raw: Any = connection.connection.driver_connection
    return raw


def _code(error: BaseException) -> str:
    raw = getattr(error, "orig", None) or error
    return getattr(raw, "sqlite_errorname", None) or ""


def _patiently(attempt: Attempt, action: Callable[[], T]) -> T:
    """`action`, repeated while another process holds the lock and time is left."""
    clock = attempt.deadline.clock
    give_up_at: float | None = None
    while True:
        try:
            return action()
        except (DBAPIError, sqlite3.Error) as error:
            if _code(error) not in _BUSY:
                raise
            attempt.check()
            if give_up_at is None:
                give_up_at = clock.monotonic() + attempt.deadline.remaining_s() * _PATIENCE
            if clock.monotonic() >= give_up_at:
                raise
