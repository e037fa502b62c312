"""The thread behind a state file: it runs what many callers ask for, many operations to one commit.

Rule: an operation's caller hears of success only after the commit that holds it; one that fails takes no other with it;
and nobody waits for a thread that is not there.

An operation is a function of a connection. It may run more than once before its outcome counts, so its only effect
must be on the database.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from weakref import WeakSet

from reach.errors import StateError
from reach.stores.sqlite_file import connect, explain, identify, is_busy, patiently

T = TypeVar("T")
Operation = Callable[[sqlite3.Connection], T]

_MOST_AT_ONCE = 1024  # bounds how long one commit holds the file's write lock


class _Job(NamedTuple):
    operation: Operation[Any]
    durable: bool
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class _Outcome(NamedTuple):
    value: Any
    error: BaseException | None


class Worker:
    """A thread with its own connection to `path`. It starts with the first operation and ends with `close`.

    `write=False` makes a reader: it takes no write lock and its connection refuses to write. `busy_s` is how long other
    processes may hold the lock before an operation fails.
    """

    def __init__(self, path: Path, *, write: bool, busy_s: float) -> None:
        self._path = path
        self._write = write
        self._busy_s = busy_s
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._synchronous = ""
        self._closing = False
        self._reset()
        with _workers_lock:
            _workers.add(self)

    def _reset(self) -> None:
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._running: list[_Job] = []
        self._thread: threading.Thread | None = None
        self._dead = False
        self._lock = threading.Lock()  # guards what decides whether a job may still be queued
        self._turn = threading.Lock()  # held while the connection is in use
        self.commits = 0

    def submit(self, operation: Operation[T], *, durable: bool = False) -> asyncio.Future[T]:
        """Queue `operation`; the future has its outcome once that is committed.

        `durable` has the commit flushed to disk first; otherwise it survives this process, maybe not a power failure.
        What was submitted is done, even where the future is cancelled. Raises StateError where the worker has ended.
        """
        loop = asyncio.get_running_loop()
        job = _Job(operation, durable, loop.create_future(), loop)
        with self._lock:
            if self._closing:
                raise StateError("The state store is closed.", hint="Load a new runtime.", retryable=False)
            if self._dead:
                raise self._death()
            if self._thread is None:
                self._thread = threading.Thread(target=self._main, name=f"reach-state-{self._path.name}", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return job.future

    async def close(self) -> None:
        """Finish what is queued, then end the thread and its connection. Twice is harmless."""
        with self._lock:
            thread = self._thread
            if not self._closing:
                self._closing = True
                self._jobs.put(None)
        if thread is not None:
            await asyncio.to_thread(thread.join)

    # ------------------------------------------------------------------------------------------ in the thread

    def _main(self) -> None:
        try:
            last = False
            while not last:
                self._running, last = self._next()
                if self._running:
                    _settle(self._running, self._outcomes(self._running))
                self._running = []
        finally:
            with self._lock:
                self._dead = True
                left = [*self._running, *self._queued()]
            _settle(left, [_Outcome(None, self._death()) for _ in left])
            with self._turn:
                self._disconnect()

    def _next(self) -> tuple[list[_Job], bool]:
        """Wait for a job and take all that are queued with it; True where it is time to end."""
        job = self._jobs.get()
        jobs: list[_Job] = []
        try:
            while job is not None:
                jobs.append(job)
                if len(jobs) == _MOST_AT_ONCE:
                    return jobs, False
                job = self._jobs.get_nowait()
        except queue.Empty:
            return jobs, False
        return jobs, True

    def _queued(self) -> list[_Job]:
        jobs: list[_Job] = []
        while not self._jobs.empty():
            job = self._jobs.get_nowait()
            if job is not None:
                jobs.append(job)
        return jobs

    def _outcomes(self, jobs: list[_Job]) -> list[_Outcome]:
        with self._turn:
            try:
                return patiently(lambda: self._commit(jobs), busy_s=self._busy_s)
            except Exception as error:  # noqa: BLE001  -- each caller is told; the connection may be what is broken
                self._disconnect()
                return [_Outcome(None, explain(self._path, error)) for _ in jobs]

    def _commit(self, jobs: list[_Job]) -> list[_Outcome]:
        """One transaction. Savepoints cost as much as a small operation, so they enter only after one has failed."""
        connection = self._connected(durable=any(job.durable for job in jobs))
        try:
            outcomes = self._transaction(connection, jobs, apart=False)
        except Exception as error:
            _roll_back(connection)
            if is_busy(error):
                raise
            try:
                outcomes = self._transaction(connection, jobs, apart=True)
            except Exception:
                _roll_back(connection)
                raise
        self.commits += 1
        return outcomes

    def _transaction(self, connection: sqlite3.Connection, jobs: list[_Job], *, apart: bool) -> list[_Outcome]:
        connection.execute("BEGIN IMMEDIATE" if self._write else "BEGIN")
        if apart:
            outcomes = [self._apart(connection, job.operation) for job in jobs]
        else:
            outcomes = [_Outcome(job.operation(connection), None) for job in jobs]
        connection.execute("COMMIT")
        return outcomes

    def _apart(self, connection: sqlite3.Connection, operation: Operation[Any]) -> _Outcome:
        connection.execute("SAVEPOINT operation")
        try:
            outcome = _Outcome(operation(connection), None)
        except Exception as error:
            if is_busy(error) or not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO operation")
            outcome = _Outcome(None, explain(self._path, error))
        connection.execute("RELEASE operation")
        return outcome

    def _connected(self, *, durable: bool) -> sqlite3.Connection:
        file = identify(self._path)
        if self._connection is not None and file != self._file:
            self._disconnect()  # what is written to a file that lost its name, nobody else would ever see
        if self._connection is None:
            self._connection = connect(self._path, busy_s=0)
            self._file = file
            self._synchronous = ""
            if not self._write:
                self._connection.execute("PRAGMA query_only = 1")
        wanted = "FULL" if durable else "NORMAL"
        if wanted != self._synchronous:
            self._connection.execute(f"PRAGMA synchronous = {wanted}")
            self._synchronous = wanted
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _death(self) -> StateError:
        return StateError(
            f"The thread that serves the state file {self._path} has ended.",
            hint="Restart the process; claims that it had not finished become unknown after their lease.",
            retryable=False,
        )

    # ------------------------------------------------------------------------------------------ around a fork

    def hold(self) -> None:
        """Before a fork: wait for the running commit, then close the connection. A child must not inherit one."""
        self._turn.acquire()
        self._disconnect()

    def carry_on(self) -> None:
        """After a fork, in the parent: the thread connects again with its next job."""
        self._turn.release()

    def start_over(self) -> None:
        """After a fork, in the child: the thread is gone, and what it had queued is the parent's to do."""
        self._reset()


