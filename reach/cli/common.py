"""What the commands share: options, identities, output and exit codes.

Rule: 0 it worked, 1 a check, a gate or the call itself failed, 2 the usage or the configuration is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from reach.errors import ArtifactError, ConfigError, ReachError, StateError

if TYPE_CHECKING:
    from reach.runtime import Reach
    from reach.types import Caller

Result = TypeVar("Result")

ToolsOption = Annotated[Path, typer.Option("--tools", metavar="FILE", help="The tools file.", envvar="REACH_TOOLS")]
PoliciesOption = Annotated[
    Path | None,
    typer.Option(
        "--policies",
        metavar="PATH",
        help="The policies, a file or a folder; `policies` beside the tools file if not given.",
    ),
]
WhoOption = Annotated[
    str, typer.Option("--as", metavar="WHO", help="An identity of evals/callers.yaml, or an id (see --role, --claim).")
]
RoleOption = Annotated[
    list[str] | None, typer.Option("--role", metavar="ROLE", help="A role of the caller; may be repeated.")
]
ClaimOption = Annotated[
    list[str] | None, typer.Option("--claim", metavar="K=V", help="A claim of the caller; V may be JSON; repeatable.")
]
TenantOption = Annotated[str, typer.Option("--tenant", metavar="TENANT", help="The caller's tenant.")]
SessionOption = Annotated[str, typer.Option("--session", metavar="S", help="The conversation that this belongs to.")]
FaultOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fault", metavar="TOOL=KIND", help="Make a tool fail: timeout, error, empty, huge, slow:MS; * = all."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
TraceOption = Annotated[bool, typer.Option("--trace", help="Also print what each layer did.")]
DeadlineOption = Annotated[
    int | None,
    typer.Option(
        "--deadline-ms",
        metavar="MS",
        min=1,
        max=86_400_000,
        help="The time of one turn; runtime.deadline_ms if not given.",
    ),
]

DEFAULT_SESSION = "cli"


class NotKept(ReachError):
    """Nothing is kept under the id that was asked for."""

    code = "not_found"


@contextmanager
def reporting(*, as_json: bool) -> Generator[None]:
    """Print an error of Reach's own as one, never as a traceback."""
    try:
        yield
    except ReachError as error:
        print_error(error, as_json=as_json)
        raise typer.Exit(exit_code(error)) from error
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def exit_code(error: ReachError) -> int:
    """2 where the usage or the configuration must change, 1 where what was asked for failed."""
    return 1 if isinstance(error, (ArtifactError, StateError, NotKept)) else 2


def print_error(error: ReachError, *, as_json: bool) -> None:
    """The error as a document on standard output, or in words on standard error."""
    if as_json:
        print_json(error_json(error))
    else:
        typer.echo(style(printable(str(error), sys.stderr.encoding), "red", err=True), err=True)


def error_json(error: ReachError) -> dict[str, Any]:
    """The error as JSON data."""
    problems = error.problems if isinstance(error, ConfigError) else ()
    return {
        "error": {
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
            "problems": [vars_of(problem) for problem in problems],
        }
    }


def vars_of(value: Any) -> dict[str, Any]:
    """The fields of a frozen value as JSON data."""
    from reach.types import to_json

    return to_json(value)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    typer.echo(json_text(value, indent=2))


def json_text(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON that standard output can hold: readable, or escaped where its encoding lacks a character."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=indent)
    return text


def say(text: str = "") -> None:
    """A line on standard output, whatever characters it holds."""
    typer.echo(printable(text, sys.stdout.encoding))


def printable(text: str, encoding: str | None) -> str:
    """`text` with escapes for what `encoding` lacks."""
    encoding = encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def spoken(text: str) -> str:
    """What a person typed, with bytes that are no text shown as U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def style(text: str, colour: str, *, err: bool = False) -> str:
    """`text` in a colour where it goes to a terminal, and NO_COLOR is not set."""
    import os

    stream = sys.stderr if err else sys.stdout
    return typer.style(text, fg=colour) if stream.isatty() and not os.environ.get("NO_COLOR") else text


def agent_files(tools: Path, policies: Path | None = None) -> None:
    """Say what to do where the files of the agent are not there. Raises ConfigError."""
    if tools.is_dir():
        raise ConfigError(f"--tools {tools} is a folder.", hint=f"Name the file: --tools {tools / 'tools.yaml'}")
    if not tools.exists():
        raise ConfigError(
            f"{tools}: there is no such file.",
            hint="Make an agent with `reach init my-agent`, or name its file with --tools.",
        )
    if policies is not None and not policies.exists():
        raise ConfigError(
            f"--policies {policies}: there is no such file or folder.",
            hint="Leave it out for the folder `policies` beside the tools file.",
        )


def identity(who: str, tools: Path, roles: Sequence[str] | None, claims: Sequence[str] | None, tenant: str) -> Caller:
    """The caller that `--as` names. Raises ConfigError."""
    from reach.registry import load_file
    from reach.spec import CallersFile
    from reach.types import Caller

    agent_files(tools)
    if not who:
        raise ConfigError("--as is empty.", hint="Name who is asking: --as WHO")
    if roles or claims:
        return Caller(who, roles=roles or (), tenant=tenant, claims=dict(_claim(text) for text in claims or ()))
    path = tools.parent / "evals" / "callers.yaml"
    listed = load_file(path, CallersFile).callers if path.exists() else {}
    if who not in listed:
        raise _unknown_identity(who, list(listed), path)
    spec = listed[who]
    return Caller(spec.id or who, roles=spec.roles, tenant=tenant or spec.tenant, claims=spec.claims)


def _unknown_identity(who: str, listed: Sequence[str], path: Path) -> ConfigError:
    from rapidfuzz import process

    near = process.extractOne(who, listed, score_cutoff=60)
    hint = f"Did you mean '{near[0]}'? " if near else ""
    known = f"Known: {', '.join(listed)}." if listed else f"There is no {path}."
    return ConfigError(f"--as {who}: no such identity.", hint=f"{hint}{known} Or give its --role.")


def _claim(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ConfigError(f"--claim {text}: there is no '='.", hint="Write it as NAME=VALUE.")
    try:
        return name, parse_json(value)
    except ValueError:
        return name, value


def parse_json(text: str) -> Any:
    """JSON data. Raises ValueError, also for NaN, infinities and nesting without end."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def with_reach(
    tools: Path,
    policies: Path | None,
    faults: Sequence[str] | None,
    work: Callable[[Reach], Coroutine[Any, Any, Result]],
) -> Result:
    """Load the agent, do `work` with it, and close it."""
    import asyncio

    async def run() -> Result:
        async with load(tools, policies, faults) as reach:
            return await work(reach)

    return asyncio.run(run())


def load(tools: Path, policies: Path | None, faults: Sequence[str] | None) -> Reach:
    """The agent; inside a running event loop only. Raises ConfigError."""
    from reach.runtime import Reach

    agent_files(tools, policies)
    return Reach.load(tools, policies=policies, faults=faults or ())


def print_trace(trace: Mapping[str, Any] | None) -> None:
    """The events of a trace, a line each."""
    events: list[dict[str, Any]] = (trace or {}).get("events", [])
    for event in events:
        facts = {
            name: value
            for name, value in event.items()
            if name not in ("layer", "at_ms") and value not in (None, {}, [])
        }
        head = style(f"{event['at_ms']:>9.1f} ms  {event['layer']:<8}", "cyan")
        say(f"{head} {json.dumps(facts, ensure_ascii=False)}")
