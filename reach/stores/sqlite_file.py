"""The state file itself: opening it, its schema, and what its errors mean.

Rule: a file is used only when it is surely ours and of a known version; anything else is refused, never repaired.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from reach.errors import StateError

T = TypeVar("T")

APPLICATION_ID = 0x52454143  # "REAC": tells a state file from any other SQLite database

_VERSION_1 = """
CREATE TABLE ledger (
  key TEXT PRIMARY KEY, scope TEXT NOT NULL, fingerprint TEXT NOT NULL, status TEXT NOT NULL, fence TEXT NOT NULL,
  begun_at REAL NOT NULL, lease_until REAL NOT NULL, result BLOB NOT NULL);
CREATE INDEX ledger_scope ON ledger (scope);
CREATE INDEX ledger_begun_at ON ledger (begun_at);

CREATE TABLE keyvalue (key TEXT PRIMARY KEY, value BLOB NOT NULL, expires_at REAL NOT NULL);
CREATE INDEX keyvalue_expires_at ON keyvalue (expires_at);

CREATE TABLE counter (key TEXT PRIMARY KEY, tokens REAL NOT NULL, updated_at REAL NOT NULL, full_at REAL NOT NULL);
CREATE INDEX counter_full_at ON counter (full_at);

CREATE TABLE audit (
  seq INTEGER PRIMARY KEY, at REAL NOT NULL, record TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE audit_head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL);

CREATE TABLE artifact (
  ref TEXT PRIMARY KEY, owner TEXT NOT NULL, tenant TEXT NOT NULL, session TEXT NOT NULL, tool TEXT NOT NULL,
  digest TEXT NOT NULL, blob_key TEXT NOT NULL, status TEXT NOT NULL, media_type TEXT NOT NULL,
  total_bytes INTEGER NOT NULL, frame_bytes INTEGER NOT NULL, frames TEXT NOT NULL, created_at REAL NOT NULL,
  expires_at REAL NOT NULL, summary TEXT NOT NULL);
CREATE INDEX artifact_content ON artifact (digest, owner, tenant, session);
CREATE INDEX artifact_expires_at ON artifact (expires_at);
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1,)
"""The statements, ended by `;`, that bring a file from version n to n + 1. A published step is never edited."""

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_LOCK_WAIT_S = 0.1  # SQLite's own waiting backs off to 100 ms a poll; starting it afresh keeps the queue fair
_WAL_KEEP_BYTES = 64 * 1024 * 1024


def is_busy(error: BaseException) -> bool:
    """True where another connection holds a lock, so that trying again may succeed."""
    return isinstance(error, sqlite3.Error) and _primary_code(error) in _BUSY


def patiently(action: Callable[[], T], *, busy_s: float) -> T:
    """Run `action` again while the file is busy, for at most about `busy_s` seconds."""
    give_up_at = time.monotonic() + busy_s
    while True:
        try:
            return action()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= give_up_at:
                raise
        time.sleep(random.uniform(0.0005, 0.005))  # noqa: S311  -- spreads processes out, guards nothing


def explain(path: Path, error: BaseException) -> StateError:
    """The StateError for whatever an operation on the file raised."""
    if isinstance(error, StateError):
        return StateError(error.message, hint=error.hint, retryable=error.retryable)
    code = _primary_code(error) if isinstance(error, sqlite3.Error) else None
    if code in _BUSY:
        return StateError(
            f"The state file {path} stayed locked by another process.",
            hint="Look for a long transaction on it (a backup, an open sqlite3 shell).",
        )
    if code in _DAMAGED:
        return StateError(
            f"The state file {path} is damaged or is no SQLite database: {error}.",
            hint="Move it away and a new one is made; the claims, confirmations and audit it held are then unknown.",
            retryable=False,
        )
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StateError(
            f"The state file {path} cannot be opened for writing: {error}.",
            hint="This user must own the file and may write its folder.",
            retryable=False,
        )
    if code == sqlite3.SQLITE_FULL:
        return StateError(f"There is no disk space left for the state file {path}.", hint="Free some space.")
    return StateError(
        f"The state file {path} could not be used: {type(error).__name__}: {error}.",
        hint="Check its disk and folder.",
    )


def prepare(path: Path, *, busy_s: float) -> None:
    """Make the file (mode 0600) and its folder where there is none, and bring its schema up to date.

    Raises StateError where it is damaged, another program's, or of a newer version than this one knows.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(path)
        connection = _open(path)
        try:
            patiently(lambda: _version(connection, path), busy_s=busy_s)  # before anything is changed
            _use_wal(connection, path, busy_s=busy_s)
            patiently(lambda: _migrate(connection, path), busy_s=busy_s)
        finally:
            connection.close()
    except (sqlite3.Error, OSError) as error:
        raise explain(path, error) from error


def connect(path: Path, *, busy_s: float) -> sqlite3.Connection:
    """A connection in WAL mode that begins transactions only when told to. It may be closed from another thread."""
    connection = _open(path)
    try:
        _use_wal(connection, path, busy_s=busy_s)
    except BaseException:
        connection.close()
        raise
    return connection


def identify(path: Path) -> tuple[int, int]:
    """Which file stands at `path`, by device and inode. Raises StateError where none does."""
    try:
        status = path.stat()
    except OSError as error:
        raise StateError(
            f"The state file {path} cannot be opened: {error.strerror}.",
            hint="Put it back, or restart; the claims, confirmations and audit it held are then unknown.",
            retryable=False,
        ) from None
    return status.st_dev, status.st_ino


def _open(path: Path) -> sqlite3.Connection:
    address = path.absolute().as_uri() + "?mode=rw"  # a file that vanished is an error, not a fresh start
    return sqlite3.connect(address, timeout=_LOCK_WAIT_S, isolation_level=None, check_same_thread=False, uri=True)


def _use_wal(connection: sqlite3.Connection, path: Path, *, busy_s: float) -> None:
    # The connection's time-out is in force already: switching to WAL takes a lock, and without it fails at once.
    (mode,) = patiently(lambda: connection.execute("PRAGMA journal_mode = wal").fetchone(), busy_s=busy_s)
    if mode != "wal":
        raise StateError(
            f"The file system of {path} does not support SQLite's write-ahead log.",
            hint="Keep the state file on a local disk.",
            retryable=False,
        )
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_KEEP_BYTES}")


def _make_private(path: Path) -> None:
    """Create the file readable by its owner alone; SQLite gives its -wal and -shm files the same mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
            with suppress(FileNotFoundError):  # the last process to close removes the companions
                if file.stat().st_mode & 0o077:
                    file.chmod(0o600)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    newest = len(MIGRATIONS)
    if _version(connection, path) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in MIGRATIONS[_version(connection, path) :]:  # read again: another process may have been faster
            for statement in step.split(";")[:-1]:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The file's schema version; 0 for an empty one. Raises StateError for a file that must not be touched."""
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StateError(
            f"{path} is the database of another program.", hint="Give runtime.state a file of its own.", retryable=False
        )
    if version > len(MIGRATIONS):
        raise StateError(
            f"The state file {path} has version {version}; this Reach knows up to {len(MIGRATIONS)}.",
            hint="Install the newer Reach again, or give runtime.state another file.",
            retryable=False,
        )
    return version


def _primary_code(error: sqlite3.Error) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
