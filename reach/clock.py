"""Real time, for everything that is not a test.

Rule: this is the only place that reads the machine's clock; whoever needs time takes a `reach.ports.Clock`.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock as a `Clock`."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start; they only ever grow."""
        return time.monotonic()

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`."""
        await asyncio.sleep(seconds)
