"""The reducer: tiers, completeness, and what happens when something fails on the way."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reach.errors import ConfigError
from reach.ports import Deadline
from reach.reducer import Reducer
from reach.testing.clock import FakeClock
from reach.types import Caller, Payload

CAP = 4096 + 4096 + 1024
"""Bytes that no content may exceed: the inline data, the summary, and the fields around them."""


def rows_of(count: int, **extra: Any) -> list[dict[str, Any]]:
    return [{"id": number, "amount": number * 2, **extra} for number in range(count)]


# ------------------------------------------------------------------------------------------------ lists


@pytest.mark.parametrize("as_bytes", [True, False])
async def test_a_small_list_is_whole_and_needs_no_artifact(
    make_tool: Any, reduce: Any, shelf: Any, as_bytes: bool
) -> None:
    rows = rows_of(50)
    payload = Payload(body=json.dumps(rows).encode()) if as_bytes else Payload(data=rows)
    envelope = await reduce(shelf, make_tool(fields=["id", "amount"]), payload)
    structured = envelope.structured
    assert (structured.completeness, structured.data, structured.shown, structured.total) == ("complete", rows, 50, 50)
    assert (structured.artifact_ref, structured.fetch_hint, shelf.saved) == (None, None, {})
    assert json.loads(envelope.content) == {"completeness": "complete", "data": rows}
    assert structured.sizes["content"] == len(envelope.content.encode())


async def test_above_fifty_rows_the_first_five_and_statistics_over_all(make_tool: Any, reduce: Any, shelf: Any) -> None:
    rows = rows_of(51)
    envelope = await reduce(shelf, make_tool(fields=["id", "amount"]), Payload(data=rows))
    structured = envelope.structured
    assert (structured.completeness, structured.data, structured.shown, structured.total) == (
        "truncated",
        rows[:5],
        5,
        51,
    )
    assert structured.result_summary["fields"]["amount"] == {
        "type": "number", "count": 51, "nulls": 0, "min": 0, "max": 100, "mean": 50.0, "sum": 2550,
    }  # fmt: skip
    content = json.loads(envelope.content)
    assert (content["shown"], content["total"], content["data"]) == (5, 51, rows[:5])
    assert json.loads(shelf.saved[structured.artifact_ref]["body"]) == rows
    assert "fetch(artifact_ref, offset, limit)" in structured.fetch_hint
    assert f"reach fetch {structured.artifact_ref} --as WHO" in structured.fetch_hint


async def test_a_short_list_above_the_inline_size_is_aggregated_too(make_tool: Any, reduce: Any, shelf: Any) -> None:
    envelope = await reduce(shelf, make_tool(), Payload(data=rows_of(10, note="x" * 700)))
    structured = envelope.structured
    assert (structured.completeness, structured.shown, structured.total) == ("truncated", 5, 10)
    assert structured.result_summary["tier"] == "preview"
    assert structured.artifact_ref == "art_0"


async def test_only_as_many_rows_are_shown_as_fit_whole(make_tool: Any, reduce: Any) -> None:
    envelope = await reduce(None, make_tool(), Payload(data=rows_of(10, note="x" * 1500)))
    assert (envelope.structured.shown, envelope.structured.total) == (2, 10)
    assert [len(row["note"]) for row in envelope.structured.data] == [1500, 1500]


async def test_a_first_row_that_does_not_fit_is_cut_and_the_cut_is_a_field(make_tool: Any, reduce: Any) -> None:
    envelope = await reduce(None, make_tool(), Payload(data=rows_of(3, note="单" * 9000)))
    structured = envelope.structured
    assert (structured.completeness, structured.shown, structured.total) == ("truncated", 1, 3)
    (cut,) = structured.result_summary["cut"]
    assert (cut["path"], cut["of"], cut["unit"]) == ("note", 9000, "characters")
    assert set(structured.data[0]["note"]) == {"单"}
    assert len(structured.data[0]["note"]) == cut["kept"]


async def test_the_tier_is_artifact_above_fifty_kilobytes_or_a_thousand_rows(make_tool: Any, reduce: Any) -> None:
    tiers = [
        (await reduce(None, make_tool(), Payload(data=rows))).structured.result_summary["tier"]
        for rows in (rows_of(60), rows_of(1000), rows_of(1001), rows_of(100, note="x" * 600))
    ]
    assert tiers == ["inline", "preview", "artifact", "artifact"]


async def test_many_rows_that_the_tool_wants_whole_are_kept_as_well(make_tool: Any, reduce: Any, shelf: Any) -> None:
    envelope = await reduce(shelf, make_tool(list={"over": 5000}), Payload(data=[1] * 1500))
    assert (envelope.structured.completeness, envelope.structured.shown) == ("complete", 1500)
    assert envelope.structured.artifact_ref == "art_0"


async def test_the_sample_and_the_statistics_are_the_tools_own(make_tool: Any, reduce: Any) -> None:
    tool = make_tool(list={"over": 2, "sample": 0, "stats": ["amount"]})
    structured = (await reduce(None, tool, Payload(data=rows_of(3)))).structured
    assert (structured.shown, structured.total, structured.data) == (0, 3, [])
    assert list(structured.result_summary["fields"]) == ["amount"]


async def test_an_empty_list_is_complete(make_tool: Any, reduce: Any) -> None:
    structured = (await reduce(None, make_tool(fields=["id"]), Payload(body=b"[]"))).structured
    assert (structured.completeness, structured.shown, structured.total) == ("complete", 0, 0)
    assert "absent_fields" not in structured.result_summary


async def test_a_partial_payload_makes_the_total_a_lower_bound(make_tool: Any, reduce: Any) -> None:
    structured = (await reduce(None, make_tool(), Payload(data=rows_of(3), partial=True))).structured
    assert (structured.completeness, structured.shown, structured.total) == ("truncated", 3, 3)
    assert structured.result_summary["total_is_lower_bound"] is True
    assert "source itself" in structured.fetch_hint


async def test_a_declared_field_that_no_row_has_is_reported_to_host_and_model(make_tool: Any, reduce: Any) -> None:
    envelope = await reduce(None, make_tool(fields=["id", "colour"]), Payload(data=rows_of(2)))
    assert envelope.structured.result_summary["absent_fields"] == ["colour"]
    assert json.loads(envelope.content)["summary"]["absent_fields"] == ["colour"]


async def test_statistics_of_very_many_columns_give_way_and_say_so(make_tool: Any, reduce: Any) -> None:
    rows = [{f"column number {number}": n for number in range(60)} for n in range(60)]
    envelope = await reduce(None, make_tool(), Payload(data=rows))
    summary = envelope.structured.result_summary
    assert len(summary["fields"]) + summary["fields_left_out"] == 60
    assert len(envelope.content.encode()) <= CAP


# ------------------------------------------------------------------------------------------------ records, text, bytes


async def test_a_record_is_whole_where_it_fits(make_tool: Any, reduce: Any) -> None:
    structured = (await reduce(None, make_tool(fields=["a"]), Payload(body=b'{"a":{"b":1},"c":2}'))).structured
    assert (structured.data, structured.completeness, structured.total) == ({"a": {"b": 1}}, "complete", None)
    assert structured.sizes["raw"] == 19


async def test_a_wide_record_is_cut_on_value_boundaries(make_tool: Any, reduce: Any, shelf: Any) -> None:
    record = {"id": 7, "note": "单" * 5000, "items": [{"n": n} for n in range(3000)], "last": {"time": "t"}}
    structured = (await reduce(shelf, make_tool(), Payload(data=record))).structured
    assert structured.completeness == "truncated"
    assert (structured.data["id"], structured.data["last"]) == (7, {"time": "t"})
    assert structured.data["items"] == record["items"][: len(structured.data["items"])]
    assert {cut["path"]: cut["of"] for cut in structured.result_summary["cut"]} == {"note": 5000, "items": 3000}
    assert json.loads(shelf.saved["art_0"]["body"]) == record


@pytest.mark.parametrize("value", [5, "text", None, True, 1.5])
async def test_a_value_passes_where_nothing_is_whitelisted(make_tool: Any, reduce: Any, value: Any) -> None:
    structured = (await reduce(None, make_tool(), Payload(data=value))).structured
    assert (structured.data, structured.completeness) == (value, "complete")


async def test_a_value_has_none_of_the_whitelisted_fields(make_tool: Any, reduce: Any) -> None:
    structured = (await reduce(None, make_tool(fields=["a"]), Payload(data="secret text"))).structured
    assert (structured.data, structured.result_summary) == ({}, {"absent_fields": ["a"]})


async def test_a_whole_text_is_the_content_itself(make_tool: Any, reduce: Any) -> None:
    envelope = await reduce(
        None, make_tool(), Payload(body="第一行\n二".encode(), media_type="text/plain; charset=utf-8")
    )
    assert envelope.content == envelope.structured.data == "第一行\n二"
    assert envelope.structured.completeness == "complete"


async def test_a_long_text_is_cut_between_characters_and_kept(make_tool: Any, reduce: Any, shelf: Any) -> None:
    text = "订单,状态\n" * 1000
    envelope = await reduce(shelf, make_tool(), Payload(body=text.encode("gbk"), media_type="text/csv; charset=gbk"))
    structured = envelope.structured
    assert structured.completeness == "truncated"
    assert text.startswith(structured.data)
    assert 3500 < len(json.dumps(structured.data, ensure_ascii=False).encode()) <= 4096
    assert structured.result_summary["lines"] == 1001
    assert shelf.saved["art_0"]["body"].decode() == text
    assert json.loads(envelope.content)["data"] == structured.data


@pytest.mark.parametrize("result", [{"fields": ["a"]}, {"fields": "*", "redact": ["a"]}])
@pytest.mark.parametrize("media_type", ["text/html", "application/pdf"])
async def test_what_no_whitelist_or_mask_can_be_applied_to_is_withheld(
    make_tool: Any, reduce: Any, shelf: Any, result: dict[str, Any], media_type: str
) -> None:
    envelope = await reduce(
        shelf, make_tool(artifact="always", **result), Payload(body=b"secret", media_type=media_type)
    )
    assert "secret" not in envelope.content + repr(envelope.structured)
    assert envelope.structured.completeness == "partial_failed"
    assert envelope.structured.error.code == "result_withheld"
    assert shelf.saved == {}


async def test_binary_content_is_described_and_kept_never_shown(make_tool: Any, reduce: Any, shelf: Any) -> None:
    body = os.urandom(2000)
    envelope = await reduce(shelf, make_tool(), Payload(body=body, media_type="image/png"))
    structured = envelope.structured
    assert (structured.data, structured.completeness) == (None, "truncated")
    assert structured.result_summary == {"media_type": "image/png", "bytes": 2000, "binary": True}
    assert shelf.saved["art_0"]["body"] == body
    assert "reach artifacts export art_0" in structured.fetch_hint


@pytest.mark.parametrize("body", [b"<html>", b"", b"\xff\xfe", b"[1,", b"[" * 100_000])
async def test_what_is_not_json_is_unreadable_never_invented(make_tool: Any, reduce: Any, body: bytes) -> None:
    structured = (await reduce(None, make_tool(fields=["a"]), Payload(body=body))).structured
    assert structured.status == "succeeded"
    assert structured.completeness == "partial_failed"
    assert structured.data is None


async def test_a_byte_order_mark_and_another_charset_are_read(make_tool: Any, reduce: Any) -> None:
    marked = await reduce(None, make_tool(), Payload(body=b'\xef\xbb\xbf{"a":1}'))
    assert marked.structured.data == {"a": 1}
    chinese = Payload(body='{"a":"单"}'.encode("gbk"), media_type="application/problem+json; charset=GBK")
    assert (await reduce(None, make_tool(), chinese)).structured.data == {"a": "单"}


# ------------------------------------------------------------------------------------------------ saving


async def test_never_keeps_nothing_and_says_so(make_tool: Any, reduce: Any, shelf: Any) -> None:
    structured = (await reduce(shelf, make_tool(artifact="never"), Payload(data=rows_of(60)))).structured
    assert (structured.completeness, structured.artifact_ref, shelf.saved) == ("truncated", None, {})
    assert "not kept" in structured.fetch_hint


async def test_always_keeps_even_what_is_shown_whole(make_tool: Any, reduce: Any, shelf: Any) -> None:
    structured = (await reduce(shelf, make_tool(artifact="always"), Payload(data={"a": 1}))).structured
    assert (structured.completeness, structured.artifact_ref) == ("complete", "art_0")
    assert shelf.saved["art_0"]["body"] == b'{"a":1}'


async def test_what_is_kept_is_already_reduced(make_tool: Any, reduce: Any, shelf: Any) -> None:
    await reduce(shelf, make_tool(fields=["id"]), Payload(data=rows_of(60)))
    assert json.loads(shelf.saved["art_0"]["body"]) == [{"id": number} for number in range(60)]
    assert {key: shelf.saved["art_0"][key] for key in ("media_type", "session", "tool")} == {
        "media_type": "application/json", "session": "s_1", "tool": "list_orders",
    }  # fmt: skip


async def test_a_failed_save_degrades_to_preview_and_summary(make_tool: Any, reduce: Any, broken_shelf: Any) -> None:
    structured = (await reduce(broken_shelf, make_tool(), Payload(data=rows_of(60)), language="zh")).structured
    assert (structured.status, structured.completeness, structured.artifact_ref) == (
        "succeeded",
        "partial_failed",
        None,
    )
    assert (structured.shown, structured.total) == (5, 60)
    assert structured.result_summary["fields"]["amount"]["sum"] == 3540
    assert "未能保存" in structured.fetch_hint


async def test_a_failed_save_of_what_is_whole_leaves_it_complete(
    make_tool: Any, reduce: Any, broken_shelf: Any
) -> None:
    structured = (await reduce(broken_shelf, make_tool(artifact="always"), Payload(data={"a": 1}))).structured
    assert (structured.completeness, structured.data) == ("complete", {"a": 1})
    assert "could not be saved" in structured.fetch_hint


async def test_a_save_that_hangs_gets_only_its_share_of_the_time(
    make_tool: Any, reduce: Any, hanging_shelf: Any
) -> None:
    payload = Payload(data=rows_of(60))
    structured = (await asyncio.wait_for(reduce(hanging_shelf, make_tool(), payload, budget_ms=100), 5)).structured
    assert structured.completeness == "partial_failed"


async def test_without_time_nothing_is_saved_and_the_answer_is_still_there(
    make_tool: Any, reduce: Any, shelf: Any
) -> None:
    structured = (await reduce(shelf, make_tool(), Payload(data=rows_of(60)), budget_ms=0)).structured
    assert (structured.completeness, structured.shown, shelf.saved) == ("partial_failed", 5, {})


async def test_a_cancelled_save_is_a_cancelled_call(make_tool: Any, reduce: Any, hanging_shelf: Any) -> None:
    task = asyncio.ensure_future(reduce(hanging_shelf, make_tool(), Payload(data=rows_of(60)), budget_ms=60_000))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_changed_tool_is_compiled_anew(make_tool: Any, shelf: Any) -> None:
    reducer, deadline = Reducer(shelf), Deadline.after_ms(FakeClock(), 1000)
    for field in ("id", "amount"):
        envelope = await reducer.reduce(
            make_tool(fields=[field]),
            Payload(data=rows_of(1)),
            caller=Caller("u"),
            session="s",
            language="en",
            deadline=deadline,
        )
        assert list(envelope.structured.data[0]) == [field]


def test_a_bad_path_is_found_while_loading(make_tool: Any) -> None:
    with pytest.raises(ConfigError, match=r"items\[0\]"):
        Reducer(None).prepare([make_tool(fields=["items[0].name"])])


# ------------------------------------------------------------------------------------------------ any input

ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3000)
    | st.just("\ud800")
    | st.binary(max_size=20)
    | st.dates(),
    lambda inner: st.lists(inner, max_size=80) | st.dictionaries(st.text(max_size=300), inner, max_size=40),
    max_leaves=60,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=ANY, repeat=st.integers(1, 300), fields=st.sampled_from(["*", ["a", "b[].c"]]))
def test_content_is_valid_json_under_its_cap_for_any_data(
    make_tool: Any, reduce: Any, data: Any, repeat: int, fields: Any
) -> None:
    for value in (data, [data] * repeat, {"wide": [data] * repeat}):
        envelope = asyncio.run(reduce(None, make_tool(fields=fields), Payload(data=value)))
        content = json.loads(envelope.content)
        assert len(envelope.content.encode()) <= CAP
        assert content["completeness"] == envelope.structured.completeness
        assert content["data"] == json.loads(json.dumps(envelope.structured.data))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(max_size=200), media_type=st.sampled_from(["application/json", "text/plain", "x", "", "image/png"])
)
def test_no_bytes_make_the_reducer_fail(make_tool: Any, reduce: Any, body: bytes, media_type: str) -> None:
    envelope = asyncio.run(reduce(None, make_tool(), Payload(body=body, media_type=media_type)))
    assert envelope.structured.status == "succeeded"


# ------------------------------------------------------------------------------------------------ real documents

DATA = Path(os.environ.get("REACH_DATA", Path(__file__).parents[2] / "../shared/data")) / "bigjson"
DOCUMENTS = sorted(DATA.glob("*.json")) if DATA.is_dir() else []


@pytest.mark.data
@pytest.mark.skipif(not DOCUMENTS, reason=f"no documents in {DATA}; set REACH_DATA")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name[:30])
async def test_a_real_document_is_reduced_the_same_from_bytes_and_objects(
    make_tool: Any, reduce: Any, shelf: Any, path: Path
) -> None:
    body = await asyncio.to_thread(path.read_bytes)
    document = json.loads(body)
    from_bytes = await reduce(shelf, make_tool(), Payload(body=body))
    from_object = await reduce(shelf, make_tool(), Payload(data=document))
    assert from_bytes.structured.data == from_object.structured.data
    assert from_bytes.structured.result_summary == from_object.structured.result_summary
    assert from_bytes.structured.total == (len(document) if isinstance(document, list) else None)
    assert json.loads(shelf.saved["art_0"]["body"]) == document
    assert json.loads(from_bytes.content)["completeness"] == "truncated"
    assert len(from_bytes.content.encode()) <= CAP
