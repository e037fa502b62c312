"""Arguments of every wrong type end as `invalid` with a message, and no text breaks a turn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from reach import Reach
from tests.agent import LI
from tests.attacks.agents import shop
from tests.attacks.hands import nested

VALUES: list[Any] = [
    True, 0, 10**400, math.nan, -math.inf, b"SO-0001", {1}, object(), 1j, {"a": [1]}, [], "\ud800", "SO-0001\0",
    nested(60), nested(500), nested(10_000), "x" * 5_000_000,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=[str(number) for number in range(len(VALUES))])
@pytest.mark.parametrize("tool", ["order_status", "open_ticket", "no_such_tool"])
async def test_a_value_of_the_wrong_type_is_invalid(tmp_path: Path, tool: str, value: Any) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        result = await reach.call(tool, {"order_id": value}, caller=LI)
        assert result.status == "invalid"
        assert len(result.envelope.content) < 2000
        assert (await reach.why(result.call_id) or {})["call"] == tool
        assert (await reach.decide(tool, {"order_id": value}, caller=LI)).effect == "deny"
    assert (tmp_path / "state.db").stat().st_size < 2**20  # what was refused is not kept whole


@pytest.mark.parametrize("arguments", [None, 5, "SO-0001", ["order_id"], [("order_id", "SO-0001")], {1: 2}, {"": ""}])
async def test_arguments_that_are_no_object_of_known_names_are_invalid(tmp_path: Path, arguments: Any) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        result = await reach.call("order_status", arguments, caller=LI)
    assert (result.status, result.attempts) == ("invalid", 0)


TEXTS = [
    "\ud800", "\0", "\u202e到哪了\u202c", "😀" * 4000, "长" * 8000, "a" * 8000,
    "SO-0001 " * 1000, "{" * 8000, '("' * 4000,
    "1" * 8000, "一" * 8000, "\u200b" * 8000, "a\u0301" * 4000, "%s{0}{order_id}",
    "\n" * 8000, "1,2," * 2000, "-" * 8000,
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=[str(number) for number in range(len(TEXTS))])
async def test_a_text_of_any_characters_ends_in_a_question_or_nothing(tmp_path: Path, text: str) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        assert (await reach.ask("那个单子怎么样了", caller=LI, session="s")).kind == "clarify"
        for session in ("s", "new"):
            outcome = await reach.ask(text, caller=LI, session=session, deadline_ms=4000)
            if "SO-0001" not in text:
                assert outcome.kind in ("clarify", "no_tool")
        assert (await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s")).kind == "answer"
