"""Many turns at once, many lives, nonsense without end, and clocks that jump."""

from __future__ import annotations

import asyncio
import gc
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from reach import Reach
from reach.clock import SystemClock
from reach.errors import ConfigError
from tests.agent import LI, make_agent, tickets_of
from tests.attacks.agents import shop


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_two_hundred_turns_at_once_in_one_session_and_in_two_hundred(tmp_path: Path) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        for session in (lambda _: "one", lambda number: f"s{number}"):
            outcomes = await asyncio.gather(
                *(
                    reach.ask("where is order SO-0001?", caller=LI, session=session(n), deadline_ms=60_000)
                    for n in range(200)
                )
            )
            assert {(outcome.kind, outcome.text) for outcome in outcomes} == {("answer", "Order SO-0001 is shipped.")}
        assert reach._locks == {}


async def test_two_hundred_yeses_at_once_are_one(tmp_path: Path) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        await reach.ask("SO-0001 坏了，我要报修", caller=LI, session="s")
        outcomes = await asyncio.gather(
            *(reach.ask("好的", caller=LI, session="s", deadline_ms=60_000) for _ in range(200))
        )
    assert sum(outcome.kind == "answer" for outcome in outcomes) == 1
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_a_hundred_lives_leave_no_thread_and_no_open_file(tmp_path: Path) -> None:
    tools = shop(tmp_path)

    async def live() -> None:
        async with Reach.load(tools) as reach:
            await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI)

    for _ in range(3):
        await live()
    gc.collect()
    threads, files = threading.active_count(), open_files()
    for _ in range(100):
        await live()
    gc.collect()
    assert threading.active_count() <= threads + 2  # the loop's own pool may still grow
    assert open_files() <= files + 2


async def test_closing_twice_is_harmless_and_a_closed_agent_says_so(tmp_path: Path) -> None:
    reach = Reach.load(shop(tmp_path))
    await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI)
    await reach.close()
    await reach.close()
    assert (await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI)).status == "failed"


async def test_the_sync_door_inside_a_running_loop_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"async with Reach\.load"):
        Reach.load_sync(make_agent(tmp_path))


def test_the_sync_door_used_inside_a_running_loop_says_what_to_do(tmp_path: Path) -> None:
    with Reach.load_sync(make_agent(tmp_path)) as reach:

        async def inside() -> None:
            with pytest.raises(ConfigError, match=r"async with Reach\.load"):
                reach.ask("where is order SO-0001?", caller=LI)

        asyncio.run(inside())
        assert reach.ask("where is order SO-0001?", caller=LI).kind == "answer"


async def test_fifty_turns_of_nonsense_stay_questions_and_do_nothing(tmp_path: Path) -> None:
    nonsense = [
        "那个单子怎么样了",
        "唔",
        "香蕉 42",
        "x",
        "???",
        "SO-",
        "好的",
        "no idea",
        "1",
        "第三个",
        "{order_id}",
        "\u200b",
    ]
    async with Reach.load(shop(tmp_path)) as reach:
        for turn in range(50):
            outcome = await reach.ask(nonsense[turn % len(nonsense)], caller=LI, session="s")
            assert outcome.kind in ("clarify", "no_tool")
        session = await reach._rooms.conversation._sessions.load(LI, "s")
        assert len(session.pending) <= 3
        outcome = await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s")
        assert outcome.kind == "answer"
    assert tickets_of(tmp_path) == []


class JumpingClock(SystemClock):
    """A wall clock that somebody sets while monotonic time goes on."""

    def __init__(self) -> None:
        self.offset = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.offset


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(hours=-1)])
async def test_a_wall_clock_set_back_does_not_let_a_write_happen_again(tmp_path: Path, jump: timedelta) -> None:
    clock = JumpingClock()
    async with Reach.load(shop(tmp_path), clock=clock) as reach:
        for text in ("SO-0001 坏了，我要报修", "好的"):
            await reach.ask(text, caller=LI, session="s")
        clock.offset = jump
        again = await reach.ask("SO-0001 坏了，我要报修", caller=LI, session="s")
        assert again.envelope is not None
        assert again.envelope.structured.replayed
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_a_wall_clock_set_forward_lets_what_waits_for_a_yes_expire(tmp_path: Path) -> None:
    clock = JumpingClock()
    async with Reach.load(shop(tmp_path), clock=clock) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
        clock.offset = timedelta(days=2)
        assert (await reach.confirm(asked.confirmation_id or "", caller=LI, session="s")).status == "invalid"
    assert tickets_of(tmp_path) == []
