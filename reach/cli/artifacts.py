"""`reach artifacts`: large results as files, and taking them back.

Rule: an artifact goes to its owner alone, under the permission of this moment, as every page of it does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

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
    with_reach,
)
from reach.errors import ConfigError

if TYPE_CHECKING:
    from reach.runtime import Reach

RefArgument = Annotated[str, typer.Argument(metavar="REF", help="The artifact's ref (art_...).")]


def export(
    ref: RefArgument,
    who: WhoOption,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where to; standard output if not given.")
    ] = None,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    as_json: JsonOption = False,
) -> None:
    """Write a large result to a file, byte by byte as it was stored; also what is not text.

    Example:
      reach artifacts export art_0123456789 --as wang_fang --out result.json
    """
    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)
        if as_json and out is None:
            raise ConfigError("--json needs --out.", hint="Standard output can't hold the artifact and a document.")

        with _sink(out) as stream:

            async def work(reach: Reach) -> int:
                return sum([stream.write(piece) async for piece in reach.export(ref, caller=caller)])

            size = with_reach(tools, policies, None, work)
        if as_json:
            print_json({"ref": ref, "file": str(out), "bytes": size})
        elif out is not None:
            say(f"{out}: {size} bytes")


def revoke(
    ref: RefArgument,
    who: WhoOption,
    tools: ToolsOption = "tools.yaml",  # pyright: ignore[reportArgumentType]
    policies: PoliciesOption = None,
    role: RoleOption = None,
    claim: ClaimOption = None,
    tenant: TenantOption = "",
    as_json: JsonOption = False,
) -> None:
    """Make a large result of the caller's own unreadable, for good.

    Example:
      reach artifacts revoke art_0123456789 --as wang_fang
    """
    with reporting(as_json=as_json):
        caller = identity(who, tools, role, claim, tenant)

        async def work(reach: Reach) -> None:
            await reach.revoke(ref, caller=caller)

        with_reach(tools, policies, None, work)
        if as_json:
            print_json({"ref": ref, "revoked": True})
        else:
            say(f"{ref} is revoked.")


@contextmanager
def _sink(out: Path | None) -> Generator[BinaryIO]:
    """Standard output, or a file that has its name only when all of it is there: a part must not look like a result."""
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    import tempfile

    try:
        handle, name = tempfile.mkstemp(prefix=f".{out.name}.", dir=out.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            part.replace(out)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"--out {out} can't be written: {error.strerror}.") from error
