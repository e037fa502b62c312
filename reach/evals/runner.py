"""Running labelled cases and judging each turn.

Rule: a case passes when every expectation of every turn holds; why one does not is said in words.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from reach.clock import SystemClock
from reach.evals.cases import Case
from reach.evals.sandbox import sandboxed, unmade_writes
from reach.ports import Clock
from reach.registry import Registry
from reach.runtime import Reach
from reach.spec import ExpectSpec
from reach.types import Outcome, to_json

CALLED = frozenset({"answer", "confirm", "denied", "fallback", "unknown"})
"""Outcomes that mean that a tool was chosen and, as far as policy let it, called."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """One judged turn. `failures` says in words what did not hold; an empty tuple is a pass."""

    query: str
    expect: ExpectSpec
    outcome: str
    tool: str | None
    arguments: Mapping[str, Any]
    text: str
    score: float | None
    latency_ms: float
    raw_bytes: int
    content_bytes: int
    failures: tuple[str, ...]

    @property
    def called(self) -> bool:
        """True where a tool was chosen and called, or refused by policy."""
        return self.outcome in CALLED


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One judged case."""

    id: str
    file: str
    tags: tuple[str, ...]
    turns: tuple[TurnResult, ...]

    @property
    def passed(self) -> bool:
        """True where every turn passed."""
        return not any(turn.failures for turn in self.turns)


class _PinnedClock(SystemClock):
    """A real clock whose calendar stands at one moment."""

    def __init__(self, now: datetime) -> None:
        super().__init__()
        self._now = now

    def now(self) -> datetime:
        return self._now


async def run_cases(
    registry: Registry,
    cases: Sequence[Case],
    *,
    faults: Sequence[str] = (),
    progress: Callable[[], None] = lambda: None,
) -> list[CaseResult]:
    """Judge every case, each in a conversation of its own, on a sandboxed copy of the agent."""
    results: list[CaseResult] = []
    for now, group in groupby(cases, key=lambda case: case.now):
        with tempfile.TemporaryDirectory(prefix="reach-eval-") as folder:
            copy = await asyncio.to_thread(sandboxed, registry, Path(folder), now)
            clock: Clock = _PinnedClock(now) if now is not None else SystemClock()
            async with Reach(copy, clock=clock, faults=[*faults, *unmade_writes(registry)]) as reach:
                for case in group:
                    results.append(await _run(reach, case))
                    progress()
    return results


async def _run(reach: Reach, case: Case) -> CaseResult:
    turns: list[TurnResult] = []
    for step in case.spec.steps:
        started = time.perf_counter()
        outcome = await reach.ask(step.query, caller=case.caller, session=f"eval:{case.spec.id}")
        turns.append(_judge(step.query, step.expect, outcome, (time.perf_counter() - started) * 1000))
    return CaseResult(case.spec.id, case.file, tuple(case.spec.tags), tuple(turns))


def _judge(query: str, expect: ExpectSpec, outcome: Outcome, latency_ms: float) -> TurnResult:
    sizes = outcome.envelope.structured.sizes if outcome.envelope else {}
    return TurnResult(
        query=query,
        expect=expect,
        outcome=outcome.kind,
        tool=outcome.tool,
        arguments=to_json(outcome.arguments),
        text=outcome.text,
        score=outcome.route.candidates[0].score if outcome.route and outcome.route.candidates else None,
        latency_ms=latency_ms,
        raw_bytes=sizes.get("raw", 0),
        content_bytes=sizes.get("content", 0),
        failures=tuple(_failures(expect, outcome)),
    )


def _failures(expect: ExpectSpec, outcome: Outcome) -> list[str]:
    failures: list[str] = []
    if outcome.kind != expect.outcome:
        failures.append(f"outcome {outcome.kind}, expected {expect.outcome}")
    if expect.tool is not None and outcome.tool != expect.tool:
        failures.append(f"tool {outcome.tool}, expected {expect.tool}")
    if outcome.kind in CALLED and outcome.tool in expect.never:
        failures.append(f"{outcome.tool} must not be called")
    failures += [
        f"{name} = {outcome.arguments.get(name)!r}, expected {value!r}"
        for name, value in (expect.args or {}).items()
        if not same_value(outcome.arguments.get(name), value)
    ]
    failures += [f"the answer lacks {point!r}" for point in expect.answer_points if point not in outcome.text]
    return failures


def same_value(one: Any, other: Any) -> bool:
    """Equal as JSON: numbers by value, never a number and a boolean."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other
