"""The audit trail in the state file: append-only, each row chained to the one before it.

Rule: a row is chained inside the transaction that adds it, so any number of processes make one chain. The chain shows
an edit, a removal or an insertion in the file; against someone who can recompute all of it, keep the latest hash
elsewhere.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reach.ports import Clock
from reach.stores import rules
from reach.stores.writer import Worker

_HEAD = "SELECT seq, hash FROM audit_head WHERE id = 1"
_SET_HEAD = (
    "INSERT INTO audit_head (id, seq, hash) VALUES (1, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash"
)
_ADD = "INSERT INTO audit (seq, at, record, previous, hash) VALUES (?, ?, ?, ?, ?)"
_RECENT = "SELECT record FROM audit ORDER BY seq DESC LIMIT ?"
_AFTER = "SELECT seq, at, record, previous, hash FROM audit WHERE seq > ? ORDER BY seq LIMIT ?"

_ROWS_A_STEP = 500  # other readers get their turn between two steps


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """The first row at which the chain does not hold. `problem` is `missing` or `changed`."""

    seq: int
    problem: str


class SqliteAudit:
    """See `reach.ports.AuditSink`."""

    def __init__(self, writer: Worker, reader: Worker, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock

    async def append(self, record: Mapping[str, Any]) -> None:
        """See `reach.ports.AuditSink.append`."""
        text = rules.audit_text(record)
        at = self._clock.now().timestamp()

        def add(connection: sqlite3.Connection) -> None:
            seq, previous = connection.execute(_HEAD).fetchone() or (0, rules.GENESIS)
            link = rules.chain_hash(previous, seq + 1, at, text)
            connection.execute(_ADD, (seq + 1, at, text, previous, link))
            connection.execute(_SET_HEAD, (seq + 1, link))

        await self._writer.submit(add, durable=True)

    async def recent(self, limit: int = 100) -> Sequence[Mapping[str, Any]]:
        """See `reach.ports.AuditSink.recent`."""
        rows = await self._reader.submit(lambda connection: connection.execute(_RECENT, (max(0, limit),)).fetchall())
        return [json.loads(text) for (text,) in rows]

    async def verify(self) -> BrokenRow | None:
        """Recompute the whole chain. None: nothing was edited, removed or put in."""
        seq, link = 0, rules.GENESIS
        while True:
            rows, head = await self._reader.submit(lambda connection, after=seq: _step(connection, after))
            for row in rows:
                problem = _problem(row, seq, link)
                if problem is not None:
                    return BrokenRow(seq + 1, problem)
                seq, link = row[0], row[4]
            if len(rows) < _ROWS_A_STEP:
                return None if head == (seq, link) else BrokenRow(seq + 1, "missing")


def _step(connection: sqlite3.Connection, after: int) -> tuple[list[tuple[Any, ...]], tuple[int, str]]:
    """The next rows, and the head as it is in the same snapshot."""
    rows = connection.execute(_AFTER, (after, _ROWS_A_STEP)).fetchall()
    return rows, connection.execute(_HEAD).fetchone() or (0, rules.GENESIS)


def _problem(row: tuple[Any, ...], seq: int, link: str) -> str | None:
    this_seq, at, text, previous, stored = row
    if this_seq != seq + 1:
        return "missing"
    if not isinstance(at, float) or not isinstance(text, str):
        return "changed"
    if previous != link or stored != rules.chain_hash(previous, this_seq, at, text):
        return "changed"
    return None
