"""What a tool masks is in no file of Reach, in no answer, and in no trace: the files are searched byte by byte."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reach import Reach
from reach.types import to_json
from tests.agent import LI, make_agent
from tests.attacks import hands

CANARY = "canary-4111-1111"
HIDDEN = "unlisted-9f3c"

TOOLS = r"""
version: 1
runtime: {state: "sqlite:///state.db", artifacts: {blobs: "file://blobs"}}
backends: {shop: {kind: sql, url: "sqlite:///shop.db"}}
tools:
  - name: read_cards
    description: Cards.
    side_effect: read_only
    cache: {ttl_s: 60}
    parameters: {kind: {type: string}}
    adapter: {function: "tests.attacks.hands:shaped"}
    result:
      fields: [id, 'people[].name', 'people[].cards[].number', 'people[].cards[].bank', rows]
      redact: ['people[].cards[].number', 'rows[].number']
      artifact: always
  - name: write_cards
    description: Cards.
    side_effect: write
    parameters: {kind: {type: string}}
    adapter: {function: "tests.attacks.hands:shaped"}
    result:
      fields: [id, 'people[].name', 'people[].cards[].number', 'people[].cards[].bank', rows]
      redact: ['people[].cards[].number', 'rows[].number']
      artifact: always
  - name: find_card
    title: Find a card
    description: The card of a number.
    examples: [find card number 1234]
    side_effect: read_only
    parameters: {number: {type: string, pattern: '^canary-\d{4}-\d{4}$', resource: card}}
    adapter: {backend: shop, statement: "SELECT :number AS number, 1 AS id"}
    result: {fields: [id, number], redact: [number]}
"""

POLICIES = """
version: 1
ownership: {card: {backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND customer_id = :caller_id"}}
rules: [{id: all, allow: {roles: [customer], tools: [read_cards, write_cards, find_card]}}]
"""

SHAPES = {
    "nested": {
        "id": 1,
        "secret": HIDDEN,
        "people": [{"name": "李", "cards": [[{"number": CANARY, "bank": "b", "pin": HIDDEN}]]}],
    },
    "rows": [{"id": n, "rows": [{"number": CANARY, "x": "y"}], "secret": HIDDEN} for n in range(200)],
    "scalar where a list is": {"id": 1, "people": [{"name": "李", "cards": CANARY}], "rows": CANARY},
    "big": {"id": "x" * 100_000, "people": [{"cards": [{"number": CANARY * 1000}]}]},
    "surrogates": {"id": "\ud800", "people": [{"cards": [{"number": "\ud800" + CANARY}]}]},
    "huge numbers": {"id": 10**400, "people": [{"cards": [{"number": CANARY}]}]},
}


def everything_in(folder: Path) -> bytes:
    """All bytes of all files that Reach wrote."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".yaml", ".py")]
    files = [path for path in files if not path.name.startswith("shop.db")]
    return b"\n".join(path.read_bytes() for path in files)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hands, "SHAPES", SHAPES)
    make_agent(tmp_path, tools=TOOLS, policies=POLICIES)
    return tmp_path


@pytest.mark.parametrize("kind", SHAPES)
async def test_masked_and_unlisted_fields_reach_no_answer_and_no_file(folder: Path, kind: str) -> None:
    async with Reach.load(folder / "tools.yaml") as reach:
        for tool in ("read_cards", "write_cards"):
            results = [await reach.call(tool, {"kind": kind}, caller=LI, session="s", turn="t") for _ in range(2)]
            assert [result.status for result in results] == ["succeeded", "succeeded"]
            first, second = (result.envelope.structured.data for result in results)
            assert first == second  # from the backend, and from the cache or the ledger
            ref = results[0].envelope.structured.artifact_ref
            page = (await reach.fetch(ref, caller=LI, limit=500_000)).text if ref else ""
            told = json.dumps([to_json(results), await reach.why(results[0].call_id)]) + page
            assert CANARY not in told
            assert HIDDEN not in told
    written = everything_in(folder)
    assert written
    assert CANARY.encode() not in written
    assert HIDDEN.encode() not in written


async def test_the_tail_that_masking_leaves_is_the_same_from_the_cache_and_the_ledger(folder: Path) -> None:
    async with Reach.load(folder / "tools.yaml") as reach:
        for tool in ("read_cards", "write_cards"):
            for _ in range(2):
                result = await reach.call(tool, {"kind": "nested"}, caller=LI, session="s", turn="t")
                card = result.envelope.structured.data["people"][0]["cards"][0][0]
                assert card == {"number": "***1111", "bank": "b"}


async def test_a_masked_value_that_the_user_said_is_in_no_audit_and_no_trace(folder: Path) -> None:
    async with Reach.load(folder / "tools.yaml") as reach:
        asked = await reach.ask(f"find card number {CANARY}", caller=LI, session="s")
        denied = await reach.call("find_card", {"number": CANARY}, caller=LI, session="s")
        invalid = await reach.call("find_card", {"number": CANARY + "x"}, caller=LI, session="s")
        assert (asked.kind, denied.status, invalid.status) == ("denied", "denied", "invalid")
        for one in (asked.turn, denied.call_id, invalid.call_id):
            trace = await reach.why(one)
            assert trace
            assert CANARY not in json.dumps(trace)
    with closing(sqlite3.connect(folder / "state.db")) as db:
        records = [row[0] for row in db.execute("SELECT record FROM audit")]
    assert len(records) == 2
    assert CANARY not in "".join(records)


async def test_a_password_of_a_backend_is_in_no_file_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("SHOP_PASSWORD", CANARY)
    tools = """
    version: 1
    runtime: {state: "sqlite:///state.db", artifacts: {blobs: "file://blobs"}}
    credentials: {shop_password: {kind: password, env: SHOP_PASSWORD}}
    backends: {shop: {kind: sql, url: "postgresql://u@127.0.0.1:1/db", credential: shop_password}}
    tools:
      - name: read
        description: d
        side_effect: read_only
        retry: {attempts: 1}
        parameters: {}
        adapter: {backend: shop, statement: "SELECT 1 AS one"}
        result: {fields: "*"}
    """
    policies = "version: 1\nrules: [{id: all, allow: {roles: [customer], tools: [read]}}]\n"
    async with Reach.load(make_agent(tmp_path, tools=tools, policies=policies)) as reach:
        result = await reach.call("read", {}, caller=LI)
        assert result.status == "failed"
        assert CANARY not in json.dumps([to_json(result), await reach.why(result.call_id)])
    assert CANARY.encode() not in everything_in(tmp_path)
