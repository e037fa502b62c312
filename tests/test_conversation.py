"""One turn after the other: answers, questions, refusals, confirmations, failures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reach import Caller, Reach
from tests.agent import EMMA, LI, STAFF, make_agent, tickets_of


@pytest.fixture
async def reach(tmp_path: Path) -> AsyncIterator[Reach]:
    async with Reach.load(make_agent(tmp_path, rows=3000)) as loaded:
        yield loaded


async def test_the_normal_path_answers_with_the_row_and_says_where_the_value_came_from(reach: Reach) -> None:
    outcome = await reach.ask("帮我看下订单 SO-0001 到哪了", caller=LI, session="s")
    assert (outcome.kind, outcome.tool, outcome.text) == ("answer", "order_status", "订单 SO-0001：shipped。")
    assert outcome.provenance["order_id"].source == "user"
    assert outcome.provenance["order_id"].text == "SO-0001"


async def test_missing_information_asks_back_and_guesses_nothing(reach: Reach) -> None:
    outcome = await reach.ask("那个单子怎么样了", caller=LI, session="s")
    assert (outcome.kind, outcome.tool, outcome.arguments) == ("clarify", "order_status", {})
    assert outcome.text == "请问订单号是多少？"


async def test_the_answer_in_the_next_turn_completes_the_call(reach: Reach) -> None:
    await reach.ask("那个单子怎么样了", caller=LI, session="s")
    outcome = await reach.ask("SO-0002", caller=LI, session="s")
    assert (outcome.kind, outcome.text) == ("answer", "订单 SO-0002：new。")


@pytest.mark.parametrize("digression", ["你好", "谢谢", "SO-0001 坏了，我要报修"])
async def test_a_digression_does_not_lose_the_question(reach: Reach, digression: str) -> None:
    await reach.ask("那个单子怎么样了", caller=LI, session="s")
    await reach.ask(digression, caller=LI, session="s")
    await reach.ask("算了", caller=LI, session="s") if "报修" in digression else None
    outcome = await reach.ask("SO-0002", caller=LI, session="s")
    assert (outcome.kind, outcome.tool) == ("answer", "order_status")


async def test_a_question_can_be_dropped(reach: Reach) -> None:
    await reach.ask("那个单子怎么样了", caller=LI, session="s")
    assert (await reach.ask("算了", caller=LI, session="s")).kind == "no_tool"


async def test_two_sessions_know_nothing_of_each_other(reach: Reach) -> None:
    await reach.ask("那个单子怎么样了", caller=LI, session="a")
    outcome = await reach.ask("算了", caller=LI, session="b")
    assert (outcome.kind, outcome.text) == ("no_tool", "目前没有等待确认的操作。")


@pytest.mark.parametrize("text", ["where is order SO-0001?", "where is order SO-0008?"])
async def test_what_is_not_the_callers_is_denied_whether_it_exists_or_not(reach: Reach, text: str) -> None:
    outcome = await reach.ask(text, caller=EMMA, session="s")
    assert (outcome.kind, outcome.tool) == ("denied", "order_status")
    assert "not yours" in outcome.text


@pytest.mark.parametrize("text", ["你好", "hi", "thanks!", "谢谢", "再见", "", "😀", "？！"])
async def test_small_talk_and_nothing_call_nothing(reach: Reach, text: str) -> None:
    assert (await reach.ask(text, caller=LI, session="s")).kind == "no_tool"


async def test_a_hidden_tool_is_not_offered(reach: Reach) -> None:
    outcome = await reach.ask("list every order of the shop", caller=EMMA, session="s")
    assert "order_archive" not in str(outcome)
    assert "All orders" not in outcome.text


async def test_a_write_waits_for_a_yes_and_shows_what_it_would_do(reach: Reach, tmp_path: Path) -> None:
    outcome = await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    assert (outcome.kind, outcome.tool, dict(outcome.arguments)) == ("confirm", "open_ticket", {"order_id": "SO-0001"})
    assert "SO-0001" in outcome.text
    assert tickets_of(tmp_path) == []


async def test_a_yes_runs_what_was_shown_once(reach: Reach, tmp_path: Path) -> None:
    await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    done = await reach.ask("好的", caller=LI, session="s")
    again = await reach.ask("好的", caller=LI, session="s")
    assert (done.kind, done.text, again.kind) == ("answer", "工单 1 已创建。", "no_tool")
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_the_same_write_said_again_at_once_is_answered_from_the_ledger(reach: Reach, tmp_path: Path) -> None:
    for text in ("SO-0001 坏了，帮我开个工单", "好的"):
        await reach.ask(text, caller=LI, session="s")
    again = await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    assert again.kind == "answer"
    assert again.envelope is not None
    assert again.envelope.structured.replayed
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_a_no_runs_nothing(reach: Reach, tmp_path: Path) -> None:
    asked = await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    assert (await reach.ask("取消", caller=LI, session="s")).kind == "no_tool"
    late = await reach.confirm(asked.confirmation_id, caller=LI, session="s")  # type: ignore[attr-defined]
    assert (late.status, tickets_of(tmp_path)) == ("invalid", [])


async def test_a_yes_after_something_else_asks_again_first(reach: Reach, tmp_path: Path) -> None:
    await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    await reach.ask("订单 SO-0002 到哪了", caller=LI, session="s")
    shown_again = await reach.ask("好的", caller=LI, session="s")
    assert (shown_again.kind, tickets_of(tmp_path)) == ("confirm", [])
    assert (await reach.ask("好的", caller=LI, session="s")).kind == "answer"
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_another_caller_can_not_say_yes(reach: Reach, tmp_path: Path) -> None:
    asked = await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    result = await reach.confirm(asked.confirmation_id, caller=EMMA, session="s")  # type: ignore[attr-defined]
    assert (result.status, tickets_of(tmp_path)) == ("invalid", [])


async def test_a_precondition_refuses_before_anything_is_confirmed(reach: Reach) -> None:
    outcome = await reach.ask("SO-0002 坏了，帮我开个工单", caller=LI, session="s")
    assert (outcome.kind, outcome.tool) == ("denied", "open_ticket")
    assert "还没有发货" in outcome.text


async def test_a_large_result_is_a_sample_with_totals_and_a_ref(reach: Reach) -> None:
    outcome = await reach.ask("list every order of the shop", caller=STAFF, session="s")
    assert outcome.kind == "answer"
    assert outcome.envelope is not None
    structured = outcome.envelope.structured
    assert (structured.completeness, structured.shown, structured.total) == ("truncated", 5, 3003)
    assert structured.artifact_ref is not None
    page = await reach.fetch(structured.artifact_ref, caller=STAFF)
    assert page.has_more
    assert "5" in outcome.text
    assert "3003" in outcome.text


@pytest.mark.parametrize(
    ("fault", "kind"),
    [("timeout", "fallback"), ("error", "fallback"), ("empty", "answer"), ("huge", "answer"), ("slow:5", "answer")],
)
async def test_each_fault_on_a_read_ends_in_its_outcome(tmp_path: Path, fault: str, kind: str) -> None:
    async with Reach.load(make_agent(tmp_path), faults=[f"*={fault}"]) as reach:
        outcome = await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s", deadline_ms=300)
    assert outcome.kind == kind
    if kind == "fallback":
        assert "shipped" not in outcome.text


async def test_a_backend_that_gets_one_millisecond_ends_in_a_fallback(tmp_path: Path) -> None:
    path = make_agent(tmp_path)
    path.write_text(
        path.read_text("utf-8").replace("side_effect: read_only", "side_effect: read_only\n    timeout_ms: 1")
    )
    async with Reach.load(path, faults=["order_status=slow:100"]) as reach:
        outcome = await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s")
    assert (outcome.kind, outcome.tool) == ("fallback", "order_status")


async def test_a_write_that_never_answers_is_unknown_and_is_not_sent_again(tmp_path: Path) -> None:
    async with Reach.load(make_agent(tmp_path), faults=["open_ticket=timeout"]) as reach:
        await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
        first = await reach.ask("好的", caller=LI, session="s")
        second = await reach.ask("SO-0001 坏了，帮我开个工单", caller=LI, session="s")
    assert (first.kind, second.kind) == ("unknown", "unknown")


async def test_a_text_that_is_too_long_is_refused_clearly(reach: Reach) -> None:
    with pytest.raises(Exception, match="8000"):
        await reach.ask("长" * 8001, caller=LI, session="s")


async def test_a_caller_without_any_tool_is_told_so_and_nothing_breaks(reach: Reach) -> None:
    outcome = await reach.ask("where is order SO-0001?", caller=Caller("x"), session="s")
    assert outcome.kind in ("clarify", "no_tool")
    assert outcome.tool is None


async def test_a_write_that_is_refused_is_not_replaced_by_a_read(reach: Reach) -> None:
    refused = await reach.ask("我的订单 SO-0002 坏了，我要报修", caller=LI, session="s")
    assert refused.route is not None
    assert [c.tool for c in refused.route.above] == ["open_ticket", "order_status"]
    assert (refused.kind, refused.tool) == ("denied", "open_ticket")


@pytest.mark.parametrize("text", ["好的", "yes", "算了", "no"])
async def test_a_yes_or_no_to_nothing_is_told_so(reach: Reach, text: str) -> None:
    outcome = await reach.ask(text, caller=LI, session="s")
    assert outcome.kind == "no_tool"
    assert outcome.text in ("There is nothing waiting for a yes.", "目前没有等待确认的操作。")


async def test_a_reply_that_asks_something_else_is_not_taken_as_the_answer(reach: Reach) -> None:
    await reach.ask("it is broken, open a ticket for my order please", caller=LI, session="s")
    other = await reach.ask("where is order SO-0002?", caller=LI, session="s")
    assert (other.kind, other.tool) == ("answer", "order_status")
    asked = await reach.ask("SO-0001", caller=LI, session="s")
    assert (asked.kind, asked.tool) == ("confirm", "open_ticket")
