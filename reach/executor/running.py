"""The state of one call on its way through the guards.

Rule: guards share facts only through this object, and only the executor reads it afterwards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from reach.errors import LimitExceeded
from reach.ports import Deadline
from reach.spec import ToolSpec
from reach.types import CallRequest, Payload, digest_of


@dataclass(slots=True)
class TurnBudget:
    """How many calls one turn may still make. `seen` counts equal calls, so that a loop is noticed.

    `sent` is the write that was sent to its backend last, unless it certainly did nothing.
    """

    max_calls: int
    made: int = 0
    sent: str = ""
    seen: dict[str, int] = field(default_factory=dict[str, int])

    def spend(self, digest: str, max_repeats: int) -> None:
        """Count one call. Raises LimitExceeded where the turn has made its calls, or made this one too often."""
        if self.made >= self.max_calls:
            raise LimitExceeded(f"This turn has already made {self.made} calls.", hint="Raise max_calls_per_turn.")
        if self.seen.get(digest, 0) >= max_repeats:
            raise LimitExceeded("The same call was already made in this turn.", hint="Use the result that it gave.")
        self.made += 1
        self.seen[digest] = self.seen.get(digest, 0) + 1


@dataclass(slots=True)
class Running:
    """One call under way. `attempts`, `cached` and `replayed` end up in the `Execution`."""

    tool: ToolSpec
    request: CallRequest
    deadline: Deadline
    policy_version: str
    budget: TurnBudget
    attempts: int = 0
    cached: bool = False
    replayed: bool = False

    @property
    def backend(self) -> str:
        """Name of the backend that the tool talks to."""
        return self.tool.adapter.backend

    @property
    def idempotency_key(self) -> str:
        """The key under which a write runs once: the host's own, or session, turn, tool and canonical arguments."""
        request = self.request
        who = request.caller.identity
        if request.idempotency_key:
            return digest_of(["host", who, request.idempotency_key])
        return digest_of(["turn", who, request.session, request.turn, request.tool, request.values])

    @property
    def fingerprint(self) -> str:
        """Identifies tool and arguments: one key must never stand for two of these."""
        return digest_of([self.request.tool, self.request.values])

    @property
    def scope(self) -> str:
        """The same write said again in the same session has the same scope; a host's own key is a scope of its own."""
        if self.request.idempotency_key:
            return self.idempotency_key
        return digest_of(["scope", self.request.digest])


Proceed = Callable[[], Awaitable[Payload]]


class Guard(Protocol):
    """One idea around every call: it may refuse, repeat, replace or bound what `proceed` does."""

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """The payload of `proceed`, or of something that stands for it. Raises CallError."""
        ...


class _StoredPayload(msgspec.Struct, array_like=True):
    data: object
    body: bytes | None
    media_type: str
    partial: bool
    masked: bool = False


Storable = Callable[[ToolSpec, Payload], Awaitable[Payload]]
"""What of a tool's payload may be stored: only the fields that may be seen, masked where the tool says so."""


async def pack_payload(payload: Payload, tool: ToolSpec, storable: Storable) -> bytes:
    """What may be stored of a payload, as bytes, for the ledger and the read cache. Raises what msgspec raises."""
    kept = await storable(tool, payload)
    return msgspec.msgpack.encode(
        _StoredPayload(kept.data, kept.body, kept.media_type, kept.partial, kept.masked), enc_hook=str
    )


def pack_nothing() -> bytes:
    """A payload that could not be stored, as bytes: it reads back as a result that can't be read."""
    return msgspec.msgpack.encode(_StoredPayload(None, b"", "application/json", partial=True))


def unpack_payload(data: bytes) -> Payload:
    """What `pack_payload` packed."""
    stored = msgspec.msgpack.decode(data, type=_StoredPayload)
    return Payload(stored.data, stored.body, stored.media_type, stored.partial, stored.masked)
