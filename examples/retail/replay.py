"""Carry out the writes of recorded tasks through the agent, and compare the database with what must come of them.

Rule: what must come of them is said by reference.py alone. A task passes where every allowed action is carried out and
every forbidden one is refused with a reason, where the database is then exactly as the reference says, and where the
same actions, sent again in the same session and turns, change nothing.

    python examples/retail/replay.py dev.jsonl --db retail/db.json

A row is a JSON object with id and writes, a list of tool and arguments; its customer is `principal`, or else the owner
of the first order or profile that the writes name, or else somebody who owns nothing. Exit code 0: every task passes;
1: at least one fails; 2: the files can't be used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import reference
from db_form import BadData, read_source
from load_db import dump
from shop import BadRows, Shop, open_shop, retail_rows, with_progress

from reach.errors import BackendRejected
from reach.types import CallResult

Write = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """The writes of one row and the customer who makes them.

    Of these the reference says: `end`, the database afterwards, and `verdicts`, why each write is forbidden, if it is.
    """

    id: str
    user_id: str
    writes: Sequence[Write]
    end: Mapping[str, Any]
    verdicts: Sequence[reference.Refusal | None]


NOBODY = "nobody"
"""The customer of a task that names no order and no user of the database: whatever it tries must be refused."""


def writes_of(row: Mapping[str, Any]) -> list[Write]:
    """The row's writes with plain tool names. Raises BadRows where one has no tool or no arguments."""
    try:
        return [(reference.plain_name(write["tool"]), dict(write["arguments"])) for write in row.get("writes") or ()]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRows(f"row {row['id']}: 'writes' is a list of objects with tool and arguments.") from None


def task_of(db: Mapping[str, Any], row: Mapping[str, Any]) -> Task:
    """The task of one row, with what the reference says of it."""
    writes = writes_of(row)
    owners = (reference.owner_of(db, arguments) for _, arguments in writes)
    user_id = row.get("principal") or next((owner for owner in owners if owner), NOBODY)
    return Task(str(row["id"]), user_id, writes, *reference.end_state(db, writes, user_id))


def first_difference(found: Any, wanted: Any, path: str = "") -> str | None:
    """Where and how two JSON values differ first, or None where they are equal."""
    if found == wanted:
        return None
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            if key not in found:
                return f"{path}.{key} is missing, expected {wanted[key]!r}"
            if key not in wanted:
                return f"{path}.{key} is {found[key]!r}, expected nothing there"
            if difference := first_difference(found[key], wanted[key], f"{path}.{key}"):
                return difference
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for index, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if difference := first_difference(one, other, f"{path}[{index}]"):
                return difference
    return f"{path} is {found!r}, expected {wanted!r}"


def refused(result: CallResult) -> bool:
    """True where the call was refused for what it is; a check or a backend that broke has refused nothing."""
    error = result.envelope.structured.error
    if result.status == "failed":
        return error is not None and error.code == BackendRejected.code
    broke = result.decision is not None and "error" in result.decision.facts
    return result.status in ("denied", "invalid") and not broke


async def _send(shop: Shop, task: Task, index: int, session: str, *, again: bool) -> str | None:
    """Send one write; what is wrong with how it ended, or None."""
    (tool, arguments), verdict = task.writes[index], task.verdicts[index]
    result = await shop.write(tool, arguments, task.user_id, session=session, turn=str(index))
    structured = result.envelope.structured
    said = structured.error.message if structured.error else ""
    what = f"{'repeated ' if again else ''}write {index + 1} ({tool})"
    if verdict is not None:
        if not refused(result):
            return f"{what} ended as {result.status}, but the rules forbid it: {verdict.reason} {said}".rstrip()
        return None if said else f"{what} was refused without a reason"
    if result.status != "succeeded":
        return f"{what} ended as {result.status}, but the rules allow it: {said}"
    return f"{what} was carried out a second time" if again and not structured.replayed else None


async def run(shop: Shop, task: Task, *, session: str) -> str | None:
    """Carry out one task on a fresh database, twice; the first thing that is not as it must be, or None."""
    shop.reset()
    for index in range(len(task.writes)):
        if wrong := await _send(shop, task, index, session, again=False):
            return wrong
    if wrong := first_difference(dump(shop.database), task.end):
        return f"after the writes: {wrong}"
    image = shop.image()
    for index, verdict in enumerate(task.verdicts):
        # What was refused was not begun: where later writes of the task have made it possible, it would now be a first.
        if verdict is not None and reference.refusal(task.end, *task.writes[index], task.user_id) is None:
            continue
        if wrong := await _send(shop, task, index, session, again=True):
            return wrong
    wrong = None if shop.image() == image else first_difference(dump(shop.database), task.end)
    return f"after the repetition: {wrong}" if wrong else None


async def replay(db: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All tasks of `rows` that write: counts of tasks and writes, the refusals that were due, and the failures."""
    tasks = [task_of(db, row) for row in rows if row.get("writes")]
    if not tasks:
        raise BadRows("no row has a write, so there is nothing to replay.")
    failures: list[dict[str, str]] = []
    async with open_shop(db) as shop:
        for number, task in enumerate(with_progress(tasks)):
            if wrong := await run(shop, task, session=f"{number}:{task.id}"):
                failures.append({"id": task.id, "difference": wrong})
    refusals = [
        {"id": task.id, "tool": tool, "rule": verdict.rule, "reason": verdict.reason}
        for task in tasks
        for (tool, _), verdict in zip(task.writes, task.verdicts, strict=True)
        if verdict is not None
    ]
    return {
        "tasks": len(tasks),
        "passed": len(tasks) - len(failures),
        "failed": len(failures),
        "writes": sum(len(task.writes) for task in tasks),
        "forbidden": refusals,
        "failures": failures,
    }


def main() -> int:
    """The command; see the module's text for its exit codes."""
    parser = argparse.ArgumentParser(
        description="Carry out the writes of recorded retail tasks and compare the database with the reference.",
        epilog="Example: python examples/retail/replay.py dev.jsonl --db retail/db.json",
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="tasks as JSON Lines: id, writes")
    parser.add_argument("--db", type=Path, required=True, metavar="DB.json", help="the retail data of tau2-bench")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N retail rows")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    if options.limit is not None and options.limit < 1:
        parser.error("--limit is a whole number of at least 1")
    try:
        rows = retail_rows(options.file, ("id",))[: options.limit]
        report = asyncio.run(replay(read_source(options.db), rows))
    except (BadData, BadRows) as error:
        print(f"replay.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for failure in report["failures"]:
            print(f"failed: {failure['id']}: {failure['difference']}")
        for refused in report["forbidden"]:
            print(f"forbidden by the rules: {refused['id']}: {refused['tool']}: {refused['reason']}")
        print(f"tasks passed: {report['passed']}  failed: {report['failed']}  writes: {report['writes']}")
    return 1 if report["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
