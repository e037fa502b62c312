"""An adapter that fails as told.

Rule: what the n-th call does is written down before it is made.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from reach.ports import Adapter, AdapterCall
from reach.types import Payload


class Step(Enum):
    """What a scripted call may do besides returning or raising."""

    HANG = "hang"
    """Never answer; ends only by cancellation."""
    PASS = "pass"  # noqa: S105  -- a step, not a secret
    """Let the wrapped adapter answer."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Take `seconds` on the call's own clock, then do `then`."""

    seconds: float
    then: Any = None


class FaultyAdapter:
    """A `reach.ports.Adapter` for tests, alone or around `inner`.

    Each call takes the next step of `script`: an exception is raised, `Step.HANG` never answers, `Step.PASS` asks
    `inner`, a `Slow` waits first, a `Payload` is returned, and anything else is returned as the data of one. After the
    last step `inner` answers; without one, a further call is an AssertionError.

    `calls` are the calls as they came, `cancelled` counts those that were cancelled, `closed` those of `close`.
    """

    def __init__(self, inner: Adapter | None = None, script: Iterable[Any] = ()) -> None:
        self._inner = inner
        self._script = list(script)
        self.calls: list[AdapterCall] = []
        self.cancelled = 0
        self.closed = 0

    async def call(self, call: AdapterCall) -> Payload:
        """Do the next step of the script."""
        self.calls.append(call)
        step = self._script.pop(0) if self._script else Step.PASS
        try:
            return await self._do(step, call)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise

    async def close(self) -> None:
        """Close the wrapped adapter, and count."""
        self.closed += 1
        if self._inner is not None:
            await self._inner.close()

    async def _do(self, step: Any, call: AdapterCall) -> Payload:
        if isinstance(step, Slow):
            await call.deadline.clock.sleep(step.seconds)
            return await self._do(step.then, call)
        if step is Step.HANG:
            await asyncio.get_running_loop().create_future()
        if step is Step.PASS:
            if self._inner is None:
                raise AssertionError(f"FaultyAdapter has no step for call {len(self.calls)}.")
            return await self._inner.call(call)
        if isinstance(step, BaseException) or (isinstance(step, type) and issubclass(step, BaseException)):
            raise step
        return step if isinstance(step, Payload) else Payload(data=step)
