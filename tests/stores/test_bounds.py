"""No store grows without a bound, and what is dropped is only what says nothing any more."""

import pytest

from reach.errors import StateError
from reach.ports import ArtifactRow
from reach.stores import rules
from reach.stores.memory import MemoryState
from reach.stores.sqlite import SqliteState
from reach.testing import FakeClock

DAY = 86_400.0


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture(params=["memory", "sqlite"])
async def state(request, tmp_path, clock):
    made = MemoryState(clock) if request.param == "memory" else SqliteState(tmp_path / "state.db", clock=clock)
    yield made
    await made.close()


async def held(state, port, table):
    """How many entries are really kept, expired or not."""
    if isinstance(state, SqliteState):
        return (await state.reader.submit(lambda c: c.execute(f"SELECT count(*) FROM {table}").fetchone()))[0]
    store = getattr(state, port)
    return len(store._rows if port == "ledger" else store._shelf.items)


async def test_expired_values_are_dropped_in_passing(state, clock):
    for number in range(3000):
        await state.keyvalue.set(f"k{number}", b"x", ttl_s=1)
        clock.advance(0.1)
    assert await held(state, "keyvalue", "keyvalue") < 1100


async def test_buckets_that_are_full_again_are_dropped_in_passing(state, clock):
    for number in range(3000):
        await state.counter.acquire(f"k{number}", limit=10, window_s=10)
        clock.advance(0.1)
    assert await held(state, "counter", "counter") < 1100


async def test_long_expired_artifact_rows_are_dropped_in_passing(state, clock):
    for number in range(3000):
        now = clock.now().timestamp()
        await state.artifacts.insert(
            ArtifactRow(f"r{number}", "u", "", "s", "t", "d", "b", "complete", "m", 1, 1, (1,), now, now + 60, {})
        )
        clock.advance(0.01 * DAY)
    assert await held(state, "artifacts", "artifact") < 2100
    assert await state.artifacts.get("r0") is None
    assert await state.artifacts.get("r2900") is not None, "an owner hears that it expired"


async def begin_and_end(state, key, status, now):
    await state.ledger.begin(key, key, "p", fence="f", now=now, lease_s=30, dedupe_window_s=10)
    if status != "begun":
        assert await state.ledger.finish(key, fence="f", status=status, result=b"")


async def test_only_rows_that_ended_long_ago_leave_the_ledger(state):
    for status in ("begun", "unknown", "failed", "succeeded"):
        await begin_and_end(state, f"old-{status}", status, 0.0)
    for number in range(1100):
        await begin_and_end(state, f"young-{number}", "succeeded", rules.LEDGER_RETENTION_S + 1)
    found = {
        status: await state.ledger.find(f"old-{status}", "none", now=rules.LEDGER_RETENTION_S + 2, dedupe_window_s=10)
        for status in ("begun", "unknown", "failed", "succeeded")
    }
    assert {status: row and row.status for status, row in found.items()} == {
        "begun": "unknown",
        "unknown": "unknown",
        "failed": None,
        "succeeded": None,
    }
    assert await held(state, "ledger", "ledger") == 1102


async def test_the_audit_ring_in_memory_keeps_the_latest():
    state = MemoryState(audit_records=3)
    for number in range(10):
        await state.audit.append({"number": number})
    assert [record["number"] for record in await state.audit.recent()] == [9, 8, 7]


async def test_a_ref_is_inserted_once_and_only_a_known_one_is_completed(state, clock):
    row = ArtifactRow("r", "u", "", "s", "t", "d", "b", "writing", "m", 1, 1, (1,), 0.0, 1e12, {})
    await state.artifacts.insert(row)
    with pytest.raises(StateError, match="there already"):
        await state.artifacts.insert(row)
    with pytest.raises(StateError, match="no artifact row"):
        await state.artifacts.complete("other")
    assert await state.artifacts.get("r") == row


async def test_a_limit_below_one_grants_nothing(state):
    for limit in (0, -1):
        assert await state.counter.acquire(f"k{limit}", limit=limit, window_s=5) == 5
        assert await state.counter.acquire(f"k{limit}", limit=limit, window_s=5) == 5
