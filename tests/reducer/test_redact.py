"""Masking: a redacted value is in nothing that leaves the reducer."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.reducer import answer_text
from reach.reducer.paths import compile_projection
from reach.reducer.redact import compile_redaction, hide, mask, touches
from reach.types import Payload


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("13800138000", "***8000"),
        ("123456789", "***89"),
        ("12345678", "***"),
        ("", "***"),
        (13800138000, "***"),
        (True, "***"),
        ({"a": 1}, "***"),
    ],
)
def test_only_long_strings_keep_a_tail(value: Any, shown: str) -> None:
    assert hide(value) == shown


def test_paths_mask_inside_objects_and_lists_and_null_stays_null() -> None:
    tree = compile_redaction(["phone", "address.line", "contacts[].email", "tags"])
    data = {
        "phone": None,
        "address": [{"line": "1 Long Street", "city": "X"}],
        "contacts": [{"email": "someone@example.org"}, {"name": "n"}],
        "tags": ["short", "quite a long tag"],
        "id": 1,
    }
    assert mask(data, tree) == {
        "phone": None,
        "address": [{"line": "***reet", "city": "X"}],
        "contacts": [{"email": "***.org"}, {"name": "n"}],
        "tags": ["***", "*** tag"],
        "id": 1,
    }
    assert data["address"] == [{"line": "1 Long Street", "city": "X"}]


def test_a_scalar_in_place_of_an_object_with_masked_parts_is_masked() -> None:
    assert mask({"address": '{"line": "secret"}'}, compile_redaction(["address.line"]))["address"].startswith("***")


def test_a_column_is_masked_with_its_parents_and_children() -> None:
    tree = compile_redaction(["a.b"])
    assert [touches(tree, keys) for keys in [("a",), ("a", "b"), ("a", "b", "c"), ("a", "x"), ("b",)]] == [
        True, True, True, False, False,
    ]  # fmt: skip
    assert not touches(compile_redaction([]), ("a",))


SECRET = "s3cr3t-0123456789-tail"


@pytest.mark.parametrize("as_bytes", [True, False])
@pytest.mark.parametrize("fields", ["*", ["id", "phone", "deep", "amount"], ["id", "deep.list[].phone", "amount"]])
@pytest.mark.parametrize("count", [1, 3, 300])
async def test_a_redacted_value_is_nowhere(
    make_tool: Any, reduce: Any, shelf: Any, fields: Any, count: int, *, as_bytes: bool
) -> None:
    tool = make_tool(
        fields=fields,
        redact=["phone", "deep.list[].phone", "amount"],
        list={"stats": ["id", "phone", "amount", "deep.list[].phone"]},
        artifact="always",
        say="{id} {phone} {amount} {deep.list.phone}",
    )
    rows = [
        {"id": n, "phone": SECRET, "amount": 987654.25, "deep": {"list": [{"phone": SECRET}]}, "other": "x"}
        for n in range(count)
    ]
    payload = Payload(body=json.dumps(rows).encode()) if as_bytes else Payload(data=rows)
    envelope = await reduce(shelf, tool, payload)
    kept = shelf.saved["art_0"]
    everything = (
        envelope.content
        + repr(envelope.structured)
        + kept["body"].decode()
        + repr(kept["summary"])
        + answer_text(tool, envelope.structured, "en")
    )
    assert SECRET[:-4] not in everything
    assert "987654" not in everything
    assert list(envelope.structured.result_summary["fields"]) == ["id"]
    assert rows[0]["phone"] == SECRET


@settings(max_examples=200, deadline=None)
@given(
    data=st.recursive(
        st.none() | st.just(SECRET),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=3),
        max_leaves=10,
    )
)
def test_nothing_at_or_below_a_redacted_key_survives_for_any_shape(data: Any) -> None:
    tree = compile_redaction(["a"])
    projection = compile_projection(["a", "b"])
    for value in ({"a": data}, [{"a": data}]):
        for projected in (projection.of_object(value), projection.of_bytes(json.dumps(value))):
            assert SECRET not in json.dumps(msgspec.to_builtins(mask(projected, tree)))
