"""Whatever hangs, a turn, a call and a yes answer by their deadline, and a tenth of a second."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from reach import Reach
from tests.agent import LI, POLICIES, TOOLS, tickets_of
from tests.attacks.agents import ON_FILES, hands, shop
from tests.attacks.hands import effects

T = TypeVar("T")
DEADLINE_MS = 250
SLACK_S = 0.2  # a tenth for the promise, a tenth for a busy machine


async def in_time(work: Awaitable[T]) -> T:
    started = time.monotonic()
    ended = await work
    took = time.monotonic() - started
    assert took < DEADLINE_MS / 1000 + SLACK_S, took
    return ended


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another process, as far as SQLite can tell, holds the file's write lock."""
    with closing(sqlite3.connect(database, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0"


@asynccontextmanager
async def agent(tools: Path) -> AsyncIterator[Reach]:
    async with Reach.load(tools) as reach:
        await reach.ask("where is order SO-0001?", caller=LI, session="warm", deadline_ms=500)
        yield reach


def _ownership(how: str) -> str:
    sql = (
        '{backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND customer_id = :caller_id", roles: [customer]}'
    )
    assert sql in POLICIES
    return POLICIES.replace(sql, how)


HANGING: dict[str, Callable[[Path], Path]] = {
    "ownership by endless SQL": lambda folder: shop(
        folder, policies=_ownership(f'{{backend: shop, sql: "{ENDLESS} OR i = :value OR i = :caller_id"}}')
    ),
    "ownership by a function that blocks": lambda folder: shop(
        folder, policies=_ownership('{function: "tests.attacks.hands:blocking_proof"}')
    ),
    "ownership by a function that ignores its cancellation": lambda folder: shop(
        folder, policies=_ownership('{function: "tests.attacks.hands:deaf_proof"}')
    ),
    "an endless statement": lambda folder: shop(
        folder,
        tools=ON_FILES.replace(
            "SELECT id AS order_id, status, phone FROM orders WHERE id = :order_id AND customer_id = :caller_id",
            f"{ENDLESS} OR i = :order_id",
        ),
    ),
    "an endless catalogue": lambda folder: shop(
        folder,
        tools=TOOLS.replace(
            r"pattern: '^SO-\d{4}$'", f"pattern: '^SO-\\d{{4}}$'\n        values: {{backend: shop, sql: {ENDLESS!r}}}"
        ),
    ),
}


@pytest.mark.parametrize("what", HANGING)
async def test_whatever_hangs_a_turn_answers_by_its_deadline(tmp_path: Path, what: str) -> None:
    async with agent(HANGING[what](tmp_path)) as reach:
        for text in ("where is order SO-0001?", "order SO-0001 is broken, open a ticket please"):
            outcome = await in_time(reach.ask(text, caller=LI, session="s", deadline_ms=DEADLINE_MS))
            if what == "an endless catalogue":  # a catalogue is a help, not a must
                assert outcome.kind == ("answer" if "where" in text else "confirm")
            else:
                assert outcome.kind in ("denied", "fallback", "confirm")
                assert "shipped" not in outcome.text


async def test_a_hanging_precondition_denies_by_the_deadline(tmp_path: Path) -> None:
    sql = "SELECT 1 FROM orders WHERE id = :order_id AND status = 'shipped'"
    async with agent(shop(tmp_path, tools=TOOLS.replace(sql, f"{ENDLESS} OR i = :order_id"))) as reach:
        result = await in_time(reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, deadline_ms=DEADLINE_MS))
    assert (result.status, tickets_of(tmp_path)) == ("denied", [])


async def test_a_state_file_that_another_process_holds_stops_nobody_for_longer_than_the_deadline(
    tmp_path: Path,
) -> None:
    async with agent(shop(tmp_path)) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
        with locked(tmp_path / "state.db"):
            yes = await in_time(reach.confirm(asked.confirmation_id, caller=LI, session="s", deadline_ms=DEADLINE_MS))
            read = await in_time(
                reach.call("order_status", {"order_id": "SO-0001"}, caller=LI, deadline_ms=DEADLINE_MS)
            )
            turn = await in_time(reach.ask("where is order SO-0001?", caller=LI, deadline_ms=DEADLINE_MS))
        assert (yes.status, read.status, turn.kind) == ("failed", "failed", "fallback")
        assert "shipped" not in turn.text
        later = await reach.ask("where is order SO-0001?", caller=LI, session="s")
    assert (later.kind, tickets_of(tmp_path)) == ("answer", [])


async def test_a_turn_that_waits_for_its_session_waits_no_longer_than_its_deadline(tmp_path: Path) -> None:
    tools = hands(tmp_path)
    async with Reach.load(tools) as reach:
        async with reach._one_at_a_time(LI, "s"):
            outcome = await in_time(reach.ask("hello", caller=LI, session="s", deadline_ms=DEADLINE_MS))
            other = await in_time(reach.ask("hello", caller=LI, session="other", deadline_ms=DEADLINE_MS))
        assert (outcome.kind, other.kind) == ("fallback", "no_tool")
        assert (await reach.ask("hello", caller=LI, session="s")).kind == "no_tool"
        assert reach._locks == {}


async def test_a_function_that_ignores_its_cancellation_holds_nobody_up(tmp_path: Path) -> None:
    async with Reach.load(hands(tmp_path)) as reach:
        result = await in_time(reach.call("deaf", {"seconds": 0.8}, caller=LI, deadline_ms=DEADLINE_MS))
        assert (result.status, result.envelope.structured.error.code) == ("failed", "backend_timeout")


async def test_a_write_that_hangs_is_unknown_by_the_deadline_and_happened_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HANDS", str(tmp_path))
    async with Reach.load(hands(tmp_path)) as reach:
        values = {"order_id": "SO-0001", "how": "hangs"}
        first = await in_time(reach.call("strike", values, caller=LI, session="s", deadline_ms=DEADLINE_MS))
        again = await in_time(reach.call("strike", values, caller=LI, session="s", deadline_ms=DEADLINE_MS))
    assert (first.status, again.status, effects(tmp_path)) == ("unknown", "unknown", ["SO-0001"])


async def test_no_time_at_all_is_no_time(tmp_path: Path) -> None:
    async with agent(shop(tmp_path)) as reach:
        result = await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI, deadline_ms=0)
        turn = await reach.ask("where is order SO-0001?", caller=LI, deadline_ms=0)
    assert result.status in ("denied", "failed")
    assert turn.kind in ("denied", "fallback")
