"""May these customers make these calls? Every row of a file is put to the agent's policy, and the answers are counted.

Rule: only rules and ownership are asked, as `Reach.decide` asks them; whether the order's state allows the action is
another question. Nothing is called and nothing is changed.

    python examples/retail/check_ownership.py ownership_dev.jsonl --db retail/db.json

A row is a JSON object with id, principal, tool, arguments and allow. Exit code 0: every decision is right; 1: at least
one is wrong; 2: the files can't be used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from db_form import BadData, read_source
from reference import plain_name
from shop import BadRows, customer, open_shop, retail_rows, with_progress

KEYS = ("id", "principal", "tool", "arguments", "allow")
COUNTS = ("right_allow", "right_deny", "wrong_allow", "wrong_deny")


async def check(db: Mapping[str, Any], rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The four counts over `rows`, and under `wrong` each row that was decided wrongly, and by which rule."""
    counts: dict[str, int] = dict.fromkeys(COUNTS, 0)
    wrong: list[dict[str, Any]] = []
    async with open_shop(db) as shop:
        for row in with_progress(rows):
            tool = plain_name(row["tool"])
            decision = await shop.reach.decide(tool, row["arguments"], caller=customer(row["principal"]))
            allowed = decision.effect in ("allow", "confirm")
            right = allowed is row["allow"]
            counts[f"{'right' if right else 'wrong'}_{'allow' if allowed else 'deny'}"] += 1
            if not right:
                said = {"rule": decision.rule, "reason": decision.reason, "facts": dict(decision.facts)}
                wrong.append({key: row[key] for key in KEYS} | {"effect": decision.effect} | said)
    return {"rows": len(rows), **counts, "wrong": wrong}


def main() -> int:
    """The command; see the module's text for its exit codes."""
    parser = argparse.ArgumentParser(
        description="Put every row of a file to the retail agent's policy and count right and wrong decisions.",
        epilog="Example: python examples/retail/check_ownership.py ownership_dev.jsonl --db retail/db.json",
    )
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="rows as JSON Lines: id, principal, tool, arguments, allow"
    )
    parser.add_argument("--db", type=Path, required=True, metavar="DB.json", help="the retail data of tau2-bench")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    try:
        report = asyncio.run(check(read_source(options.db), retail_rows(options.file, KEYS)))
    except (BadData, BadRows) as error:
        print(f"check_ownership.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        for row in report["wrong"]:
            what = f"wrong {row['effect']}: {row['id']}: {row['tool']} as {row['principal']}"
            print(f"{what}: {row['rule']}: {row['reason']}")
        print("  ".join(f"{name.replace('_', ' ')}: {report[name]}" for name in COUNTS))
    return 1 if report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
