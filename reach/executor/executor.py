"""Execute: one list of guards around every call.

Rule: only a `PermittedCall` is executed, and whatever happens ends as an `Execution`: succeeded, failed, or (a write
that was sent and never answered) unknown.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from reach.errors import BackendFailure, BackendUnavailable, CallError, StateError
from reach.executor.bookkeeping import recorded
from reach.executor.breaker import BreakerGuard
from reach.executor.cache import CacheGuard
from reach.executor.faults import FaultGuard, FaultPlan
from reach.executor.idempotency import IdempotencyGuard
from reach.executor.limits import AttemptDeadlineGuard, CallBudgetGuard, ConcurrencyGuard, RateLimitGuard
from reach.executor.retry import RetryGuard
from reach.executor.running import Guard, Proceed, Running, Storable, TurnBudget
from reach.ports import Adapter, AdapterCall, AuditSink, Clock, Counter, Deadline, KeyValue, Ledger, LedgerRow
from reach.spec import BackendSpec, ToolSpec
from reach.types import Caller, CallRequest, Execution, Payload, PermittedCall


def _new_fence() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class ExecutorStores:
    """The stores that the guards need."""

    ledger: Ledger
    keyvalue: KeyValue
    counter: Counter
    audit: AuditSink


class Executor:
    """Runs permitted calls against the adapters of their backends."""

    def __init__(
        self,
        *,
        tools: Mapping[str, ToolSpec],
        backends: Mapping[str, BackendSpec],
        adapters: Mapping[str, Adapter],
        stores: ExecutorStores,
        clock: Clock,
        registry_version: str,
        dedupe_window_s: float,
        today_of: Callable[[Caller], str],
        storable: Storable,
        faults: FaultPlan | None = None,
        new_fence: Callable[[], str] = _new_fence,
    ) -> None:
        self._tools = tools
        self._adapters = adapters
        self._audit = stores.audit
        self._clock = clock
        self._today_of = today_of
        cached = frozenset(tool.adapter.backend for tool in tools.values() if tool.cache is not None)
        self._idempotency = IdempotencyGuard(
            stores.ledger, clock, dedupe_window_s=dedupe_window_s, new_fence=new_fence, storable=storable
        )
        self.breakers = BreakerGuard(backends, clock)
        # Outermost first. The order is the contract; each guard's module says why it stands where it does.
        self._guards: tuple[Guard, ...] = (
            CallBudgetGuard(),
            CacheGuard(stores.keyvalue, registry_version, cached, storable),
            self._idempotency,
            RateLimitGuard(stores.counter),
            RetryGuard(clock),
            self.breakers,
            ConcurrencyGuard(backends),
            AttemptDeadlineGuard(),
            FaultGuard(faults or FaultPlan(), clock),
        )

    async def earlier(self, request: CallRequest, deadline: Deadline, policy_version: str) -> Execution | None:
        """How the same write ended before, if it was begun before; None for a read and for a new write.

        A run that is still under way is waited for.
        """
        running = self._running(request, deadline, policy_version, TurnBudget(1))
        if running.tool.read_only:
            return None
        row: LedgerRow | None = None

        async def replay() -> Payload:
            nonlocal row
            row = await self._idempotency.earlier(running)
            return Payload() if row is None else await self._idempotency.replay(running, row)

        execution = await self._settle(running, replay)
        return None if row is None and execution.error is None else execution

    async def execute(self, permitted: PermittedCall, deadline: Deadline, budget: TurnBudget) -> Execution:
        """Run one permitted call within `deadline`. Raises only CancelledError; every other end is an `Execution`."""
        running = self._running(permitted.request, deadline, permitted.decision.policy_version, budget)

        async def adapter_call() -> Payload:
            return await self._adapters[running.backend].call(self._adapter_call(running))

        chain: Proceed = adapter_call
        for guard in reversed(self._guards):
            chain = _wrap(guard, running, chain)
        execution = await self._settle(running, chain)
        await self._record(running, execution)
        return execution

    def _running(self, request: CallRequest, deadline: Deadline, policy_version: str, budget: TurnBudget) -> Running:
        return Running(self._tools[request.tool], request, deadline, policy_version, budget)

    def _adapter_call(self, running: Running) -> AdapterCall:
        return AdapterCall(
            tool=running.tool,
            values=running.request.values,
            caller=running.request.caller,
            deadline=running.deadline.at_most_ms(running.tool.timeout_ms),
            now=self._clock.now(),
            today=self._today_of(running.request.caller),
            idempotency_key="" if running.tool.read_only else running.idempotency_key,
        )

    async def _settle(self, running: Running, chain: Proceed) -> Execution:
        started = self._clock.monotonic()
        payload: Payload | None = None
        error: CallError | None = None
        try:
            payload = await chain()
        except asyncio.CancelledError:
            raise
        except CallError as raised:
            error = raised
        except StateError as raised:
            error = BackendUnavailable("Reach's own state store is not available.", hint=raised.message)
            error.applied = "maybe" if running.attempts else "no"
        except Exception as raised:  # noqa: BLE001  # a broken guard or adapter must not take the turn down
            error = BackendFailure(f"{running.tool.name} broke: {type(raised).__name__}.")
            error.__cause__ = raised
        unknown = error is not None and error.applied == "maybe" and not running.tool.read_only
        if error is not None and not unknown:
            running.budget.sent = ""
        return Execution(
            status="succeeded" if error is None else "unknown" if unknown else "failed",
            payload=payload,
            error=error,
            attempts=running.attempts,
            replayed=running.replayed,
            cached=running.cached,
            duration_ms=(self._clock.monotonic() - started) * 1000,
        )

    async def _record(self, running: Running, execution: Execution) -> None:
        record: dict[str, Any] = {
            "kind": "outcome",
            "at": self._clock.now().isoformat(),
            "call": running.request.call_id,
            "turn": running.request.turn,
            "tool": running.tool.name,
            "caller": running.request.caller.id,
            "tenant": running.request.caller.tenant,
            "status": execution.status,
            "error": execution.error.code if execution.error else None,
            "attempts": execution.attempts,
            "replayed": execution.replayed,
            "cached": execution.cached,
            "duration_ms": round(execution.duration_ms, 3),
        }
        # The decision before the call was recorded or the call was not made; an outcome that can't be recorded must not
        # turn a finished write into an error that invites a second one.
        await recorded(self._audit.append(record), running.deadline)


def _wrap(guard: Guard, running: Running, proceed: Proceed) -> Proceed:
    async def wrapped() -> Payload:
        return await guard(running, proceed)

    return wrapped
