"""What holds for every utterance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.router.arguments import check_arguments
from tests.router.fill_tools import ORDER, PERIOD, TICKET, read

WORDS = (
    "SO-2024-00017|so-20-17|1234|上周|last week|3月5日|2月30日|from|to|到|从|between|and|5|半|俩|三百二十|1.5万|元|"
    '分钟|hours|half past two|下午3点|明天|“屏幕碎了”|"x"|标题：|because|因为|不|not|urgent|加急|late|迟到|Alex|张伟|'
    "a@b.co|2024/3/5|３／４|½|ﷺ|e\u0301|\ud800|13800138000|top|前|个|,|。|？|0001-01-01|9999-12-31|99999999999999999999|"
    "1e400|vip|fragile|年|月|日|号|最近|过去|天|周|in 9999 years"
)
PIECES = st.sampled_from(WORDS.split("|"))
UTTERANCE = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="年月日号点半周上下前后到至0123456789一二三十百万-/:. aptfromin", max_size=40),
    st.lists(PIECES, max_size=12).map(" ".join),
    st.lists(PIECES, max_size=12).map("".join),
)
TOOLS = [ORDER, PERIOD, TICKET]


@pytest.mark.parametrize("tool", TOOLS, ids=["order", "period", "ticket"])
@given(query=UTTERANCE, asked=st.integers(min_value=-1, max_value=8))
@settings(max_examples=250, deadline=None)
def test_any_utterance_gives_valid_values_with_exact_spans(tool, query, asked):
    names = list(tool.parameters)
    found = read(tool, query, asked=names[asked % len(names)] if asked >= 0 else None)
    assert set(found.values) == set(found.provenance)
    for name, origin in found.provenance.items():
        if origin.source == "user":
            assert origin.text
            assert query[origin.start : origin.start + len(origin.text)] == origin.text, name
    checked = check_arguments(tool, found.values)
    assert not checked.invalid
    assert {name: checked.values[name] for name in found.values} == dict(found.values)
    settled = {*found.values, *found.invalid, *found.ambiguous}
    for name, parameter in tool.parameters.items():
        assert (name in found.missing) <= (name not in settled)
        assert not parameter.required or name in settled or name in found.missing


@given(query=UTTERANCE)
@settings(max_examples=250, deadline=None)
def test_two_parameters_share_words_only_as_the_two_ends_of_one_period(query):
    for tool in TOOLS:
        found = read(tool, query)
        spans = [
            (p.start, p.start + len(p.text), name)
            for name, p in found.provenance.items()
            if p.source == "user" and name not in {"to_date", "tags"}
        ]
        for first in spans:
            for second in spans:
                assert first is second or first[1] <= second[0] or second[1] <= first[0]


@given(query=UTTERANCE)
@settings(max_examples=100, deadline=None)
def test_choices_are_several_and_each_would_be_accepted(query):
    for tool in TOOLS:
        for name, choices in read(tool, query).ambiguous.items():
            assert len(choices) > 1
            assert all(not check_arguments(tool, {name: c.value}).invalid for c in choices)
