"""Writes run once.

Rule: a write is sent only by the holder of its ledger row, the row is on disk before anything is sent, and how it ended
is recorded whatever becomes of the caller.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from reach.errors import (
    BackendFailure,
    BackendRejected,
    BackendTimeout,
    BackendUnavailable,
    BreakerOpen,
    CallError,
    IdempotencyConflict,
)
from reach.executor.bookkeeping import recorded
from reach.executor.running import Proceed, Running, Storable, pack_nothing, pack_payload, unpack_payload
from reach.ports import Clock, Ledger, LedgerRow
from reach.types import Payload

_LEASE_MARGIN_S = 5.0
_POLL_S = 0.02

_Ended = Literal["succeeded", "failed", "unknown"]


class UnknownOutcome(BackendFailure):
    """An earlier run of this write was sent and never answered: it may have happened, so it is not run again."""

    code = "unknown_outcome"


class IdempotencyGuard:
    """Claims the ledger row of a write, or waits for and returns the result of the run that holds it."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        *,
        dedupe_window_s: float,
        new_fence: Callable[[], str],
        storable: Storable,
    ) -> None:
        self._storable = storable
        self._ledger = ledger
        self._clock = clock
        self._dedupe_window_s = dedupe_window_s
        self._new_fence = new_fence

    async def earlier(self, running: Running) -> LedgerRow | None:
        """The row that stands in the way of this write, if any; claims nothing."""
        row = await self._ledger.find(
            running.idempotency_key,
            running.scope,
            now=self._clock.now().timestamp(),
            dedupe_window_s=self._dedupe_window_s,
        )
        if row is not None and row.fingerprint != running.fingerprint:
            raise _conflict()
        return row

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """Raises IdempotencyConflict, the stored error of an earlier run, or UnknownOutcome."""
        if running.tool.read_only:
            return await proceed()
        fence = self._new_fence()
        row, mine = await self._ledger.begin(
            running.idempotency_key,
            running.scope,
            running.fingerprint,
            fence=fence,
            now=self._clock.now().timestamp(),
            lease_s=running.deadline.remaining_s() + _LEASE_MARGIN_S,
            dedupe_window_s=self._dedupe_window_s,
        )
        if mine:
            return await self._run(running, proceed, fence)
        if row.fingerprint != running.fingerprint:
            raise _conflict()
        return await self.replay(running, row)

    async def replay(self, running: Running, row: LedgerRow) -> Payload:
        """The result of the run that `row` stands for, waited for while it is under way."""
        running.replayed = True
        while row.status == "begun":
            if running.deadline.remaining_s() <= _POLL_S:
                raise UnknownOutcome("The same write is still under way.", hint="Ask for its result later.")
            await self._clock.sleep(_POLL_S)
            found = await self._ledger.find(
                row.key, row.scope, now=self._clock.now().timestamp(), dedupe_window_s=self._dedupe_window_s
            )
            if found is None:
                raise UnknownOutcome("The ledger no longer knows how this write ended.")
            row = found
        if row.status == "succeeded":
            return unpack_payload(row.result)
        if row.status == "failed":
            raise _stored_error(row.result)
        raise UnknownOutcome(
            "This write was sent before and never answered: it may have happened.",
            hint="Check at the backend before trying again.",
        )

    async def _run(self, running: Running, proceed: Proceed, fence: str) -> Payload:
        sent_before = running.attempts
        try:
            payload = await proceed()
        except CallError as error:
            ended: _Ended = "unknown" if error.applied == "maybe" else "failed"
            await self._finish(running, fence, ended, _error_bytes(error))
            raise
        except BaseException:
            ended = "unknown" if running.attempts > sent_before else "failed"
            await self._finish(running, fence, ended, _error_bytes(BackendFailure("The call was interrupted.")))
            raise
        await self._finish(running, fence, "succeeded", await self._packed(running, payload))
        return payload

    async def _packed(self, running: Running, payload: Payload) -> bytes:
        try:
            return await pack_payload(payload, running.tool, self._storable)
        except Exception:  # noqa: BLE001  # whatever it returned, the write has happened and is recorded as such
            return pack_nothing()

    async def _finish(self, running: Running, fence: str, status: _Ended, result: bytes) -> None:
        # The record does not depend on the caller's patience. A store that fails here leaves the row `begun`, which its
        # lease turns into the honest `unknown`.
        await recorded(
            self._ledger.finish(running.idempotency_key, fence=fence, status=status, result=result), running.deadline
        )


def _conflict() -> IdempotencyConflict:
    return IdempotencyConflict(
        "This idempotency key was used before for another call.", hint="Use a new key for a new call."
    )


_STORED: dict[str, type[CallError]] = {
    cls.code: cls for cls in (BackendRejected, BackendUnavailable, BreakerOpen, BackendTimeout, BackendFailure)
}


def _error_bytes(error: CallError) -> bytes:
    return json.dumps({"code": error.code, "message": error.message, "hint": error.hint}).encode()


def _stored_error(data: bytes) -> CallError:
    stored = json.loads(data)
    error = _STORED.get(stored["code"], CallError)(stored["message"], hint=stored["hint"])
    error.applied = "no"
    return error
