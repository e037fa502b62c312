"""`reach ask`: one utterance."""

from __future__ import annotations

from collections.abc import Mapping
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
    TraceOption,
    WhoOption,
    identity,
    print_json,
    print_trace,
    reporting,
    say,
    spoken,
    style,
    with_reach,
)

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import Outcome


def ask(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What the user says.")],
    who: WhoOption,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    session: SessionOption = DEFAULT_SESSION,
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    fault: FaultOption = None,
    deadline_ms: DeadlineOption = None,
    as_json: JsonOption = False,
    trace: TraceOption = False,
) -> None:
    """Say one thing to the agent, as somebody.

    Examples:
      reach ask "我的订单 SO-2024-00017 到哪了" --as li_ming
      reach ask "where is my parcel?" --as emma --fault "track_parcel=timeout" --trace
    """
    from reach.types import to_json

    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)

        async def work(reach: Reach) -> tuple[Outcome, Mapping[str, Any] | None]:
            outcome = await reach.ask(spoken(text), caller=caller, session=session, deadline_ms=deadline_ms)
            return outcome, await reach.why(outcome.turn) if trace else None

        outcome, events = with_reach(tools, policies, fault, work)
        if as_json:
            print_json({**to_json(outcome), **({"trace": events} if trace else {})})
            return
        print_outcome(outcome)
        if trace:
            print_trace(events)


def print_outcome(outcome: Outcome) -> None:
    """The text, and one line about how it came to be."""
    say(outcome.text)
    parts = [outcome.kind]
    if outcome.tool:
        parts.append(outcome.tool)
    if outcome.envelope is not None and outcome.kind == "answer":
        parts.append(outcome.envelope.structured.completeness)
    say(style(f"[{' · '.join(parts)}]  reach why {outcome.turn}", "bright_black"))
