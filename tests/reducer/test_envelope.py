"""Envelopes on the wire."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from reach.reducer import (
    confirm_envelope,
    envelope_json,
    envelope_schema,
    error_envelope,
    openai_message,
    replayed,
)
from reach.types import Envelope, ErrorInfo, Payload

ERROR = ErrorInfo("denied", "Not yours.", hint="Ask for your own.")


@pytest.mark.parametrize("status", ["failed", "denied", "invalid", "unknown"])
def test_an_error_is_told_to_model_and_host_alike(status: Any) -> None:
    envelope = error_envelope(status, ERROR)
    assert json.loads(envelope.content) == {
        "status": status,
        "error": {"code": "denied", "message": "Not yours.", "retryable": False, "hint": "Ask for your own."},
    }
    assert (envelope.structured.status, envelope.structured.error) == (status, ERROR)


def test_a_confirmation_shows_what_will_run() -> None:
    envelope = confirm_envelope("c_1", "create_ticket", {"title": "坏了"}, "请确认")
    assert json.loads(envelope.content) == {
        "status": "confirm",
        "confirmation_id": "c_1",
        "tool": "create_ticket",
        "arguments": {"title": "坏了"},
        "message": "请确认",
    }
    assert envelope.structured.status == "confirm"


async def test_an_openai_message_carries_the_content(make_tool: Any, reduce: Any) -> None:
    envelope = await reduce(None, make_tool(), Payload(data={"a": 1}))
    assert openai_message(envelope, "call_1") == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": '{"completeness":"complete","data":{"a":1}}',
    }


async def test_every_kind_of_envelope_fits_the_schema(make_tool: Any, reduce: Any, shelf: Any) -> None:
    validator = jsonschema.Draft202012Validator(envelope_schema())
    validator.check_schema(envelope_schema())
    payloads = [
        Payload(data=[{"a": n} for n in range(100)]),
        Payload(data={"a": "x" * 9000}),
        Payload(body=b"text", media_type="text/plain"),
        Payload(body=b"\x00", media_type="image/png"),
        Payload(body=b"{"),
        Payload(),
    ]
    envelopes = [await reduce(shelf, make_tool(), payload) for payload in payloads]
    envelopes += [error_envelope("unknown", ERROR), confirm_envelope("c", "t", {}, "?"), replayed(envelopes[0])]
    for envelope in envelopes:
        validator.validate(json.loads(json.dumps(envelope_json(envelope))))


@pytest.mark.parametrize(
    "broken",
    [
        {"content": 1, "structured": {"status": "succeeded"}},
        {"content": "", "structured": {"status": "maybe"}},
        {"content": "", "structured": {"status": "failed", "completeness": "whole"}},
        {"content": ""},
    ],
)
def test_the_schema_refuses_what_is_no_envelope(broken: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, envelope_schema())


async def test_a_replayed_result_says_so_to_model_and_host(make_tool: Any, reduce: Any) -> None:
    envelope = replayed(await reduce(None, make_tool(), Payload(data={"a": 1})))
    assert envelope.structured.replayed
    assert json.loads(envelope.content) == {"completeness": "complete", "data": {"a": 1}, "replayed": True}
    text: Envelope = replayed(await reduce(None, make_tool(), Payload(data="just text", media_type="text/plain")))
    assert (text.content, text.structured.replayed) == ("just text", True)