def _roll_back(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _settle(jobs: list[_Job], outcomes: list[_Outcome]) -> None:
    """Hand each loop its outcomes in one call: waking a loop costs more than a small operation."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], _Outcome]]] = {}
    for job, outcome in zip(jobs, outcomes, strict=True):
        by_loop.setdefault(job.loop, []).append((job.future, outcome))
    for loop, settled in by_loop.items():
        try:
            loop.call_soon_threadsafe(_resolve, settled)
        except RuntimeError:  # the loop was closed meanwhile, so nobody waits
            continue


def _resolve(settled: list[tuple[asyncio.Future[Any], _Outcome]]) -> None:
    for future, outcome in settled:
        if future.done():
            continue
        if outcome.error is None:
            future.set_result(outcome.value)
        else:
            future.set_exception(outcome.error)


# SQLite's locks belong to a process, and its bookkeeping of them is copied by a fork while the locks are not: a child
# that inherits an open connection can lose data of every process. So no connection is open while a process forks.

_workers: WeakSet[Worker] = WeakSet()
_workers_lock = threading.Lock()
_held: list[Worker] = []


def _before_fork() -> None:
    _workers_lock.acquire()
    _held.extend(_workers)
    for worker in _held:
        worker.hold()


def _after_fork_in_parent() -> None:
    for worker in _held:
        worker.carry_on()
    _held.clear()
    _workers_lock.release()


def _after_fork_in_child() -> None:
    for worker in _held:
        worker.start_over()
    _held.clear()
    _workers_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
