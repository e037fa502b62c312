"""`reach check`: every error of every file, then advice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from reach.cli.common import JsonOption, PoliciesOption, ToolsOption, print_json, reporting, say, style, vars_of


def check(
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check tools, policies and evals: all errors with file:line:column, then advice. Exit 1 on errors.

    Example:
      reach check --tools my-agent/tools.yaml
    """
    from reach.errors import ConfigError
    from reach.registry import lint

    with reporting(as_json=as_json):
        errors: list[Any] = []
        advice: list[Any] = []
        registry: Any = None
        try:
            registry = _load(tools, policies)
            advice = list(lint(registry))
        except ConfigError as error:
            errors += error.problems or [error]
        errors += _eval_errors(tools.parent / "evals", registry)
        if as_json:
            print_json(
                {
                    "errors": [vars_of(e) if not isinstance(e, ConfigError) else {"message": str(e)} for e in errors],
                    "advice": [vars_of(a) for a in advice],
                }
            )
        else:
            for error in errors:
                say(f"{style('error', 'red')} {error}")
            for one in advice:
                say(f"{style('advice', 'yellow')} {one}")
            if registry is not None and not errors:
                say(
                    style("ok", "green")
                    + f" {len(registry.tools)} tools, {len(registry.policies.rules)} rules, version {registry.version}"
                )
        if errors:
            raise typer.Exit(1)


def _load(tools: Path, policies: Path | None) -> Any:
    import asyncio

    from reach.registry import load_registry
    from reach.runtime import Reach

    registry = load_registry(tools, policies)

    async def wire() -> None:  # finds what only the wiring can know: functions, URLs, the state store
        await Reach(registry).close()

    asyncio.run(wire())
    return registry


def _eval_errors(folder: Path, registry: Any) -> list[Any]:
    from reach.errors import ConfigError
    from reach.evals import load_cases

    try:
        if folder.is_dir():
            load_cases(folder, None if registry is None else registry.tools)
    except ConfigError as error:
        return list(error.problems) or [error]
    return []
