"""The ledger of writes in the state file.

Rule: a claim is decided and recorded in one transaction, and is on disk before its holder may act on it.
"""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any, Literal

from reach.ports import LedgerRow
from reach.stores import rules
from reach.stores.writer import Worker

_COLUMNS = "key, scope, fingerprint, status, fence, begun_at, lease_until, result"
_IN_THE_WAY = (
    "scope = ? AND (status IN ('begun', 'unknown') OR (status = 'succeeded' AND ? - begun_at < ?))"  # rules.py says why
)
_SCOPE_IS_KNOWN = "SELECT 1 FROM ledger WHERE scope = ? LIMIT 1"
_CLAIM = (
    f"INSERT INTO ledger ({_COLUMNS}) VALUES (?, ?, ?, 'begun', ?, ?, ?, x'')"  # noqa: S608  -- constants only
    " ON CONFLICT (key) DO NOTHING"
)
_BY_KEY = f"SELECT {_COLUMNS} FROM ledger WHERE key = ?"  # noqa: S608  -- constants only
_BY_SCOPE = (
    f"SELECT {_COLUMNS} FROM ledger WHERE {_IN_THE_WAY}"  # noqa: S608  -- constants only
    " ORDER BY status = 'succeeded', begun_at DESC LIMIT 1"
)
_EXPIRE = "UPDATE ledger SET status = 'unknown' WHERE (key = ? OR scope = ?) AND status = 'begun' AND lease_until <= ?"
_FINISH = "UPDATE ledger SET status = ?, result = ? WHERE key = ? AND fence = ? AND status = 'begun'"
_WITHDRAW = "DELETE FROM ledger WHERE key = ? AND fence = ? AND status = 'begun'"
_DROP_OLD = (
    "DELETE FROM ledger WHERE rowid IN (SELECT rowid FROM ledger INDEXED BY ledger_begun_at WHERE begun_at < ?"
    " AND status IN ('succeeded', 'failed') LIMIT 512)"
)

_CLAIMS_PER_SWEEP = 256


class SqliteLedger:
    """See `reach.ports.Ledger`. Rows that ended more than `retention_s` ago are dropped in passing."""

    def __init__(self, writer: Worker, reader: Worker, retention_s: float) -> None:
        self._writer = writer
        self._reader = reader
        self._retention_s = retention_s
        self._claims = 0

    async def begin(
        self, key: str, scope: str, fingerprint: str, *, fence: str, now: float, lease_s: float, dedupe_window_s: float
    ) -> tuple[LedgerRow, bool]:
        """See `reach.ports.Ledger.begin`. A caller that is cancelled while it waits leaves no claim behind."""
        claimed = LedgerRow(key, scope, fingerprint, "begun", fence, now, now + lease_s)
        values = (key, scope, fingerprint, fence, now, now + lease_s)

        def claim(connection: sqlite3.Connection) -> tuple[LedgerRow, bool]:
            self._sweep(connection, now)
            # A scope never seen needs only the key to be free; that is the common case, at a third of the cost.
            known = connection.execute(_SCOPE_IS_KNOWN, (scope,)).fetchone() is not None
            if not known and connection.execute(_CLAIM, values).rowcount == 1:
                return claimed, True
            connection.execute(_EXPIRE, (key, scope, now))
            standing = _standing(connection, key, scope, now, dedupe_window_s)
            if standing is not None:
                return standing, False
            connection.execute(_CLAIM, values)
            return claimed, True

        try:
            return await self._writer.submit(claim, durable=True)
        except asyncio.CancelledError:
            # Nobody will act on this claim; left as it is, it would become unknown and block its scope for good.
            withdrawn = self._writer.submit(lambda connection: connection.execute(_WITHDRAW, (key, fence)).rowcount)
            withdrawn.add_done_callback(_forget)
            raise

    async def find(self, key: str, scope: str, *, now: float, dedupe_window_s: float) -> LedgerRow | None:
        """See `reach.ports.Ledger.find`."""
        row = await self._reader.submit(lambda connection: _standing(connection, key, scope, now, dedupe_window_s))
        if row is None or not rules.lease_passed(row, now):
            return row

        def expire(connection: sqlite3.Connection) -> LedgerRow | None:
            connection.execute(_EXPIRE, (key, scope, now))
            return _standing(connection, key, scope, now, dedupe_window_s)

        return await self._writer.submit(expire)

    async def finish(
        self, key: str, *, fence: str, status: Literal["succeeded", "failed", "unknown"], result: bytes
    ) -> bool:
        """See `reach.ports.Ledger.finish`. Not flushed to disk: what a power failure loses is an honest unknown."""
        values = (status, result, key, fence)
        return await self._writer.submit(lambda connection: connection.execute(_FINISH, values).rowcount == 1)

    def _sweep(self, connection: sqlite3.Connection, now: float) -> None:
        self._claims += 1
        if self._claims % _CLAIMS_PER_SWEEP == 0:
            connection.execute(_DROP_OLD, (now - self._retention_s,))


def _standing(
    connection: sqlite3.Connection, key: str, scope: str, now: float, dedupe_window_s: float
) -> LedgerRow | None:
    row = connection.execute(_BY_KEY, (key,)).fetchone()
    if row is None:
        row = connection.execute(_BY_SCOPE, (scope, now, dedupe_window_s)).fetchone()
    return None if row is None else LedgerRow(*row)


def _forget(future: asyncio.Future[Any]) -> None:
    """Read a failure that nobody waits for, so that it is not reported as lost: the lease covers it."""
    if not future.cancelled():
        future.exception()
