"""How well arguments are filled from words alone, on public labelled data, with the right tool given.

Rule: only values read from the user's words are counted; a value that is missing costs recall, a wrong one precision.

    python benchmarks/extraction.py [--data DIR] [--rows N] [--set NAME] [--errors N]

The data directory (REACH_DATA, or ../shared/data beside the repository) holds one folder a set, each with `tools.json`
and `dev.jsonl`; without it the benchmark says so and ends well. JSON Schemas become parameters as they are, with what
an author would write: in `sgd` a name that ends in date or time gets that format, and "True"/"False" is a boolean.
`bfcl` has no clock; its labels assume 2023. `crosswoz` takes only rows whose own words say everything.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reach.router.fill import fill
from reach.spec import ParameterSpec, ToolSpec
from reach.types import Caller, Provenance

ROOT = Path(__file__).resolve().parent.parent
CALLER = Caller("user")
NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")
TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string", "int": "integer", "bool": "boolean"}
KINDS = {"string", "integer", "number", "boolean", "array", "object"}
NAMES_OF = {"周边景点": "attraction", "周边餐馆": "restaurant", "周边酒店": "hotel"}
DOMAINS = {"search_attraction": "attraction", "search_restaurant": "restaurant", "search_hotel": "hotel"}


@dataclass(frozen=True)
class Tool:
    """A tool and the names that its parameters had before they were made to fit."""

    spec: ToolSpec
    original: Mapping[str, str]


@dataclass
class Score:
    """Counts of one set."""

    calls: int = 0
    clean: int = 0
    exact: int = 0
    given: int = 0
    right: int = 0
    wanted: int = 0
    seconds: float = 0.0
    by: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter[str]))
    errors: list[str] = field(default_factory=list[str])


def tool_of(raw: Mapping[str, Any], data: str) -> Tool:
    """A JSON Schema tool as a ToolSpec."""
    schema = raw["parameters"]
    original: dict[str, str] = {}
    parameters: dict[str, Any] = {}
    for number, (name, part) in enumerate(schema.get("properties", {}).items()):
        key = (
            name
            if NAME.match(name) and not name.startswith("claim_") and name not in {"now", "today"}
            else f"p{number}"
        )
        original[key] = name
        parameters[key] = _parameter(
            name, part, required=name in schema.get("required", []), data=data, renamed=key != name
        )
    spec = ToolSpec.model_validate(
        {
            "name": re.sub(r"[^A-Za-z0-9_-]", "_", raw["name"])[:60],
            "description": raw["description"][:1900] or "-",
            "side_effect": "write" if raw.get("side_effect") == "write" else "read_only",
            "adapter": {"function": "none:none"},
            "result": {"fields": "*"},
            "parameters": parameters,
        }
    )
    return Tool(spec, original)


def _parameter(name: str, part: Mapping[str, Any], *, required: bool, data: str, renamed: bool) -> ParameterSpec:
    kind = part.get("type", "string")
    kind = TYPES.get(kind, kind) if isinstance(kind, str) else "string"
    spec: dict[str, Any] = {"type": kind if kind in KINDS else "string", "required": required}
    if part.get("description"):
        spec["description"] = str(part["description"])[:1900]
    if renamed:
        spec["title"] = name
    if part.get("enum") == ["True", "False"]:
        spec["type"], part = "boolean", {k: v for k, v in part.items() if k != "enum"}
    for key in ("enum", "minimum", "maximum", "properties"):
        if part.get(key) is not None:
            spec[key] = part[key]
    if part.get("items") is not None and spec["type"] == "array":
        items = dict(part["items"])
        items["type"] = TYPES.get(items.get("type", "string"), items.get("type", "string"))
        spec["items"] = items
    if part.get("format") in {"date", "date-time", "time", "email", "uri", "uuid"} and spec["type"] == "string":
        spec["format"] = part["format"]
    if data == "sgd" and spec["type"] == "string" and (match := re.search(r"(?:^|_)(date|time)$", name)):
        spec["format"] = match.group(1)
    return ParameterSpec.model_validate(spec)


def rows_of(folder: Path, data: str) -> Iterator[dict[str, Any]]:
    """The rows that ask for one call with labelled arguments."""
    with (folder / "dev.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            expect = row["expect"]
            if expect["outcome"] != "call" or expect.get("arguments") is None or expect.get("calls"):
                continue
            if data == "crosswoz" and not row.get("self_contained"):
                continue
            if data in {"bfcl", "acebench_zh"} and row.get("history"):
                continue
            yield row


def now_of(row: Mapping[str, Any]) -> datetime:
    """The row's own day, at noon."""
    numbers = re.findall(r"\d+", str(row.get("now") or "2023-03-01"))
    year, month, day = (int(n) for n in numbers[:3])
    return datetime(year, month, day, 12, tzinfo=UTC)


