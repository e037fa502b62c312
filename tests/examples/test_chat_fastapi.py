"""The chat backend of examples/chat_fastapi.py, over HTTP and a copy of the demo project."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from examples.chat_fastapi import app
from tests.demo.project import ROOT

LI, EMMA = "u_1001", "u_1002"
BROKEN = "The toaster in SO-2024-00034 does not work, please open a ticket"


@pytest.fixture
async def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    shutil.copyfile(ROOT / "tools.yaml", tmp_path / "tools.yaml")
    shutil.copytree(ROOT / "policies", tmp_path / "policies")
    monkeypatch.setenv("REACH_TOOLS", str(tmp_path / "tools.yaml"))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://chat") as client,
    ):
        yield client


async def say(client: httpx.AsyncClient, text: str, *, user: str = EMMA, session: str = "s-1") -> dict:
    response = await client.post("/chat", json={"session": session, "text": text}, headers={"x-user": user})
    assert response.status_code == 200, response.text
    return response.json()


async def test_it_answers_with_the_text_and_what_stands_behind_it(client):
    outcome = await say(client, "Has order SO-2024-00031 shipped yet?")
    assert (outcome["outcome"], outcome["tool"]) == ("answer", "query_order_status")
    assert outcome["text"].startswith("Order SO-2024-00031: shipped.")
    assert outcome["arguments"] == {"order_id": "SO-2024-00031"}
    assert outcome["provenance"]["order_id"]["source"] == "user"
    assert outcome["envelope"]["structured"]["completeness"] == "complete"


async def test_it_asks_and_the_next_turn_of_the_session_completes_the_call(client):
    asked = await say(client, "Where is my parcel?")
    assert (asked["outcome"], asked["tool"], asked["arguments"]) == ("clarify", "track_parcel", {})
    answered = await say(client, "SO-2024-00031")
    assert (answered["outcome"], answered["tool"]) == ("answer", "track_parcel")
    assert answered["arguments"] == {"order_id": "SO-2024-00031"}


async def test_an_open_question_belongs_to_one_user_alone(client):
    """Two users may use the same name for a session."""
    await say(client, "Where is my parcel?", user=EMMA)
    assert (await say(client, "SO-2024-00017", user=LI))["tool"] != "track_parcel"


async def test_a_button_confirms_a_write_once(client):
    asked = await say(client, BROKEN)
    assert (asked["outcome"], asked["tool"]) == ("confirm", "create_ticket")
    assert asked["arguments"] == {"order_id": "SO-2024-00034", "issue_type": "defective"}
    assert "SO-2024-00034" in asked["text"]
    button = f"/sessions/s-1/confirmations/{asked['confirmation_id']}"
    first = (await client.post(button, headers={"x-user": EMMA})).json()
    assert first["status"] == "succeeded"
    assert first["envelope"]["structured"]["data"]["order_id"] == "SO-2024-00034"
    assert (await client.post(button, headers={"x-user": EMMA})).json()["status"] == "invalid"


async def test_a_button_of_somebody_else_or_of_another_session_confirms_nothing(client):
    asked = await say(client, BROKEN)
    id_ = asked["confirmation_id"]
    for session, user in (("s-1", LI), ("s-2", EMMA)):
        response = await client.post(f"/sessions/{session}/confirmations/{id_}", headers={"x-user": user})
        assert response.json()["status"] == "invalid"
    done = await client.post(f"/sessions/s-1/confirmations/{id_}", headers={"x-user": EMMA})
    assert done.json()["status"] == "succeeded"


async def test_words_confirm_a_write(client):
    await say(client, BROKEN)
    done = await say(client, "yes")
    assert (done["outcome"], done["tool"]) == ("answer", "create_ticket")
    assert "SO-2024-00034" in done["text"]


async def test_words_take_a_write_back(client):
    await say(client, BROKEN)
    assert (await say(client, "no"))["outcome"] == "no_tool"
    assert "confirmation_id" not in await say(client, "yes")


async def test_what_is_not_the_callers_is_denied_with_the_rule(client):
    outcome = await say(client, "What is the status of order SO-2024-00017?")
    assert (outcome["outcome"], outcome["rule"]) == ("denied", "ownership:order")
    assert (await say(client, "SO-2024-00017 到哪了", user=LI))["outcome"] == "answer"


async def test_nobody_is_not_answered(client):
    assert (await client.post("/chat", json={"session": "s-1", "text": "hi"})).status_code == 401


@pytest.mark.parametrize(
    "message", [{"session": "", "text": "hi"}, {"text": "hi"}, {"session": "s", "text": "x" * 8001}]
)
async def test_a_message_of_the_wrong_form_is_refused(client, message):
    assert (await client.post("/chat", json=message, headers={"x-user": EMMA})).status_code == 422


async def test_a_page_of_no_artifact_is_not_found(client):
    response = await client.get("/artifacts/art_nothing", headers={"x-user": EMMA})
    assert response.status_code == 404


async def test_a_page_that_makes_no_sense_is_a_bad_request(client):
    response = await client.get("/artifacts/art_nothing?limit=0", headers={"x-user": EMMA})
    assert (response.status_code, "limit" in response.json()["detail"]) == (400, True)
