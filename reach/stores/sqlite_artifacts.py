"""The artifact index in the state file.

Rule: the index says whose an artifact is and whether it may still be read; it never holds its content.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from reach.errors import StateError
from reach.ports import ArtifactRow, Clock
from reach.stores import rules
from reach.stores.writer import Worker

_NAMES = tuple(field.name for field in fields(ArtifactRow))
_COLUMNS = ", ".join(_NAMES)
_INSERT = (
    f"INSERT INTO artifact ({_COLUMNS}) VALUES ({', '.join('?' * len(_NAMES))})"  # noqa: S608  -- constants only
    " ON CONFLICT (ref) DO NOTHING"
)
_COMPLETE = "UPDATE artifact SET status = 'complete' WHERE ref = ? AND status = 'writing'"
_EXISTS = "SELECT 1 FROM artifact WHERE ref = ?"
_GET = f"SELECT {_COLUMNS} FROM artifact WHERE ref = ?"  # noqa: S608  -- constants only
_FIND = (
    f"SELECT {_COLUMNS} FROM artifact WHERE digest = ? AND owner = ? AND tenant = ? AND session = ?"  # noqa: S608
    " AND status = 'complete' AND expires_at > ? ORDER BY expires_at DESC LIMIT 1"
)
_REVOKE = "UPDATE artifact SET status = 'revoked' WHERE ref = ?"
_DROP_EXPIRED = "DELETE FROM artifact WHERE rowid IN (SELECT rowid FROM artifact WHERE expires_at <= ? LIMIT 512)"

_PARSED: dict[str, Callable[[str], Any]] = {"frames": lambda text: tuple(json.loads(text)), "summary": json.loads}
"""How a column that is JSON text is read back."""

_INSERTS_PER_SWEEP = 64


class SqliteArtifacts:
    """See `reach.ports.ArtifactIndex`."""

    def __init__(self, writer: Worker, reader: Worker, clock: Clock) -> None:
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._inserts = 0

    async def insert(self, row: ArtifactRow) -> None:
        """See `reach.ports.ArtifactIndex.insert`. Raises StateError where the ref is taken."""
        values = _values(row)
        long_ago = self._clock.now().timestamp() - rules.ARTIFACT_GRACE_S

        def insert(connection: sqlite3.Connection) -> None:
            self._inserts += 1
            if self._inserts % _INSERTS_PER_SWEEP == 0:
                connection.execute(_DROP_EXPIRED, (long_ago,))
            if connection.execute(_INSERT, values).rowcount != 1:
                raise StateError("An artifact with this ref is there already.", retryable=False)

        await self._writer.submit(insert)

    async def complete(self, ref: str) -> None:
        """See `reach.ports.ArtifactIndex.complete`. Raises StateError where there is no such row."""

        def complete(connection: sqlite3.Connection) -> None:
            changed = connection.execute(_COMPLETE, (ref,)).rowcount
            if not changed and connection.execute(_EXISTS, (ref,)).fetchone() is None:
                raise StateError("There is no artifact row to complete.", retryable=False)

        await self._writer.submit(complete)

    async def get(self, ref: str) -> ArtifactRow | None:
        """See `reach.ports.ArtifactIndex.get`."""
        return await self._reader.submit(lambda connection: _row(connection.execute(_GET, (ref,)).fetchone()))

    async def find(self, tenant: str, owner: str, session: str, digest: str, now: float) -> ArtifactRow | None:
        """See `reach.ports.ArtifactIndex.find`."""
        values = (digest, owner, tenant, session, now)
        return await self._reader.submit(lambda connection: _row(connection.execute(_FIND, values).fetchone()))

    async def revoke(self, ref: str) -> bool:
        """See `reach.ports.ArtifactIndex.revoke`. Flushed to disk: what was revoked stays so."""
        return await self._writer.submit(
            lambda connection: connection.execute(_REVOKE, (ref,)).rowcount == 1, durable=True
        )


def _values(row: ArtifactRow) -> tuple[Any, ...]:
    stored = {"frames": json.dumps(row.frames), "summary": json.dumps(dict(row.summary))}
    return tuple(stored.get(name, getattr(row, name)) for name in _NAMES)


def _row(columns: tuple[Any, ...] | None) -> ArtifactRow | None:
    if columns is None:
        return None
    named = {
        name: _PARSED[name](value) if name in _PARSED else value for name, value in zip(_NAMES, columns, strict=True)
    }
    return ArtifactRow(**named)
