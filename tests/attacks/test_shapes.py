"""Results of every shape: a first answer and its repetition from the cache or the ledger say the same."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from reach import Reach
from reach.types import Payload, to_json
from tests.agent import LI, make_agent
from tests.attacks import hands

TOOLS = """
version: 1
runtime: {state: "sqlite:///state.db", artifacts: {blobs: "file://blobs"}}
tools:
  - name: read
    description: d
    side_effect: read_only
    cache: {ttl_s: 60}
    parameters: {kind: {type: string}}
    adapter: {function: "tests.attacks.hands:shaped"}
    result: {fields: "*", say: "{a} and {kind}"}
  - name: write
    description: d
    examples: [shape braces]
    side_effect: write
    parameters: {kind: {type: string, enum: [braces], required: false}}
    adapter: {function: "tests.attacks.hands:shaped"}
    result: {fields: "*", say: "{a} and {kind}"}
"""
POLICIES = "version: 1\nrules: [{id: all, allow: {roles: [customer], tools: [read, write]}}]\n"

SHAPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    # what comes back, and (completeness, shown, total, artifact?)
    "nothing": (None, ("complete", None, None, False)),
    "no rows": ([], ("complete", 0, 0, False)),
    "one row": ([{"a": 1}], ("complete", 1, 1, False)),
    "fifty rows": ([{"a": n} for n in range(50)], ("complete", 50, 50, False)),
    "one row too many": ([{"a": n} for n in range(51)], ("truncated", 5, 51, True)),
    "just inline": ({"a": "x" * (4096 - 8)}, ("complete", None, None, False)),
    "just not inline": ({"a": "x" * (4097 - 8)}, ("truncated", None, None, True)),
    "a megabyte in one text": ({"a": "好" * 350_000}, ("truncated", None, None, True)),
    "lists in lists": ({"a": hands.nested(200)}, ("complete", None, None, False)),
    "numbers that are none": ({"a": math.nan, "b": [-math.inf], "c": Decimal("NaN")}, ("complete", None, None, False)),
    "bytes inside": ({"a": b"\xff"}, ("complete", None, None, False)),
    "rows of all kinds": ([{"a": 1}, [1], "x", None, 3], ("complete", 5, 5, False)),
    "a key twice": (Payload(body=b'{"a": 1, "a": 2}'), ("complete", None, None, False)),
    "odd names": ({"a.b": 1, "c[]": 2, "😀": 3, "": 4}, ("complete", None, None, False)),
    "half a surrogate": ({"\ud800": "\udfff"}, ("complete", None, None, False)),
    "a number of 400 digits": ({"a": 10**399}, ("complete", None, None, False)),
    "no JSON after all": (Payload(body=b'{"a":'), ("partial_failed", None, None, False)),
    "braces": ({"a": "{kind} {0} {a.__class__} %s", "kind": "{a}"}, ("complete", None, None, False)),
}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hands, "SHAPES", {kind: shape for kind, (shape, _) in SHAPES.items()})
    return make_agent(tmp_path, tools=TOOLS.replace(", enum: [braces]", ""), policies=POLICIES)


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("tool", ["read", "write"])
async def test_a_result_is_said_the_same_from_the_backend_and_from_a_store(tools: Path, tool: str, kind: str) -> None:
    async with Reach.load(tools) as reach:
        first, second = [await reach.call(tool, {"kind": kind}, caller=LI, session="s", turn="t") for _ in range(2)]
    again = 1 if tool == "read" and kind == "no JSON after all" else 0  # what can't be read is not cached
    assert (first.status, second.status, second.attempts) == ("succeeded", "succeeded", again)
    for result in (first, second):
        structured = result.envelope.structured
        assert (
            structured.completeness,
            structured.shown,
            structured.total,
            structured.artifact_ref is not None,
        ) == SHAPES[kind][1]
        json.dumps(to_json(result)).encode()
        result.envelope.content.encode()
    assert first.envelope.structured.data == second.envelope.structured.data
    assert first.envelope.structured.error == second.envelope.structured.error


@pytest.mark.parametrize("shape", [hands.nested(1000), object(), {(1, 2): 3}])
async def test_a_result_that_is_no_data_fails_a_read_and_leaves_a_write_unknown(
    tools: Path, monkeypatch: pytest.MonkeyPatch, shape: Any
) -> None:
    monkeypatch.setitem(hands.SHAPES, "odd", shape)
    async with Reach.load(tools) as reach:
        assert (await reach.call("read", {"kind": "odd"}, caller=LI)).status == "failed"
        for _ in range(2):
            assert (await reach.call("write", {"kind": "odd"}, caller=LI, session="s")).status == "unknown"


async def test_data_is_never_read_as_a_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hands, "SHAPES", {"braces": SHAPES["braces"][0]})
    async with Reach.load(make_agent(tmp_path, tools=TOOLS, policies=POLICIES)) as reach:
        outcome = await reach.ask("shape braces", caller=LI, session="s")
    assert outcome.text == "{kind} {0} {a.__class__} %s and {a}"
