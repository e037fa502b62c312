"""What every contract suite shares.

Rule: a suite tests only what `reach.ports` promises, through the port alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import Any, Generic, TypeVar

from reach.testing.clock import FakeClock

P = TypeVar("P")


class Contract(ABC, Generic[P]):
    """What every suite shares: the thing under test, and time."""

    tick_s: float = 0.001

    @abstractmethod
    async def make(self) -> P:
        """A new, empty implementation, on `self.clock` where it needs one."""

    async def close(self, made: P) -> None:
        """Give back what `make` opened."""

    @cached_property
    def clock(self) -> FakeClock:
        """This test's clock."""
        return FakeClock()

    @asynccontextmanager
    async def made(self) -> AsyncGenerator[P]:
        """What `make` makes, given back when the test ends, however it ends."""
        made = await self.make()
        try:
            yield made
        finally:
            await self.close(made)

    async def elapse(self, seconds: float) -> None:
        """Let `seconds` pass for the implementation."""
        self.clock.advance(seconds)


async def raised_by(awaitable: Awaitable[Any]) -> type[BaseException] | None:
    """The type of the exception that `awaitable` ends with; None where it ends well."""
    try:
        await awaitable
    except Exception as error:  # noqa: BLE001  -- the caller looks at what it is
        return type(error)
    return None