def filled(
    tool: Tool, row: Mapping[str, Any], catalogues: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The values that the user's words gave over all turns, by original name, and their recognisers."""
    slots: dict[str, tuple[Any, Provenance]] = {}
    history = [] if row.get("self_contained") else row.get("history", [])
    turns = [t["content"] for t in history if t["role"] == "user"] + [row["query"]]
    for turn in turns:
        found = fill(tool.spec, turn, now=now_of(row), caller=CALLER, slots=slots, catalogues=catalogues)
        slots = {
            n: (v, found.provenance[n]) for n, v in found.values.items() if found.provenance[n].source != "default"
        }
    values = {tool.original[n]: v for n, (v, _) in slots.items()}
    return values, {tool.original[n]: p.recogniser for n, (_, p) in slots.items()}


def same(given: Any, wanted: Any) -> bool:
    """True where two values mean the same."""
    if isinstance(given, bool) or isinstance(wanted, bool):
        return str(given).lower() == str(wanted).lower()
    if isinstance(given, int | float) and isinstance(wanted, int | float):
        return abs(given - wanted) < 1e-9
    if isinstance(given, list) and isinstance(wanted, list):
        return len(given) == len(wanted) and all(same(a, b) for a, b in zip(given, wanted, strict=True))
    return re.sub(r"\s+", "", str(given)).casefold() == re.sub(r"\s+", "", str(wanted)).casefold()


def score_row(score: Score, row: Mapping[str, Any], values: Mapping[str, Any], by: Mapping[str, str]) -> None:
    """Count one call."""
    expect = row["expect"]
    accept: Mapping[str, list[Any]] = expect.get("accept") or {
        n: [v, *row.get("spoken", {}).get(n, [])] for n, v in expect["arguments"].items()
    }
    needed = {n for n, allowed in accept.items() if "" not in allowed}
    wrong = [n for n, v in values.items() if not any(same(v, a) for a in accept.get(n, []))]
    right = [n for n in values if n not in wrong]
    score.calls += 1
    score.given += len(values)
    score.right += len(right)
    score.wanted += len(needed | set(right))
    score.clean += not wrong
    score.exact += not wrong and needed <= set(values)
    for name in values:
        score.by[by[name]]["wrong" if name in wrong else "right"] += 1
    for name in wrong:
        got = f"{name} = {values[name]!r} ({by[name]}), wanted {accept.get(name, 'nothing')!r}"
        score.errors.append(f"{row['id']}: {got} | {row['query'][:160]!r}")


def measure(folder: Path, data: str, limit: int, *, catalogue: bool) -> Score:
    """All rows of one set."""
    tools = {raw["name"]: tool_of(raw, data) for raw in json.loads((folder / "tools.json").read_text(encoding="utf-8"))}
    names = json.loads((folder / "names.json").read_text(encoding="utf-8")) if catalogue else {}
    score = Score()
    for count, row in enumerate(rows_of(folder, data)):
        if limit and count >= limit:
            break
        name = row["expect"]["tool"]
        tool = tools[name]
        start = time.perf_counter()
        values, by = filled(tool, row, catalogues_of(tool, name, names))
        score.seconds += time.perf_counter() - start
        score_row(score, row, values, by)
    return score


def catalogues_of(tool: Tool, name: str, names: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The known names for the parameters that are names of places."""
    every = [n for group in names.values() for n in group]
    out: dict[str, list[str]] = {}
    for key, original in tool.original.items():
        domain = NAMES_OF.get(original) or (DOMAINS.get(name) if original == "名称" else None)
        known = names.get(domain, []) if domain else every if original in {"出发地", "目的地"} else []
        if known:
            out[key] = known
    return out


def report(label: str, score: Score, errors: int) -> None:
    """Print one set."""
    n = max(score.calls, 1)
    precision, recall = score.right / max(score.given, 1), score.right / max(score.wanted, 1)
    print(
        f"{label:<22} {score.calls:>6} {precision:>10.3f} {recall:>8.3f} {score.clean / n:>10.3f}"
        f" {score.exact / n:>7.3f} {1e3 * score.seconds / n:>9.2f}"
    )
    for name, count in sorted(score.by.items(), key=lambda item: -sum(item[1].values())):
        total = sum(count.values())
        if errors:
            print(f"    {name:<16} {count['right'] / total:.3f} of {total}")
    for line in score.errors[:: max(1, len(score.errors) // errors)][:errors] if errors else []:
        print("   ", line)


def main() -> int:
    """Run the sets that are there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("REACH_DATA", ROOT / "../shared/data")))
    parser.add_argument("--rows", type=int, default=0, help="at most so many rows of each set; 0: all")
    parser.add_argument("--set", default="", help="only this set")
    parser.add_argument("--errors", type=int, default=0, help="show recognisers and so many wrong values of each set")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"no labelled data at {options.data}; set REACH_DATA or --data")
        return 0
    print(f"{'set':<22} {'calls':>6} {'precision':>10} {'recall':>8} {'no wrong':>10} {'exact':>7} {'ms/call':>9}")
    for data, catalogue in (
        ("sgd", False),
        ("crosswoz", False),
        ("crosswoz", True),
        ("bfcl", False),
        ("acebench_zh", False),
    ):
        folder = options.data / data
        if folder.is_dir() and options.set in {"", data}:
            score = measure(folder, data, options.rows, catalogue=catalogue)
            report(data + (" + catalogue" if catalogue else ""), score, options.errors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
