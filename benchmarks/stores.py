"""How fast a write is claimed and finished, beside the floor that SQLite itself sets in the same run.

Rule: the floor does the same work (one durable insert, one update, many callers to a commit) with nothing around it:
no claim rules, no scopes, no savepoints, no second process to share with.

    python benchmarks/stores.py [WRITES]
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

from reach.stores import StateStore, open_state

CONCURRENT = 256
ROUNDS = 5

Write = Callable[[int], Awaitable[None]]


class Floor:
    """A thread that runs queued statements, as many as there are to a commit, each commit flushed to disk."""

    def __init__(self, path: Path) -> None:
        self._queue: queue.SimpleQueue[tuple[str, tuple[Any, ...], asyncio.Future[int]] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in (
            "PRAGMA journal_mode = wal",
            "PRAGMA synchronous = FULL",
            "CREATE TABLE ledger (key TEXT PRIMARY KEY, status TEXT, fence TEXT, begun_at REAL, result BLOB)",
        ):
            self._connection.execute(statement)
        self._thread = threading.Thread(target=self._main)
        self._thread.start()

    async def write(self, number: int) -> None:
        """One insert and one update, each committed before it returns."""
        key, fence = f"key-{number}", f"fence-{number}"
        await self._run("INSERT INTO ledger VALUES (?, 'begun', ?, ?, x'') ON CONFLICT DO NOTHING", key, fence, 1000.0)
        await self._run(
            "UPDATE ledger SET status = 'succeeded', result = ? WHERE key = ? AND fence = ?", b"{}", key, fence
        )

    def close(self) -> None:
        """End the thread."""
        self._queue.put(None)
        self._thread.join()
        self._connection.close()

    def _run(self, statement: str, *values: Any) -> asyncio.Future[int]:
        future: asyncio.Future[int] = self._loop.create_future()
        self._queue.put((statement, values, future))
        return future

    def _main(self) -> None:
        job = self._queue.get()
        while job is not None:
            settled: list[tuple[asyncio.Future[int], int]] = []
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                while job is not None:
                    settled.append((job[2], self._connection.execute(job[0], job[1]).rowcount))
                    job = self._queue.get_nowait()
            except queue.Empty:
                pass
            self._connection.execute("COMMIT")
            self._loop.call_soon_threadsafe(_resolve, settled)
            if job is not None:
                job = self._queue.get()


def _resolve(settled: list[tuple[asyncio.Future[int], int]]) -> None:
    for future, count in settled:
        future.set_result(count)


def ledger_write(state: StateStore) -> Write:
    """Claim a write and finish it, as the executor does."""

    async def write(number: int) -> None:
        key, fence = f"key-{number}", f"fence-{number}"
        _, mine = await state.ledger.begin(
            key, f"scope-{number}", "fingerprint", fence=fence, now=1000.0, lease_s=30, dedupe_window_s=10
        )
        if not mine or not await state.ledger.finish(key, fence=fence, status="succeeded", result=b"{}"):
            raise RuntimeError(f"Write {number} was not claimed and finished.")

    return write


async def per_second(write: Write, writes: int) -> float:
    """Writes a second with `CONCURRENT` callers at once."""
    numbers = iter(range(writes))

    async def caller() -> None:
        for number in numbers:
            await write(number)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CONCURRENT)))
    return writes / (time.perf_counter() - began)


async def one_round(folder: Path, writes: int) -> dict[str, float]:
    """Writes a second of each store, one after the other, on fresh files."""
    floor = Floor(folder / "floor.db")
    rates = {"floor": await per_second(floor.write, writes)}
    floor.close()
    for name, url in (("sqlite", "sqlite:///state.db"), ("memory", "memory://")):
        state = open_state(url, folder)
        rates[name] = await per_second(ledger_write(state), writes)
        await state.close()
    return rates


def main() -> None:
    """Print the medians, and their ratio to the floor."""
    writes = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rounds: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            rounds.append(asyncio.run(one_round(Path(folder), writes)))
    print(f"claim, then finish: writes a second, {CONCURRENT} at once, {writes:,} writes, median of {ROUNDS} rounds")
    for name, what in (
        ("floor", "raw sqlite3 on a group-commit thread, every commit flushed"),
        ("sqlite", "SqliteState: claims flushed, shared by processes"),
        ("memory", "MemoryState"),
    ):
        ratio = median(rates[name] / rates["floor"] for rates in rounds)
        print(f"  {name:8}{median(rates[name] for rates in rounds):>10,.0f}  {ratio:5.2f} x floor   {what}")


if __name__ == "__main__":
    main()
