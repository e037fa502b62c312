"""The demo agent on its own labelled cases, and the tour."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reach.evals import CaseResult, load_cases, measure, run_cases
from reach.registry import load_registry

ROOT = Path(__file__).resolve().parent.parent
LEAST_SUCCESS = 0.90


@pytest.fixture(scope="module")
def results() -> list[CaseResult]:
    registry = load_registry(ROOT / "tools.yaml")
    return asyncio.run(run_cases(registry, load_cases(ROOT / "evals", registry.tools)))


def test_no_tool_is_called_that_must_not_be(results: list[CaseResult]) -> None:
    called = [
        (case.id, failure)
        for case in results
        for turn in case.turns
        for failure in turn.failures
        if failure.endswith("must not be called")
    ]
    assert called == []


def test_the_labelled_cases_succeed_as_often_as_they_did(results: list[CaseResult]) -> None:
    metrics = measure(results)
    assert (metrics.end_to_end_success.value or 0) >= LEAST_SUCCESS, [r.id for r in results if not r.passed]


def test_nothing_is_denied_or_done_that_was_labelled_otherwise(results: list[CaseResult]) -> None:
    wrong = [
        case.id
        for case in results
        for turn in case.turns
        if "denied" in (turn.outcome, turn.expect.outcome) and turn.outcome != turn.expect.outcome
    ]
    assert wrong == []


def test_the_tour_shows_every_kind_of_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = {path.name for path in (ROOT / ".reach").glob("tour-*")} if (ROOT / ".reach").exists() else set[str]()
    run = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "tour.py")],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=100,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    shown = run.stdout.decode("utf-8")
    assert run.stderr == b""
    assert "\x1b[" not in shown
    for said in (
        "订单 SO-2024-00018：",  # an answer in Chinese
        "Order SO-2024-00031:",  # and in English
        "请问订单号是多少",  # a question
        "You may not do that:",  # a refusal
        "请确认：创建售后工单",  # a write waits
        "该操作此前已完成，没有重复执行",  # and runs once
        "显示前 5 条",  # a large result
        "reach fetch art_",  # and its pages
        "响应超时",  # a time-out
        "暂时无法使用",  # an error
        "可能已经生效",  # a write that was never answered
    ):
        assert said in shown, said
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []
    assert {path.name for path in (ROOT / ".reach").glob("tour-*")} <= before
