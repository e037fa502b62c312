"""What stands in for a tool that fails, and how that is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from reach import Reach
from reach.conversation import about_as_likely
from reach.types import Candidate
from tests.agent import LI, TOOLS, make_agent

SECOND = TOOLS.replace(
    "  - name: order_archive",
    """  - name: order_progress
    title: {en: Order progress, zh: 订单进度}
    description: {en: Status of one order by its order number., zh: 按订单号查询一个订单的状态。}
    when_to_use:
      en: The user asks how an order is going or whether it has shipped.
      zh: 用户问订单怎么样了、到哪了、发货了没有。
    examples: [我的订单到哪了, 那个单子怎么样了, has my order shipped yet, where is order SO-0001]
    side_effect: read_only
    parameters:
      order_id: {type: string, pattern: '^SO-\\d{4}$', resource: order}
    adapter: {backend: shop, statement: "SELECT status FROM orders WHERE id = :order_id", returns: row}
    result: {fields: [status], say: "progress {status}"}
  - name: order_archive""",
)
POLICIES = """
version: 1
ownership:
  order: {backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND customer_id = :caller_id"}
rules:
  - {id: see, allow: {roles: [customer], tools: [order_status, order_progress]}}
"""


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    return make_agent(tmp_path, tools=SECOND, policies=POLICIES)


async def test_a_second_choice_that_is_as_likely_answers_and_says_whose_answer_it_is(tools: Path) -> None:
    async with Reach.load(tools, faults=["order_status=error"]) as reach:
        outcome = await reach.ask("订单 SO-0001 到哪了", caller=LI)
    assert (outcome.kind, outcome.tool) == ("answer", "order_progress")
    assert outcome.text.splitlines() == [
        "“订单状态”暂时无法使用，没有做任何改动，请稍后再试。",
        "以下来自“订单进度”：",
        "progress shipped",
    ]


def test_only_what_is_about_as_likely_may_stand_in() -> None:
    candidates = [Candidate("best", 0.92), Candidate("near", 0.85), Candidate("far", 0.5)]
    assert [c.tool for c in about_as_likely(candidates)] == ["best", "near"]
    assert about_as_likely([]) == []
    assert [c.tool for c in about_as_likely([Candidate("sure", 1.0), Candidate("so-so", 0.99)])] == ["sure"]
