"""A clock that is moved by hand.

Rule: real seconds never pass; time stands still until `advance` is called.
"""

from __future__ import annotations

import asyncio
import heapq
from datetime import UTC, datetime, timedelta
from itertools import count

_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)  # a Monday morning
_ROUNDING_S = 1e-9  # ten steps of 0.1 wake who sleeps for 1.0


class FakeClock:
    """A `reach.ports.Clock` for tests.

    `start` is what `now` says at first (aware). With `auto_advance`, `sleep` moves the clock itself and returns at
    once; without, it waits until `advance` has passed its moment. For use within one event loop.
    """

    def __init__(self, start: datetime = _START, *, auto_advance: bool = False) -> None:
        if start.tzinfo is None:
            raise ValueError("FakeClock needs an aware start, such as datetime(2026, 1, 5, tzinfo=UTC).")
        self._start = start.astimezone(UTC)
        self._auto_advance = auto_advance
        self._passed_s = 0.0
        self._sleeping: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = count()

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._passed_s

    def now(self) -> datetime:
        """The start plus the seconds that were advanced, in UTC."""
        return self._start + timedelta(seconds=self._passed_s)

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been advanced by `seconds`; zero or less only lets others run."""
        if seconds <= 0 or self._auto_advance:
            self.advance(max(0.0, seconds))
            await asyncio.sleep(0)
            return
        woken = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleeping, (self._passed_s + seconds, next(self._order), woken))
        await woken

    def advance(self, seconds: float) -> None:
        """Move time forward and wake whoever sleeps no longer, earliest first. They run once the caller awaits."""
        if seconds < 0:
            raise ValueError("Time does not go back.")
        self._passed_s += seconds
        while self._sleeping and self._sleeping[0][0] <= self._passed_s + _ROUNDING_S:
            _, _, woken = heapq.heappop(self._sleeping)
            if not woken.done():
                woken.set_result(None)

    @property
    def sleepers(self) -> int:
        """How many wait for the clock: what a test checks before it advances."""
        return sum(not woken.done() for _, _, woken in self._sleeping)
