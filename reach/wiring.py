"""The rooms of one loaded agent, built from its registry and put together.

Rule: everything that can be wrong is found before the state store is opened, so that a failed load leaves nothing open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from reach.adapters import build_adapter
from reach.adapters.credentials import secret_of
from reach.artifacts import Artifacts
from reach.artifacts.keys import master_key
from reach.calls import Calls
from reach.catalogues import Catalogues
from reach.conversation import Conversation
from reach.errors import ConfigError
from reach.executor import Executor, ExecutorStores, FaultPlan
from reach.policy import Confirmations, Policy
from reach.ports import Adapter, Clock, Queries
from reach.reducer import Reducer
from reach.registry import Registry
from reach.resolvers import Resolvers
from reach.router import Router
from reach.session import SessionStore
from reach.spec import BackendSpec, PythonBackend, RuntimeSpec, SqlBackend
from reach.stores import StateStore, open_blobs, open_state
from reach.types import Caller

_PYTHON = PythonBackend.model_validate({"kind": "python"})
"""The backend `python`, which tools may use without declaring it."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a runtime is made of."""

    policy: Policy
    artifacts: Artifacts
    calls: Calls
    conversation: Conversation
    stores: tuple[StateStore, ...]
    adapters: Mapping[str, Adapter]
    resolvers: Resolvers

    @property
    def queries(self) -> dict[str, Queries]:
        """The backends that answer read-only statements."""
        return queries_of(self.adapters)

    @property
    def state(self) -> StateStore:
        """The store of sessions, confirmations, ledger, limits, audit and traces."""
        return self.stores[0]

    async def close(self) -> None:
        """Give back backends, threads and stores; what was acknowledged is on disk."""
        for adapter in self.adapters.values():
            await adapter.close()
        await self.resolvers.close()
        for store in self.stores:
            await store.close()


class LocalTime:
    """What day and time it is for a caller: in the zone of their `zoneinfo` claim, else in the runtime's."""

    def __init__(self, clock: Clock, zone: str) -> None:
        self._clock = clock
        self._zone = ZoneInfo(zone)

    def now(self, caller: Caller) -> datetime:
        """The present moment in the caller's zone."""
        return self._clock.now().astimezone(self._zone_of(caller))

    def today(self, caller: Caller) -> str:
        """The caller's date, `YYYY-MM-DD`."""
        return self.now(caller).date().isoformat()

    def _zone_of(self, caller: Caller) -> ZoneInfo:
        claimed = caller.claims.get("zoneinfo")
        if isinstance(claimed, str):
            try:
                return ZoneInfo(claimed)
            except (ValueError, OSError, LookupError):
                return self._zone
        return self._zone


def wire(
    registry: Registry,
    *,
    clock: Clock,
    faults: Sequence[str],
    new_id: Callable[[str], str],
    environment: Mapping[str, str],
) -> Rooms:
    """Build and connect the rooms. Raises ConfigError, or StateError where the state store can't be opened."""
    spec, settings = registry.spec, registry.spec.runtime
    if settings.model is not None:
        raise ConfigError(
            f"runtime.model is '{settings.model}', but this version routes without a model.", hint="Set it to null."
        )
    plan = FaultPlan.parse(faults, list(registry.tools))
    backends = {"python": _PYTHON, **spec.backends}
    adapters = _adapters_of(registry, backends, environment)
    resolvers = Resolvers()
    proofs = resolvers.of({name: own.function for name, own in registry.policies.ownership.items()})
    blobs = open_blobs(settings.artifacts.blobs, registry.root)
    key = master_key(registry.root / ".reach", environment)
    local = LocalTime(clock, settings.timezone)
    router = Router(registry.tools.values(), threshold=settings.threshold, top_k=settings.top_k)
    queries = queries_of(adapters)
    state = open_state(settings.state, registry.root, clock)
    index = state if settings.artifacts.index is None else open_state(settings.artifacts.index, registry.root, clock)
    artifacts = Artifacts(index.artifacts, blobs, clock, key=key, ttl_s=settings.artifacts.ttl_s)
    reducer = Reducer(artifacts)
    reducer.prepare(registry.tools.values())
    policy = Policy(
        registry.policies,
        registry.tools,
        version=registry.policy_version,
        queries=queries,
        resolvers=proofs,
        audit=state.audit,
        clock=clock,
        today_of=local.today,
    )
    executor = Executor(
        tools=registry.tools,
        backends=backends,
        adapters=adapters,
        stores=ExecutorStores(state.ledger, state.keyvalue, state.counter, state.audit),
        clock=clock,
        # With the faults, so that what one of them answers is not kept for calls without it.
        registry_version=":".join([registry.version, *faults]),
        dedupe_window_s=settings.dedupe_window_s,
        today_of=local.today,
        storable=reducer.storable,
        faults=plan,
    )
    confirmations = _confirmations(registry, settings, state, clock, new_id)
    calls = Calls(
        tools=registry.tools,
        policy=policy,
        executor=executor,
        reducer=reducer,
        confirmations=confirmations,
        new_id=new_id,
    )
    conversation = Conversation(
        tools=registry.tools,
        router=router,
        policy=policy,
        calls=calls,
        catalogues=Catalogues(queries, clock),
        sessions=SessionStore(state.keyvalue, settings.session_ttl_s),
        local_now=local.now,
        top_k=settings.top_k,
    )
    stores = (state,) if index is state else (state, index)
    return Rooms(policy, artifacts, calls, conversation, stores, adapters, resolvers)


def queries_of(adapters: Mapping[str, Adapter]) -> dict[str, Queries]:
    """The adapters that answer read-only statements, by the name of their backend."""
    return {name: adapter for name, adapter in adapters.items() if isinstance(adapter, Queries)}


def _confirmations(
    registry: Registry, settings: RuntimeSpec, state: StateStore, clock: Clock, new_id: Callable[[str], str]
) -> Confirmations:
    return Confirmations(
        state.keyvalue,
        clock,
        ttl_s=settings.confirm_ttl_s,
        version=f"{registry.version}:{registry.policy_version}",
        new_id=lambda: new_id("cnf"),
    )


def _adapters_of(
    registry: Registry, backends: Mapping[str, BackendSpec], environment: Mapping[str, str]
) -> dict[str, Adapter]:
    adapters: dict[str, Adapter] = {}
    for name, backend in backends.items():
        credential = backend.credential if isinstance(backend, SqlBackend) else None
        spec = registry.spec.credentials[credential] if credential else None
        password = secret_of(credential, spec, registry.root, environment) if credential and spec else ""
        adapters[name] = build_adapter(name, backend, registry.root, password)
    problems = [
        f"{name}: {problem}"
        for name, tool in registry.tools.items()
        for problem in adapters[tool.adapter.backend].problems(tool)
    ]
    if problems:
        raise ConfigError("\n".join(problems))
    return adapters
