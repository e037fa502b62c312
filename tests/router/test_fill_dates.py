"""How days, periods and times reach the parameters."""

from __future__ import annotations

import pytest

from tests.router.fill_tools import PERIOD, TICKET, make_tool, read, values


@pytest.mark.parametrize(
    ("query", "first", "last"),
    [
        ("上周的", "2026-11-23", "2026-11-29"),
        ("last week", "2026-11-23", "2026-11-29"),
        ("昨天的", "2026-11-29", "2026-11-29"),
        ("from 2026-03-01 to 2026-03-05", "2026-03-01", "2026-03-05"),
        ("从3月1日到3月5日", "2026-03-01", "2026-03-05"),
        ("between May 1 and May 3", "2026-05-01", "2026-05-03"),
        ("since Friday", "2026-11-27", "2026-11-30"),
        ("本月", "2026-11-01", "2026-11-30"),
        ("过去7天", "2026-11-24", "2026-11-30"),
        ("12月25日", "2025-12-25", "2025-12-25"),
    ],
)
def test_a_spoken_period_fills_both_ends_and_looks_back(query, first, last):
    assert values(PERIOD, query) == {"from_date": first, "to_date": last}


def test_an_open_period_leaves_its_open_end_missing():
    assert read(PERIOD, "截至昨天").missing == ("from_date",)
    assert read(PERIOD, "从3月1日开始").missing == ("to_date",)


def test_ends_are_inferred_from_names_where_exactly_two_dates_are_there():
    tool = make_tool({"start_date": {"format": "date"}, "end_date": {"format": "date"}})
    assert values(tool, "May 1 to May 3") == {"start_date": "2026-05-01", "end_date": "2026-05-03"}
    assert values(tool, "on May 1") == {"start_date": "2026-05-01", "end_date": "2026-05-01"}


def test_a_date_that_was_asked_for_fills_that_one_only():
    tool = make_tool({"start_date": {"format": "date"}, "end_date": {"format": "date"}})
    assert values(tool, "May 3", asked="end_date") == {"end_date": "2026-05-03"}


def test_one_of_a_pair_of_journeys_is_not_both():
    tool = make_tool({"departure_date": {"format": "date"}, "return_date": {"format": "date"}})
    assert values(tool, "leaving next Tuesday") == {"departure_date": "2026-12-08"}
    both = values(tool, "returning May 9, departing on May 3")
    assert both == {"departure_date": "2026-05-03", "return_date": "2026-05-09"}


def test_a_day_that_does_not_exist_is_invalid():
    assert read(PERIOD, "2月30日").invalid == {"from_date": "没有“2月30日”这一天"}


def test_a_day_with_two_readings_is_a_choice():
    tool = make_tool({"date": {"format": "date"}})
    assert [c.value for c in read(tool, "on 3/5/2024").ambiguous["date"]] == ["2024-03-05", "2024-05-03"]
    assert values(tool, "on 25/12/2024") == {"date": "2024-12-25"}


def test_a_period_is_no_single_day_and_two_days_are_a_choice():
    tool = make_tool({"date": {"format": "date"}})
    assert values(tool, "last week") == {}
    assert len(read(tool, "3月5日还是3月6日").ambiguous["date"]) == 2


def test_a_limit_fills_only_a_date_that_is_a_limit():
    assert values(make_tool({"due_date": {"format": "date"}}), "by Friday") == {"due_date": "2026-12-04"}
    assert values(make_tool({"visit_date": {"format": "date"}}), "before Friday") == {}


def test_the_layout_that_a_description_asks_for_is_kept():
    tool = make_tool({"day": {"description": "The day, in the form MM/DD/YYYY."}})
    assert values(tool, "March 5, 2024") == {"day": "03/05/2024"}


def test_a_date_time_needs_both_and_is_in_the_callers_zone():
    assert values(TICKET, "明天下午3点") == {"when": "2026-12-01T15:00:00+08:00"}
    assert values(TICKET, "明天") == {}


def test_an_hour_that_may_be_morning_or_evening_is_a_choice():
    tool = make_tool({"time": {"format": "time"}})
    assert values(tool, "下午三点半") == {"time": "15:30"}
    assert [c.value for c in read(tool, "3点").ambiguous["time"]] == ["03:00", "15:00"]
