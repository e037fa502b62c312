"""`reach eval`: the four numbers over labelled cases, and the gate."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from reach.cli.common import (
    FaultOption,
    JsonOption,
    PoliciesOption,
    ToolsOption,
    print_json,
    reporting,
    say,
    style,
)

_GATE_POINTS = 0.02


def evaluate(
    path: Annotated[Path | None, typer.Argument(help="A file or folder of cases; `evals` if not given.")] = None,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    baseline: Annotated[
        Path | None,
        typer.Option("--baseline", help="An earlier --json report; exit 1 if success dropped by over 2 points."),
    ] = None,
    fault: FaultOption = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List every case, not only the failed ones.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run labelled cases on a sandboxed copy of the agent and print the four numbers.

    Examples:
      reach eval

      reach eval --json > baseline.json && reach eval --baseline baseline.json
    """
    import asyncio

    from reach.evals import load_cases, measure, run_cases
    from reach.registry import load_registry

    with reporting(as_json=as_json):
        registry = load_registry(tools, policies)
        cases = load_cases(path or tools.parent / "evals", registry.tools)
        before = _success_of(baseline) if baseline else None
        with _progress(len(cases)) as advance:
            results = asyncio.run(run_cases(registry, cases, faults=fault or (), progress=advance))
        metrics = measure(results)
        success = metrics.end_to_end_success.value or 0.0
        dropped = before is not None and success < before - _GATE_POINTS - 1e-9
        if as_json:
            print_json(_report(registry, metrics, results))
        else:
            _print(metrics, results, verbose=verbose)
            if before is not None:
                verdict = style("worse", "red") if dropped else style("held", "green")
                say(f"baseline {before:.3f} -> {success:.3f}: {verdict}")
        if dropped:
            raise typer.Exit(1)


def _success_of(path: Path) -> float:
    from reach.errors import ConfigError

    try:
        return float(json.loads(path.read_text("utf-8"))["metrics"]["end_to_end_success"]["value"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"--baseline {path} is not a report of `reach eval --json`.") from error


def _progress(total: int) -> Any:
    from contextlib import contextmanager

    @contextmanager
    def bar() -> Any:
        if not sys.stderr.isatty():
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("cases", total=total)
            yield lambda: progress.advance(task)

    return bar()


def _report(registry: Any, metrics: Any, results: Sequence[Any]) -> dict[str, Any]:
    return {
        "registry_version": registry.version,
        "policy_version": registry.policy_version,
        "cases": len(results),
        "metrics": metrics.as_json(),
        "results": [
            {
                "id": case.id,
                "passed": case.passed,
                "turns": [
                    {
                        "query": turn.query,
                        "outcome": turn.outcome,
                        "tool": turn.tool,
                        "arguments": turn.arguments,
                        "score": turn.score,
                        "latency_ms": round(turn.latency_ms, 3),
                        "failures": list(turn.failures),
                    }
                    for turn in case.turns
                ],
            }
            for case in results
        ],
    }


def _print(metrics: Any, results: Sequence[Any], *, verbose: bool) -> None:
    for case in results:
        if case.passed and not verbose:
            continue
        say(f"{style('pass', 'green') if case.passed else style('FAIL', 'red')} {case.id}")
        for turn in case.turns:
            if turn.failures or verbose:
                say(f"     {turn.query!r} -> {turn.outcome} {turn.tool or ''} {turn.arguments or ''}")
            for failure in turn.failures:
                say(f"     {failure}")
    rates = {
        "tool hit rate": metrics.tool_hit_rate,
        "argument accuracy": metrics.argument_accuracy,
        "end-to-end success": metrics.end_to_end_success,
    }
    for name, rate in rates.items():
        say(_rate_line(name, rate))
    latency = f"p50 {metrics.p50_latency_ms:.1f}, p95 {metrics.p95_latency_ms:.1f}"
    say(f"{'mean latency':<20} {metrics.mean_latency_ms:.1f} ms   ({latency})")
    say()
    others = {
        "rightly not called": metrics.refused,
        "false calls": metrics.false_calls,
        "clarify precision": metrics.clarify_precision,
        "clarify recall": metrics.clarify_recall,
    }
    for name, rate in others.items():
        say(_rate_line(name, rate))
    if metrics.reduction_ratio is not None:
        say(f"{'reduction':<20} {metrics.reduction_ratio:.1f} x   (bytes returned over bytes for the model)")
    say(f"{'model calls':<20} 0")


def _rate_line(name: str, rate: Any) -> str:
    if rate.value is None:
        return f"{name:<20} -       (nothing to count)"
    low, high = rate.interval
    return f"{name:<20} {rate.value:.3f}   ({rate.hits} of {rate.count}; 95%: {low:.3f}-{high:.3f})"
