"""Amounts, times, identifiers and the utterance itself."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.extract.identifiers import find_emails, find_near_misses, find_pattern, find_phones, find_uris
from reach.router.extract.numbers import find_amounts
from reach.router.extract.shape import leading_letters, shape_of
from reach.router.extract.times import as_clock, find_clocks
from reach.router.extract.units import converted
from reach.router.extract.utterance import Utterance


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("1,234.5 dollars", [("2469/2", "dollars")]),
        ("1.5万元", [("15000", "元")]),
        ("一百二十件", [("120", "件")]),
        ("two hundred and five items", [("205", "items")]),
        ("a dozen eggs", [("12", "")]),
        ("half an hour", [("1/2", "hour")]),
        ("两个半小时", [("5/2", "小时")]),
        ("3 hours 20 minutes", [("10/3", "hours")]),
        ("$50", [("50", "$")]),
        ("2 million", [("2000000", "")]),
        ("x = -5", [("-5", "")]),
        ("SO-2024-00017", []),
        ("192.168.0.10", []),
        ("12:30", []),
        ("第3个", []),
        ("帮我查一下", []),
        ("十分感谢", []),
        ("a question", []),
        ("B2B", []),
    ],
)
def test_amounts(text, amounts):
    assert [(str(a.value), a.unit) for a in find_amounts(text)] == amounts


@given(st.integers(0, 10**9))
def test_digits_read_back_with_and_without_separators(number):
    for text in (str(number), f"{number:,}"):
        assert [a.value for a in find_amounts(f"about {text} of them")] == [number]


def test_units_convert_only_within_their_dimension():
    assert converted(Fraction(3), "小时", "minutes") == 180
    assert converted(Fraction(2), "weeks", "天") == 14
    assert converted(Fraction(1), "month", "days") is None
    assert converted(Fraction(5), "$", "CNY") is None


@pytest.mark.parametrize(
    ("text", "clock", "other"),
    [
        ("3pm", "15:00", None),
        ("evening 4:45", "16:45", None),
        ("quarter to 12 in the morning", "11:45", None),
        ("half past two", "02:30", "14:30"),
        ("quarter past 5 in the evening", "17:15", None),
        ("09:30", "09:30", None),
        ("下午三点半", "15:30", None),
        ("早上8点20分", "08:20", None),
        ("3点一刻", "03:15", "15:15"),
        ("晚上12点", "00:00", None),
        ("noon", "12:00", None),
    ],
)
def test_times(text, clock, other):
    ((minutes, second),) = [(c.minutes, c.other) for c in find_clocks(text)]
    assert (as_clock(minutes), as_clock(second) if second is not None else None) == (clock, other)


@pytest.mark.parametrize("text", ["3个小时", "一点问题", "三点多", "25:00", "SO-12:30", "点评"])
def test_no_time_at_all(text):
    assert find_clocks(text) == []


def test_identifiers_of_a_format():
    assert [f.value for f in find_emails("发到a.b@c.com吧 x@y")] == ["a.b@c.com"]
    assert [f.value for f in find_uris("看https://a.b/c?d=1。")] == ["https://a.b/c?d=1"]
    assert [f.value for f in find_phones("打138-1234-5678 or +1 480-948-6100, 2024-03-05")] == [
        "13812345678",
        "+14809486100",
    ]


def test_a_pattern_takes_another_case_only_where_the_written_one_does_not_fit():
    assert [f.value for f in find_pattern("ab-1 AB-2", r"^[a-z]+-\d$")] == ["ab-1", "ab-2"]
    assert [f.value for f in find_pattern("Ab-1", r"^[A-Za-z]+-\d$")] == ["Ab-1"]


def test_a_near_miss_shares_the_leading_letters_and_has_a_digit():
    assert [f.value for f in find_near_misses("so2024 and sofa", r"^SO-\d{4}-\d{5}$")] == ["so2024"]
    assert find_near_misses("12345", r"^\d{4}$") == []


@pytest.mark.parametrize(
    ("pattern", "shape", "letters"),
    [
        (r"^SO-\d{4}-\d{5}$", "SO-0000-00000", ("SO",)),
        (r"^#?W\d{7}$", "W0000000", ("W",)),
        (r"^(A|B)\d+$", "", ("A", "B")),
        (r"x|y", "", ()),
        (r"^[A-Z]{2}\d{6,8}$", "XX000000", ()),
    ],
)
def test_the_shape_of_a_pattern(pattern, shape, letters):
    assert (shape_of(pattern), leading_letters(pattern)) == (shape, letters)


@given(st.text(max_size=50))
def test_every_normalised_place_leads_back_to_the_original(text):
    utterance = Utterance(text)
    if utterance.text:
        words, start = utterance.source(0, len(utterance.text))
        assert text[start : start + len(words)] == words
    for index in range(len(utterance.text)):
        words, start = utterance.source(index, index + 1)
        assert words
        assert text[start : start + len(words)] == words
