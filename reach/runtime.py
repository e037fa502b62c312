"""Reach: the calls that a program makes of a loaded agent.

Rule: these are doors only; whatever decides anything lives in a room below. A turn or a call answers by its deadline,
whatever hangs.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from reach.calls import CallContext
from reach.clock import SystemClock
from reach.errors import InvalidArguments, Problem
from reach.executor import TurnBudget, recorded
from reach.ports import Clock, Deadline
from reach.registry import Registry, load_registry
from reach.statements import statement_problems
from reach.sync import SyncReach
from reach.telemetry import Trace
from reach.types import Caller, CallResult, Decision, Outcome, Page, digest_of
from reach.wiring import wire

_Result = TypeVar("_Result")

_MAX_TEXT_CHARACTERS = 8000
_TRACE_TTL_S = 86_400.0
_GRACE_S = 0.08
"""How long after the deadline a turn may still say itself how it ended, before it is answered for."""


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
        """Wire the rooms. Raises ConfigError, or StateError where the state store can't be opened."""
        self.registry = registry
        self._settings = registry.spec.runtime
        self._clock = clock or SystemClock()
        self._new_id = new_id
        self._rooms = wire(
            registry,
            clock=self._clock,
            faults=faults,
            new_id=new_id,
            environment=os.environ if environment is None else environment,
        )
        self._locks: dict[tuple[str, str], _SessionLock] = {}
        self._left_behind: set[asyncio.Task[Any]] = set()

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
        if self._left_behind:
            await asyncio.wait(set(self._left_behind), timeout=1.0)
        await self._rooms.close()

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
        conversation = self._rooms.conversation

        async def one_turn() -> Outcome:
            async with self._one_at_a_time(caller, session):
                return await conversation.turn(text, context)

        outcome = await self._in_time(one_turn(), context, lambda: conversation.late(text, context))
        await self._keep(context, context.turn)
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
        context = self._context(caller, session, turn, deadline_ms, call=tool, arguments=arguments)
        calls = self._rooms.calls
        work = calls.call(tool, arguments, context, idempotency_key=idempotency_key, dry_run=dry_run)
        result = await self._in_time(work, context, lambda: calls.late(tool, context))
        await self._keep(context, context.turn, result.call_id)
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
        rooms = self._rooms

        async def the_yes() -> CallResult:
            async with self._one_at_a_time(caller, session):
                return await rooms.conversation.confirmed(confirmation_id, context)

        result = await self._in_time(the_yes(), context, lambda: rooms.calls.late("", context))
        await self._keep(context, context.turn, result.call_id)
        return result

    async def decide(self, tool: str, arguments: Mapping[str, Any], *, caller: Caller) -> Decision:
        """What policy says of this call: rules and ownership, without preconditions and without making it."""
        context = self._context(caller, "decide", None, None, call=tool)
        return await self._rooms.calls.decide(tool, arguments, context)

    async def fetch(self, ref: str, *, caller: Caller, offset: int = 0, limit: int = 16_384) -> Page:
        """One page of an artifact, in bytes. Raises ArtifactError; permission is checked on every page."""
        visible = self._rooms.policy.visible(caller)
        return await self._rooms.artifacts.fetch(
            ref, caller=caller, offset=offset, limit=limit, permitted=visible.__contains__
        )

    def export(self, ref: str, *, caller: Caller) -> AsyncIterator[bytes]:
        """The whole artifact in pieces, for handing it to the user as a file. Raises ArtifactError while it is read."""
        visible = self._rooms.policy.visible(caller)
        return self._rooms.artifacts.export(ref, caller=caller, permitted=visible.__contains__)

    async def revoke(self, ref: str, *, caller: Caller) -> None:
        """Make an artifact of the caller's own unreadable. Raises ArtifactError or StateError."""
        await self._rooms.artifacts.revoke(ref, caller=caller)

    async def tools(self, text: str, *, caller: Caller) -> list[dict[str, Any]]:
        """OpenAI tool definitions of the tools that this caller may see and that `text` may need, best first."""
        deadline = Deadline.after_ms(self._clock, self._settings.deadline_ms)
        route = await self._rooms.conversation.route(text, self._rooms.policy.visible(caller), deadline)
        names = [candidate.tool for candidate in route.candidates[: self._settings.top_k] if candidate.score > 0]
        return [self.registry.cards[name].as_openai() for name in names]

    async def why(self, turn_or_call: str) -> Mapping[str, Any] | None:
        """The trace of one turn or call, for operators: what was decided and why. None where none is kept."""
        data = await self._rooms.state.keyvalue.get(_trace_key(turn_or_call))
        return None if data is None else json.loads(data.decode("utf-8", "surrogatepass"))

    async def check(self) -> list[Problem]:
        """What only a look at the backends tells: statements with tables or columns that a database does not have."""
        deadline = Deadline.after_ms(self._clock, self._settings.deadline_ms)
        return await statement_problems(self.registry, self._rooms.queries, deadline)

    # -------------------------------------------------------------------------------------------- inside

    def _context(
        self, caller: Caller, session: str, turn: str | None, deadline_ms: int | None, **about: Any
    ) -> CallContext:
        turn = turn or self._new_id("turn")
        return CallContext(
            caller=caller,
            session=session,
            turn=turn,
            deadline=Deadline.after_ms(self._clock, self._settings.deadline_ms if deadline_ms is None else deadline_ms),
            budget=TurnBudget(self._settings.max_calls_per_turn),
            language=self._settings.language,
            trace=Trace(self._clock, turn=turn, session=session, caller=caller.id, tenant=caller.tenant, **about),
        )

    async def _in_time(
        self, work: Coroutine[Any, Any, _Result], context: CallContext, late: Callable[[], _Result]
    ) -> _Result:
        """What `work` gives, or where the deadline passes first, what `late` says of it; `work` is then cancelled."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task}, timeout=context.deadline.remaining_s() + _GRACE_S)
        except asyncio.CancelledError:
            self._leave(task)
            raise
        if task.done():
            return task.result()
        self._leave(task)
        return late()

    def _leave(self, task: asyncio.Task[Any]) -> None:
        task.cancel()
        self._left_behind.add(task)
        task.add_done_callback(self._gone)

    def _gone(self, task: asyncio.Task[Any]) -> None:
        self._left_behind.discard(task)
        if not task.cancelled():
            task.exception()  # read, so that it is not reported as lost: nobody is waiting for it any more

    async def _keep(self, context: CallContext, *ids: str) -> None:
        data = json.dumps(context.trace.as_json(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        for one in ids:
            await recorded(self._rooms.state.keyvalue.set(_trace_key(one), data, ttl_s=_TRACE_TTL_S), context.deadline)

    @asynccontextmanager
    async def _one_at_a_time(self, caller: Caller, session: str) -> AsyncGenerator[None]:
        key = (caller.identity, session)
        lock = self._locks.setdefault(key, _SessionLock())
        lock.users += 1
        try:
            async with lock.lock:
                yield
        finally:
            lock.users -= 1
            if not lock.users:
                self._locks.pop(key, None)


def _trace_key(one: str) -> str:
    return f"trace:{digest_of(one)}"  # hosts choose the names of turns: any text, of any length


class _SessionLock:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0
