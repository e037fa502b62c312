"""The contracts between the layers and the outside: what a store, an adapter or a clock must do.

Rule: a port says what is promised, in whose units, and which errors may be raised; it never says how. Every
implementation of one port passes the same contract suite (`reach.testing.contracts`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, runtime_checkable

from reach.errors import DeadlineExceeded
from reach.spec import ToolSpec
from reach.types import Caller, Payload


class Clock(Protocol):
    """Time, injected: tests move it by hand, so nothing waits for real seconds."""

    def monotonic(self) -> float:
        """Seconds that only ever grow; for deadlines and leases within one process."""
        ...

    def now(self) -> datetime:
        """The present moment, aware, in UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait for `seconds`."""
        ...


@dataclass(frozen=True, slots=True)
class Deadline:
    """One absolute point in monotonic time that a whole turn shares. `at` is in the clock's seconds."""

    at: float
    clock: Clock

    @classmethod
    def after_ms(cls, clock: Clock, milliseconds: float) -> Deadline:
        """The deadline that lies `milliseconds` ahead."""
        return cls(clock.monotonic() + milliseconds / 1000, clock)

    def remaining_s(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self.at - self.clock.monotonic())

    def at_most_ms(self, milliseconds: float) -> Deadline:
        """The earlier of this deadline and one `milliseconds` ahead."""
        return Deadline(min(self.at, self.clock.monotonic() + milliseconds / 1000), self.clock)

    def check(self, stage: str) -> None:
        """Raise DeadlineExceeded where nothing is left for `stage`."""
        if self.remaining_s() <= 0:
            raise DeadlineExceeded(f"No time was left for {stage}.", hint="Raise runtime.deadline_ms.")


# ------------------------------------------------------------------------------------------------ adapters


@dataclass(frozen=True, slots=True)
class AdapterCall:
    """One attempt of one call, as an adapter sees it.

    `values` are complete and validated; `today` is the caller's date, `YYYY-MM-DD`; `idempotency_key` is empty for
    reads.
    """

    tool: ToolSpec
    values: Mapping[str, Any]
    caller: Caller
    deadline: Deadline
    now: datetime
    today: str
    idempotency_key: str = ""


class Adapter(Protocol):
    """Talks to one backend.

    Every failure is raised as a `CallError` whose `applied` says whether a write may have happened all the same.
    Cancelling `call` must stop the work at the backend, or at least free what it holds.
    """

    async def call(self, call: AdapterCall) -> Payload:
        """Run the tool's binding and return what came back."""
        ...

    def problems(self, tool: ToolSpec) -> list[str]:
        """What is wrong with the tool's binding, as far as can be told without calling it; read while loading."""
        ...

    async def close(self) -> None:
        """Give back connections and threads."""
        ...


@runtime_checkable
class Queries(Protocol):
    """A backend that can answer a read-only statement: what ownership proofs, preconditions and catalogues need."""

    async def rows(
        self, statement: str, binds: Mapping[str, Any], deadline: Deadline, max_rows: int = 1
    ) -> list[dict[str, Any]]:
        """At most `max_rows` rows of a read-only statement. Raises CallError."""
        ...


