"""Running the real command: as a process of its own, and inside the test's process where many cases are needed."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from reach.cli.app import app

COMMAND = [sys.executable, "-m", "reach.cli"]
ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document of standard output; nothing else may stand there."""
        return strict_json(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of a command with --json."""
        assert list(self.document) == ["error"]
        return self.document["error"]


def strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=lambda constant: (_ for _ in ()).throw(ValueError(constant)))


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REACH_", "NO_COLOR"))}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


def run(*arguments: str | bytes, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """The command as a process. A traceback fails the test."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env=env or environment(),
        timeout=100,
        check=False,
    )
    ran = Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))
    assert "Traceback" not in ran.err, ran.err
    return ran


class Shell:
    """The command over one project, in this process."""

    def __init__(self, project: Path) -> None:
        self.project = project

    def __call__(self, command: str, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None) -> Ran:
        agent = (
            []
            if command in ("init", "schema") or "--tools" in arguments
            else ["--tools", str(self.project / "tools.yaml")]
        )
        words = [*command.split(), *arguments, *agent]
        result = CliRunner().invoke(app, words, input=stdin, prog_name="reach", env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    def tickets(self, order_id: str) -> int:
        """How many tickets there are about an order."""
        with closing(sqlite3.connect(self.project / ".reach" / "demo.db")) as db:
            return db.execute("SELECT count(*) FROM tickets WHERE order_id = ?", [order_id]).fetchone()[0]

    def waiting(self, session: str, **values: str) -> str:
        """The id of a ticket that waits for li_ming's yes."""
        arguments = json.dumps({"order_id": "SO-2024-00018", "issue_type": "defective", **values})
        options = ["--as", "li_ming", "--session", session, "--args", arguments, "--json"]
        asked = self("call create_ticket", *options)
        assert asked.document["status"] == "confirm"
        return asked.document["confirmation_id"]
