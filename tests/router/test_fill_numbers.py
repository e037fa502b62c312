"""Which amount goes to which numeric parameter."""

from __future__ import annotations

import pytest

from tests.router.fill_tools import PERIOD, TICKET, make_tool, read, values


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("3小时", {"duration": 180}),
        ("one and a half hours", {"duration": 90}),
        ("两个半小时", {"duration": 150}),
        ("1小时20分钟", {"duration": 80}),
        ("买俩", {"quantity": 2}),
        ("五件", {"quantity": 5}),
        ("3 kg", {}),
        ("一个问题", {}),
        ("等了7天", {"duration": 10_080}),
    ],
)
def test_amounts_are_turned_into_the_unit_of_the_schema(query, given):
    assert values(TICKET, query) == given


@pytest.mark.parametrize(
    ("query", "problem"), [("买11件", "11 太大，最大为 10"), ("0 pieces", "0 is too small; the least is 1")]
)
def test_an_amount_out_of_range_is_invalid(query, problem):
    assert read(TICKET, query).invalid == {"quantity": problem}


@pytest.mark.parametrize("query", ["top 5 of yesterday", "昨天的前5个", "limit 5, yesterday"])
def test_how_many_are_wanted_is_read_from_top_and_limit(query):
    assert values(PERIOD, query)["limit"] == 5


def test_an_optional_number_needs_a_cue():
    assert "limit" not in values(PERIOD, "iPhone 15 yesterday")


def test_a_range_fills_the_two_bounds():
    tool = make_tool(
        {
            "min_price": {"type": "number", "unit": "CNY"},
            "max_price": {"type": "number", "unit": "CNY", "required": False},
        }
    )
    assert values(tool, "300到400元的") == {"min_price": 300, "max_price": 400}
    assert values(tool, "1.5万元以上") == {"min_price": 15000}
    assert values(tool, "nothing over 200 yuan") == {"max_price": 200}
    assert values(tool, "300 dollars or more") == {}


def test_numbers_without_a_cue_fill_in_order_only_where_the_counts_agree():
    tool = make_tool({"side1": {"type": "integer"}, "side2": {"type": "integer"}})
    assert values(tool, "the sides are 4 and 5") == {"side1": 4, "side2": 5}
    assert values(tool, "4, 5 and 6") == {}


def test_a_percentage_is_not_guessed_where_the_scale_is_open():
    tool = make_tool({"rate": {"type": "number"}})
    assert values(tool, "at a rate of 5%") == {}
    assert values(make_tool({"rate": {"type": "number", "unit": "fraction"}}), "rate 5%") == {"rate": 0.05}


def test_a_bare_number_answers_what_was_asked():
    assert values(TICKET, "三", asked="quantity") == {"quantity": 3}
    assert values(TICKET, "3 please", asked="quantity") == {"quantity": 3}


def test_a_list_of_numbers_fills_an_array():
    tool = make_tool({"values": {"type": "array", "items": {"type": "number"}}})
    assert values(tool, "the mean of 1, 2.5 and 3") == {"values": [1, 2.5, 3]}


def test_a_closed_list_of_digits_takes_the_number_that_its_name_stands_by():
    tool = make_tool({"number_of_rooms": {"enum": ["1", "2", "3"]}})
    assert values(tool, "2 rooms in a 3 star hotel") == {"number_of_rooms": "2"}
