"""The writer thread: one commit for many callers, and nobody loses what is theirs."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading

import pytest

from reach.errors import StateError
from reach.stores.sqlite import SqliteState

TABLE = "CREATE TABLE numbers (n INTEGER PRIMARY KEY)"


@pytest.fixture
async def state(tmp_path):
    state = SqliteState(tmp_path / "state.db", busy_s=0.05)
    yield state
    await state.close()


def insert(number):
    return lambda connection: connection.execute("INSERT INTO numbers VALUES (?)", (number,)).lastrowid


def numbers(connection):
    return [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n")]


def begin(state, key, fence="f"):
    return state.ledger.begin(key, key, "p", fence=fence, now=1000.0, lease_s=30, dedupe_window_s=10)


async def until(condition):
    while not condition():  # noqa: ASYNC110  -- the condition is set in another thread
        await asyncio.sleep(0)


class Gate:
    """An operation that holds the writer until it is opened, so that others queue behind it."""

    def __init__(self, state):
        self.entered, self.opened = threading.Event(), threading.Event()
        self.future = state.writer.submit(self)

    def __call__(self, _connection):
        self.entered.set()
        assert self.opened.wait(30)


async def test_two_hundred_claims_at_once_take_a_handful_of_commits(state):
    claims = await asyncio.gather(*(begin(state, f"k{i}") for i in range(200)))
    assert all(mine for _, mine in claims)
    assert state.writer.commits <= 20


async def test_what_queues_behind_a_running_commit_shares_the_next_one(state):
    gate = Gate(state)
    await until(gate.entered.is_set)
    claims = [asyncio.ensure_future(begin(state, f"k{i}")) for i in range(200)]
    await asyncio.sleep(0)
    gate.opened.set()
    await asyncio.gather(gate.future, *claims)
    assert state.writer.commits == 2


async def test_an_operation_that_fails_takes_no_other_with_it(state):
    await state.writer.submit(lambda connection: connection.execute(TABLE).rowcount)
    gate = Gate(state)
    await until(gate.entered.is_set)
    futures = [state.writer.submit(insert(n)) for n in (1, 2, 2, 3, "no integer", 4)]
    gate.opened.set()
    outcomes = await asyncio.gather(*futures, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [int, int, StateError, int, StateError, int]
    assert await state.reader.submit(numbers) == [1, 2, 3, 4]


async def test_a_claim_and_an_audit_record_are_flushed_and_a_finish_rides_along(state):
    statements = []
    await state.writer.submit(lambda connection: connection.set_trace_callback(statements.append))

    async def seen(awaitable):
        statements.clear()
        await awaitable
        before = statements[: statements.index("BEGIN IMMEDIATE")]
        return [text for text in before if "synchronous" in text]

    assert await seen(begin(state, "k")) == ["PRAGMA synchronous = FULL"]
    assert await seen(state.ledger.finish("k", fence="f", status="succeeded", result=b"")) == [
        "PRAGMA synchronous = NORMAL"
    ]
    assert await seen(state.audit.append({})) == ["PRAGMA synchronous = FULL"]
    assert await seen(begin(state, "k2")) == []
    assert await seen(state.keyvalue.set("a", b"1", ttl_s=1)) == ["PRAGMA synchronous = NORMAL"]


async def test_a_cancelled_caller_leaves_the_others_their_results(state):
    gate = Gate(state)
    await until(gate.entered.is_set)
    claims = [asyncio.ensure_future(begin(state, f"k{i}")) for i in range(10)]
    await asyncio.sleep(0)
    for claim in claims[::2]:
        claim.cancel()
    gate.opened.set()
    outcomes = await asyncio.gather(*claims, return_exceptions=True)
    assert [isinstance(outcome, asyncio.CancelledError) for outcome in outcomes] == [True, False] * 5
    assert all(mine for _, mine in outcomes[1::2])


async def test_a_claim_whose_caller_was_cancelled_is_withdrawn(state):
    gate = Gate(state)
    await until(gate.entered.is_set)
    claim = asyncio.ensure_future(begin(state, "k"))
    await asyncio.sleep(0)
    claim.cancel()
    await asyncio.wait({claim})
    gate.opened.set()
    assert claim.cancelled()
    assert (await begin(state, "k", fence="second"))[1]


async def test_withdrawing_never_touches_another_callers_claim(state):
    first, _ = await begin(state, "k", fence="first")
    gate = Gate(state)
    await until(gate.entered.is_set)
    claim = asyncio.ensure_future(begin(state, "k", fence="second"))
    await asyncio.sleep(0)
    claim.cancel()
    await asyncio.wait({claim})
    gate.opened.set()
    assert await begin(state, "k", fence="third") == (first, False)


async def test_close_finishes_what_is_queued(tmp_path):
    state = SqliteState(tmp_path / "state.db")
    gate = Gate(state)
    await until(gate.entered.is_set)
    claims = [asyncio.ensure_future(begin(state, f"k{i}")) for i in range(50)]
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(state.close())
    await asyncio.sleep(0)
    gate.opened.set()
    await closing
    assert all(mine for _, mine in await asyncio.gather(*claims))
    with sqlite3.connect(tmp_path / "state.db") as connection:
        assert connection.execute("SELECT count(*) FROM ledger").fetchone() == (50,)
    connection.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "reach-state-state.db"]


async def test_after_close_every_operation_is_a_state_error_and_closing_again_is_harmless(tmp_path):
    state = SqliteState(tmp_path / "state.db")
    await begin(state, "k")
    await state.close()
    await state.close()
    with pytest.raises(StateError, match="closed"):
        await begin(state, "k2")
    with pytest.raises(StateError, match="closed"):
        await state.keyvalue.get("a")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # the thread's last words
async def test_a_dead_thread_is_a_state_error_for_those_waiting_and_those_to_come(state):
    def die(_connection):
        raise SystemExit

    gate = Gate(state)
    await until(gate.entered.is_set)
    dying = state.writer.submit(die)
    waiting = asyncio.ensure_future(begin(state, "k"))
    await asyncio.sleep(0)
    gate.opened.set()
    outcomes = await asyncio.gather(dying, waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StateError, StateError]
    with pytest.raises(StateError, match="has ended"):
        await begin(state, "k2")


def test_one_store_serves_several_event_loops_and_outlives_a_closed_one(tmp_path):
    state = SqliteState(tmp_path / "state.db")

    async def claim_and_leave():
        asyncio.ensure_future(begin(state, "left"))  # noqa: RUF006  -- its loop is closed before it is done
        await asyncio.sleep(0)

    async def claim(name):
        return [(await begin(state, f"{name}-{i}"))[1] for i in range(30)]

    results = {}
    asyncio.run(claim_and_leave())
    threads = [
        threading.Thread(target=lambda name=name: results.update({name: asyncio.run(claim(name))})) for name in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(state.close())
    assert results == {name: [True] * 30 for name in "abc"}


async def test_a_file_locked_by_another_process_is_a_state_error_in_bounded_time_and_then_works_again(state, tmp_path):
    other = sqlite3.connect(tmp_path / "state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StateError, match="stayed locked by another process") as caught:
        await begin(state, "k")
    assert caught.value.retryable
    assert await state.ledger.find("k", "k", now=1000.0, dedupe_window_s=10) is None, "reading needs no lock"
    other.execute("COMMIT")
    other.close()
    assert (await begin(state, "k"))[1]


async def test_a_lock_that_is_released_in_time_is_waited_for(tmp_path):
    state = SqliteState(tmp_path / "state.db", busy_s=30)
    other = sqlite3.connect(tmp_path / "state.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    claim = asyncio.ensure_future(begin(state, "k"))
    await until(lambda: state.writer._running)
    assert not claim.done()
    other.execute("COMMIT")
    other.close()
    assert (await claim)[1]
    await state.close()


async def test_the_event_loop_runs_on_while_the_disk_is_busy(state):
    gate = Gate(state)
    await until(gate.entered.is_set)
    claim = asyncio.ensure_future(begin(state, "k"))
    turns = 0
    for _ in range(1000):
        await asyncio.sleep(0)
        turns += 1
    assert (turns, claim.done()) == (1000, False)
    gate.opened.set()
    assert (await claim)[1]


async def test_a_reader_cannot_write(state):
    with pytest.raises(StateError, match=r"readonly|cannot be opened for writing"):
        await state.reader.submit(lambda connection: connection.execute("DELETE FROM ledger"))


FORK = """
import asyncio, os, sys
from pathlib import Path
from reach.stores.sqlite import SqliteState

def claims(state, name):
    async def run():
        begin = state.ledger.begin
        return [(await begin(f"{name}-{i}", f"{name}-{i}", "p", fence="f", now=1.0, lease_s=9, dedupe_window_s=9))[1]
                for i in range(50)]
    assert asyncio.run(run()) == [True] * 50

state = SqliteState(Path(sys.argv[1]))
claims(state, "before")
children = []
for name in ("one", "two"):
    child = os.fork()
    if child == 0:
        claims(state, name)
        asyncio.run(state.close())
        os._exit(0)
    children.append(child)
claims(state, "parent")
for child in children:
    assert os.waitpid(child, 0)[1] == 0
claims(state, "after")
asyncio.run(state.close())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_store_in_use_works_on_in_parent_and_children_after_a_fork(tmp_path):
    path = tmp_path / "state.db"
    done = subprocess.run([sys.executable, "-c", FORK, path], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM ledger").fetchone() == (250,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
