"""State in this process's memory: for tests, for trying things out, and for a single process that may forget.

Rule: nothing grows without a bound; whatever has expired is invisible at once and dropped in passing.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Generic, Literal, TypeVar

from reach.clock import SystemClock
from reach.errors import StateError
from reach.ports import ArtifactRow, Clock, LedgerRow
from reach.stores import rules

V = TypeVar("V")

_SMALLEST_SWEEP = 1024


class _Shelf(Generic[V]):
    """A dict that drops stale entries whenever it has doubled: each entry pays for the sweeps once."""

    def __init__(self) -> None:
        self.items: dict[str, V] = {}
        self._sweep_at = _SMALLEST_SWEEP

    def put(self, key: str, value: V, stale: Callable[[V], bool]) -> None:
        if len(self.items) >= self._sweep_at:
            self.items = {k: v for k, v in self.items.items() if not stale(v)}
            self._sweep_at = max(_SMALLEST_SWEEP, 2 * len(self.items))
        self.items[key] = value


class MemoryLedger:
    """The ledger in a dict. It forgets with the process, so it guards only against duplicates within one."""

    def __init__(self, retention_s: float) -> None:
        self._rows: dict[str, LedgerRow] = {}
        self._scopes: dict[str, set[str]] = {}
        self._retention_s = retention_s
        self._sweep_at = _SMALLEST_SWEEP
        self._lock = Lock()

    async def begin(
        self, key: str, scope: str, fingerprint: str, *, fence: str, now: float, lease_s: float, dedupe_window_s: float
    ) -> tuple[LedgerRow, bool]:
        """See `reach.ports.Ledger.begin`."""
        with self._lock:
            standing = self._standing(key, scope, now, dedupe_window_s)
            if standing is not None:
                return standing, False
            if len(self._rows) >= self._sweep_at:
                self._sweep(now)
            row = LedgerRow(key, scope, fingerprint, "begun", fence, now, now + lease_s)
            self._rows[key] = row
            self._scopes.setdefault(scope, set()).add(key)
            return row, True

    async def find(self, key: str, scope: str, *, now: float, dedupe_window_s: float) -> LedgerRow | None:
        """See `reach.ports.Ledger.find`."""
        with self._lock:
            return self._standing(key, scope, now, dedupe_window_s)

    async def finish(
        self, key: str, *, fence: str, status: Literal["succeeded", "failed", "unknown"], result: bytes
    ) -> bool:
        """See `reach.ports.Ledger.finish`."""
        with self._lock:
            row = self._rows.get(key)
            if row is None or row.fence != fence or row.status != "begun":
                return False
            self._rows[key] = replace(row, status=status, result=bytes(result))
            return True

    def _standing(self, key: str, scope: str, now: float, dedupe_window_s: float) -> LedgerRow | None:
        for other in {key, *self._scopes.get(scope, ())}:
            row = self._rows.get(other)
            if row is not None and rules.lease_passed(row, now):
                self._rows[other] = replace(row, status="unknown")
        if key in self._rows:
            return self._rows[key]
        standing = [
            row
            for other in self._scopes.get(scope, ())
            if rules.stands_in_the_way(row := self._rows[other], now=now, dedupe_window_s=dedupe_window_s)
        ]
        return min(standing, key=lambda row: (row.status == "succeeded", -row.begun_at), default=None)

    def _sweep(self, now: float) -> None:
        for row in list(self._rows.values()):
            if row.status in ("succeeded", "failed") and now - row.begun_at > self._retention_s:
                del self._rows[row.key]
                keys = self._scopes[row.scope]
                keys.discard(row.key)
                if not keys:
                    del self._scopes[row.scope]
        self._sweep_at = max(_SMALLEST_SWEEP, 2 * len(self._rows))


class MemoryKeyValue:
    """Values with a time to live, in a dict."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shelf: _Shelf[tuple[bytes, float]] = _Shelf()
        self._lock = Lock()

    async def get(self, key: str) -> bytes | None:
        """See `reach.ports.KeyValue.get`."""
        return self._live(self._shelf.items.get(key))

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """See `reach.ports.KeyValue.set`."""
        now = self._clock.now().timestamp()
        with self._lock:
            self._shelf.put(key, (bytes(value), now + ttl_s), lambda item: item[1] <= now)

    async def take(self, key: str) -> bytes | None:
        """See `reach.ports.KeyValue.take`."""
        with self._lock:
            return self._live(self._shelf.items.pop(key, None))

    async def delete(self, key: str) -> None:
        """See `reach.ports.KeyValue.delete`."""
        with self._lock:
            self._shelf.items.pop(key, None)

    def _live(self, item: tuple[bytes, float] | None) -> bytes | None:
        return item[0] if item is not None and item[1] > self._clock.now().timestamp() else None


