"""FakeClock: time stands still until it is moved."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from reach.clock import SystemClock
from reach.ports import Deadline
from reach.testing import FakeClock

START = datetime(2026, 3, 5, 10, tzinfo=UTC)


def test_time_moves_only_by_advance():
    clock = FakeClock(START)
    assert (clock.now(), clock.now(), clock.monotonic()) == (START, START, 0.0)
    clock.advance(90.5)
    assert clock.now() == START + timedelta(seconds=90.5)
    assert clock.monotonic() == 90.5


def test_now_is_utc_whatever_zone_it_started_in():
    clock = FakeClock(datetime(2026, 3, 5, 18, tzinfo=timezone(timedelta(hours=8))))
    assert (clock.now(), clock.now().tzinfo) == (START, UTC)


def test_a_naive_start_and_a_step_back_are_refused():
    with pytest.raises(ValueError, match="aware"):
        FakeClock(datetime(2026, 3, 5))  # noqa: DTZ001  -- what is refused
    with pytest.raises(ValueError, match="back"):
        FakeClock().advance(-1)


async def test_sleepers_wake_in_order_once_their_moment_has_passed():
    clock, woken = FakeClock(), []

    async def sleep(name, seconds):
        await clock.sleep(seconds)
        woken.append(name)

    tasks = [asyncio.ensure_future(sleep(name, seconds)) for name, seconds in (("c", 3), ("a", 1), ("b", 2), ("d", 9))]
    await asyncio.sleep(0)
    assert clock.sleepers == 4
    clock.advance(0.5)
    await asyncio.sleep(0)
    assert woken == []
    clock.advance(2.5)
    await asyncio.sleep(0)
    assert (woken, clock.sleepers) == (["a", "b", "c"], 1)
    clock.advance(10)
    await asyncio.gather(*tasks)
    assert woken == ["a", "b", "c", "d"]


async def test_ten_steps_of_a_tenth_wake_a_sleeper_of_one_second():
    clock = FakeClock()
    task = asyncio.ensure_future(clock.sleep(1.0))
    await asyncio.sleep(0)
    for _ in range(10):
        clock.advance(0.1)
    await asyncio.wait_for(task, 5)


async def test_a_cancelled_sleeper_is_forgotten():
    clock = FakeClock()
    task = asyncio.ensure_future(clock.sleep(1))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert (task.cancelled(), clock.sleepers) == (True, 0)
    clock.advance(2)


async def test_with_auto_advance_sleeping_moves_the_clock_at_once():
    clock = FakeClock(auto_advance=True)
    other = asyncio.ensure_future(clock.sleep(3600))
    await clock.sleep(60)
    await other
    assert clock.monotonic() == 3660


async def test_sleeping_for_nothing_only_lets_others_run():
    clock = FakeClock()
    await clock.sleep(0)
    await clock.sleep(-5)
    assert clock.monotonic() == 0.0


def test_a_deadline_follows_the_clock():
    clock = FakeClock()
    deadline = Deadline.after_ms(clock, 1500)
    clock.advance(1)
    assert deadline.remaining_s() == 0.5


async def test_the_system_clock_is_aware_and_never_goes_back():
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0)
    assert clock.monotonic() >= before
    assert clock.now().tzinfo is UTC
    assert abs(clock.now() - datetime.now(UTC)) < timedelta(seconds=5)
