"""Values with a time to live, and shared limits, in the state file.

Rule: what has expired is invisible at once, whether or not it has been removed yet.
"""

from __future__ import annotations

import sqlite3

from reach.ports import Clock
from reach.stores import rules
from reach.stores.writer import Worker

_SET = (
    "INSERT INTO keyvalue (key, value, expires_at) VALUES (?, ?, ?)"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at"
)
_GET = "SELECT value FROM keyvalue WHERE key = ? AND expires_at > ?"
_DELETE = "DELETE FROM keyvalue WHERE key = ?"
_DROP_EXPIRED = "DELETE FROM keyvalue WHERE rowid IN (SELECT rowid FROM keyvalue WHERE expires_at <= ? LIMIT 512)"
_BUCKET = "SELECT tokens, updated_at FROM counter WHERE key = ?"
_SET_BUCKET = (
    "INSERT INTO counter (key, tokens, updated_at, full_at) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE"
    " SET tokens = excluded.tokens, updated_at = excluded.updated_at, full_at = excluded.full_at"
)
_DROP_FULL = "DELETE FROM counter WHERE rowid IN (SELECT rowid FROM counter WHERE full_at <= ? LIMIT 512)"

_WRITES_PER_SWEEP = 256


class SqliteKeyValue:
    """See `reach.ports.KeyValue`. Times to live count on the wall clock, which every process of the file shares."""

    def __init__(self, writer: Worker, reader: Worker, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._sets = 0

    async def get(self, key: str) -> bytes | None:
        """See `reach.ports.KeyValue.get`."""
        values = (key, self._clock.now().timestamp())
        return await self._reader.submit(lambda connection: _first(connection.execute(_GET, values)))

    async def set(self, key: str, value: bytes, *, ttl_s: float) -> None:
        """See `reach.ports.KeyValue.set`."""
        now = self._clock.now().timestamp()

        def store(connection: sqlite3.Connection) -> None:
            self._sets += 1
            if self._sets % _WRITES_PER_SWEEP == 0:
                connection.execute(_DROP_EXPIRED, (now,))
            connection.execute(_SET, (key, value, now + ttl_s))

        await self._writer.submit(store)

    async def take(self, key: str) -> bytes | None:
        """See `reach.ports.KeyValue.take`."""
        values = (key, self._clock.now().timestamp())

        def take(connection: sqlite3.Connection) -> bytes | None:
            value = _first(connection.execute(_GET, values))
            connection.execute(_DELETE, (key,))
            return value

        return await self._writer.submit(take)

    async def delete(self, key: str) -> None:
        """See `reach.ports.KeyValue.delete`."""
        await self._writer.submit(lambda connection: connection.execute(_DELETE, (key,)).rowcount)


class SqliteCounter:
    """See `reach.ports.Counter`. Every process of the file draws from the same buckets."""

    def __init__(self, writer: Worker, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock
        self._acquires = 0

    async def acquire(self, key: str, *, limit: int, window_s: float) -> float:
        """See `reach.ports.Counter.acquire`."""
        now = self._clock.now().timestamp()

        def take(connection: sqlite3.Connection) -> float:
            self._acquires += 1
            if self._acquires % _WRITES_PER_SWEEP == 0:
                connection.execute(_DROP_FULL, (now,))
            tokens, updated_at = connection.execute(_BUCKET, (key,)).fetchone() or (float(limit), now)
            wait_s, tokens = rules.take_token(tokens, updated_at, now=now, limit=limit, window_s=window_s)
            full_at = rules.full_again_at(tokens, now=now, limit=limit, window_s=window_s)
            connection.execute(_SET_BUCKET, (key, tokens, now, full_at))
            return wait_s

        return await self._writer.submit(take)


def _first(cursor: sqlite3.Cursor) -> bytes | None:
    row = cursor.fetchone()
    return None if row is None else row[0]
