"""`reach call`: one governed call with given arguments."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from reach.cli.common import (
    DEFAULT_SESSION,
    ClaimOption,
    DeadlineOption,
    FaultOption,
    JsonOption,
    PoliciesOption,
    RoleOption,
    SessionOption,
    TenantOption,
    ToolsOption,
    WhoOption,
    identity,
    print_json,
    reporting,
    say,
    style,
    with_reach,
)


def call(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.")],
    who: WhoOption,
    arguments: Annotated[str, typer.Option("--args", metavar="JSON", help="The arguments, a JSON object.")] = "{}",
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    session: SessionOption = DEFAULT_SESSION,
    turn: Annotated[str, typer.Option("--turn", help="The same write in the same turn runs once.")] = "",
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    fault: FaultOption = None,
    deadline_ms: DeadlineOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but the call itself.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Call one tool, past the router but through policy, executor and reducer.

    Example:
      reach call query_order_status --args '{"order_id": "SO-2024-00017"}' --as li_ming
    """
    from reach.errors import ConfigError

    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)
        try:
            values = json.loads(arguments)
        except json.JSONDecodeError as error:
            raise ConfigError(f"--args is not JSON: {error}.", hint="""Write it as '{"name": "value"}'.""") from error
        if not isinstance(values, dict):
            raise ConfigError("--args is not a JSON object.", hint="""Write it as '{"name": "value"}'.""")

        async def work(reach: Any) -> Any:
            return await reach.call(
                tool,
                values,
                caller=caller,
                session=session,
                turn=turn or None,
                deadline_ms=deadline_ms,
                dry_run=dry_run,
            )

        print_result(with_reach(tools, policies, fault, work), as_json=as_json)


def print_result(result: Any, *, as_json: bool) -> None:
    """The result; exit 1 where the call did not succeed and does not wait for a yes."""
    from reach.types import to_json

    if as_json:
        print_json(to_json(result))
    else:
        say(result.envelope.content)
        facts = [result.status, result.tool, f"{result.attempts} attempts", f"{result.duration_ms:.1f} ms"]
        if result.decision is not None:
            facts.append(f"rule {result.decision.rule}")
        say(style(f"[{' · '.join(fact for fact in facts if fact)}]  reach why {result.call_id}", "bright_black"))
        if result.confirmation_id:
            say(f"To go ahead: reach confirm {result.confirmation_id} --as WHO")
    if result.status not in ("succeeded", "confirm"):
        raise typer.Exit(1)
