"""Days and periods, as they are said; today is Monday 2026-11-30."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.extract.dates import Reading, find_days

TODAY = date(2026, 11, 30)


def said(text: str, today: date = TODAY, direction: int = 0) -> list[tuple[str, str]]:
    return [(str(d.first), str(d.last)) for d in find_days(text, Reading(today, direction))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-05", "2024-03-05"),
        ("2024/3/5", "2024-03-05"),
        ("2024年3月5日", "2024-03-05"),
        ("三月五日", "2026-03-05"),
        ("十二月二十五号", "2026-12-25"),
        ("明年1月5号", "2027-01-05"),
        ("上个月5号", "2026-10-05"),
        ("the 16th of March 2024", "2024-03-16"),
        ("Friday, March 6th", "2026-03-06"),
        ("the 4th of this month", "2026-11-04"),
        ("on the 5th", "2026-12-05"),
        ("5号", "2026-12-05"),
        ("前天", "2026-11-28"),
        ("day after tomorrow", "2026-12-02"),
        ("two weeks ago", "2026-11-16"),
        ("3天前", "2026-11-27"),
        ("in 3 days", "2026-12-03"),
        ("next Friday", "2026-12-11"),
        ("Thursday next week", "2026-12-10"),
        ("this Friday", "2026-12-04"),
        ("last Friday", "2026-11-27"),
        ("下周五", "2026-12-11"),
        ("上上周三", "2026-11-18"),
        ("月底", "2026-11-30"),
        ("end of the month", "2026-11-30"),
        ("去年年底", "2025-12-31"),
    ],
)
def test_one_day(text, day):
    assert said(text) == [(day, day)]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("this week", "2026-11-30", "2026-12-06"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("上个月", "2026-10-01", "2026-10-31"),
        ("last weekend", "2026-11-28", "2026-11-29"),
        ("last 30 days", "2026-11-01", "2026-11-30"),
        ("最近一个月", "2026-10-31", "2026-11-30"),
        ("近半年", "2026-05-31", "2026-11-30"),
        ("去年12月", "2025-12-01", "2025-12-31"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("Q1 2024", "2024-01-01", "2024-03-31"),
        ("去年四季度", "2025-10-01", "2025-12-31"),
        ("上半年", "2026-01-01", "2026-06-30"),
        ("今年以来", "2026-01-01", "2026-11-30"),
        ("month to date", "2026-11-01", "2026-11-30"),
        ("3月1-5日", "2026-03-01", "2026-03-05"),
        ("May 1-3", "2026-05-01", "2026-05-03"),
        ("1月到3月", "2026-01-01", "2026-03-31"),
        ("12月24日到1月3日", "2026-12-24", "2027-01-03"),
        ("from April 3rd to April 5th 2023", "2023-04-03", "2023-04-05"),
        ("上月25日-本月3日", "2026-10-25", "2026-11-03"),
        ("周一到周五", "2026-11-30", "2026-12-04"),
        ("3月1日至今", "2026-03-01", "2026-11-30"),
    ],
)
def test_a_period(text, first, last):
    assert said(text) == [(first, last)]


@pytest.mark.parametrize(
    "text",
    [
        "5号线",
        "3号楼",
        "May I ask",
        "3/5",
        "3.5",
        "SO-2024-00017",
        "最近",
        "前5个",
        "week 3",
        "13800138000",
        "7天内",
        "sat down",
    ],
)
def test_no_day_at_all(text):
    assert said(text) == []


@pytest.mark.parametrize("text", ["2月30日", "Feb 30", "2024-13-45", "31/31/2024", "999年前"])
def test_a_day_outside_the_calendar_is_broken_or_nothing_but_never_moved(text):
    assert all(d.broken or d.first == date(1027, 11, 30) for d in find_days(text, Reading(TODAY)))


def test_direction_decides_a_day_without_a_year():
    assert said("12月25日", direction=-1) == [("2025-12-25", "2025-12-25")]
    assert said("January 5", direction=1) == [("2027-01-05", "2027-01-05")]
    assert said("Friday", direction=-1) == [("2026-11-27", "2026-11-27")]


@given(st.dates(date(1901, 1, 1), date(2099, 12, 31)))
def test_every_iso_and_chinese_date_reads_back(day):
    assert said(day.isoformat()) == [(str(day), str(day))]
    assert said(f"{day.year}年{day.month}月{day.day}日") == [(str(day), str(day))]
    assert said(f"{day:%B} {day.day}, {day.year}") == [(str(day), str(day))]


@given(st.dates(date(1950, 1, 1), date(2090, 12, 31)), st.integers(1, 400))
def test_the_last_n_days_are_n_days_that_end_today(today, count):
    for text in (f"last {count} days", f"过去{count}天"):
        (period,) = find_days(text, Reading(today))
        assert period.last == today
        assert period.first is not None
        assert (today - period.first).days == count - 1
