"""Judging turns, the numbers, and the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.evals import Rate, load_cases, measure, run_cases
from reach.evals.runner import same_value
from reach.registry import load_registry
from tests.agent import make_agent, tickets_of

CALLERS = "version: 1\ncallers:\n  li: {id: u1, roles: [customer]}\n"
CASES = """
version: 1
now: "2026-01-05T10:00:00+08:00"
cases:
  - id: right
    caller: li
    query: 订单 SO-0001 到哪了
    expect: {outcome: answer, tool: order_status, args: {order_id: SO-0001}}
  - id: wrong-arg
    caller: li
    query: 订单 SO-0001 到哪了
    expect: {outcome: answer, tool: order_status, args: {order_id: SO-0002}}
  - {id: point, caller: li, query: 订单 SO-0001 到哪了, expect: {outcome: answer, answer_points: [delivered]}}
  - {id: false-call, caller: li, query: 订单 SO-0001 到哪了, expect: {outcome: no_tool, never: [order_status]}}
  - {id: idle, caller: li, query: 你好, expect: {outcome: no_tool}}
  - {id: asks, caller: li, query: 那个单子怎么样了, expect: {outcome: clarify}}
  - id: two-turns
    caller: li
    turns:
      - {query: "SO-0001 坏了，帮我开个工单", expect: {outcome: confirm, tool: open_ticket}}
      - {query: 好的, expect: {outcome: answer, tool: open_ticket}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    tools = make_agent(tmp_path)
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "callers.yaml").write_text(CALLERS, "utf-8")
    (tmp_path / "evals" / "cases.yaml").write_text(CASES, "utf-8")
    return tools


async def test_each_expectation_is_judged_and_the_numbers_count_what_they_say(project: Path) -> None:
    registry = load_registry(project)
    seen: list[int] = []
    cases = load_cases(project.parent / "evals", registry.tools)
    results = await run_cases(registry, cases, progress=lambda: seen.append(1))
    assert [r.id for r in results if r.passed] == ["right", "idle", "asks", "two-turns"]
    failures = {r.id: r.turns[0].failures for r in results if not r.passed}
    assert failures["wrong-arg"] == ("order_id = 'SO-0001', expected 'SO-0002'",)
    assert failures["point"] == ("the answer lacks 'delivered'",)
    assert "order_status must not be called" in failures["false-call"]
    metrics = measure(results)
    assert (metrics.tool_hit_rate.hits, metrics.tool_hit_rate.count) == (4, 4)
    assert (metrics.argument_accuracy.hits, metrics.argument_accuracy.count) == (1, 2)
    assert (metrics.end_to_end_success.hits, metrics.end_to_end_success.count) == (4, 7)
    assert (metrics.false_calls.hits, metrics.false_calls.count) == (1, 8)
    assert (metrics.refused.hits, metrics.refused.count) == (2, 3)
    assert (metrics.clarify_recall.hits, metrics.clarify_recall.count) == (1, 1)
    assert len(seen) == 7


async def test_an_eval_changes_nothing_of_the_project(project: Path) -> None:
    registry = load_registry(project)
    before = (project.parent / "shop.db").read_bytes()
    await run_cases(registry, load_cases(project.parent / "evals", registry.tools))
    assert (project.parent / "shop.db").read_bytes() == before
    assert tickets_of(project.parent) == []
    assert not (project.parent / ".reach" / "state.db").exists()


async def test_faults_reach_the_cases(project: Path) -> None:
    registry = load_registry(project)
    cases = load_cases(project.parent / "evals", registry.tools)[:1]
    results = await run_cases(registry, cases, faults=["*=error"])
    assert results[0].turns[0].outcome == "fallback"


def test_nothing_run_is_nothing_measured() -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        measure([])
    assert Rate(0, 0).value is None
    assert Rate(0, 0).interval is None


@given(st.integers(0, 500), st.integers(1, 500))
def test_the_interval_holds_the_share_and_stays_within_bounds(hits: int, more: int) -> None:
    rate = Rate(hits, hits + more)
    low, high = rate.interval or (1, 0)
    assert 0 <= low <= (rate.value or 0) <= high <= 1


def test_the_interval_is_wilsons() -> None:
    low, high = Rate(9, 10).interval or (0, 0)
    assert (round(low, 4), round(high, 4)) == (0.5958, 0.9821)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1, 1.0, True), (True, 1, False), ("1", 1, False), ([1], [1.0], True), (None, False, False)],
)
def test_values_are_compared_as_json(one: object, other: object, same: bool) -> None:
    assert same_value(one, other) is same
