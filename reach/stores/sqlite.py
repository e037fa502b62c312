"""State in one SQLite file: durable, and shared by every process of one machine that opens it.

Rule: the event loop never touches the file; a writer thread and a reader thread do, each with its own connection.
"""

from __future__ import annotations

from pathlib import Path

from reach.clock import SystemClock
from reach.ports import Clock
from reach.stores import rules
from reach.stores.sqlite_artifacts import SqliteArtifacts
from reach.stores.sqlite_audit import SqliteAudit
from reach.stores.sqlite_file import prepare
from reach.stores.sqlite_ledger import SqliteLedger
from reach.stores.sqlite_values import SqliteCounter, SqliteKeyValue
from reach.stores.writer import Worker


class SqliteState:
    """All state ports over the file `path`, which is made, with its folder, where there is none.

    Usable from any number of event loops and processes, also after a fork. `busy_s` bounds how long another process may
    hold the file's lock before an operation fails with StateError. Raises StateError where the file cannot be used.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock | None = None,
        busy_s: float = 5.0,
        ledger_retention_s: float = rules.LEDGER_RETENTION_S,
    ) -> None:
        path = path.absolute()
        clock = clock or SystemClock()
        prepare(path, busy_s=busy_s)
        self.writer = Worker(path, write=True, busy_s=busy_s)
        self.reader = Worker(path, write=False, busy_s=busy_s)
        self.ledger = SqliteLedger(self.writer, self.reader, ledger_retention_s)
        self.keyvalue = SqliteKeyValue(self.writer, self.reader, clock)
        self.counter = SqliteCounter(self.writer, clock)
        self.audit = SqliteAudit(self.writer, self.reader, clock)
        self.artifacts = SqliteArtifacts(self.writer, self.reader, clock)

    async def close(self) -> None:
        """Finish what is queued, then give back the threads and connections. Twice is harmless."""
        await self.reader.close()
        await self.writer.close()
