"""The list of commands.

Rule: a command's own imports of the library happen when it runs, so that `reach --help` stays fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from reach import __version__
from reach.cli import ask, call, chat, check, confirm, evaluate, fetch, init, schema, why

app = typer.Typer(
    name="reach",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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


for name, command in {
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
}.items():
    app.command(name)(command)
