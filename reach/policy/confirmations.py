"""Confirmations: a write waits for a yes.

Rule: a yes runs exactly the call that was shown, once, for the caller and session that it was shown to, before it
expires and only while the policy and the tool are what they were.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from reach.ports import Clock, KeyValue
from reach.types import Caller, CallRequest, Provenance, digest_of, to_json


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A call that waits for a yes, and until when."""

    id: str
    request: CallRequest
    expires_at: datetime


class Confirmations:
    """Keeps the frozen calls. `version` names tools and policies together: a change of either voids what was shown."""

    def __init__(
        self, keyvalue: KeyValue, clock: Clock, *, ttl_s: float, version: str, new_id: Callable[[], str]
    ) -> None:
        self._keyvalue = keyvalue
        self._clock = clock
        self._ttl_s = ttl_s
        self._version = version
        self._new_id = new_id

    async def keep(self, request: CallRequest) -> Confirmation:
        """Freeze the call. Raises StateError."""
        confirmation_id = self._new_id()
        expires_at = self._clock.now() + timedelta(seconds=self._ttl_s)
        record = {
            "digest": self._digest(request),
            "tool": request.tool,
            "values": request.values,
            "provenance": to_json(request.provenance),
            "turn": request.turn,
            "call_id": request.call_id,
            "idempotency_key": request.idempotency_key,
            "expires_at": expires_at.timestamp(),
        }
        data = json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")
        await self._keyvalue.set(_key(confirmation_id, request.caller, request.session), data, ttl_s=self._ttl_s)
        return Confirmation(confirmation_id, request, expires_at)

    async def take(self, confirmation_id: str, caller: Caller, session: str) -> CallRequest | None:
        """The frozen call, used up by this. None: unknown, used, expired, void, or another caller's or session's."""
        data = await self._keyvalue.take(_key(confirmation_id, caller, session))
        if data is None:
            return None
        record: Mapping[str, Any] = json.loads(data.decode("utf-8", "surrogatepass"))
        if record["expires_at"] <= self._clock.now().timestamp():
            return None
        request = CallRequest(
            tool=record["tool"],
            values=record["values"],
            provenance={name: Provenance(**origin) for name, origin in record["provenance"].items()},
            caller=caller,
            session=session,
            turn=record["turn"],
            call_id=record["call_id"],
            idempotency_key=record["idempotency_key"],
        )
        return request if self._digest(request) == record["digest"] else None

    async def drop(self, confirmation_id: str, caller: Caller, session: str) -> None:
        """Forget a call that was answered with a no."""
        await self._keyvalue.delete(_key(confirmation_id, caller, session))

    def _digest(self, request: CallRequest) -> str:
        return digest_of([request.digest, self._version])


def _key(confirmation_id: str, caller: Caller, session: str) -> str:
    # Caller, tenant and session are part of the key, so that a foreign yes can neither use nor use up a confirmation.
    return f"confirm:{digest_of([caller.identity, session, confirmation_id])}"
