"""What each guard promises, one claim a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reach.errors import BackendFailure, BackendRejected, BackendTimeout, BackendUnavailable, ConfigError
from reach.executor import FaultPlan, TurnBudget
from reach.testing import Step
from reach.types import Payload

Make = Callable[..., Any]


async def test_a_read_is_tried_once_where_it_succeeds(bench: Make) -> None:
    b = bench([[1]])
    execution = await b.run("read")
    assert (execution.status, execution.payload.data, execution.attempts) == ("succeeded", [1], 1)


async def test_a_read_is_retried_until_it_succeeds(bench: Make) -> None:
    b = bench([BackendUnavailable("down"), BackendTimeout("slow"), [1]])
    execution = await b.run("read")
    assert (execution.status, execution.attempts) == ("succeeded", 3)


async def test_a_read_gives_up_after_its_attempts(bench: Make) -> None:
    b = bench([BackendUnavailable("down")] * 5)
    execution = await b.run("read")
    assert (execution.status, execution.error.code, len(b.adapter.calls)) == ("failed", "backend_unavailable", 3)


async def test_a_refusal_is_not_retried(bench: Make) -> None:
    b = bench([BackendRejected("no")])
    execution = await b.run("read")
    assert (execution.status, execution.attempts) == ("failed", 1)


async def test_back_off_never_sleeps_past_the_deadline(bench: Make) -> None:
    b = bench([BackendUnavailable("down", retry_after_s=5)] * 3)
    execution = await b.run("read", deadline_ms=3000)
    assert (execution.attempts, b.clock.monotonic()) == (1, 0.0)


async def test_retry_after_is_kept(bench: Make) -> None:
    b = bench([BackendUnavailable("down", retry_after_s=5), [1]])
    assert (await b.run("read")).status == "succeeded"
    assert b.clock.monotonic() == pytest.approx(5, abs=1e-6)


async def test_a_write_is_never_retried(bench: Make) -> None:
    b = bench([BackendUnavailable("down")])
    execution = await b.run("write")
    assert (execution.status, execution.attempts) == ("failed", 1)


async def test_a_write_is_retried_where_the_far_side_honours_the_key(bench: Make) -> None:
    b = bench([BackendTimeout("slow"), {"id": 1}])
    execution = await b.run("honoured")
    assert (execution.status, execution.attempts) == ("succeeded", 2)
    assert b.adapter.calls[0].idempotency_key == b.adapter.calls[1].idempotency_key != ""


async def test_an_attempt_that_takes_too_long_is_a_time_out(bench: Make) -> None:
    execution = await bench([Step.HANG]).run("quick")
    assert (execution.status, execution.error.code) == ("failed", "backend_timeout")


async def test_a_write_that_takes_too_long_is_unknown(bench: Make) -> None:
    execution = await bench([Step.HANG]).run("quick_write")
    assert (execution.status, execution.error.code) == ("unknown", "backend_timeout")


async def test_nothing_is_begun_without_time(bench: Make) -> None:
    b = bench()
    execution = await b.run("read", deadline_ms=0)
    assert (execution.error.code, b.adapter.calls) == ("deadline_exceeded", [])


async def test_an_error_that_is_not_ours_fails_the_call_and_keeps_its_text_out(bench: Make) -> None:
    execution = await bench([ValueError("secret 4711")]).run("read")
    assert execution.status == "failed"
    assert "4711" not in execution.error.message


async def test_cancellation_passes_through(bench: Make) -> None:
    b = bench([Step.HANG])
    task = asyncio.create_task(b.run("read"))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert b.adapter.cancelled == 1


async def test_a_turn_makes_no_more_calls_than_its_budget(bench: Make) -> None:
    b, budget = bench([[1], [2]]), TurnBudget(1)
    assert (await b.run("read", {"x": 1}, budget=budget)).status == "succeeded"
    assert (await b.run("read", {"x": 2}, budget=budget)).error.code == "limit_exceeded"


async def test_the_same_call_again_and_again_in_one_turn_is_stopped(bench: Make) -> None:
    b, budget = bench([[1]] * 9), TurnBudget(9)
    codes = [(await b.run("read", budget=budget)).status for _ in range(3)]
    assert codes == ["succeeded", "succeeded", "failed"]


async def test_the_rate_limit_holds_for_each_caller_apart(bench: Make) -> None:
    b = bench([[1]] * 9)
    mine = [(await b.run("limited", turn=f"t{i}")).status for i in range(3)]
    assert mine == ["succeeded", "succeeded", "failed"]
    assert (await b.run("limited", caller="u2")).status == "succeeded"


async def test_a_cached_read_asks_the_backend_once(bench: Make) -> None:
    b = bench([[1]])
    first, second = await b.run("cached"), await b.run("cached", turn="t2")
    assert (first.cached, second.cached, second.payload.data) == (False, True, [1])


async def test_a_cached_read_is_not_shared_between_callers(bench: Make) -> None:
    b = bench([["mine"], ["theirs"]])
    await b.run("cached")
    assert (await b.run("cached", caller="u2")).payload.data == ["theirs"]


async def test_a_write_makes_cached_reads_of_its_backend_unreachable(bench: Make) -> None:
    b = bench([["old"], {"id": 1}, ["new"]])
    await b.run("cached")
    await b.run("write")
    assert (await b.run("cached", turn="t3")).payload.data == ["new"]


async def test_a_partial_result_is_not_cached(bench: Make) -> None:
    b = bench([Payload([1], partial=True), [2]])
    await b.run("cached")
    assert (await b.run("cached", turn="t2")).payload.data == [2]


async def test_the_breaker_opens_after_its_failures_and_spares_the_backend(bench: Make) -> None:
    b = bench([BackendFailure("broken")] * 3)
    for turn in range(3):
        await b.run("read", turn=str(turn))
    execution = await b.run("read", turn="4")
    assert (execution.error.code, len(b.adapter.calls)) == ("breaker_open", 3)


async def test_half_open_lets_exactly_one_of_many_callers_through(bench: Make) -> None:
    b = bench([BackendFailure("broken")] * 3 + [Step.HANG])
    for turn in range(3):
        await b.run("read", turn=str(turn))
    b.clock.advance(31)
    tasks = [asyncio.create_task(b.run("quick", turn=f"c{i}")) for i in range(50)]
    await asyncio.gather(*tasks)
    assert len(b.adapter.calls) == 4


async def test_a_cancelled_trial_is_no_answer_and_the_next_caller_may_try(bench: Make) -> None:
    b = bench([BackendFailure("broken")] * 3 + [Step.HANG, [1]])
    for turn in range(3):
        await b.run("read", turn=str(turn))
    b.clock.advance(31)
    trial = asyncio.create_task(b.run("read", turn="trial"))
    await asyncio.sleep(0.01)
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    assert (await b.run("read", turn="next")).status == "succeeded"
    assert b.executor.breakers.state_of("b") == "closed"


async def test_a_refusal_keeps_the_breaker_closed(bench: Make) -> None:
    b = bench([BackendRejected("no")] * 9 + [[1]])
    for turn in range(9):
        await b.run("read", turn=str(turn))
    assert (await b.run("read", turn="10")).status == "succeeded"


async def test_every_call_leaves_an_outcome_in_the_audit(bench: Make) -> None:
    b = bench([[1], BackendRejected("no")])
    await b.run("read")
    await b.run("read", turn="t2")
    assert [r["status"] for r in await b.state.audit.recent()] == ["failed", "succeeded"]


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("*=error", "failed", "backend_unavailable"),
        ("read=empty", "succeeded", None),
        ("read=huge", "succeeded", None),
        ("read=slow:5", "succeeded", None),
    ],
)
async def test_a_fault_gives_its_proper_end(bench: Make, fault: str, status: str, code: str | None) -> None:
    execution = await bench([[{"a": 1}]] * 3, [fault]).run("read")
    assert (execution.status, execution.error.code if execution.error else None) == (status, code)


async def test_the_empty_fault_is_no_rows_and_the_huge_one_is_thousands(bench: Make) -> None:
    assert (await bench([], ["*=empty"]).run("read")).payload.data == []
    assert len((await bench([[{"a": 1}]], ["*=huge"]).run("read")).payload.data) == 5000


@pytest.mark.parametrize(
    "text", ["read", "read=", "read=slow", "read=slow:x", "read=slow:-1", "nope=error", "read=Error", "=error"]
)
def test_a_fault_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--fault"):
        FaultPlan.parse([text], ["read"])
