"""What a conversation remembers between turns.

Rule: a session belongs to one caller of one tenant, is small, and holds only what the next turn needs: questions that
are still open, newest last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from reach.ports import KeyValue
from reach.types import Caller, Choice, Provenance, digest_of, to_json

_MAX_PENDING = 3


@dataclass(frozen=True, slots=True)
class Pending:
    """One open question.

    `parameter`: `tool` lacks `parameter`; `slots` is what is known already; `choices` are its readings, if any.
    `tool`: which of `choices` (tool names) does `query` mean? `confirm`: may `tool` run as shown?
    `misses` counts replies that did not answer. `fresh` says that it is the last thing the user was asked: a bare yes
    means a confirmation only while it is.
    """

    kind: Literal["parameter", "tool", "confirm"]
    query: str = ""
    tool: str = ""
    parameter: str = ""
    slots: Mapping[str, tuple[Any, Provenance]] = field(default_factory=dict[str, "tuple[Any, Provenance]"])
    choices: Sequence[Choice] = ()
    confirmation_id: str = ""
    text: str = ""
    misses: int = 0
    fresh: bool = True


@dataclass(slots=True)
class Session:
    """The state of one conversation; loaded before a turn and saved after it."""

    language: str = ""
    last_tool: str = ""
    pending: list[Pending] = field(default_factory=list[Pending])

    @property
    def top(self) -> Pending | None:
        """The newest open question."""
        return self.pending[-1] if self.pending else None

    def push(self, question: Pending) -> None:
        """Ask `question`; an older one about the same tool is replaced, and the oldest of too many is dropped."""
        self.pending = [p for p in self.pending if p.kind == "confirm" or p.tool != question.tool or not question.tool]
        self.pending = [*self.pending, question][-_MAX_PENDING:]

    def close(self, question: Pending) -> None:
        """Forget `question`: it was answered or dropped."""
        self.pending = [p for p in self.pending if p is not question]


class SessionStore:
    """Keeps sessions in the state store."""

    def __init__(self, keyvalue: KeyValue, ttl_s: float) -> None:
        self._keyvalue = keyvalue
        self._ttl_s = ttl_s

    async def load(self, caller: Caller, session: str) -> Session:
        """The session, or a new one, also where what is kept can't be read (damaged, or of another version)."""
        data = await self._keyvalue.get(session_key(caller, session))
        try:
            return Session() if data is None else _decode(data)
        except (ValueError, TypeError, KeyError, AttributeError):
            return Session()

    async def save(self, caller: Caller, session: str, state: Session) -> None:
        """Keep it for another `session_ttl_s`."""
        data = json.dumps(to_json(state), ensure_ascii=False).encode("utf-8", "surrogatepass")
        await self._keyvalue.set(session_key(caller, session), data, ttl_s=self._ttl_s)


def session_key(caller: Caller, session: str) -> str:
    """The key of a session; a session name alone opens nobody else's."""
    return f"session:{digest_of([caller.identity, session])}"


def _decode(data: bytes) -> Session:
    raw = json.loads(data.decode("utf-8", "surrogatepass"))
    return Session(raw["language"], raw["last_tool"], [_decode_pending(item) for item in raw["pending"]])


def _decode_pending(raw: dict[str, Any]) -> Pending:
    slots = {name: (value, Provenance(**origin)) for name, (value, origin) in raw["slots"].items()}
    choices = [Choice(**choice) for choice in raw["choices"]]
    fields: dict[str, Any] = {**raw, "slots": slots, "choices": choices}
    return Pending(**fields)
