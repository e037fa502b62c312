"""Several processes on the same files: one effect a write, whoever asks, however often."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reach import Reach
from tests.agent import tickets_of
from tests.attacks.agents import HANDS_CONFIRMED, hands, shop
from tests.attacks.hands import effects
from tests.attacks.replica import ME, Replica, run

STRIKE: dict[str, Any] = {"do": "call", "tool": "strike", "arguments": {"order_id": "SO-0001", "how": "slow"}}


def statuses_in_the_ledger(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "state.db")) as db:
        return [row[0] for row in db.execute("SELECT status FROM ledger")]


def all_at_once(tools: Path, replicas: int, *steps: dict[str, Any]) -> list[dict[str, Any]]:
    running = [Replica(tools, *steps) for _ in range(replicas)]
    for replica in running:
        replica.ready()
    for replica in running:
        replica.go()
    return [end for replica in running for end in replica.ends()]


@pytest.mark.parametrize("about", [{"session": "s", "turn": "t"}, {"idempotency_key": "host-key-1"}])
def test_the_same_write_by_eight_replicas_at_once_happens_once_and_all_hear_the_same(
    tmp_path: Path, about: dict[str, str]
) -> None:
    ends = all_at_once(hands(tmp_path), 8, {**STRIKE, **about}, {**STRIKE, **about})
    assert Counter(end["end"] for end in ends) == {"succeeded": 16}
    assert Counter(end["replayed"] for end in ends) == {False: 1, True: 15}
    assert effects(tmp_path) == ["SO-0001"]


async def _kept(tools: Path) -> str:
    async with Reach.load(tools) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=ME, session="s")
        return asked.confirmation_id or ""


def test_one_confirmation_by_all_replicas_at_once_runs_once(tmp_path: Path) -> None:
    tools = shop(tmp_path)
    yes = {"do": "confirm", "id": asyncio.run(_kept(tools)), "session": "s"}
    ends = all_at_once(tools, 4, yes, yes)
    assert Counter(end["end"] for end in ends) == {"succeeded": 1, "invalid": 7}
    assert tickets_of(tmp_path) == ["SO-0001"]


def test_a_conversation_goes_on_in_another_process(tmp_path: Path) -> None:
    tools = shop(tmp_path)
    texts = ["it is broken, open a ticket please", "SO-0001", "yes", "yes"]
    ends = [run(tools, {"do": "ask", "text": text, "session": "s"})[0]["end"] for text in texts]
    assert ends[:3] == ["clarify", "confirm", "answer"]
    assert tickets_of(tmp_path) == ["SO-0001"]


@pytest.mark.parametrize(("how", "done"), [("dies_before", []), ("dies_after", ["SO-0001"])])
def test_a_write_whose_process_was_killed_is_unknown_and_never_sent_again(
    tmp_path: Path, how: str, done: list[str]
) -> None:
    tools = hands(tmp_path)
    write = {"do": "call", "tool": "strike", "arguments": {"order_id": "SO-0001", "how": how}, "session": "s"}
    assert run(tools, {**write, "turn": "t"}) == []
    again = run(tools, {**write, "turn": "t", "deadline_ms": 200}, {**write, "turn": "t2", "deadline_ms": 200})
    assert [end["end"] for end in again] == ["unknown", "unknown"]
    assert effects(tmp_path) == done
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:  # as if the lease had passed
        db.execute("UPDATE ledger SET lease_until = 0")
        db.commit()
    assert [end["end"] for end in run(tools, {**write, "turn": "t"}, {**write, "turn": "t3"})] == ["unknown", "unknown"]
    assert (effects(tmp_path), statuses_in_the_ledger(tmp_path)) == (done, ["unknown"])


def test_a_yes_whose_process_was_killed_is_unknown_when_it_is_asked_for_again(tmp_path: Path) -> None:
    tools = hands(tmp_path, policies=HANDS_CONFIRMED)
    ask = {"do": "call", "tool": "strike", "arguments": {"order_id": "SO-0001", "how": "dies_after"}, "session": "s"}
    [asked] = run(tools, ask)
    assert asked["end"] == "confirm"
    yes = {"do": "confirm", "id": asked["confirmation"], "session": "s"}
    assert run(tools, yes) == []
    [second_yes, said_again] = run(tools, "one by one", yes, {**ask, "deadline_ms": 200})
    assert (second_yes["end"], said_again["end"]) == ("invalid", "unknown")
    assert effects(tmp_path) == ["SO-0001"]


def test_killed_at_any_moment_a_write_happens_at_most_once_and_its_end_is_told_truly(tmp_path: Path) -> None:
    """Five replicas are killed at moments spread over the whole write; then one more asks for the same."""
    tools = hands(tmp_path)
    slow = {**STRIKE, "session": "s", "turn": "t"}
    for moment in range(5):
        replica = Replica(tools, {**slow, "arguments": {"order_id": f"SO-000{moment}", "how": "slow"}}).ready().go()
        try:
            replica.process.wait(timeout=0.06 * moment)
        except Exception:  # noqa: BLE001  # it is still running, as intended
            replica.process.kill()
        replica.process.communicate()
    before = Counter(effects(tmp_path))
    steps = [{**slow, "arguments": {"order_id": f"SO-000{n}", "how": "slow"}, "deadline_ms": 600} for n in range(5)]
    ends = run(tools, *steps)
    after = Counter(effects(tmp_path))
    for number, end in enumerate(ends):
        order = f"SO-000{number}"
        assert after[order] <= 1
        assert end["end"] in ("succeeded", "unknown")
        if end["end"] == "succeeded":
            assert after[order] == 1
        if before[order]:
            assert end["replayed"] or end["end"] == "unknown"
