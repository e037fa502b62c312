"""Records of what has happened already.

Rule: whoever waits hears how a call ended in time, whether or not its record is written by then; the writing goes on by
itself, and a record that can't be written never turns what has happened into an error that invites a second one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from reach.errors import StateError
from reach.ports import Deadline

_GRACE_S = 0.06
"""How long after the deadline a record is still waited for."""
_LEAST_S = 0.005

_unfinished: set[asyncio.Task[Any]] = set()


async def recorded(work: Coroutine[Any, Any, Any], deadline: Deadline) -> bool:
    """Write a record; True where it was written in time. A StateError counts as not written."""
    task = asyncio.create_task(work)
    _unfinished.add(task)
    task.add_done_callback(_finished)
    left_s = deadline.at + _GRACE_S - deadline.clock.monotonic()
    await asyncio.wait({task}, timeout=max(left_s, _LEAST_S))
    if not task.done():
        return False
    error = task.exception()
    if error is not None and not isinstance(error, StateError):
        raise error
    return error is None


def _finished(task: asyncio.Task[Any]) -> None:
    _unfinished.discard(task)
    if not task.cancelled():
        task.exception()  # read, so that it is not reported as lost: nobody is waiting for it any more
