"""Answers: what a user reads of a result."""

from __future__ import annotations

from typing import Any

import pytest

from reach.reducer import answer_text
from reach.reducer.answer import readable
from reach.types import ErrorInfo, Payload, Structured


async def say(
    make_tool: Any, reduce: Any, data: Any, language: str = "en", warehouse: Any = None, **result: Any
) -> str:
    tool = make_tool(**result)
    payload = data if isinstance(data, Payload) else Payload(data=data)
    envelope = await reduce(warehouse, tool, payload, language=language)
    return answer_text(tool, envelope.structured, language)


async def test_a_template_is_filled_by_path(make_tool: Any, reduce: Any) -> None:
    data = {"id": "SO-1", "last": {"time": "2026-11-30T09:05:00Z"}, "items": [{"name": "lamp"}, {"name": "desk"}]}
    text = await say(make_tool, reduce, data, say="{id} at {last.time}: {items[].name} ({missing}, {id.deep})")
    assert text == "SO-1 at 2026-11-30 09:05 UTC: lamp, desk (-, -)"


async def test_a_template_has_a_text_for_each_language(make_tool: Any, reduce: Any) -> None:
    result = {"say": {"en": "{id} is {ok}", "zh": "{id}：{ok}"}}
    assert await say(make_tool, reduce, {"id": 1, "ok": True}, "zh", **result) == "1：是"
    assert await say(make_tool, reduce, {"id": 1, "ok": False}, "en", **result) == "1 is no"


@pytest.mark.parametrize("evil", ["{b}", "{0}", "{__class__}", "{b!r:>9}", "%s", "{{b}}", "\\1", "$b"])
async def test_braces_in_data_are_never_a_template(make_tool: Any, reduce: Any, evil: str) -> None:
    assert await say(make_tool, reduce, {"a": evil, "b": "SECRET"}, say="[{a}]") == f"[{evil}]"


@pytest.mark.parametrize("template", ["{a.__class__}", "{a[0]}", "{a!r}", "{a:>99}", "{__class__}"])
async def test_a_template_reaches_keys_and_nothing_else(make_tool: Any, reduce: Any, template: str) -> None:
    assert await say(make_tool, reduce, {"a": "text"}, say=f"<{template}>") == "<->"


async def test_a_list_is_numbered_and_its_scope_is_said(make_tool: Any, reduce: Any) -> None:
    rows = [{"id": f"SO-{n}", "amount": n * 1.5} for n in range(60)]
    text = await say(make_tool, reduce, rows, "zh", list={"stats": ["amount"], "sample": 2}, say="{id}")
    assert text.split("\n") == [
        "1. SO-0",
        "2. SO-1",
        "共 60 条，显示前 2 条。",
        "amount（统计范围：全部 60 条）：合计 2655，平均 44.25，最低 0，最高 88.5。",
    ]


async def test_a_whole_list_says_how_many_rows_it_does_not_show(make_tool: Any, reduce: Any) -> None:
    text = await say(make_tool, reduce, [{"id": n} for n in range(8)], say="no. {id}")
    assert text.split("\n")[-2:] == ["5. no. 4", "Showing 5 of 8."]
    text = await say(make_tool, reduce, [{"id": n} for n in range(3)], say="no. {id}")
    assert text == "1. no. 0\n2. no. 1\n3. no. 2"


async def test_a_single_row_is_not_numbered(make_tool: Any, reduce: Any) -> None:
    assert await say(make_tool, reduce, [{"id": 7}], say="no. {id}") == "no. 7"


async def test_a_lower_bound_is_not_called_all(make_tool: Any, reduce: Any) -> None:
    payload = Payload(data=[{"n": n} for n in range(60)], partial=True)
    text = await say(make_tool, reduce, payload, list={"stats": ["n"], "sample": 1}, say="{n}")
    assert text.split("\n") == [
        "1. 0",
        "Showing 1 of 60.",
        "n over the 60 that were returned: total 1770, average 29.5, lowest 0, highest 59.",
        "The result may be incomplete.",
    ]