# ------------------------------------------------------------------------------------------------ stores


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One idempotent write. `fingerprint` identifies tool and arguments, `scope` the same within one session.

    `begun` moves to `succeeded`, `failed` or `unknown` and never back. Times are UTC epoch seconds. `fence` is the
    claim's number: only its holder may finish the row. `result` is whatever the finisher stored.
    """

    key: str
    scope: str
    fingerprint: str
    status: Literal["begun", "succeeded", "failed", "unknown"]
    fence: str
    begun_at: float
    lease_until: float
    result: bytes = b""


class Ledger(Protocol):
    """Which writes were begun and how they ended. A claim is on disk before `begin` returns. Raises StateError."""

    async def begin(
        self, key: str, scope: str, fingerprint: str, *, fence: str, now: float, lease_s: float, dedupe_window_s: float
    ) -> tuple[LedgerRow, bool]:
        """Claim `key` atomically.

        True: the caller holds the row. False: the row returned stands in the way, which is

        - the row of the same key, or
        - a row of the same scope that is `unknown`, `begun`, or `succeeded` and begun within `dedupe_window_s`.

        A `begun` row whose lease has passed becomes `unknown` first.
        """
        ...

    async def find(self, key: str, scope: str, *, now: float, dedupe_window_s: float) -> LedgerRow | None:
        """The row that would stand in the way of `begin`, or None. Claims nothing."""
        ...

    async def finish(
        self, key: str, *, fence: str, status: Literal["succeeded", "failed", "unknown"], result: bytes
    ) -> bool:
        """Record how it ended. False where another claim holds the row, or it has ended already."""
        ...


class KeyValue(Protocol):
    """Small values with a time to live, in seconds. Raises StateError."""

    async def get(self, key: str) -> bytes | None:
        """The value, or None where there is none or it has expired."""
        ...

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """Store `value` for `ttl_s`."""
        ...

    async def take(self, key: str) -> bytes | None:
        """The value, removed in the same step: of many callers at once, one gets it."""
        ...

    async def delete(self, key: str) -> None:
        """Remove it, if it is there."""
        ...


class Counter(Protocol):
    """Shared limits. Raises StateError."""

    async def acquire(self, key: str, *, limit: int, window_s: float) -> float:
        """Take one of `limit` in `window_s` (token bucket). 0.0: granted; else the seconds to wait, nothing taken."""
        ...


class AuditSink(Protocol):
    """An append-only record of decisions and outcomes. Raises StateError."""

    async def append(self, record: Mapping[str, Any]) -> None:
        """Add one record (JSON data, already redacted). It is durable when this returns."""
        ...

    async def recent(self, limit: int = 100) -> Sequence[Mapping[str, Any]]:
        """The latest records, newest first."""
        ...


class BlobStore(Protocol):
    """Immutable byte objects by key. Raises StateError; reading what is not there raises KeyError."""

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` whole or not at all; durable when this returns."""
        ...

    async def read(self, key: str, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`; fewer at the end."""
        ...

    async def delete(self, key: str) -> None:
        """Remove it, if it is there."""
        ...

    def keys(self) -> AsyncIterator[str]:
        """All keys, for garbage collection."""
        ...


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """What the index knows of one artifact.

    `frames` are the byte lengths of the stored frames, in order; times are UTC
    epoch seconds; `digest` identifies the payload for this owner; `summary` is the result summary as JSON data.
    """

    ref: str
    owner: str
    tenant: str
    session: str
    tool: str
    digest: str
    blob_key: str
    status: Literal["writing", "complete", "revoked"]
    media_type: str
    total_bytes: int
    frame_bytes: int
    frames: tuple[int, ...]
    created_at: float
    expires_at: float
    summary: Mapping[str, Any]


class ArtifactIndex(Protocol):
    """Where artifacts are and whose. Raises StateError."""

    async def insert(self, row: ArtifactRow) -> None:
        """Add a row."""
        ...

    async def complete(self, ref: str) -> None:
        """Move a `writing` row to `complete`."""
        ...

    async def get(self, ref: str) -> ArtifactRow | None:
        """The row, whatever its status."""
        ...

    async def find(self, tenant: str, owner: str, session: str, digest: str, now: float) -> ArtifactRow | None:
        """A `complete` row of the same content by the same owner in the same session that has not expired."""
        ...

    async def revoke(self, ref: str) -> bool:
        """Mark it revoked. False where there is no such row."""
        ...


class Warehouse(Protocol):
    """Where the reducer leaves a large result; the artifacts room is behind it."""

    async def save(
        self,
        body: bytes,
        *,
        media_type: str,
        caller: Caller,
        session: str,
        tool: str,
        summary: Mapping[str, Any],
        deadline: Deadline,
    ) -> str:
        """Store `body` (already redacted) and return its ref. Raises StateError or DeadlineExceeded."""
        ...
