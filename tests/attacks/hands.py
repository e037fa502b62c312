"""Backend functions that misbehave on purpose. What they did is a line each in the file `effects` of HANDS."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path
from typing import Any


def strike(order_id: str, how: str = "well") -> dict[str, str]:
    """Does one thing; `how` says what becomes of this process before or after it."""
    if how == "dies_before":
        os.kill(os.getpid(), signal.SIGKILL)
    _leave_a_mark(order_id)
    if how == "dies_after":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hangs":
        time.sleep(1.5)
    if how == "slow":
        time.sleep(0.15)
    return {"done": order_id}


async def deaf(seconds: float) -> str:
    """Ignores its cancellation."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        try:
            await asyncio.sleep(left)
        except asyncio.CancelledError:
            continue
    return "late"


async def shaped(kind: str) -> Any:
    """A result of the shape that the test asks for."""
    return SHAPES[kind]


def blocking_proof(value: Any, caller: Any) -> bool:
    """A resolver that blocks."""
    del value, caller
    time.sleep(1.5)
    return True


async def deaf_proof(value: Any, caller: Any) -> bool:
    """A resolver that ignores its cancellation."""
    del value, caller
    await deaf(1.0)
    return True


def nested(depth: int) -> Any:
    """A list of lists, `depth` deep."""
    value: Any = "bottom"
    for _ in range(depth):
        value = [value]
    return value


SHAPES: dict[str, Any] = {}


def _leave_a_mark(order_id: str) -> None:
    with (Path(os.environ["HANDS"]) / "effects").open("a", encoding="utf-8") as file:
        file.write(f"{order_id}\n")
        file.flush()
        os.fsync(file.fileno())


def effects(folder: Path) -> list[str]:
    """What was done, in order."""
    path = folder / "effects"
    return path.read_text("utf-8").split() if path.exists() else []
