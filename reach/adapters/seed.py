"""A SQLite file that is made at its first use.

Rule: of many threads and processes that need the file at once, one makes it and the others wait; the file is never
opened before it is whole.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from reach.adapters.functions import FunctionError, load_function
from reach.adapters.workers import Attempt
from reach.errors import BackendUnavailable

_WAIT_S = 0.05


class Seeder:
    """Makes the file of one backend with its `seed` function, which must write a temporary file and rename it."""

    def __init__(self, name: str, path: Path, seed: str | None, root: Path) -> None:
        self._name = name
        self._path = path
        self._seed = seed
        self._root = root
        self._lock = threading.Lock()

    def ensure(self, attempt: Attempt) -> None:
        """Return once the file is there. Blocks; raises BackendUnavailable, or AbandonedError where time is up."""
        while not self._path.exists():
            if self._seed is None:
                raise BackendUnavailable(
                    f"The database of backend '{self._name}' does not exist: {self._path}.",
                    hint="Create it, or name a 'seed' function for the backend.",
                )
            attempt.check()
            if self._lock.acquire(timeout=_WAIT_S):
                try:
                    self._make(self._seed, attempt)
                finally:
                    self._lock.release()

    def _make(self, seed: str, attempt: Attempt) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock_path = self._path.with_name(f"{self._path.name}.seed-lock")
        # A SQLite transaction is a lock that every platform has and that dies with its process. The empty lock file
        # stays: removing it would pull it from under a process that is about to lock it.
        with closing(sqlite3.connect(lock_path, isolation_level=None, timeout=_WAIT_S)) as lock:
            while True:
                try:
                    lock.execute("BEGIN EXCLUSIVE")
                    break
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorname != "SQLITE_BUSY":
                        raise
                    attempt.check()
            if not self._path.exists():
                self._call(seed)

    def _call(self, seed: str) -> None:
        where = f"The database of backend '{self._name}' could not be made by '{seed}'"
        try:
            load_function(seed, self._root)(self._path)
        except FunctionError as error:
            raise BackendUnavailable(f"{where}: {error}.") from error
        except Exception as error:
            raise BackendUnavailable(f"{where}: {type(error).__name__}.") from error
        if not self._path.exists():
            raise BackendUnavailable(f"{where}: it left no file at {self._path}.")
