"""A statement that its database does not understand is found before anybody asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from reach import Reach
from tests.agent import POLICIES, TOOLS, make_agent, tickets_of


async def test_a_good_agent_has_no_problem_and_nothing_is_run(tmp_path: Path) -> None:
    async with Reach.load(make_agent(tmp_path)) as reach:
        assert await reach.check() == []
    assert tickets_of(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "SELECT id AS order_id, status, phone FROM orders",
            "SELECT id AS order_id, stauts, phone FROM orders",
            "stauts",
        ),
        ("FROM orders ORDER BY id", "FROM odrers ORDER BY id", "odrers"),
        (
            "SELECT 1 FROM orders WHERE id = :order_id AND status",
            "SELECT 1 FROM orders WHERE id = :order_id AND state",
            "state",
        ),
    ],
)
async def test_an_unknown_table_or_column_is_placed(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TOOLS
    path = make_agent(tmp_path, tools=TOOLS.replace(old, new))
    async with Reach.load(path) as reach:
        problems = await reach.check()
    assert len(problems) == 1
    assert said in problems[0].message
    text = path.read_text("utf-8").splitlines()[problems[0].line - 1]
    assert new.split(maxsplit=1)[0] in text


async def test_a_proof_of_ownership_is_looked_at_too(tmp_path: Path) -> None:
    policies = POLICIES.replace("customer_id = :caller_id", "owner = :caller_id")
    async with Reach.load(make_agent(tmp_path, policies=policies)) as reach:
        problems = await reach.check()
    assert [("ownership.order.sql" in p.path, "owner" in p.message) for p in problems] == [(True, True)]


async def test_a_database_that_is_not_there_proves_nothing(tmp_path: Path) -> None:
    path = make_agent(tmp_path)
    (tmp_path / "shop.db").unlink()
    async with Reach.load(path) as reach:
        assert await reach.check() == []
