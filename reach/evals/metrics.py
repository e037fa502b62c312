"""The numbers of an eval.

Rule: every rate comes with its count and its interval, and a rate over nothing is None, never 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reach.evals.runner import CaseResult, TurnResult

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rate:
    """`hits` of `count`, with the 95% Wilson interval (E. B. Wilson, 1927)."""

    hits: int
    count: int

    @property
    def value(self) -> float | None:
        """The share, or None over nothing."""
        return self.hits / self.count if self.count else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The lower and the upper end."""
        if not self.count:
            return None
        share, n, z2 = self.hits / self.count, self.count, _Z95**2
        centre = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = _Z95 * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        # At the ends the formula gives 0 and 1 but for rounding.
        return (centre - half if self.hits else 0.0), (centre + half if self.hits < self.count else 1.0)

    def as_json(self) -> dict[str, Any]:
        """As JSON data."""
        return {"value": self.value, "hits": self.hits, "count": self.count, "interval": self.interval}


@dataclass(frozen=True, slots=True)
class Metrics:
    """What one run came to. Latencies are milliseconds; `reduction_ratio` is raw bytes over content bytes."""

    tool_hit_rate: Rate
    argument_accuracy: Rate
    end_to_end_success: Rate
    mean_latency_ms: float
    p50_latency_ms: float
    p95_latency_ms: float
    refused: Rate
    false_calls: Rate
    clarify_precision: Rate
    clarify_recall: Rate
    reduction_ratio: float | None

    def as_json(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            name: value.as_json() if isinstance(value, Rate) else value
            for name in self.__slots__
            for value in [getattr(self, name)]
        }


def _rate(checks: Iterable[bool]) -> Rate:
    results = list(checks)
    return Rate(sum(results), len(results))


def measure(results: Sequence[CaseResult]) -> Metrics:
    """The metrics of a run. Raises ValueError for an empty one: it measured nothing."""
    if not results:
        raise ValueError("No case was run, so there is nothing to measure.")
    turns = [turn for case in results for turn in case.turns]
    latencies = sorted(turn.latency_ms for turn in turns)
    idle = [turn for turn in turns if turn.expect.outcome in ("no_tool", "clarify")]
    raw = sum(turn.raw_bytes for turn in turns)
    content = sum(turn.content_bytes for turn in turns if turn.raw_bytes)
    return Metrics(
        tool_hit_rate=_rate(turn.tool == turn.expect.tool for turn in turns if turn.expect.tool is not None),
        argument_accuracy=_rate(_arguments_right(turn) for turn in turns if turn.expect.args is not None),
        end_to_end_success=_rate(case.passed for case in results),
        mean_latency_ms=sum(latencies) / len(latencies),
        p50_latency_ms=_percentile(latencies, 0.5),
        p95_latency_ms=_percentile(latencies, 0.95),
        refused=_rate(not turn.called for turn in idle),
        false_calls=_rate(_is_false_call(turn) for turn in turns),
        clarify_precision=_rate(turn.expect.outcome == "clarify" for turn in turns if turn.outcome == "clarify"),
        clarify_recall=_rate(turn.outcome == "clarify" for turn in turns if turn.expect.outcome == "clarify"),
        reduction_ratio=raw / content if content else None,
    )


def _arguments_right(turn: TurnResult) -> bool:
    from reach.evals.runner import same_value

    wanted = turn.expect.args or {}
    return turn.tool == turn.expect.tool and all(same_value(turn.arguments.get(n), v) for n, v in wanted.items())


def _is_false_call(turn: TurnResult) -> bool:
    if not turn.called:
        return False
    unexpected = turn.expect.outcome in ("no_tool", "clarify")
    other = turn.expect.tool is not None and turn.tool != turn.expect.tool
    return unexpected or other or turn.tool in turn.expect.never


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]
