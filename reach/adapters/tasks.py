"""Awaitables of other people, each in a task of its own.

Rule: whoever waits is free at the deadline, also where the awaitable ignores its cancellation or wants to end the
process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

from reach.ports import Deadline


class Tasks:
    """Runs awaitables, and knows those that are still under way."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def run(self, awaitable: Awaitable[Any], deadline: Deadline) -> Any:
        """What `awaitable` gives or raises, SystemExit included. Raises TimeoutError at the deadline."""
        task = asyncio.ensure_future(_contained(awaitable))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        try:
            await asyncio.wait({task}, timeout=deadline.remaining_s())
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not task.done():
            task.cancel()
            raise TimeoutError
        value, exited = task.result()
        if exited is not None:
            raise exited
        return value

    async def close(self, patience_s: float) -> None:
        """Cancel what is still under way and wait a little; what ignores that is left behind."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=patience_s)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # read, so that it is not reported as lost: its caller may have gone


async def _contained(awaitable: Awaitable[Any]) -> tuple[Any, SystemExit | None]:
    try:
        return await awaitable, None
    except SystemExit as error:  # raised out of a task, it would end the event loop
        return None, error
