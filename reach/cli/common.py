"""What the commands share: options, identities, output and exit codes.

Rule: 0 it worked, 1 a check, a gate or the call itself failed, 2 the usage or the configuration is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import Caller

Result = TypeVar("Result")

ToolsOption = Annotated[Path, typer.Option("--tools", help="The tools file.", envvar="REACH_TOOLS")]
PoliciesOption = Annotated[
    Path | None,
    typer.Option("--policies", help="The policies, a file or a folder; `policies` beside the tools file if not given."),
]
WhoOption = Annotated[
    str, typer.Option("--as", metavar="WHO", help="An identity of evals/callers.yaml, or an id (see --role, --claim).")
]
RoleOption = Annotated[list[str] | None, typer.Option("--role", help="A role of the caller; may be repeated.")]
ClaimOption = Annotated[
    list[str] | None, typer.Option("--claim", metavar="K=V", help="A claim of the caller; V may be JSON; repeatable.")
]
TenantOption = Annotated[str, typer.Option("--tenant", help="The caller's tenant.")]
SessionOption = Annotated[str, typer.Option("--session", help="The conversation that this belongs to.")]
FaultOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fault", metavar="TOOL=KIND", help="Make a tool fail: timeout, error, empty, huge, slow:MS; * = all."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
TraceOption = Annotated[bool, typer.Option("--trace", help="Also print what each layer did.")]
DeadlineOption = Annotated[int | None, typer.Option("--deadline-ms", min=1, help="The time of one turn.")]

DEFAULT_SESSION = "cli"


@contextmanager
def reporting(*, as_json: bool) -> Generator[None]:
    """Print an error of Reach's own as one, never as a traceback."""
    from reach.errors import ArtifactError, ConfigError, ReachError

    try:
        yield
    except ReachError as error:
        if as_json:
            problems = error.problems if isinstance(error, ConfigError) else ()
            print_json(
                {
                    "error": {
                        "code": error.code,
                        "message": error.message,
                        "hint": error.hint,
                        "problems": [vars_of(problem) for problem in problems],
                    }
                }
            )
        else:
            typer.echo(style(str(error), "red", err=True), err=True)
        raise typer.Exit(1 if isinstance(error, ArtifactError) else 2) from error
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def vars_of(value: Any) -> dict[str, Any]:
    """The fields of a frozen value as JSON data."""
    from reach.types import to_json

    return to_json(value)


def print_json(value: Any) -> None:
    """One JSON document on standard output; text is readable, and lone surrogates can't break the encoding."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def say(text: str = "") -> None:
    """A line on standard output, whatever characters it holds."""
    encoding = sys.stdout.encoding or "utf-8"
    typer.echo(text.encode(encoding, "backslashreplace").decode(encoding))


def style(text: str, colour: str, *, err: bool = False) -> str:
    """`text` in a colour where it goes to a terminal, and NO_COLOR is not set."""
    import os

    stream = sys.stderr if err else sys.stdout
    return typer.style(text, fg=colour) if stream.isatty() and not os.environ.get("NO_COLOR") else text


def identity(who: str, tools: Path, roles: Sequence[str] | None, claims: Sequence[str] | None, tenant: str) -> Caller:
    """The caller that `--as` names. Raises ConfigError."""
    from reach.errors import ConfigError
    from reach.registry import load_file
    from reach.spec import CallersFile
    from reach.types import Caller

    path = tools.parent / "evals" / "callers.yaml"
    listed = load_file(path, CallersFile).callers if path.exists() else {}
    if who in listed and not roles and not claims:
        spec = listed[who]
        return Caller(spec.id or who, roles=spec.roles, tenant=tenant or spec.tenant, claims=spec.claims)
    if not roles and not claims:
        from rapidfuzz import process

        near = process.extractOne(who, list(listed), score_cutoff=60)
        hint = f"Did you mean '{near[0]}'? " if near else ""
        known = f"Known: {', '.join(listed)}." if listed else f"There is no {path}."
        raise ConfigError(f"--as {who}: no such identity.", hint=f"{hint}{known} Or give its --role.")
    return Caller(who, roles=roles or (), tenant=tenant, claims=dict(_claim(text) for text in claims or ()))


def _claim(text: str) -> tuple[str, Any]:
    from reach.errors import ConfigError

    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ConfigError(f"--claim {text}: write it as NAME=VALUE.")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def with_reach(
    tools: Path,
    policies: Path | None,
    faults: Sequence[str] | None,
    work: Callable[[Reach], Coroutine[Any, Any, Result]],
) -> Result:
    """Load the agent, do `work` with it, and close it."""
    import asyncio

    from reach.runtime import Reach

    async def run() -> Result:
        async with Reach.load(tools, policies=policies, faults=faults or ()) as reach:
            return await work(reach)

    return asyncio.run(run())


def print_trace(trace: Any) -> None:
    """The events of a trace, a line each."""
    for event in (trace or {}).get("events", []):
        facts = {
            name: value
            for name, value in event.items()
            if name not in ("layer", "at_ms") and value not in (None, {}, [])
        }
        head = style(f"{event['at_ms']:>9.1f} ms  {event['layer']:<8}", "cyan")
        say(f"{head} {json.dumps(facts, ensure_ascii=False)}")
