"""Faults on purpose, for demonstrations, evals and tests.

Rule: a fault stands where the backend stands, inside every guard, so that what it shows is what a real one would cause.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from reach.errors import BackendUnavailable, ConfigError
from reach.executor.running import Proceed, Running
from reach.ports import Clock
from reach.spec import SqlBinding
from reach.types import Payload

FaultKind = Literal["timeout", "error", "empty", "huge", "slow"]
_KINDS = ("timeout", "error", "empty", "huge", "slow:MS")
_MAX_DIGITS = 9
_HUGE_ROWS = 5000
_HUGE_CHARACTERS = 200_000
_FOREVER_S = 10 * 365 * 86_400.0


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; `slow_ms` is the delay of a `slow` one."""

    kind: FaultKind
    slow_ms: int = 0


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """Which tools fail, and how; the key `*` stands for every tool."""

    faults: Mapping[str, Fault] = field(default_factory=dict[str, Fault])

    @classmethod
    def parse(cls, texts: Sequence[str], known_tools: Sequence[str]) -> FaultPlan:
        """`["track_parcel=timeout", "*=slow:200"]` as a plan. Raises ConfigError."""
        faults: dict[str, Fault] = {}
        for text in texts:
            tool, _, kind = text.partition("=")
            word, _, amount = kind.partition(":")
            if tool != "*" and tool not in known_tools:
                raise ConfigError(
                    f"--fault {text}: there is no tool '{tool}'.", hint=f"Known: {', '.join(known_tools)}"
                )
            if word == "slow" and amount.isascii() and amount.isdigit() and len(amount) <= _MAX_DIGITS:
                faults[tool] = Fault("slow", int(amount))
            elif word in ("timeout", "error", "empty", "huge") and not amount:
                faults[tool] = Fault(word)
            else:
                raise ConfigError(f"--fault {text}: '{kind}' is not a fault.", hint=f"Known: {', '.join(_KINDS)}")
        return cls(faults)

    def of(self, tool: str) -> Fault | None:
        """The fault of one tool."""
        return self.faults.get(tool) or self.faults.get("*")


class FaultGuard:
    """Stands in for the backend where the plan says so."""

    def __init__(self, plan: FaultPlan, clock: Clock) -> None:
        self._plan = plan
        self._clock = clock

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """What a backend with that fault would give or raise."""
        fault = self._plan.of(running.tool.name)
        if fault is None:
            return await proceed()
        if fault.kind == "timeout":
            await self._clock.sleep(_FOREVER_S)
        if fault.kind == "error":
            raise BackendUnavailable(f"The backend '{running.backend}' refused the connection (injected fault).")
        if fault.kind == "empty":
            return Payload(data=_empty(running))
        if fault.kind == "slow":
            await self._clock.sleep(fault.slow_ms / 1000)
            return await proceed()
        payload = await proceed()
        return Payload(data=_huge(payload.data, running), media_type=payload.media_type)


def _empty(running: Running) -> Any:
    adapter = running.tool.adapter
    return [] if isinstance(adapter, SqlBinding) and adapter.returns == "rows" else None


def _huge(data: Any, running: Running) -> Any:
    fields = running.tool.result.fields
    names = ["value"] if fields == "*" else [path.split(".")[0].split("[")[0] for path in fields]
    blank = dict.fromkeys(names, "x")
    if isinstance(data, list):
        rows = cast("list[Any]", data) or [blank]
        return [rows[index % len(rows)] for index in range(_HUGE_ROWS)]
    record = cast("dict[str, Any]", data) if isinstance(data, dict) else blank
    return {
        name: (value * (_HUGE_CHARACTERS // len(value) + 1) if isinstance(value, str) and value else value)
        for name, value in record.items()
    }
