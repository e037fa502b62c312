"""Governed calls for hosts with a loop of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reach import Caller, Reach
from reach.errors import ArtifactError
from tests.agent import EMMA, LI, STAFF, make_agent, tickets_of


@pytest.fixture
async def reach(tmp_path: Path) -> AsyncIterator[Reach]:
    async with Reach.load(make_agent(tmp_path, rows=3000)) as loaded:
        yield loaded


async def test_a_call_returns_the_reduced_result(reach: Reach) -> None:
    result = await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI)
    assert result.status == "succeeded"
    assert result.envelope.structured.data["status"] == "shipped"
    assert "13800008816" not in str(result.envelope)


async def test_a_hidden_tool_and_an_unknown_one_answer_alike(reach: Reach) -> None:
    hidden = await reach.call("order_archive", {}, caller=LI)
    unknown = await reach.call("nothing_at_all", {}, caller=LI)
    assert hidden.status == unknown.status == "invalid"
    assert hidden.envelope.content.replace("order_archive", "X") == unknown.envelope.content.replace(
        "nothing_at_all", "X"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "order_id"),
        ({"order_id": 1}, "order_id"),
        ({"order_id": "SO-1"}, "order_id"),
        ({"order_id": "SO-0001", "days": 3}, "days"),
        ({"order_id": None}, "order_id"),
        ({"order_id": ["SO-0001"]}, "order_id"),
    ],
)
async def test_wrong_arguments_are_invalid_with_a_message_to_act_on(
    reach: Reach, arguments: dict[str, object], said: str
) -> None:
    result = await reach.call("order_status", arguments, caller=LI)
    assert result.status == "invalid"
    assert said in result.envelope.content


async def test_a_foreign_value_is_denied_with_the_deciding_rule(reach: Reach) -> None:
    result = await reach.call("order_status", {"order_id": "SO-0009"}, caller=LI)
    assert result.status == "denied"
    assert result.decision is not None
    assert result.decision.rule == "ownership:order"


async def test_a_write_is_confirmed_and_then_runs(reach: Reach, tmp_path: Path) -> None:
    asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s", turn="t")
    assert (asked.status, tickets_of(tmp_path)) == ("confirm", [])
    done = await reach.confirm(asked.confirmation_id or "", caller=LI, session="s")
    assert (done.status, tickets_of(tmp_path)) == ("succeeded", ["SO-0001"])


async def test_the_same_write_in_the_same_turn_changes_nothing_more(reach: Reach, tmp_path: Path) -> None:
    asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s", turn="t")
    await reach.confirm(asked.confirmation_id or "", caller=LI, session="s")
    again = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s", turn="t")
    assert (again.status, again.envelope.structured.replayed) == ("succeeded", True)
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_many_yeses_at_once_run_it_once(reach: Reach, tmp_path: Path) -> None:
    asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
    results = await asyncio.gather(
        *(reach.confirm(asked.confirmation_id or "", caller=LI, session="s") for _ in range(10))
    )
    assert sorted(r.status for r in results) == ["invalid"] * 9 + ["succeeded"]
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_a_dry_run_decides_and_does_nothing(reach: Reach, tmp_path: Path) -> None:
    write = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, dry_run=True)
    read = await reach.call("order_status", {"order_id": "SO-0001"}, caller=LI, dry_run=True)
    assert (write.status, write.confirmation_id, read.status, read.attempts) == ("confirm", None, "succeeded", 0)
    assert tickets_of(tmp_path) == []


async def test_decide_judges_rules_and_ownership_without_calling(reach: Reach) -> None:
    assert (await reach.decide("open_ticket", {"order_id": "SO-0002"}, caller=LI)).effect == "confirm"
    assert (await reach.decide("open_ticket", {"order_id": "SO-0009"}, caller=LI)).effect == "deny"
    assert (await reach.decide("order_archive", {}, caller=LI)).rule == "unknown_tool"


async def test_pages_joined_are_the_whole_and_only_for_the_owner(reach: Reach) -> None:
    result = await reach.call("order_archive", {}, caller=STAFF)
    ref = result.envelope.structured.artifact_ref or ""
    pages, offset = [], 0
    while True:
        page = await reach.fetch(ref, caller=STAFF, offset=offset, limit=70_000)
        pages.append(page.text)
        offset = page.next_offset
        if not page.has_more:
            break
    assert len("".join(pages).encode()) == page.total_bytes
    assert "".join(pages).count("SO-") == 3003
    with pytest.raises(ArtifactError) as foreign:
        await reach.fetch(ref, caller=EMMA)
    with pytest.raises(ArtifactError) as missing:
        await reach.fetch("art_nothing", caller=EMMA)
    assert foreign.value.code == missing.value.code == "not_found"


async def test_an_owner_who_lost_the_tool_is_forbidden(reach: Reach) -> None:
    result = await reach.call("order_archive", {}, caller=STAFF)
    ref = result.envelope.structured.artifact_ref or ""
    with pytest.raises(ArtifactError) as lost:
        await reach.fetch(ref, caller=Caller(STAFF.id, roles={"customer"}))
    assert lost.value.code == "forbidden"


async def test_why_tells_what_each_layer_did(reach: Reach) -> None:
    outcome = await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s")
    trace = await reach.why(outcome.turn)
    assert trace is not None
    assert [e["layer"] for e in trace["events"]] == ["route", "fill", "permit", "execute", "return", "answer"]
    assert await reach.why("turn_nothing") is None


async def test_tools_are_those_that_the_caller_may_see(reach: Reach) -> None:
    cards = await reach.tools("where is my order", caller=LI)
    assert cards[0]["function"]["name"] == "order_status"
    assert "order_archive" not in str(cards)


def test_the_sync_door_opens_the_same_house(tmp_path: Path) -> None:
    with Reach.load_sync(make_agent(tmp_path)) as reach:
        assert reach.ask("订单 SO-0001 到哪了", caller=LI).kind == "answer"
        asked = reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
        assert reach.confirm(asked.confirmation_id or "", caller=LI, session="s").status == "succeeded"
