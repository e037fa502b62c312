"""One suite of tests a port: whatever implements the port passes it.

Rule: a suite tests only what `reach.ports` promises, through the port alone.

Subclass a suite in your own tests and say how the thing is made; pytest with pytest-asyncio (`asyncio_mode = "auto"`)
finds the rest. pytest itself is not imported here.

    class TestMyKeyValue(KeyValueContract):
        async def make(self) -> KeyValue:
            return MyKeyValue(clock=self.clock)

`make` is called once a test and must return an empty store. What it opens is given back in `close`, which you may
override, or in a fixture of the subclass. A store that counts time on a clock of its own (a server's) overrides
`elapse` to really wait, and `tick_s`, the smallest time that it can tell apart. To see values in failed asserts, call
`pytest.register_assert_rewrite("reach.testing.contracts")` in `conftest.py` before the import.
"""

from __future__ import annotations

from reach.testing.contracts.adapter import AdapterContract
from reach.testing.contracts.artifacts import ArtifactIndexContract, BlobStoreContract
from reach.testing.contracts.audit import AuditContract
from reach.testing.contracts.base import Contract
from reach.testing.contracts.ledger import LedgerContract
from reach.testing.contracts.values import CounterContract, KeyValueContract

__all__ = [
    "AdapterContract",
    "ArtifactIndexContract",
    "AuditContract",
    "BlobStoreContract",
    "Contract",
    "CounterContract",
    "KeyValueContract",
    "LedgerContract",
]
