"""`reach eval`: the four numbers over labelled cases, and the gate."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reach.cli.common import (
    FaultOption,
    JsonOption,
    PoliciesOption,
    ToolsOption,
    agent_files,
    parse_json,
    print_json,
    reporting,
    say,
    style,
)
from reach.errors import ConfigError

if TYPE_CHECKING:
    from reach.evals import CaseResult, Metrics, Rate
    from reach.registry import Registry

_GATE_POINTS = 0.02


def evaluate(
    path: Annotated[
        Path | None,
        typer.Argument(metavar="PATH", help="A file or folder of cases; `evals` beside the tools file if not given."),
    ] = None,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", help="An earlier --json report; exit 1 if success dropped by over 2 points."
        ),
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
        agent_files(tools, policies)
        registry = load_registry(tools, policies)
        folder = _existing(path or tools.parent / "evals")
        cases = load_cases(folder, registry.tools)
        before = _success_of(baseline) if baseline else None
        with _progress(len(cases)) as advance:
            results = asyncio.run(run_cases(registry, cases, faults=fault or (), progress=advance))
        metrics = measure(results)
        success = metrics.end_to_end_success.value or 0.0
        dropped = before is not None and success < before - _GATE_POINTS - 1e-9
        if as_json:
            gate = None if before is None else {"end_to_end_success": before, "held": not dropped}
            print_json({**_report(registry, metrics, results), "baseline": gate})
        else:
            _print(metrics, results, verbose=verbose)
            if before is not None:
                verdict = style("worse", "red") if dropped else style("held", "green")
                say(f"baseline {before:.3f} -> {success:.3f}: {verdict}")
        if dropped:
            raise typer.Exit(1)


def _existing(path: Path) -> Path:
    from reach.evals.cases import CALLERS_FILE

    if not path.exists():
        raise ConfigError(f"{path}: there is no such file or folder of cases.", hint="See `reach eval --help`.")
    callers = (path if path.is_dir() else path.parent) / CALLERS_FILE
    if not callers.exists():
        raise ConfigError(f"{callers}: there is no such file.", hint="The callers that cases name stand beside them.")
    return path


def _success_of(path: Path) -> float:
    try:
        report = parse_json(path.read_text("utf-8"))
        return float(report["metrics"]["end_to_end_success"]["value"])
    except OSError as error:
        raise ConfigError(f"--baseline {path} can't be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"--baseline {path} is not a report.", hint="Make one: reach eval --json > baseline.json"
        ) from error


@contextmanager
def _progress(total: int) -> Generator[Callable[[], None]]:
    """What is called after every case: draws a bar where a person watches."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("cases", total=total)
        yield lambda: progress.advance(task)


def _report(registry: Registry, metrics: Metrics, results: Sequence[CaseResult]) -> dict[str, Any]:
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


def _print(metrics: Metrics, results: Sequence[CaseResult], *, verbose: bool) -> None:
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


def _rate_line(name: str, rate: Rate) -> str:
    if rate.value is None or rate.interval is None:
        return f"{name:<20} -       (nothing to count)"
    low, high = rate.interval
    return f"{name:<20} {rate.value:.3f}   ({rate.hits} of {rate.count}; 95%: {low:.3f}-{high:.3f})"
