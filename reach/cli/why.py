"""`reach why`: one turn or call explained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reach.cli.common import (
    JsonOption,
    NotKept,
    PoliciesOption,
    ToolsOption,
    print_json,
    print_trace,
    reporting,
    say,
    style,
    with_reach,
)

if TYPE_CHECKING:
    from reach.runtime import Reach


def why(
    turn_or_call: Annotated[str, typer.Argument(metavar="ID", help="A turn (turn_...) or a call (call_...).")],
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Explain one turn or call: scores, provenance, rule, attempts, reduction. Kept for a day.

    Example:
      reach why turn_0123456789
    """
    with reporting(as_json=as_json):

        async def work(reach: Reach) -> Mapping[str, Any] | None:
            return await reach.why(turn_or_call)

        trace = with_reach(tools, policies, None, work)
        if trace is None:
            raise NotKept(
                f"Nothing is kept about '{turn_or_call}'.",
                hint="Traces are kept for a day, in the agent whose --tools they were made with.",
            )
        if as_json:
            print_json(trace)
            return
        about = "  ".join(f"{name}: {value}" for name, value in trace.items() if name != "events")
        say(style(about, "bright_black"))
        print_trace(trace)
