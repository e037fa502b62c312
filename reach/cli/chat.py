"""`reach chat`: one utterance after the other."""

from __future__ import annotations

import asyncio
import secrets
import sys
from typing import Annotated, Any

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
    identity,
    print_trace,
    reporting,
    say,
    style,
    with_reach,
)


def chat(
    who: WhoOption,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    session: Annotated[str, typer.Option("--session", help="Continue this conversation; else a new one.")] = "",
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    fault: FaultOption = None,
    deadline_ms: DeadlineOption = None,
    as_json: JsonOption = False,
    trace: TraceOption = False,
) -> None:
    r"""Talk to the agent, turn after turn. Lines come from the terminal or a pipe; end with Ctrl-D or /quit.

    With --json every turn is one JSON document on a line of its own.

    Examples:
      reach chat --as li_ming

      printf '那个单子怎么样了\nSO-2024-00017\\n' | reach chat --as li_ming
    """
    import json

    from reach.types import to_json

    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)
        name = session or f"chat-{secrets.token_hex(4)}"
        prompt = style("> ", "green") if sys.stdin.isatty() else ""

        async def work(reach: Any) -> None:
            while True:
                line = await asyncio.to_thread(_read_line, "" if as_json else prompt)
                if line is None or line.strip() in ("/quit", "/exit"):
                    return
                outcome = await reach.ask(line, caller=caller, session=name, deadline_ms=deadline_ms)
                if as_json:
                    say(json.dumps(to_json(outcome), ensure_ascii=False))
                    continue
                print_outcome(outcome)
                if trace:
                    print_trace(await reach.why(outcome.turn))

        with_reach(tools, policies, fault, work)


def _read_line(prompt: str) -> str | None:
    if prompt:
        sys.stdout.write(prompt)
        sys.stdout.flush()
    line = sys.stdin.readline()
    return line.rstrip("\n") if line else None
