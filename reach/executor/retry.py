"""Retries of reads.

Rule: a write is tried once, unless the tool says that the far side honours the idempotency key; the first attempt is
bare, and tenacity enters only after a failure.
"""

from __future__ import annotations

from reach.errors import BackendTimeout, BackendUnavailable, BreakerOpen, CallError
from reach.executor.running import Proceed, Running
from reach.ports import Clock
from reach.types import Payload


def _may_retry(error: BaseException) -> bool:
    # An open breaker stays open for longer than a turn: waiting for it would only hold the caller up.
    return isinstance(error, (BackendUnavailable, BackendTimeout)) and not isinstance(error, BreakerOpen)


class RetryGuard:
    """Jittered exponential back-off between the attempts, inside the deadline; `retry_after_s` of an error is kept."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises the last attempt's error."""
        try:
            return await proceed()
        except CallError as error:
            allowed = running.tool.read_only or running.tool.idempotency.honoured
            if not allowed or not _may_retry(error) or running.tool.retry.attempts <= 1:
                raise
            return await self._again(running, proceed, error)

    async def _again(self, running: Running, proceed: Proceed, first: CallError) -> Payload:
        import tenacity

        spec = running.tool.retry
        back_off = tenacity.wait_random_exponential(multiplier=spec.base_ms / 1000, max=spec.max_ms / 1000)
        last: list[BaseException] = [first]

        def wait(state: tenacity.RetryCallState) -> float:
            return max(back_off(state), getattr(last[0], "retry_after_s", 0.0))

        def out_of_time(state: tenacity.RetryCallState) -> bool:
            return state.upcoming_sleep >= running.deadline.remaining_s()

        failures = 0

        async def attempt() -> Payload:
            nonlocal failures
            failures += 1
            if failures == 1:
                raise first
            try:
                return await proceed()
            except CallError as error:
                if getattr(last[0], "applied", "no") == "maybe":
                    error.applied = "maybe"  # what an earlier attempt may have done, a later refusal does not undo
                last[0] = error
                raise

        retrying = tenacity.AsyncRetrying(
            sleep=self._clock.sleep,
            wait=wait,
            stop=lambda state: state.attempt_number >= spec.attempts or out_of_time(state),
            retry=tenacity.retry_if_exception(_may_retry),
            reraise=True,
        )
        return await retrying(attempt)
