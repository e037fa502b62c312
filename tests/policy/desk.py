"""A policy over scripted queries, in-memory stores and a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from reach.errors import BackendTimeout
from reach.policy import Confirmations, Policy
from reach.ports import Deadline
from reach.spec import PoliciesFile, ToolsFile
from reach.stores import StateStore, open_state
from reach.testing import FakeClock
from reach.types import Caller, CallRequest, Decision, Provenance

OWNED = {("o1", "u1"), ("o2", "u1"), ("o9", "u9")}

TOOLS = {
    "version": 1,
    "backends": {"b": {"kind": "sql", "url": "sqlite:///x.db"}},
    "tools": [
        {
            "name": name,
            "description": "d",
            "side_effect": "write" if name in ("refund", "notify") else "read_only",
            "tags": ["orders"],
            "parameters": parameters,
            "adapter": {"backend": "b", "statement": "select " + ", ".join(f":{p}" for p in parameters)},
            "result": {"fields": "*"},
            **extra,
        }
        for name, parameters, extra in [
            ("status", {"order": {"resource": "order"}}, {}),
            ("several", {"orders": {"type": "array", "resource": "order"}}, {}),
            ("tail", {"tail": {"resource": "tail"}}, {}),
            (
                "refund",
                {"order": {"resource": "order"}, "amount": {"type": "number"}},
                {
                    "preconditions": [
                        {"id": "open", "backend": "b", "sql": "select 1 where :order", "reason": "Closed."}
                    ]
                },
            ),
            ("notify", {"assignee": {}}, {}),
            ("staff_only", {"x": {}}, {}),
        ]
    ],
}
POLICIES: dict[str, Any] = {
    "version": 1,
    "ownership": {
        "order": {"backend": "b", "sql": "select 1 where :value and :caller_id", "roles": ["customer"]},
        "tail": {"claim": "tails"},
    },
    "rules": [
        {"id": "see", "allow": {"roles": ["customer"], "tools": ["status", "several", "tail"]}},
        {"id": "yes", "confirm": {"roles": ["customer"], "tools": ["refund", "notify"]}},
        {"id": "big", "deny": {"tools": ["refund"], "when": "args.amount > 500.0"}, "reason": "Too much."},
        {"id": "planted", "deny": {"tools": ["notify"], "when": "provenance.assignee == 'result'"}},
        {"id": "staff", "allow": {"roles": ["support"], "tags": ["orders"], "claims": {"desk": ["a", "b"]}}},
    ],
}


class ScriptedQueries:
    """Answers ownership from OWNED and preconditions from `closed`; `error` is raised instead where it is set."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.closed: set[str] = set()
        self.asked: list[Mapping[str, Any]] = []

    async def rows(
        self, statement: str, binds: Mapping[str, Any], deadline: Deadline, max_rows: int = 1
    ) -> list[dict[str, Any]]:
        self.asked.append(binds)
        if self.error is not None:
            raise self.error
        if "order" in binds:
            return [] if binds["order"] in self.closed else [{"1": 1}]
        return [{"1": 1}] if (binds["value"], binds["caller_id"]) in OWNED else []


class Desk:
    """What a test works with."""

    def __init__(self, policies: Mapping[str, Any] = POLICIES) -> None:
        self.clock = FakeClock()
        self.queries = ScriptedQueries()
        self.state: StateStore = open_state("memory://", None, self.clock)  # type: ignore[arg-type]
        spec = ToolsFile.model_validate(TOOLS)
        self.tools = {tool.name: tool for tool in spec.tools}
        self.policy = Policy(
            PoliciesFile.model_validate(policies),
            self.tools,
            version="p1",
            queries={"b": self.queries},
            resolvers={},
            audit=self.state.audit,
            clock=self.clock,
            today_of=lambda _: "2026-01-05",
        )
        ids = count()
        self.confirmations = Confirmations(
            self.state.keyvalue, self.clock, ttl_s=600, version="v1", new_id=lambda: f"c{next(ids)}"
        )

    def request(
        self,
        tool: str,
        values: Mapping[str, Any],
        caller: Caller | None = None,
        source: Any = "user",
        session: str = "s",
    ) -> CallRequest:
        origins = {name: Provenance(source) for name in values}
        return CallRequest(tool, values, origins, caller or CUSTOMER, session, "t", "call")

    async def decide(
        self, tool: str, values: Mapping[str, Any], caller: Caller | None = None, source: Any = "user"
    ) -> Decision:
        deadline = Deadline.after_ms(self.clock, 1000)
        return await self.policy.decide(self.request(tool, values, caller, source), deadline)


CUSTOMER = Caller("u1", roles={"customer"}, claims={"tails": ["8816"]})
TIME_OUT = BackendTimeout("slow")
