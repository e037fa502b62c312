"""The date helper."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from reach.clock import SystemClock
from reach.demo import date_info
from reach.ports import AdapterCall, Deadline
from reach.spec import PythonBinding
from reach.types import Caller
from tests.demo.project import TOOLS


def call_on(today: str) -> AdapterCall:
    return AdapterCall(
        tool=TOOLS["date_info"],
        values={},
        caller=Caller("u_1001"),
        deadline=Deadline.after_ms(SystemClock(), 1000),
        now=datetime(2024, 6, 15, 2, tzinfo=UTC),
        today=today,
    )


def test_date_info_without_a_date_is_about_the_callers_today():
    assert date_info(call=call_on("2024-06-15")) == {
        "date": "2024-06-15", "weekday_en": "Saturday", "weekday_zh": "星期六", "iso_week": "2024-W24",
        "days_until": 0, "distance_en": "today", "distance_zh": "就是今天",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("day", "days", "week", "english", "chinese"),
    [
        ("2024-06-16", 1, "2024-W24", "in 1 day", "还有1天"),
        ("2024-10-01", 108, "2024-W40", "in 108 days", "还有108天"),
        ("2024-06-13", -2, "2024-W24", "2 days ago", "已过去2天"),
        ("2024-12-31", 199, "2025-W01", "in 199 days", "还有199天"),
    ],
)
def test_date_info_counts_days_and_iso_weeks(day, days, week, english, chinese):
    info = date_info(call=call_on("2024-06-15"), day=day)
    assert (info["days_until"], info["iso_week"]) == (days, week)
    assert (info["distance_en"], info["distance_zh"]) == (english, chinese)


def test_date_info_refuses_what_is_no_date():
    with pytest.raises(ValueError, match="day is out of range"):
        date_info(call=call_on("2024-06-15"), day="2024-02-30")


def test_date_helper_is_bound_to_the_function_and_returns_its_whitelist():
    binding = TOOLS["date_info"].adapter
    assert isinstance(binding, PythonBinding)
    assert binding.function == "reach.demo:date_info"
    assert list(date_info(call=call_on("2024-06-15"))) == TOOLS["date_info"].result.fields
