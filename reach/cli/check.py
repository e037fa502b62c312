"""`reach check`: every error of every file, then advice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from reach.cli.common import (
    JsonOption,
    PoliciesOption,
    ToolsOption,
    agent_files,
    print_json,
    reporting,
    say,
    style,
    vars_of,
)
from reach.errors import ConfigError, Problem, ReachError

if TYPE_CHECKING:
    from reach.registry import Advice, Registry


def check(
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check tools, policies and evals: all errors with file:line:column, then advice. Exit 1 on errors.

    Example:
      reach check --tools my-agent/tools.yaml
    """
    from reach.registry import lint, load_registry

    with reporting(as_json=as_json):
        agent_files(tools, policies)
        errors: list[Problem] = []
        advice: list[Advice] = []
        registry: Registry | None = None
        try:
            registry = load_registry(tools, policies)
            advice = list(lint(registry))
            errors += _wire(registry)
        except ReachError as error:
            errors += _problems(error, tools)
        cases, found = _cases(tools.parent / "evals", registry)
        errors += found
        if as_json:
            print_json({"errors": [vars_of(error) for error in errors], "advice": [vars_of(one) for one in advice]})
        else:
            for error in errors:
                say(f"{style('error', 'red')} {error}")
            for one in advice:
                say(f"{style('advice', 'yellow')} {one}")
            say(_verdict(registry, cases, len(errors), len(advice)))
        if errors:
            raise typer.Exit(1)


def _verdict(registry: Registry | None, cases: int, errors: int, advice: int) -> str:
    if errors or registry is None:
        return f"{style('failed', 'red')} {errors} error{'s' * (errors != 1)}, {advice} advice"
    rules = len(registry.policies.rules)
    return (
        f"{style('ok', 'green')} {len(registry.tools)} tools, {rules} rules, {cases} cases, version {registry.version}"
    )


def _wire(registry: Registry) -> list[Problem]:
    """Find what only the wiring and the backends can know: functions, URLs, the state store, tables and columns."""
    import asyncio

    from reach.runtime import Reach

    async def wire() -> list[Problem]:
        async with Reach(registry) as reach:
            return await reach.check()

    return asyncio.run(wire())


def _cases(folder: Path, registry: Registry | None) -> tuple[int, list[Problem]]:
    """How many labelled cases there are, and what is wrong with them."""
    from reach.evals import load_cases

    if not folder.is_dir():
        return 0, []
    try:
        return len(load_cases(folder, None if registry is None else registry.tools)), []
    except ConfigError as error:
        return 0, _problems(error, folder)


def _problems(error: ReachError, file: Path) -> list[Problem]:
    if isinstance(error, ConfigError) and error.problems:
        return list(error.problems)
    return [Problem(str(file), 0, 0, "", error.message, error.hint)]
