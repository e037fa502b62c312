"""The list of commands.

Rule: a command's own imports of the library happen when it runs, so that `reach --help` stays fast.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from reach import __version__
from reach.cli import artifacts, ask, call, chat, check, confirm, evaluate, fetch, init, schema, why

_KEEP_LINES = "\b"
"""What tells the help formatter to leave the lines of a paragraph as they are."""

_HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="reach",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
    help="Lets a chat agent reach real systems safely. Start with: reach init my-agent",
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"reach {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of every command."""


def _help(command: Callable[..., None]) -> str:
    return inspect.cleandoc(command.__doc__ or "").replace("\n\nExample", f"\n\n{_KEEP_LINES}\nExample")


def _add(to: typer.Typer, commands: dict[str, Callable[..., None]]) -> None:
    for name, command in commands.items():
        to.command(name, help=_help(command))(command)


_add(
    app,
    {
        "init": init.init,
        "check": check.check,
        "ask": ask.ask,
        "chat": chat.chat,
        "confirm": confirm.confirm,
        "call": call.call,
        "fetch": fetch.fetch,
        "why": why.why,
        "eval": evaluate.evaluate,
        "schema": schema.schema,
    },
)

_artifacts = typer.Typer(no_args_is_help=True, rich_markup_mode=None, context_settings=_HELP)
_add(_artifacts, {"export": artifacts.export, "revoke": artifacts.revoke})
app.add_typer(_artifacts, name="artifacts", help="Export or revoke large results.")
