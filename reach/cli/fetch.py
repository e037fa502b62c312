"""`reach fetch`: pages of an artifact."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from reach.cli.common import (
    ClaimOption,
    JsonOption,
    PoliciesOption,
    RoleOption,
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

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import Page

_ALL_LIMIT = 1_048_576


def fetch(
    ref: Annotated[str, typer.Argument(metavar="REF", help="The artifact's ref (art_...).")],
    who: WhoOption,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    offset: Annotated[int, typer.Option("--offset", metavar="N", help="First byte of the page.")] = 0,
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="Most bytes of the page.")] = 16_384,
    everything: Annotated[bool, typer.Option("--all", help="Every page from the offset on.")] = False,
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    as_json: JsonOption = False,
) -> None:
    """Read a large result page by page. Pages end on whole characters, and joined they are the original bytes.

    Examples:
      reach fetch art_0123456789 --as wang_fang --limit 4096
      reach fetch art_0123456789 --as wang_fang --all > result.json
    """
    from reach.types import to_json

    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)

        async def work(reach: Reach) -> tuple[Page, str]:
            page = await reach.fetch(ref, caller=caller, offset=offset, limit=_ALL_LIMIT if everything else limit)
            texts = [page.text]
            start = page.offset
            while everything and page.has_more:
                page = await reach.fetch(ref, caller=caller, offset=page.next_offset, limit=_ALL_LIMIT)
                texts.append(page.text)
            return replace(page, offset=start), "".join(texts)

        page, text = with_reach(tools, policies, None, work)
        if as_json:
            print_json({**to_json(page), "text": text})
        elif everything:
            sys.stdout.buffer.write(text.encode())  # the very bytes, whatever the terminal's encoding
            sys.stdout.buffer.flush()
        else:
            say(text)
            more = f"next: --offset {page.next_offset}" if page.has_more else "the end"
            say(style(f"[bytes {page.offset}-{page.next_offset} of {page.total_bytes}; {more}]", "bright_black"))
