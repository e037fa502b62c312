"""One circuit breaker a backend.

Rule: while half-open exactly one trial is let through; a cancelled call is no answer; a call begun before the breaker
tripped reports into nothing.

pybreaker keeps the states, counts and listeners. Its own `call` holds a lock for as long as the call takes and its
`calling` admits every caller while half-open, so only its lock and state transitions are used here, and the lock is
never held across an await.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pybreaker

from reach.errors import BreakerOpen, CallError, DeadlineExceeded, InvalidArguments, LimitExceeded, PermissionDenied
from reach.executor.running import Proceed, Running
from reach.ports import Clock
from reach.spec import BackendSpec, BreakerSpec
from reach.types import Payload

_NO_ANSWER = (LimitExceeded, DeadlineExceeded, InvalidArguments, PermissionDenied)
"""Errors of our own making: the backend was not asked."""


class Breaker(pybreaker.CircuitBreaker):
    """A pybreaker whose admission and recording are two short steps. Times come from the injected clock, in seconds."""

    def __init__(self, name: str, spec: BreakerSpec, clock: Clock) -> None:
        super().__init__(
            fail_max=spec.failures, reset_timeout=spec.reset_ms / 1000, name=name, throw_new_error_on_trip=False
        )
        self._clock = clock
        self._reset_s = spec.reset_ms / 1000
        self._opened_at = clock.monotonic()
        self._trial_running = False
        self._period = 0

    def admit(self) -> int:
        """Let one call begin and return its period. Raises BreakerOpen while open or while a trial runs."""
        with self._lock:
            state = self.current_state
            if state == pybreaker.STATE_OPEN:
                waited_s = self._clock.monotonic() - self._opened_at
                if waited_s < self._reset_s:
                    raise BreakerOpen(
                        f"The backend '{self.name}' is resting after repeated failures.",
                        hint="Its breaker lets a trial through later.",
                        retry_after_s=self._reset_s - waited_s,
                    )
                self.half_open()
                self._trial_running = False
                state = pybreaker.STATE_HALF_OPEN
            if state == pybreaker.STATE_HALF_OPEN:
                if self._trial_running:
                    raise BreakerOpen(f"The backend '{self.name}' is on trial.", retry_after_s=self._reset_s)
                self._trial_running = True
                self._period += 1
            return self._period

    def record(self, period: int, error: BaseException | None) -> None:
        """Count how the call of `period` ended: an error of the backend, or an answer."""
        with self._lock:
            if period != self._period or self.current_state == pybreaker.STATE_OPEN:
                return
            self._trial_running = False
            if error is None:
                self.state._handle_success()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
                return
            try:
                self.state._handle_error(error, reraise=False)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            except BaseException as tripped:  # the trip raises the same error again, which the guard will do itself
                if tripped is not error:
                    raise
            if self.current_state == pybreaker.STATE_OPEN:
                self._opened_at = self._clock.monotonic()
                self._period += 1

    def forget(self, period: int) -> None:
        """The call of `period` ended without an answer: neither success nor failure; a trial may be tried anew."""
        with self._lock:
            if period == self._period:
                self._trial_running = False


class BreakerGuard:
    """The breaker of the tool's backend. A refusal by the backend is an answer; a time-out or a failure is not."""

    def __init__(self, backends: Mapping[str, BackendSpec], clock: Clock) -> None:
        self._breakers = {name: Breaker(name, spec.breaker, clock) for name, spec in backends.items()}

    def state_of(self, backend: str) -> str:
        """`closed`, `open` or `half-open`."""
        return str(self._breakers[backend].current_state)

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises BreakerOpen while the breaker is open."""
        breaker = self._breakers.get(running.backend)
        if breaker is None:
            return await proceed()
        period = breaker.admit()
        try:
            payload = await proceed()
        except asyncio.CancelledError:
            breaker.forget(period)
            raise
        except _NO_ANSWER:
            breaker.forget(period)
            raise
        except CallError as error:
            breaker.record(period, None if error.code == "backend_rejected" else error)
            raise
        except BaseException:
            breaker.forget(period)
            raise
        breaker.record(period, None)
        return payload
