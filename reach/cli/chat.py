"""`reach chat`: one utterance after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from reach.cli.ask import print_outcome
from reach.cli.common import (
    ClaimOption,
    DeadlineOption,
    FaultOption,
    JsonOption,
    PoliciesOption,
    RoleOption,
    TenantOption,
    ToolsOption,
    TraceOption,
    WhoOption,
    error_json,
    identity,
    json_text,
    load,
    print_error,
    print_trace,
    reporting,
)
from reach.errors import ReachError

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import Outcome

_QUIT = ("/quit", "/exit")


def chat(
    who: WhoOption,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    session: Annotated[
        str, typer.Option("--session", metavar="S", help="Continue this conversation; else a new one.")
    ] = "",
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    fault: FaultOption = None,
    deadline_ms: DeadlineOption = None,
    as_json: JsonOption = False,
    trace: TraceOption = False,
) -> None:
    r"""Talk to the agent, turn after turn. Lines come from the terminal or a pipe; end with Ctrl-D or /quit.

    With --json every turn is one JSON document on a line of its own. Blank lines are skipped.

    Examples:
      reach chat --as li_ming
      printf '那个单子怎么样了\nSO-2024-00017\n' | reach chat --as li_ming
    """
    import asyncio
    import secrets

    with reporting(as_json=as_json), asyncio.Runner() as runner:
        caller = identity(who, tools, role, claim, tenant)
        name = session or f"chat-{secrets.token_hex(4)}"

        async def opened() -> Reach:
            return load(tools, policies, fault)

        async def turn(text: str) -> Outcome:
            return await reach.ask(text, caller=caller, session=name, deadline_ms=deadline_ms)

        reach = runner.run(opened())
        failed = False
        try:
            # Lines are read between the runs of the loop, so that Ctrl-C ends the wait for one at once.
            for line in iter(_reader(name), None):
                if line.strip() in _QUIT:
                    break
                if not line.strip():
                    continue
                try:
                    outcome = runner.run(turn(line))
                except ReachError as error:
                    failed = True
                    _say_error(error, as_json=as_json)
                    continue
                _print_turn(outcome, as_json=as_json)
                if trace and not as_json:
                    print_trace(runner.run(reach.why(outcome.turn)))
        finally:
            runner.run(reach.close())
        if failed:
            raise typer.Exit(1)


def _say_error(error: ReachError, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json_text(error_json(error)))
    else:
        print_error(error, as_json=False)


def _print_turn(outcome: Outcome, *, as_json: bool) -> None:
    from reach.types import to_json

    if as_json:
        typer.echo(json_text(to_json(outcome)))
    else:
        print_outcome(outcome)
    sys.stdout.flush()


def _reader(session: str) -> Callable[[], str | None]:
    """What gives the next line, or None at the end: with a prompt and line editing where a person types."""
    if not sys.stdin.isatty():
        return _piped_line
    with suppress(ImportError):
        import readline  # noqa: F401  # pyright: ignore[reportUnusedImport]  -- gives `input` line editing
    typer.echo(f"Session {session}; Ctrl-D or /quit ends it.", err=True)
    return _typed_line


def _typed_line() -> str | None:
    try:
        return input("> ")
    except EOFError:
        return None


def _piped_line() -> str | None:
    line = sys.stdin.buffer.readline()
    return line.decode("utf-8", "replace").rstrip("\r\n") if line else None
