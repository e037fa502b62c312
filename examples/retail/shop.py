"""One running retail agent over a database of its own, for the two scripts and the tests beside it.

Rule: the agent is the one that tools.yaml and policies/ describe, unchanged; only its `.reach` folder is a temporary
one, so nothing is left behind and two runs never meet.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from load_db import load_data

from reach.runtime import Reach
from reach.types import Caller, CallResult

HERE = Path(__file__).resolve().parent
T = TypeVar("T")
PARTS = ("tools.yaml", "policies", "calculator.py")


class BadRows(ValueError):
    """A file of rows is missing or not in the form that is expected; the message names the file and line."""


@dataclass(frozen=True)
class Shop:
    """A running agent. `database` is the file that its tools work on, `pristine` the same as it was loaded."""

    reach: Reach
    database: Path
    pristine: Path

    def reset(self) -> None:
        """Put the database back to what was loaded, under the agent's open connections."""
        with closing(sqlite3.connect(self.pristine)) as source, closing(sqlite3.connect(self.database)) as target:
            target.execute("PRAGMA synchronous = OFF")  # nobody needs this file after a power cut
            source.backup(target)

    def image(self) -> bytes:
        """The whole database as bytes: where two images are equal, nothing was changed in between."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.serialize()

    async def write(
        self, tool: str, arguments: Mapping[str, Any], user_id: str, *, session: str, turn: str
    ) -> CallResult:
        """One call as this customer, who says yes where a yes is asked for."""
        caller = customer(user_id)
        result = await self.reach.call(tool, dict(arguments), caller=caller, session=session, turn=turn)
        if result.status == "confirm":
            result = await self.reach.confirm(result.confirmation_id or "", caller=caller, session=session)
        return result


def customer(user_id: str) -> Caller:
    """The identity that a host would have authenticated."""
    return Caller(user_id, roles={"customer"})


@asynccontextmanager
async def open_shop(db: Mapping[str, Any]) -> AsyncGenerator[Shop]:
    """The retail agent over a new database with the data `db` (the form of db.json). Raises BadData."""
    with tempfile.TemporaryDirectory(prefix="reach-retail-") as folder:
        root = Path(folder)
        for part in PARTS:
            copy = shutil.copytree if (HERE / part).is_dir() else shutil.copy
            copy(HERE / part, root / part)
        database, pristine = root / ".reach" / "retail.db", root / ".reach" / "pristine.db"
        load_data(db, pristine)
        shutil.copy(pristine, database)
        async with Reach.load(root / "tools.yaml") as reach:
            yield Shop(reach, database, pristine)


_TYPES: dict[str, type] = {"principal": str, "tool": str, "arguments": dict, "allow": bool}


def retail_rows(path: Path, keys: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the retail domain in a JSON Lines file. Raises BadRows where there is none, or one lacks a key."""
    try:
        lines = path.read_text("utf-8").split("\n")  # not splitlines: a text may hold U+2028
    except (OSError, UnicodeDecodeError) as error:
        raise BadRows(f"{path} can't be read: {error}.") from None
    numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
    rows = [row for number, line in numbered if (row := _row(line, f"{path}:{number}", keys)) is not None]
    if not rows:
        raise BadRows(f"{path} has no row of the retail domain, so there is nothing to check.")
    return rows


def _row(line: str, at: str, keys: Sequence[str]) -> dict[str, Any] | None:
    """One line as a row; None where it is of another domain."""
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadRows(f"{at}: not JSON: {error.msg}.") from None
    if not isinstance(row, dict):
        raise BadRows(f"{at}: expected an object, found {type(row).__name__}.")
    if row.get("domain", "retail") != "retail":
        return None
    if missing := [key for key in keys if key not in row]:
        raise BadRows(f"{at}: '{missing[0]}' is missing; a row has {', '.join(keys)}.")
    for key, kind in _TYPES.items():
        if key in row and not (isinstance(row[key], kind) and (row[key] or kind is not str)):
            raise BadRows(f"{at}: '{key}' is {row[key]!r}, which is not what a row has there.")
    return row


def with_progress(rows: Sequence[T]) -> Iterator[T]:
    """What is to be worked through, one by one, counted on stderr where a person is watching."""
    watched = sys.stderr.isatty()
    for number, row in enumerate(rows, start=1):
        if watched:
            print(f"\r{number}/{len(rows)}", end="", file=sys.stderr, flush=True)
        yield row
    if watched:
        print("\r", end="", file=sys.stderr)
