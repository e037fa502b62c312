"""A chat backend around one `Reach`: FastAPI, one endpoint a thing a user can do.

    pip install '.[server]'
    uvicorn examples.chat_fastapi:app

    curl -s localhost:8000/chat -H 'content-type: application/json' -H 'x-user: u_1001' \
         -d '{"session": "s-1", "text": "SO-2024-00017 到哪了"}'

Who the user is comes from the host's own authentication; here a header stands for it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, HTTPException, Request
from pydantic import BaseModel, Field

from reach import Caller, Reach, ReachError
from reach.types import to_json

STATUS = {"not_found": 404, "forbidden": 403, "revoked": 410, "invalid": 400}
"""What an artifact that can't be read means over HTTP; whatever else is wrong may be over later: 503."""


class Message(BaseModel):
    """What the user said, and in which conversation."""

    session: str = Field(min_length=1, max_length=200)
    text: str = Field(max_length=8000)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
    """One `Reach` for the whole process, closed when the server stops."""
    async with Reach.load(os.environ.get("REACH_TOOLS", "tools.yaml")) as reach:
        app.state.reach = reach
        yield


def the_reach(request: Request) -> Reach:
    """The process's `Reach`."""
    return request.app.state.reach


def the_caller(x_user: Annotated[str, Header()] = "") -> Caller:
    """The authenticated user. A real backend takes it from its session or token, never from a header."""
    if not x_user:
        raise HTTPException(401, "Say who you are in the header x-user.")
    return Caller(x_user, roles={"customer"})


TheReach = Annotated[Reach, Depends(the_reach)]
TheCaller = Annotated[Caller, Depends(the_caller)]

app = FastAPI(title="A chat backend on Reach", lifespan=lifespan)


@app.post("/chat")
async def chat(message: Message, reach: TheReach, caller: TheCaller) -> dict[str, Any]:
    """One turn: `outcome` is answer, clarify, confirm, denied, fallback, unknown or no_tool; `text` is for the user."""
    outcome = await reach.ask(message.text, caller=caller, session=message.session)
    return to_json(outcome)


@app.post("/sessions/{session}/confirmations/{confirmation_id}")
async def confirm(session: str, confirmation_id: str, reach: TheReach, caller: TheCaller) -> dict[str, Any]:
    """The yes of a button; a user may as well type it."""
    return to_json(await reach.confirm(confirmation_id, caller=caller, session=session))


@app.get("/artifacts/{ref}")
async def page(ref: str, reach: TheReach, caller: TheCaller, offset: int = 0, limit: int = 16_384) -> dict[str, Any]:
    """One page of a large result."""
    try:
        return to_json(await reach.fetch(ref, caller=caller, offset=offset, limit=limit))
    except ReachError as error:
        raise HTTPException(STATUS.get(error.code, 503), str(error)) from error
