"""A host that loses its patience at any moment leaves nothing behind: no task, thread, place, lock or open claim."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reach import Reach
from tests.agent import LI, tickets_of
from tests.attacks.agents import HANDS_POLICIES, HANDS_TOOLS, hands, shop
from tests.attacks.hands import effects


async def _impatiently(work: Any, seconds: float) -> Any:
    try:
        return await asyncio.wait_for(work, seconds)
    except TimeoutError:
        return None


async def _settled() -> None:
    """Let what was left behind end."""
    for _ in range(100):
        if len(asyncio.all_tasks()) == 1:
            return
        await asyncio.sleep(0.02)


async def test_hundreds_of_lost_patiences_leave_nothing_behind(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311
    async with Reach.load(shop(tmp_path)) as reach:
        await reach.ask("where is order SO-0001?", caller=LI, session="s")
        threads = threading.active_count()
        for _ in range(40):
            work: list[Any] = []
            for number in range(8):
                session = f"s{number % 3}"
                work.append(
                    chance.choice(
                        [
                            lambda session=session: reach.ask("where is order SO-0001?", caller=LI, session=session),
                            lambda session=session: reach.ask("SO-0001 坏了，我要报修", caller=LI, session=session),
                            lambda session=session: reach.ask("好的", caller=LI, session=session),
                            lambda session=session: reach.call(
                                "open_ticket", {"order_id": "SO-0001"}, caller=LI, session=session
                            ),
                        ]
                    )
                )
            await asyncio.gather(*(_impatiently(start(), chance.uniform(0, 0.012)) for start in work))
        await _settled()
        assert len(asyncio.all_tasks()) == 1
        assert reach._locks == {}
        assert threading.active_count() <= threads + 40  # bounded by the pools, however many calls were left
        outcome = await reach.ask("where is order SO-0001?", caller=LI, session="s0")
        assert outcome.kind == "answer"
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        rows = Counter(row[0] for row in db.execute("SELECT status FROM ledger"))
        scopes = db.execute("SELECT count(DISTINCT scope) FROM ledger").fetchone()[0]
    assert rows["begun"] == 0
    assert rows["succeeded"] <= len(tickets_of(tmp_path)) <= rows["succeeded"] + rows["unknown"]
    assert len(tickets_of(tmp_path)) <= max(scopes, 1)


async def test_a_write_whose_host_went_away_ends_in_the_ledger_and_is_never_done_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDS", str(tmp_path))
    chance = random.Random(11)  # noqa: S311
    async with Reach.load(hands(tmp_path)) as reach:
        for number in range(60):
            values = {"order_id": f"SO-{number:04}"}
            await _impatiently(reach.call("strike", values, caller=LI, session="s", turn="t"), chance.uniform(0, 0.008))
        await _settled()
        done = Counter(effects(tmp_path))
        for number in range(60):
            values = {"order_id": f"SO-{number:04}"}
            again = await reach.call("strike", values, caller=LI, session="s", turn="t2")
            if done[f"SO-{number:04}"]:
                assert again.status == "unknown" or again.envelope.structured.replayed
            else:
                assert again.status in ("succeeded", "unknown")
    assert max(Counter(effects(tmp_path)).values()) == 1


async def test_lost_patience_takes_no_place_and_no_trial_of_a_backend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDS", str(tmp_path))
    tight = HANDS_TOOLS.replace(
        "tools:\n",
        "backends: {one: {kind: python, max_concurrency: 2, breaker: {failures: 2, reset_ms: 50}}}\ntools:\n",
        1,
    ).replace('adapter: {function: "tests.attacks.hands:deaf"}', 'adapter: {function: "asyncio:sleep", backend: one}')
    tight = tight.replace("parameters: {seconds: {type: number}}", "parameters: {delay: {type: number}}")
    async with Reach.load(hands(tmp_path, tools=tight, policies=HANDS_POLICIES)) as reach:
        call = reach.call
        await asyncio.gather(
            *(_impatiently(call("deaf", {"delay": 5}, caller=LI, turn=f"t{n}"), 0.001 * n) for n in range(40))
        )
        assert (await call("deaf", {"delay": 0}, caller=LI)).status == "succeeded"
        for _ in range(2):  # two time-outs trip the breaker
            assert (await call("deaf", {"delay": 5}, caller=LI, deadline_ms=30)).status == "failed"
        assert (await call("deaf", {"delay": 0}, caller=LI)).envelope.structured.error.code == "breaker_open"
        await asyncio.sleep(0.06)
        await _impatiently(call("deaf", {"delay": 5}, caller=LI), 0.02)  # the trial is called off
        assert (await call("deaf", {"delay": 0}, caller=LI)).status == "succeeded"
