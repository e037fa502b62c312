"""Every state store keeps every promise of the ports."""

import pytest

from reach.stores import StateStore
from reach.stores.memory import MemoryState
from reach.stores.sqlite import SqliteState
from reach.testing.contracts import (
    ArtifactIndexContract,
    AuditContract,
    Contract,
    CounterContract,
    KeyValueContract,
    LedgerContract,
)


class InMemory(Contract):
    port = ""

    @pytest.fixture(autouse=True)
    async def _state(self, tmp_path):
        self.state = self.open(tmp_path / "state.db")
        yield
        await self.state.close()

    def open(self, _path) -> StateStore:
        return MemoryState(self.clock)

    async def make(self):
        return getattr(self.state, self.port)


class InSqlite(InMemory):
    def open(self, path) -> StateStore:
        return SqliteState(path, clock=self.clock)


class TestMemoryLedger(InMemory, LedgerContract):
    port = "ledger"


class TestMemoryKeyValue(InMemory, KeyValueContract):
    port = "keyvalue"


class TestMemoryCounter(InMemory, CounterContract):
    port = "counter"


class TestMemoryAudit(InMemory, AuditContract):
    port = "audit"


class TestMemoryArtifacts(InMemory, ArtifactIndexContract):
    port = "artifacts"


class TestSqliteLedger(InSqlite, LedgerContract):
    port = "ledger"


class TestSqliteKeyValue(InSqlite, KeyValueContract):
    port = "keyvalue"


class TestSqliteCounter(InSqlite, CounterContract):
    port = "counter"


class TestSqliteAudit(InSqlite, AuditContract):
    port = "audit"


class TestSqliteArtifacts(InSqlite, ArtifactIndexContract):
    port = "artifacts"
