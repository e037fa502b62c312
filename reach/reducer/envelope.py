"""Envelopes: what the model reads beside what the host may act on, and their forms on the wire.

Rule: `content` and `structured` say the same. `content` is a JSON object with the facts a model needs, or, for a whole
text, the text itself; completeness is a field there too, never a sentence inside the data.

    {"completeness": "truncated", "shown": 5, "total": 1200, "data": [...], "summary": {...}, "artifact_ref": "art_...",
     "fetch_hint": "..."}
    {"status": "denied", "error": {"code": "denied", "message": "...", "retryable": false, "hint": ""}}
    {"status": "confirm", "confirmation_id": "...", "tool": "...", "arguments": {...}, "message": "..."}
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from reach.reducer.preview import encode
from reach.types import Envelope, ErrorInfo, Structured, to_json

ErrorStatus = Literal["failed", "denied", "invalid", "unknown"]


def render(structured: Structured, *, plain_text: bool = False) -> Envelope:
    """The envelope of a result. `sizes.content` is filled in here. `plain_text`: the data is the content."""
    content = structured.data if plain_text else encode(_facts(structured)).decode()
    sizes = {**structured.sizes, "content": len(content.encode())}
    return Envelope(content, replace(structured, sizes=sizes))


def _facts(structured: Structured) -> dict[str, Any]:
    facts: dict[str, Any] = {"completeness": structured.completeness}
    if structured.completeness != "complete" and structured.total is not None:
        facts |= {"shown": structured.shown, "total": structured.total}
    facts["data"] = structured.data
    summary = structured.result_summary
    if summary and (structured.completeness != "complete" or "absent_fields" in summary):
        facts["summary"] = summary
    for name in ("artifact_ref", "fetch_hint"):
        if value := getattr(structured, name):
            facts[name] = value
    if structured.error is not None:
        facts["error"] = to_json(structured.error)
    if structured.replayed:
        facts["replayed"] = True
    return facts


def replayed(envelope: Envelope) -> Envelope:
    """The same envelope, marked as the result of an earlier run of the same call."""
    marked = replace(envelope, structured=replace(envelope.structured, replayed=True))
    try:
        facts = json.loads(envelope.content)
    except ValueError:
        return marked
    if not isinstance(facts, dict):
        return marked
    return replace(marked, content=encode({**facts, "replayed": True}).decode())


def error_envelope(status: ErrorStatus, error: ErrorInfo) -> Envelope:
    """The envelope of a call without a result: `failed`, `denied`, `invalid`, or `unknown` (it may have happened)."""
    content = encode({"status": status, "error": to_json(error)}).decode()
    sizes = {"raw": 0, "content": len(content.encode())}
    return Envelope(content, Structured(status=status, error=error, sizes=sizes))


def confirm_envelope(confirmation_id: str, tool: str, arguments: Mapping[str, Any], text: str) -> Envelope:
    """The envelope of a write that waits for a yes; `text` is what the user is asked."""
    shown = {"confirmation_id": confirmation_id, "tool": tool, "arguments": to_json(arguments)}
    content = encode({"status": "confirm", **shown, "message": text}).decode()
    sizes = {"raw": 0, "content": len(content.encode())}
    return Envelope(content, Structured(status="confirm", data=shown, sizes=sizes))


def openai_message(envelope: Envelope, tool_call_id: str) -> dict[str, str]:
    """The message that answers one tool call of an OpenAI-compatible chat completion."""
    return {"role": "tool", "tool_call_id": tool_call_id, "content": envelope.content}


def envelope_json(envelope: Envelope) -> dict[str, Any]:
    """The envelope as plain JSON data: `{"content": ..., "structured": {...}}`, as `envelope_schema` describes it."""
    return to_json(envelope)


def envelope_schema() -> dict[str, Any]:
    """The JSON Schema of an envelope."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Envelope)}
