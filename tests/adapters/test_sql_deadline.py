"""Deadline and cancellation: the caller goes on at once, the thread soon after, and nothing is half done."""

import asyncio
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from reach.adapters.sql import SqlAdapter
from reach.adapters.sqlite import SqliteDatabase
from reach.errors import BackendTimeout
from reach.spec import SqlBackend

from .conftest import ENDLESS, call_of, query, steps, tool, until

SLOW_WRITE = f"UPDATE orders SET amount = ({ENDLESS})"


async def free(workers) -> None:
    await until(lambda: not workers.busy)


async def running(workers) -> None:
    await until(lambda: workers.busy)


async def test_a_slow_read_ends_at_its_deadline_and_its_thread_with_it(sql):
    await sql.call(call_of(tool("SELECT 1 AS one")))
    started = time.monotonic()
    with pytest.raises(BackendTimeout) as caught:
        await sql.call(call_of(tool(ENDLESS), ms=100))
    assert 0.09 < time.monotonic() - started < 1
    assert (caught.value.applied, caught.value.retryable) == ("no", True)
    await free(sql._readers)
    assert (await sql.call(call_of(tool("SELECT 2 AS two")))).data == [{"two": 2}]


async def test_a_slow_write_at_its_deadline_is_certainly_not_applied(sql, shop):
    before = query(shop, "SELECT * FROM orders")
    with pytest.raises(BackendTimeout) as caught:
        await sql.call(call_of(tool(steps("DELETE FROM notes", SLOW_WRITE), write=True), ms=100))
    assert caught.value.applied == "no"
    await free(sql._writers)
    assert query(shop, "SELECT * FROM orders") == before
    assert (await sql.call(call_of(tool("DELETE FROM notes", write=True)))).data == {"changed": 0}


@pytest.mark.parametrize(("statement", "write"), [(ENDLESS, False), (SLOW_WRITE, True)])
async def test_cancelling_returns_at_once_and_stops_the_thread(sql, shop, statement, write):
    before = query(shop, "SELECT * FROM orders")
    task = asyncio.create_task(sql.call(call_of(tool(statement, write=write), ms=60_000)))
    workers = sql._writers if write else sql._readers
    await running(workers)
    started = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - started < 0.5
    await free(workers)
    assert query(shop, "SELECT * FROM orders") == before
    assert (await sql.call(call_of(tool("DELETE FROM notes", write=True)))).data == {"changed": 0}
    assert (await sql.call(call_of(tool("SELECT 1 AS one")))).data == [{"one": 1}]


async def test_cancelling_a_write_that_waits_for_a_lock_stops_it_soon(sql, shop):
    with closing(sqlite3.connect(shop, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        task = asyncio.create_task(sql.call(call_of(tool("DELETE FROM orders", write=True), ms=60_000)))
        await running(sql._writers)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await free(sql._writers)
        other.execute("ROLLBACK")
    assert query(shop, "SELECT count(*) FROM orders") == [(3,)]


class _HeldCommit:
    """A COMMIT that waits, once it is sent, until the test lets it go."""

    def __init__(self, monkeypatch) -> None:
        self.sent = threading.Event()
        self.go = threading.Event()
        commit = SqliteDatabase.commit

        def held(database, connection, attempt):
            self.sent.set()
            self.go.wait(30)
            commit(database, connection, attempt)

        monkeypatch.setattr(SqliteDatabase, "commit", held)

    async def is_sent(self) -> None:
        await until(self.sent.is_set)


async def test_a_commit_in_flight_at_the_deadline_leaves_it_open(sql, monkeypatch):
    held = _HeldCommit(monkeypatch)
    with pytest.raises(BackendTimeout) as caught:
        await sql.call(call_of(tool("DELETE FROM orders", write=True), ms=300))
    assert held.sent.is_set()
    assert caught.value.applied == "maybe"
    held.go.set()


async def test_a_commit_that_was_sent_finishes_although_its_caller_was_cancelled(sql, shop, monkeypatch):
    held = _HeldCommit(monkeypatch)
    task = asyncio.create_task(sql.call(call_of(tool("DELETE FROM orders", write=True), ms=60_000)))
    await held.is_sent()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    held.go.set()
    await free(sql._writers)
    assert query(shop, "SELECT count(*) FROM orders") == [(0,)]


async def test_waiting_for_a_free_connection_counts_and_what_waited_is_never_run(shop):
    adapter = SqlAdapter("shop", SqlBackend(kind="sql", url="sqlite:///shop.db", max_concurrency=2), shop.parent)
    slow = [asyncio.create_task(adapter.call(call_of(tool(ENDLESS), ms=60_000))) for _ in range(2)]
    await until(lambda: adapter._readers.busy == 2)
    with pytest.raises(BackendTimeout, match="no free thread") as caught:
        await adapter.call(call_of(tool("SELECT 1 AS one"), ms=50))
    assert caught.value.applied == "no"
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    assert (await adapter.call(call_of(tool("SELECT 1 AS one")))).data == [{"one": 1}]
    await adapter.close()


async def test_a_write_that_waits_its_turn_leaves_the_readers_free(shop):
    backend = SqlBackend(kind="sql", url="sqlite:///shop.db", max_concurrency=1)
    adapter = SqlAdapter("shop", backend, shop.parent)
    writes = [asyncio.create_task(adapter.call(call_of(tool(SLOW_WRITE, write=True), ms=60_000))) for _ in range(3)]
    await running(adapter._writers)
    assert (await adapter.call(call_of(tool("SELECT 1 AS one")))).data == [{"one": 1}]
    for write in writes:
        write.cancel()
    await asyncio.gather(*writes, return_exceptions=True)
    await adapter.close()


async def test_the_event_loop_turns_while_the_database_works(sql):
    turns = 0
    task = asyncio.create_task(sql.call(call_of(tool(ENDLESS), ms=100)))
    while not task.done():
        turns += 1
        await asyncio.sleep(0)
    assert isinstance(task.exception(), BackendTimeout)
    assert turns > 100


async def test_close_stops_what_runs(sql):
    task = asyncio.create_task(sql.call(call_of(tool(ENDLESS), ms=60_000)))
    await running(sql._readers)
    await sql.close()
    assert sql._readers.busy == 0
    with pytest.raises(BackendTimeout):
        await task
