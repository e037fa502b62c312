"""Call budget, rate limit, concurrency limit and attempt deadline.

Rule: a call that is refused here was never sent, so nothing was applied.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from reach.errors import BackendTimeout, LimitExceeded
from reach.executor.running import Proceed, Running
from reach.ports import Counter
from reach.spec import BackendSpec, rate_of
from reach.types import Payload, digest_of

_MAX_REPEATS = 2
_GRACE_S = 0.03
"""How much longer than the attempt's time an adapter may take to say itself what the time-out left behind."""


class CallBudgetGuard:
    """Most calls, and most equal calls, in one turn."""

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises LimitExceeded."""
        running.budget.spend(running.fingerprint, _MAX_REPEATS)
        return await proceed()


class RateLimitGuard:
    """The tool's `rate_limit`, for the caller, the tenant and the tool as a whole."""

    def __init__(self, counter: Counter) -> None:
        self._counter = counter

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises LimitExceeded with the seconds to wait."""
        spec = running.tool.rate_limit
        if spec is not None:
            caller = running.request.caller
            for rate, who in (
                (spec.per_caller, f"caller:{caller.identity}"),
                (spec.per_tenant, f"tenant:{digest_of(caller.tenant)}"),
                (spec.per_tool, "tool"),
            ):
                if rate is None:
                    continue
                limit, window_s = rate_of(rate)
                wait_s = await self._counter.acquire(f"rate:{running.tool.name}:{who}", limit=limit, window_s=window_s)
                if wait_s > 0:
                    raise LimitExceeded(f"{running.tool.name} is limited to {rate}.", retry_after_s=wait_s)
        return await proceed()


class ConcurrencyGuard:
    """Most calls at a time to one backend, in this process. Waiting for a place counts against the deadline."""

    def __init__(self, backends: Mapping[str, BackendSpec]) -> None:
        self._places = {name: asyncio.Semaphore(spec.max_concurrency) for name, spec in backends.items()}

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises LimitExceeded where no place became free in time."""
        places = self._places.get(running.backend)
        if places is None:
            return await proceed()
        try:
            async with asyncio.timeout(running.deadline.remaining_s()):
                await places.acquire()
        except TimeoutError:
            raise LimitExceeded(f"All places of the backend '{running.backend}' are taken.", retry_after_s=1) from None
        try:
            return await proceed()
        finally:
            places.release()


class AttemptDeadlineGuard:
    """One attempt takes no longer than the tool's `timeout_ms`, nor than what the turn has left."""

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises DeadlineExceeded where nothing is left to begin with, BackendTimeout where it took too long."""
        running.deadline.check(f"the tool {running.tool.name}")
        time_s = min(running.tool.timeout_ms / 1000, running.deadline.remaining_s())
        running.attempts += 1
        if not running.tool.read_only:
            running.budget.sent = running.tool.name
        timer = asyncio.timeout(time_s + _GRACE_S)
        try:
            async with timer:
                return await proceed()
        except TimeoutError as error:
            if not timer.expired():
                raise
            raise BackendTimeout(f"{running.tool.name} did not answer within {time_s * 1000:.0f} ms.") from error
