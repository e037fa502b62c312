"""Reach: the rooms wired together, and the calls that a program makes.

Rule: this is wiring and doors only; whatever decides anything lives in a room below.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo

from reach.adapters import build_adapter
from reach.adapters.credentials import secret_of
from reach.artifacts import Artifacts
from reach.artifacts.keys import master_key
from reach.calls import CallContext, Calls, resolvers_of
from reach.catalogues import Catalogues
from reach.clock import SystemClock
from reach.conversation import Conversation
from reach.errors import ConfigError, InvalidArguments, StateError
from reach.executor import Executor, ExecutorStores, FaultPlan, TurnBudget
from reach.policy import Confirmations, Policy
from reach.ports import Adapter, Clock, Deadline, Queries
from reach.reducer import Reducer
from reach.registry import Registry, load_registry
from reach.router import Router
from reach.session import SessionStore
from reach.spec import BackendSpec, PythonBackend, SqlBackend
from reach.stores import open_blobs, open_state
from reach.telemetry import Trace
from reach.types import Caller, CallResult, Decision, Outcome, Page

_MAX_TEXT_CHARACTERS = 8000
_TRACE_TTL_S = 86_400.0


def _random_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_urlsafe(16)}"


class Reach:
    """A loaded agent: tools, policies, stores and backends. Use it as an async context manager, or `close` it."""

    def __init__(
        self,
        registry: Registry,
        *,
        clock: Clock | None = None,
        faults: Sequence[str] = (),
        new_id: Callable[[str], str] = _random_id,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        spec = registry.spec
        settings = spec.runtime
        if settings.model is not None:
            raise ConfigError(
                f"runtime.model is '{settings.model}', but this version routes without a model.", hint="Set it to null."
            )
        self.registry = registry
        self._settings = settings
        self._clock = clock or SystemClock()
        self._new_id = new_id
        self._zone = ZoneInfo(settings.timezone)
        self._state = open_state(settings.state, registry.root, self._clock)
        backends = {**spec.backends} if "python" in spec.backends else {**spec.backends, "python": _PYTHON}
        environment = os.environ if environment is None else environment
        self._adapters = _adapters_of(registry, backends, environment)
        _check_bindings(registry, self._adapters)
        queries: dict[str, Queries] = {
            name: adapter for name, adapter in self._adapters.items() if isinstance(adapter, Queries)
        }
        self._policy = Policy(
            registry.policies,
            registry.tools,
            version=registry.policy_version,
            queries=queries,
            resolvers=resolvers_of({name: own.function for name, own in registry.policies.ownership.items()}),
            audit=self._state.audit,
            clock=self._clock,
            today_of=self._today_of,
        )
        self._artifacts = Artifacts(
            self._state.artifacts,
            open_blobs(settings.artifacts.blobs, registry.root),
            self._clock,
            key=master_key(registry.root / ".reach", environment),
            ttl_s=settings.artifacts.ttl_s,
        )
        executor = Executor(
            tools=registry.tools,
            backends=backends,
            adapters=self._adapters,
            stores=ExecutorStores(self._state.ledger, self._state.keyvalue, self._state.counter, self._state.audit),
            clock=self._clock,
            # With the faults, so that what one of them answers is not kept for calls without it.
            registry_version=":".join([registry.version, *faults]),
            dedupe_window_s=settings.dedupe_window_s,
            today_of=self._today_of,
            faults=FaultPlan.parse(faults, list(registry.tools)),
        )
        confirmations = Confirmations(
            self._state.keyvalue,
            self._clock,
            ttl_s=settings.confirm_ttl_s,
            version=f"{registry.version}:{registry.policy_version}",
            new_id=lambda: new_id("cnf"),
        )
        reducer = Reducer(self._artifacts)
        reducer.prepare(registry.tools.values())
        self._calls = Calls(
            tools=registry.tools,
            policy=self._policy,
            executor=executor,
            reducer=reducer,
            confirmations=confirmations,
            new_id=new_id,
        )
        self._router = Router(registry.tools.values(), threshold=settings.threshold, top_k=settings.top_k)
        self._conversation = Conversation(
            tools=registry.tools,
            router=self._router,
            policy=self._policy,
            calls=self._calls,
            catalogues=Catalogues(queries, self._clock),
            sessions=SessionStore(self._state.keyvalue, settings.session_ttl_s),
            local_now=self._local_now,
            top_k=settings.top_k,
        )
        self._locks: dict[tuple[str, str, str], _SessionLock] = {}

    # -------------------------------------------------------------------------------------------- life

    @classmethod
    def load(
        cls,
        tools: str | Path = "tools.yaml",
        *,
        policies: str | Path | None = None,
        clock: Clock | None = None,
        faults: Sequence[str] = (),
    ) -> Reach:
        """Load an agent. `policies` is a file or a folder, `policies` beside the tools file where not given.

        Raises ConfigError with every problem of every file.
        """
        registry = load_registry(Path(tools), None if policies is None else Path(policies))
        return cls(registry, clock=clock, faults=faults)

    @classmethod
    def load_sync(
        cls, tools: str | Path = "tools.yaml", *, policies: str | Path | None = None, faults: Sequence[str] = ()
    ) -> SyncReach:
        """The same for code without an event loop."""
        return SyncReach(lambda: cls.load(tools, policies=policies, faults=faults))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Give back backends and stores; what was acknowledged is on disk."""
        for adapter in self._adapters.values():
            await adapter.close()
        await self._state.close()

    # -------------------------------------------------------------------------------------------- calls

    async def ask(
        self,
        text: str,
        *,
        caller: Caller,
        session: str = "default",
        turn: str | None = None,
        deadline_ms: int | None = None,
    ) -> Outcome:
        """One turn of a conversation. Turns of one session run one after the other.

        Raises InvalidArguments for a text that is too long, StateError where the session can't be kept.
        """
        if len(text) > _MAX_TEXT_CHARACTERS:
            raise InvalidArguments(
                f"The text has {len(text)} characters; the most is {_MAX_TEXT_CHARACTERS}.", hint="Shorten it."
            )
        context = self._context(caller, session, turn, deadline_ms, text=text)
        async with self._one_at_a_time(caller, session):
            outcome = await self._conversation.turn(text, context)
        await self._keep(context.trace, context.turn)
        return outcome

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        caller: Caller,
        session: str = "default",
        turn: str | None = None,
        idempotency_key: str = "",
        deadline_ms: int | None = None,
        dry_run: bool = False,
    ) -> CallResult:
        """One governed call, for hosts with a loop of their own. Every end is a result.

        The same write in the same session and turn (or under the same `idempotency_key`) runs once.
        """
        context = self._context(caller, session, turn, deadline_ms, call=tool, arguments=dict(arguments))
        result = await self._calls.call(tool, arguments, context, idempotency_key=idempotency_key, dry_run=dry_run)
        await self._keep(context.trace, context.turn, result.call_id)
        return result

    async def confirm(
        self,
        confirmation_id: str,
        *,
        caller: Caller,
        session: str = "default",
        deadline_ms: int | None = None,
    ) -> CallResult:
        """The yes to a write: runs exactly what was shown, once. `invalid` where nothing waits under this id."""
        context = self._context(caller, session, None, deadline_ms, confirmation=confirmation_id)
        async with self._one_at_a_time(caller, session):
            result = await self._conversation.confirmed(confirmation_id, context)
        await self._keep(context.trace, context.turn, result.call_id)
        return result

    async def decide(self, tool: str, arguments: Mapping[str, Any], *, caller: Caller) -> Decision:
        """What policy says of this call: rules and ownership, without preconditions and without making it."""
        context = self._context(caller, "decide", None, None, call=tool)
        return await self._calls.decide(tool, arguments, context)

    async def fetch(self, ref: str, *, caller: Caller, offset: int = 0, limit: int = 16_384) -> Page:
        """One page of an artifact, in bytes. Raises ArtifactError; permission is checked on every page."""
        visible = self._policy.visible(caller)
        return await self._artifacts.fetch(
            ref, caller=caller, offset=offset, limit=limit, permitted=visible.__contains__
        )

    def export(self, ref: str, *, caller: Caller) -> AsyncIterator[bytes]:
        """The whole artifact in pieces, for handing it to the user as a file. Raises ArtifactError while it is read."""
        visible = self._policy.visible(caller)
        return self._artifacts.export(ref, caller=caller, permitted=visible.__contains__)

    async def revoke(self, ref: str, *, caller: Caller) -> None:
        """Make an artifact of the caller's own unreadable. Raises ArtifactError or StateError."""
        await self._artifacts.revoke(ref, caller=caller)

    async def tools(self, text: str, *, caller: Caller) -> list[dict[str, Any]]:
        """OpenAI tool definitions of the tools that this caller may see and that `text` may need, best first."""
        route = self._router.route(text, visible=self._policy.visible(caller))
        names = [candidate.tool for candidate in route.candidates[: self._settings.top_k] if candidate.score > 0]
        return [self.registry.cards[name].as_openai() for name in names]

    async def why(self, turn_or_call: str) -> Mapping[str, Any] | None:
        """The trace of one turn or call, for operators: what was decided and why. None where none is kept."""
        data = await self._state.keyvalue.get(f"trace:{turn_or_call}")
        return None if data is None else json.loads(data)

    # -------------------------------------------------------------------------------------------- inside

    def _context(
        self, caller: Caller, session: str, turn: str | None, deadline_ms: int | None, **about: Any
    ) -> CallContext:
        turn = turn or self._new_id("turn")
        return CallContext(
            caller=caller,
            session=session,
            turn=turn,
            deadline=Deadline.after_ms(self._clock, deadline_ms or self._settings.deadline_ms),
            budget=TurnBudget(self._settings.max_calls_per_turn),
            language=self._settings.language,
            trace=Trace(self._clock, turn=turn, session=session, caller=caller.id, tenant=caller.tenant, **about),
        )

    async def _keep(self, trace: Trace, *ids: str) -> None:
        data = json.dumps(trace.as_json(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            for one in ids:
                await self._state.keyvalue.set(f"trace:{one}", data, ttl_s=_TRACE_TTL_S)
        except StateError:
            return  # what happened has happened; a lost trace must not make it look as if it had not

    @asynccontextmanager
    async def _one_at_a_time(self, caller: Caller, session: str) -> AsyncGenerator[None]:
        key = (caller.tenant, caller.id, session)
        lock = self._locks.setdefault(key, _SessionLock())
        lock.users += 1
        try:
            async with lock.lock:
                yield
        finally:
            lock.users -= 1
            if not lock.users:
                self._locks.pop(key, None)

    def _local_now(self, caller: Caller) -> datetime:
        return self._clock.now().astimezone(self._zone_of(caller))

    def _today_of(self, caller: Caller) -> str:
        return self._local_now(caller).date().isoformat()

    def _zone_of(self, caller: Caller) -> ZoneInfo:
        claimed = caller.claims.get("zoneinfo")
        if isinstance(claimed, str):
            try:
                return ZoneInfo(claimed)
            except (ValueError, OSError, LookupError):
                return self._zone
        return self._zone


class SyncReach:
    """`Reach` for code without an event loop: the same calls, each run to its end. Use it as a context manager."""

    def __init__(self, load: Callable[[], Reach]) -> None:
        self._runner = asyncio.Runner()
        try:
            self._reach = self._runner.run(_loaded(load))
        except BaseException:
            self._runner.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back backends and stores."""
        try:
            self._runner.run(self._reach.close())
        finally:
            self._runner.close()

    def ask(self, text: str, *, caller: Caller, session: str = "default") -> Outcome:
        """See `Reach.ask`."""
        return self._runner.run(self._reach.ask(text, caller=caller, session=session))

    def call(self, tool: str, arguments: Mapping[str, Any], *, caller: Caller, session: str = "default") -> CallResult:
        """See `Reach.call`."""
        return self._runner.run(self._reach.call(tool, arguments, caller=caller, session=session))

    def confirm(self, confirmation_id: str, *, caller: Caller, session: str = "default") -> CallResult:
        """See `Reach.confirm`."""
        return self._runner.run(self._reach.confirm(confirmation_id, caller=caller, session=session))

    def fetch(self, ref: str, *, caller: Caller, offset: int = 0, limit: int = 16_384) -> Page:
        """See `Reach.fetch`."""
        return self._runner.run(self._reach.fetch(ref, caller=caller, offset=offset, limit=limit))


class _SessionLock:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


_PYTHON = PythonBackend.model_validate({"kind": "python"})


async def _loaded(load: Callable[[], Reach]) -> Reach:
    return load()


def _adapters_of(
    registry: Registry, backends: Mapping[str, BackendSpec], environment: Mapping[str, str]
) -> dict[str, Adapter]:
    adapters: dict[str, Adapter] = {}
    for name, backend in backends.items():
        credential = backend.credential if isinstance(backend, SqlBackend) else None
        spec = registry.spec.credentials[credential] if credential else None
        password = secret_of(credential, spec, registry.root, environment) if credential and spec else ""
        adapters[name] = build_adapter(name, backend, registry.root, password)
    return adapters


def _check_bindings(registry: Registry, adapters: Mapping[str, Adapter]) -> None:
    problems = [
        f"{name}: {problem}"
        for name, tool in registry.tools.items()
        for problem in adapters[tool.adapter.backend].problems(tool)
    ]
    if problems:
        raise ConfigError("\n".join(problems))