class MemoryCounter:
    """Token buckets in a dict."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shelf: _Shelf[tuple[float, float, float]] = _Shelf()  # tokens, updated at, full again at
        self._lock = Lock()

    async def acquire(self, key: str, *, limit: int, window_s: float) -> float:
        """See `reach.ports.Counter.acquire`."""
        now = self._clock.now().timestamp()
        with self._lock:
            tokens, updated_at, _ = self._shelf.items.get(key, (float(limit), now, now))
            wait_s, tokens = rules.take_token(tokens, updated_at, now=now, limit=limit, window_s=window_s)
            full_at = rules.full_again_at(tokens, now=now, limit=limit, window_s=window_s)
            self._shelf.put(key, (tokens, now, full_at), lambda bucket: bucket[2] <= now)
            return wait_s


class MemoryAudit:
    """The latest records in a ring; older ones fall out."""

    def __init__(self, records: int) -> None:
        self._ring: deque[str] = deque(maxlen=records)

    async def append(self, record: Mapping[str, Any]) -> None:
        """See `reach.ports.AuditSink.append`. Nothing is durable here."""
        self._ring.append(rules.audit_text(record))

    async def recent(self, limit: int = 100) -> Sequence[Mapping[str, Any]]:
        """See `reach.ports.AuditSink.recent`."""
        latest = list(self._ring)[::-1][: max(0, limit)]
        return [json.loads(text) for text in latest]


class MemoryArtifacts:
    """The artifact index in a dict."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._shelf: _Shelf[ArtifactRow] = _Shelf()
        self._lock = Lock()

    async def insert(self, row: ArtifactRow) -> None:
        """See `reach.ports.ArtifactIndex.insert`. Raises StateError where the ref is taken."""
        long_ago = self._clock.now().timestamp() - rules.ARTIFACT_GRACE_S
        with self._lock:
            if row.ref in self._shelf.items:
                raise StateError("An artifact with this ref is there already.", retryable=False)
            self._shelf.put(row.ref, row, lambda old: old.expires_at <= long_ago)

    async def complete(self, ref: str) -> None:
        """See `reach.ports.ArtifactIndex.complete`. Raises StateError where there is no such row."""
        with self._lock:
            row = self._shelf.items.get(ref)
            if row is None:
                raise StateError("There is no artifact row to complete.", retryable=False)
            if row.status == "writing":
                self._shelf.items[ref] = replace(row, status="complete")

    async def get(self, ref: str) -> ArtifactRow | None:
        """See `reach.ports.ArtifactIndex.get`."""
        return self._shelf.items.get(ref)

    async def find(self, tenant: str, owner: str, session: str, digest: str, now: float) -> ArtifactRow | None:
        """See `reach.ports.ArtifactIndex.find`."""
        wanted = (tenant, owner, session, digest, "complete")
        with self._lock:
            same = [
                row
                for row in self._shelf.items.values()
                if (row.tenant, row.owner, row.session, row.digest, row.status) == wanted and row.expires_at > now
            ]
        return max(same, key=lambda row: row.expires_at, default=None)

    async def revoke(self, ref: str) -> bool:
        """See `reach.ports.ArtifactIndex.revoke`."""
        with self._lock:
            row = self._shelf.items.get(ref)
            if row is None:
                return False
            self._shelf.items[ref] = replace(row, status="revoked")
            return True


class MemoryState:
    """All state ports in memory. `audit_records` is the size of the audit ring."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        audit_records: int = 10_000,
        ledger_retention_s: float = rules.LEDGER_RETENTION_S,
    ) -> None:
        clock = clock or SystemClock()
        self.ledger = MemoryLedger(ledger_retention_s)
        self.keyvalue = MemoryKeyValue(clock)
        self.counter = MemoryCounter(clock)
        self.audit = MemoryAudit(audit_records)
        self.artifacts = MemoryArtifacts(clock)

    async def close(self) -> None:
        """Nothing to give back."""