async def test_statistics_of_each_kind_have_words(make_tool: Any, reduce: Any) -> None:
    rows = [{"day": f"2026-01-{n % 28 + 1:02}", "state": "ab"[n % 2], "ok": n < 10} for n in range(60)]
    text = await say(make_tool, reduce, rows, list={"stats": ["day", "state", "ok"], "sample": 0})
    assert text.split("\n") == [
        "Showing 0 of 60.",
        "day over all 60: from 2026-01-01, to 2026-01-28.",
        "state over all 60: a 30, b 30.",
        "ok over all 60: yes 10, no 50.",
    ]


async def test_where_the_rest_is_kept_is_said(make_tool: Any, reduce: Any, shelf: Any) -> None:
    text = await say(make_tool, reduce, [{"n": n} for n in range(60)], warehouse=shelf, say="{n}")
    assert text.split("\n")[-1] == "The whole result is kept as art_0."


async def test_nothing_found_has_the_tools_own_words(make_tool: Any, reduce: Any) -> None:
    for nothing in ([], None, {}):
        assert (
            await say(make_tool, reduce, nothing, "zh", empty={"en": "No orders.", "zh": "没有订单。"}) == "没有订单。"
        )
        assert await say(make_tool, reduce, nothing) == "Nothing was found."


async def test_a_write_without_a_result_is_done(make_tool: Any, reduce: Any) -> None:
    tool = {"side_effect": "write", "title": {"en": "Create ticket", "zh": "创建工单"}}
    assert await say(make_tool, reduce, None, "zh", tool=tool) == "创建工单：已完成。"


async def test_without_a_template_everything_is_listed(make_tool: Any, reduce: Any) -> None:
    assert await say(make_tool, reduce, {"id": 1, "tags": ["a", "b"], "x": {"y": None}}) == "id: 1\ntags: a, b\nx: y: -"
    assert (
        await say(make_tool, reduce, [{"a": 1, "b": 2.0}, {"a": 3, "b": 4.5}], "zh") == "1. a：1，b：2\n2. a：3，b：4.5"
    )
    assert await say(make_tool, reduce, 42) == "42"
    assert await say(make_tool, reduce, "今天是星期一") == "今天是星期一"


async def test_a_cut_text_or_record_says_that_it_is_cut(make_tool: Any, reduce: Any) -> None:
    text = await say(make_tool, reduce, Payload(data="x" * 9000, media_type="text/plain"))
    assert text.split("\n")[-1] == "Showing the beginning only."
    assert (await say(make_tool, reduce, {"a": "x" * 9000}, say="ok")).split("\n") == [
        "ok",
        "The result may be incomplete.",
    ]


async def test_an_unreadable_result_is_never_called_empty(make_tool: Any, reduce: Any) -> None:
    assert await say(make_tool, reduce, Payload(body=b"<html>")) == "The result could not be read."
    assert await say(make_tool, reduce, Payload(body=b"\x00\x01", media_type="image/png")) == (
        "The result is a file (image/png, 2 bytes)."
    )


def test_a_replayed_result_says_that_nothing_was_done_twice(make_tool: Any) -> None:
    text = answer_text(make_tool(say="{id}"), Structured(status="succeeded", data={"id": 1}, replayed=True), "en")
    assert text == "1\n(This was already done; nothing was done twice.)"


def test_a_result_that_did_not_succeed_gives_its_error(make_tool: Any) -> None:
    failed = Structured(status="failed", error=ErrorInfo("x", "It broke."))
    assert answer_text(make_tool(), failed, "en") == "It broke."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1234567, "1234567"),
        (12.50, "12.5"),
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        ("2026-11-30T09:05:07+08:00", "2026-11-30 09:05:07 UTC+08:00"),
        ("2026-11-30T09:05", "2026-11-30 09:05"),
        ("2026-11-30", "2026-11-30"),
        ("2026-99-30T09:05", "2026-99-30T09:05"),
        (None, "-"),
        ([], "-"),
    ],
)
def test_values_are_readable(value: Any, shown: str) -> None:
    assert readable(value, "en") == shown
