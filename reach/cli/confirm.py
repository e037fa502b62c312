"""`reach confirm`: the yes to a write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reach.cli.call import exit_by, print_result
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
    reporting,
    with_reach,
)

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import CallResult


def confirm(
    confirmation_id: Annotated[str, typer.Argument(metavar="ID", help="The confirmation's id (cnf_...).")],
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
) -> None:
    """Run a write that waits for a yes: exactly what was shown, once.

    Example:
      reach confirm cnf_0123456789abcdef --as li_ming
    """
    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)

        async def work(reach: Reach) -> CallResult:
            return await reach.confirm(confirmation_id, caller=caller, session=session, deadline_ms=deadline_ms)

        result = with_reach(tools, policies, fault, work)
        print_result(result, as_json=as_json)
        exit_by(result)
