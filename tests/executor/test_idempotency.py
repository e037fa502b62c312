"""A write runs once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reach.errors import BackendRejected, BackendTimeout, BackendUnavailable
from reach.ports import Deadline
from reach.testing import Slow, Step

Make = Callable[..., Any]


async def test_a_later_duplicate_gets_the_stored_result(bench: Make) -> None:
    b = bench([{"id": 7}])
    await b.run("write", {"x": 1})
    again = await b.run("write", {"x": 1})
    assert (again.status, again.replayed, again.payload.data, len(b.adapter.calls)) == ("succeeded", True, {"id": 7}, 1)


async def test_a_concurrent_duplicate_waits_and_shares_the_result(bench: Make) -> None:
    b = bench([Slow(1, {"id": 7})])
    results = await asyncio.gather(*(b.run("write", {"x": 1}) for _ in range(20)))
    assert len(b.adapter.calls) == 1
    assert {r.payload.data["id"] for r in results} == {7}
    assert sum(r.replayed for r in results) == 19


@pytest.mark.parametrize(("one", "other"), [({"x": 1}, {"x": 1.0})])
async def test_the_same_arguments_in_another_spelling_are_the_same_write(bench: Make, one: Any, other: Any) -> None:
    b = bench([{"id": 7}])
    await b.run("write", one)
    assert (await b.run("write", other)).replayed


async def test_the_same_write_said_again_soon_in_the_session_is_the_same_request(bench: Make) -> None:
    b = bench([{"id": 7}])
    await b.run("write", turn="t1")
    assert (await b.run("write", turn="t2")).replayed


async def test_after_the_window_it_is_a_new_request(bench: Make) -> None:
    b = bench([{"id": 7}, {"id": 8}])
    await b.run("write", turn="t1")
    b.clock.advance(11)
    assert (await b.run("write", turn="t2")).payload.data == {"id": 8}


async def test_another_caller_or_session_is_another_request(bench: Make) -> None:
    b = bench([{"id": 1}, {"id": 2}, {"id": 3}])
    ids = [
        (await b.run("write")).payload.data["id"],
        (await b.run("write", caller="u2")).payload.data["id"],
        (await b.run("write", session="s2")).payload.data["id"],
    ]
    assert ids == [1, 2, 3]


async def test_an_unknown_write_is_not_run_again(bench: Make) -> None:
    b = bench([BackendTimeout("slow")])
    first = await b.run("write")
    b.clock.advance(3600)
    second = await b.run("write", turn="t2")
    assert (first.status, second.status, second.replayed, len(b.adapter.calls)) == ("unknown", "unknown", True, 1)


async def test_a_write_that_certainly_did_not_happen_may_be_tried_in_a_new_turn(bench: Make) -> None:
    b = bench([BackendUnavailable("down"), {"id": 1}])
    assert (await b.run("write")).status == "failed"
    assert (await b.run("write", turn="t2")).status == "succeeded"


async def test_a_failed_write_answers_its_duplicates_with_the_same_failure(bench: Make) -> None:
    b = bench([BackendRejected("closed already")])
    await b.run("write")
    again = await b.run("write")
    assert (again.status, again.replayed, again.error.message) == ("failed", True, "closed already")


async def test_one_key_of_the_host_never_stands_for_two_calls(bench: Make) -> None:
    b = bench([{"id": 1}])
    await b.run("write", {"x": 1}, key="k")
    other = await b.run("write", {"x": 2}, key="k", turn="t2")
    assert (other.status, other.error.code) == ("failed", "idempotency_conflict")


async def test_the_hosts_key_holds_across_turns_and_time(bench: Make) -> None:
    b = bench([{"id": 1}])
    await b.run("write", {"x": 1}, key="k")
    b.clock.advance(3600)
    assert (await b.run("write", {"x": 1}, key="k", turn="t9")).replayed


async def test_a_write_whose_caller_gave_up_after_it_was_sent_is_unknown(bench: Make) -> None:
    b = bench([Step.HANG])
    task = asyncio.create_task(b.run("write"))
    await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    again = await b.run("write", turn="t2")
    assert (again.status, again.error.code) == ("unknown", "unknown_outcome")


async def test_earlier_tells_of_a_finished_write_and_claims_nothing(bench: Make) -> None:
    b = bench([{"id": 1}])
    request = b.request("write")
    deadline = Deadline.after_ms(b.clock, 1000)
    assert await b.executor.earlier(request, deadline, "p1") is None
    await b.run("write")
    earlier = await b.executor.earlier(request, deadline, "p1")
    assert (earlier.status, earlier.replayed, earlier.payload.data) == ("succeeded", True, {"id": 1})


async def test_a_read_has_no_ledger_row(bench: Make) -> None:
    b = bench([[1], [2]])
    await b.run("read")
    assert (await b.run("read")).payload.data == [2]
