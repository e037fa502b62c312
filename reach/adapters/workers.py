"""Bounded threads for work that blocks.

Rule: the coroutine returns at its deadline or its cancellation, whatever the thread does; one lock decides which came
first, the abandonment or the commit, so that what an error says about a write is certain.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from reach.errors import BackendTimeout, BackendUnavailable
from reach.ports import Deadline

T = TypeVar("T")


class AbandonedError(Exception):
    """Raised inside a thread whose caller has gone or whose time is up. It never leaves this room."""


class Attempt:
    """One piece of work, as the coroutine that waits and the thread that works both see it."""

    __slots__ = ("_interrupt", "_lock", "abandoned", "begun", "committing", "deadline")

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self.begun = False
        self.committing = False
        self.abandoned = False
        self._lock = threading.Lock()
        self._interrupt: Callable[[bool], None] | None = None

    def over(self) -> bool:
        """True once nobody waits any more, or the deadline has passed."""
        return self.abandoned or self.deadline.clock.monotonic() >= self.deadline.at

    def check(self) -> None:
        """Raise AbandonedError where the work should stop."""
        if self.over():
            raise AbandonedError

    def hold(self, interrupt: Callable[[bool], None]) -> None:
        """Have `interrupt(committing)` called if the attempt is abandoned before `release`. It must not block."""
        with self._lock:
            if self.abandoned:
                raise AbandonedError
            self._interrupt = interrupt

    def release(self) -> None:
        """No interruption after this: what was held may be given to the next attempt."""
        with self._lock:
            self._interrupt = None

    def begin_commit(self) -> None:
        """Pass the point after which something may have been applied. Raises AbandonedError where it is too late."""
        with self._lock:
            self.check()
            self.committing = True

    def commit_refused(self) -> None:
        """The far side has said that nothing was applied after all."""
        with self._lock:
            self.committing = False

    def abandon(self) -> None:
        """Nobody waits any more. Work that has not begun to commit can't do so after this."""
        with self._lock:
            if self.abandoned:
                return
            self.abandoned = True
            if self._interrupt is not None:
                self._interrupt(self.committing)


@dataclass(slots=True, eq=False)
class _Job(Generic[T]):
    work: Callable[[Attempt], T]
    attempt: Attempt
    context: Context
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[T]
    name: str

    def run(self) -> None:
        if self.attempt.over():
            return  # abandoned while it waited for a thread: the coroutine has its answer
        self.attempt.begun = True
        value: T | None = None
        error: BaseException | None = None
        try:
            value = self.context.run(self.work, self.attempt)
        except BaseException as raised:  # noqa: BLE001 -- it is raised again where the call is awaited
            error = raised
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self.loop.call_soon_threadsafe(self.settle, value, error)

    def settle(self, value: Any, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(value)
        elif isinstance(error, AbandonedError):
            self.expire()
        else:
            self.future.set_exception(error)

    def expire(self) -> None:
        if self.future.done():
            return
        self.attempt.abandon()
        waited = "did not answer" if self.attempt.begun else "had no free thread"
        error = BackendTimeout(f"Backend '{self.name}' {waited} in time.")
        error.applied = "maybe" if self.attempt.committing else "no"
        self.future.set_exception(error)


class Workers:
    """At most `limit` daemon threads, started when they are needed; more work waits for a free one.

    With `refuse_when_stuck`, work is refused at once while every thread is busy with something that nobody waits for.
    """

    def __init__(self, name: str, limit: int, *, refuse_when_stuck: bool = False) -> None:
        self._name = name
        self._limit = limit
        self._refuse_when_stuck = refuse_when_stuck
        self._queue: SimpleQueue[_Job[Any] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._running: set[_Job[Any]] = set()
        self._load = 0
        self._closed = False

    @property
    def busy(self) -> int:
        """How many threads are working, waited for or not."""
        return len(self._running)

    async def run(self, work: Callable[[Attempt], T], attempt: Attempt) -> T:
        """`work(attempt)` in a thread, with this task's context variables.

        Raises what `work` raises; BackendTimeout at the attempt's deadline, with `applied` as the attempt knows it;
        BackendUnavailable where no thread can take it.
        """
        loop = asyncio.get_running_loop()
        job = _Job(work, attempt, copy_context(), loop, loop.create_future(), self._name)
        self._submit(job)
        timer = loop.call_later(attempt.deadline.remaining_s(), job.expire)
        try:
            return await job.future
        except asyncio.CancelledError:
            attempt.abandon()
            raise
        finally:
            timer.cancel()

    def _submit(self, job: _Job[Any]) -> None:
        with self._lock:
            if self._closed:
                raise BackendUnavailable(f"Backend '{self._name}' is closed.")
            if (
                self._refuse_when_stuck
                and len(self._running) >= self._limit
                and all(running.attempt.abandoned for running in self._running)
            ):
                raise BackendUnavailable(
                    f"All {self._limit} threads of backend '{self._name}' are stuck in calls that timed out.",
                    hint="Give its functions time-outs of their own, or make them async.",
                )
            self._load += 1
            if self._load > len(self._threads) and len(self._threads) < self._limit:
                thread = threading.Thread(target=self._serve, name=f"reach-{self._name}", daemon=True)
                self._threads.append(thread)
                thread.start()
        self._queue.put(job)

    def _serve(self) -> None:
        while (job := self._queue.get()) is not None:
            with self._lock:
                self._running.add(job)
            try:
                job.run()
            finally:
                with self._lock:
                    self._running.discard(job)
                    self._load -= 1
            del job  # an idle thread must not keep the last result alive

    async def close(self, patience_s: float) -> bool:
        """Abandon what runs and wait for the threads to end. False where one still works after `patience_s`."""
        with self._lock:
            self._closed = True
            threads, running = list(self._threads), list(self._running)
        for job in running:
            job.attempt.abandon()
        for _ in threads:
            self._queue.put(None)
        return await asyncio.to_thread(_join, threads, patience_s)


def _join(threads: Iterable[threading.Thread], patience_s: float) -> bool:
    give_up_at = time.monotonic() + patience_s
    for thread in threads:
        thread.join(max(0.0, give_up_at - time.monotonic()))
    return not any(thread.is_alive() for thread in threads)
