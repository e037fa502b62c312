"""`reach call`: one governed call with given arguments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    parse_json,
    print_json,
    reporting,
    say,
    style,
    with_reach,
)
from reach.errors import ConfigError

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import CallResult

_EXAMPLE = """Write it as '{"name": "value"}', @FILE, or - for standard input."""


def call(
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="The tool's name.")],
    who: WhoOption,
    arguments: Annotated[
        str, typer.Option("--args", metavar="JSON", help="The arguments, a JSON object; @FILE or - (standard input).")
    ] = "{}",
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    session: SessionOption = DEFAULT_SESSION,
    turn: Annotated[str, typer.Option("--turn", metavar="T", help="The same write in the same turn runs once.")] = "",
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    fault: FaultOption = None,
    deadline_ms: DeadlineOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but the call itself.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Call one tool, past the router but through policy, executor and reducer.

    Examples:
      reach call query_order_status --args '{"order_id": "SO-2024-00017"}' --as li_ming
      reach call query_order_status --args @order.json --as li_ming --dry-run
    """
    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)
        values = _arguments(arguments)

        async def work(reach: Reach) -> CallResult:
            return await reach.call(
                tool,
                values,
                caller=caller,
                session=session,
                turn=turn or None,
                deadline_ms=deadline_ms,
                dry_run=dry_run,
            )

        result = with_reach(tools, policies, fault, work)
        print_result(result, as_json=as_json)
        if result.confirmation_id and not as_json:
            options = spelled(who, session=session, role=role, claim=claim, tenant=tenant)
            say(f"To go ahead: reach confirm {result.confirmation_id} {options}")
        exit_by(result)


def _arguments(given: str) -> dict[str, Any]:
    text = given
    if given == "-":
        text = _decoded(sys.stdin.buffer.read(), given)
    elif given.startswith("@"):
        try:
            text = _decoded(Path(given[1:]).read_bytes(), given)
        except OSError as error:
            raise ConfigError(f"--args {given}: the file can't be read: {error.strerror}.") from error
    try:
        values = parse_json(text)
    except ValueError as error:
        raise ConfigError(f"--args is not JSON: {error}.", hint=_EXAMPLE) from error
    if not isinstance(values, dict):
        raise ConfigError("--args is not a JSON object.", hint=_EXAMPLE)
    return values


def _decoded(data: bytes, given: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"--args {given} is not UTF-8.", hint="Save it as UTF-8.") from error


def spelled(who: str, *, session: str, role: Sequence[str] | None, claim: Sequence[str] | None, tenant: str) -> str:
    """The options that name the same caller and conversation once more, for a line to copy."""
    import shlex

    words = ["--as", who]
    for name, values in (("--role", role), ("--claim", claim), ("--tenant", [tenant] if tenant else None)):
        words += [word for value in values or () for word in (name, value)]
    return shlex.join(words if session == DEFAULT_SESSION else [*words, "--session", session])


def print_result(result: CallResult, *, as_json: bool) -> None:
    """What the model reads where it succeeded, the reason or the question in words where it did not."""
    from reach.types import to_json

    if as_json:
        print_json(to_json(result))
        return
    error = result.envelope.structured.error
    if result.status == "succeeded" or not (result.text or error):
        say(result.envelope.content)
    else:
        say(result.text or (error.message if error else ""))
        if error and error.hint not in ("", error.message):
            say(error.hint)
    facts = [result.status, result.tool]
    if result.attempts:
        facts += [f"{result.attempts} attempt{'s' if result.attempts > 1 else ''}", f"{result.duration_ms:.1f} ms"]
    if result.envelope.structured.replayed:
        facts.append("replayed")
    if result.decision is not None:
        facts.append(f"rule {result.decision.rule}")
    say(style(f"[{' · '.join(fact for fact in facts if fact)}]  reach why {result.call_id}", "bright_black"))


def exit_by(result: CallResult) -> None:
    """Exit 1 where the call did not succeed and does not wait for a yes."""
    if result.status not in ("succeeded", "confirm"):
        raise typer.Exit(1)
