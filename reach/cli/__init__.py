"""The command `reach`, one file a command.

Rule: a command parses, calls the library and prints; with --json, standard output is exactly one JSON document and
everything else goes to standard error.
"""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from reach.cli.app import app

    app(prog_name="reach")
