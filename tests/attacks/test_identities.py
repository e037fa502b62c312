"""Nobody is taken for somebody else: look-alike ids, other tenants, other sessions, and names of any characters."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from reach import Caller, Reach
from reach.errors import ArtifactError
from reach.types import to_json
from tests.agent import LI, TOOLS, make_agent, tickets_of
from tests.attacks.agents import ON_FILES, shop

WRITTEN_APART = unicodedata.normalize("NFD", "é")
WRITTEN_TOGETHER = unicodedata.normalize("NFC", "é")

LOOK_ALIKES = [
    (Caller(WRITTEN_TOGETHER, roles={"customer"}), Caller(WRITTEN_APART, roles={"customer"})),
    (Caller("u1", roles={"customer"}), Caller("U1", roles={"customer"})),
    (Caller("u1", roles={"customer"}), Caller("u１", roles={"customer"})),
    (Caller("u1", roles={"customer"}), Caller("u1\u200b", roles={"customer"})),
    (Caller("u1", roles={"customer"}), Caller("u1", roles={"customer"}, tenant="t2")),
    (Caller("b:c", roles={"customer"}, tenant="a"), Caller("c", roles={"customer"}, tenant="a:b")),
    (Caller("u1", roles={"customer"}, tenant="\ud800"), Caller("u1", roles={"customer"}, tenant="?")),
]
ANYONE = """
version: 1
ownership: {order: {anyone: true}}
rules:
  - {id: see, allow: {roles: [customer], tools: [order_status, order_archive]}}
  - {id: yes-first, confirm: {roles: [customer], tools: [open_ticket]}}
"""
LIMITED = ON_FILES.replace(
    "    side_effect: read_only\n", "    side_effect: read_only\n    rate_limit: {per_caller: 1/day}\n"
)


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
async def test_what_is_ones_is_not_the_others(tmp_path: Path, one: Caller, other: Caller) -> None:
    tools = shop(tmp_path, rows=200, tools=LIMITED, policies=ANYONE)
    async with Reach.load(tools) as reach:
        asked = await reach.ask("SO-0001 坏了，我要报修", caller=one, session="s", turn="t")
        assert asked.kind == "confirm"
        for session in ("s", "other"):
            stolen = await reach.confirm(asked.confirmation_id, caller=other, session=session)  # type: ignore[attr-defined]
            assert stolen.status == "invalid"
        assert (await reach.ask("好的", caller=other, session="s")).kind != "answer"
        assert tickets_of(tmp_path) == []
        assert (await reach.ask("好的", caller=one, session="s")).kind == "answer"
        same = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=other, session="s", turn="t")
        assert (same.status, same.envelope.structured.replayed) == ("confirm", False)
        for who in (one, other):  # each has a limit of their own
            assert (await reach.call("order_status", {"order_id": "SO-0001"}, caller=who)).status == "succeeded"
        assert (await reach.call("order_status", {"order_id": "SO-0001"}, caller=one)).status == "failed"
        if "\ud800" not in one.tenant:  # no store of artifacts can hold such an owner; it says that nothing was saved
            ref = (await reach.call("order_archive", {}, caller=one)).envelope.structured.artifact_ref or ""
            with pytest.raises(ArtifactError) as foreign:
                await reach.fetch(ref, caller=other)
            assert foreign.value.code == "not_found"


async def test_a_confirmation_of_another_session_is_none(tmp_path: Path) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="a")
        assert (await reach.confirm(asked.confirmation_id or "", caller=LI, session="b")).status == "invalid"
        assert (await reach.confirm(asked.confirmation_id or "", caller=LI, session="a")).status == "succeeded"


@pytest.mark.parametrize(
    "value",
    ["SO-０００１", "SО-0001", "so-0001", "SO-0001\u200b", "SO-0001\n", "SO-0001\0", "\u202eSO-0001", " SO-0001"],
)
@pytest.mark.parametrize("pattern", [True, False])
async def test_a_value_that_only_looks_like_ones_own_is_refused(tmp_path: Path, value: str, pattern: bool) -> None:
    tools = TOOLS if pattern else TOOLS.replace(r"        pattern: '^SO-\d{4}$'" + "\n", "")
    async with Reach.load(make_agent(tmp_path, tools=tools)) as reach:
        result = await reach.call("order_status", {"order_id": value}, caller=LI)
    assert result.status in ("invalid", "denied")
    assert "shipped" not in json.dumps(to_json(result))


NAMES = [
    "会话😀",
    "\ud800",
    "\u202eabc\u202c",
    "a\0b",
    "\u200b",
    "'; DROP TABLE ledger;--",
    "../../etc",
    "x" * 10_000,
    "{0}%s",
]


@pytest.mark.parametrize("name", NAMES)
async def test_names_of_any_characters_work_as_names(tmp_path: Path, name: str) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        who = Caller("u1", roles={"customer"}, tenant=name, claims={"locale": name, "zoneinfo": name, "x": [name]})
        asked = await reach.ask("SO-0001 坏了，我要报修", caller=who, session=name, turn=name)
        assert (asked.kind, asked.turn, asked.session) == ("confirm", name, name)
        assert (await reach.why(name) or {})["turn"][:8000] == name[:8000]
        assert (await reach.ask("好的", caller=who, session=name)).kind == "answer"
        again = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=who, session=name, idempotency_key=name)
        assert again.status in ("succeeded", "confirm")
        assert (await reach.confirm(name, caller=who, session=name)).status == "invalid"
        with pytest.raises(ArtifactError):
            await reach.fetch(name, caller=who)
    assert tickets_of(tmp_path) == ["SO-0001"]
