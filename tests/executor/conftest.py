"""An executor over scripted adapters, in-memory stores and a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from reach.executor import Executor, ExecutorStores, FaultPlan, TurnBudget
from reach.ports import Deadline
from reach.spec import ToolsFile, ToolSpec
from reach.stores import StateStore, open_state
from reach.testing import FakeClock, FaultyAdapter
from reach.types import Caller, CallRequest, Decision, Execution, Payload, PermittedCall


@dataclass(frozen=True)
class Permitted(PermittedCall):
    """A permitted call of tests; outside of tests only the policy room makes one."""

    the_request: CallRequest

    @property
    def request(self) -> CallRequest:
        return self.the_request

    @property
    def decision(self) -> Decision:
        return Decision("allow", "test", "", "p1")


TOOLS = {
    "version": 1,
    "backends": {"b": {"kind": "sql", "url": "sqlite:///x.db", "breaker": {"failures": 3, "reset_ms": 30_000}}},
    "tools": [
        {
            "name": name,
            "description": "d",
            "side_effect": side_effect,
            "timeout_ms": 60_000,
            "parameters": {"x": {"type": "integer", "required": False}},
            "adapter": {"backend": "b", "statement": "select :x"},
            "result": {"fields": "*"},
            **extra,
        }
        for name, side_effect, extra in [
            ("read", "read_only", {}),
            ("quick", "read_only", {"timeout_ms": 20, "retry": {"attempts": 1}}),
            ("cached", "read_only", {"cache": {"ttl_s": 30}}),
            ("limited", "read_only", {"rate_limit": {"per_caller": "2/minute"}}),
            ("write", "write", {}),
            ("quick_write", "write", {"timeout_ms": 20}),
            ("honoured", "write", {"idempotency": {"honoured": True}}),
        ]
    ],
}


async def _as_it_is(tool: ToolSpec, payload: Payload) -> Payload:
    del tool
    return payload


class Bench:
    """What a test works with: `run` makes one call."""

    def __init__(self, script: Sequence[Any] = (), faults: Sequence[str] = ()) -> None:
        self.clock = FakeClock(auto_advance=True)
        self.adapter = FaultyAdapter(script=script)
        self.state: StateStore = open_state("memory://", None, self.clock)  # type: ignore[arg-type]
        spec = ToolsFile.model_validate(TOOLS)
        self.tools = {tool.name: tool for tool in spec.tools}
        fences = count()
        self.executor = Executor(
            tools=self.tools,
            backends=spec.backends,
            adapters={"b": self.adapter},
            stores=ExecutorStores(self.state.ledger, self.state.keyvalue, self.state.counter, self.state.audit),
            clock=self.clock,
            registry_version="v1",
            dedupe_window_s=10,
            today_of=lambda _: "2026-01-05",
            storable=_as_it_is,
            faults=FaultPlan.parse(faults, list(self.tools)),
            new_fence=lambda: f"f{next(fences)}",
        )

    def request(
        self,
        tool: str,
        values: Mapping[str, Any] | None = None,
        *,
        turn: str = "t1",
        session: str = "s1",
        caller: str = "u1",
        key: str = "",
    ) -> CallRequest:
        return CallRequest(tool, values or {}, {}, Caller(caller), session, turn, f"call-{turn}", key)

    async def run(self, tool: str, values: Mapping[str, Any] | None = None, **about: Any) -> Execution:
        budget = about.pop("budget", None) or TurnBudget(10)
        deadline = Deadline.after_ms(self.clock, about.pop("deadline_ms", 60_000))
        return await self.executor.execute(Permitted(self.request(tool, values, **about)), deadline, budget)


@pytest.fixture
def bench() -> Callable[..., Bench]:
    return Bench
