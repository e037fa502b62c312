"""How well and how fast the local router ranks, beside a bare BM25 over the same tools in the same run.

Quality is measured on public labelled sets (`--data DIR`, or REACH_DATA, or ../shared/data); where they are absent only
the speed is. Usage: python benchmarks/routing.py [--data DIR] [--rows dev] [--sizes 20,200,2000,20000]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reach.router.rank import Router
from reach.spec import ToolSpec

ROOT = Path(__file__).resolve().parent.parent
SETS = ("metatool", "clinc150", "acebench_zh", "bfcl")
THRESHOLD = 0.45
TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
Ranker = Callable[[str, Collection[str] | None], list[tuple[str, float]]]


# ------------------------------------------------------------------------------------------------ tools and rows


def tool_of(card: Mapping[str, Any]) -> ToolSpec:
    """A tool of a public set (name, description, JSON Schema parameters, examples) as a ToolSpec."""
    properties: Mapping[str, Any] = (card.get("parameters") or {}).get("properties") or {}
    parameters = {
        re.sub(r"[^A-Za-z0-9_]", "_", f"p_{name}" if not name[:1].isalpha() else name)[:64]: {
            "type": schema.get("type") if schema.get("type") in TYPES else "string",
            "required": False,
            "description": str(schema.get("description") or "")[:2000] or " ",
            **{key: schema[key] for key in ("items", "properties") if isinstance(schema.get(key), dict)},
            **({"enum": schema["enum"]} if schema.get("enum") else {}),
        }
        for name, schema in properties.items()
        if isinstance(schema, dict)
    }
    tool = ToolSpec.model_validate(
        {
            "name": "tool",
            "description": (card.get("description") or card["name"])[:2000],
            "examples": [text for text in card.get("examples") or [] if text],
            "side_effect": "read_only",
            "parameters": parameters,
            "adapter": {"function": "shop:run"},
            "result": {"fields": "*"},
        }
    )
    # The sets have names with dots and suffixes that a tools.yaml would refuse; the ranker reads any.
    return tool.model_copy(update={"name": card["name"]})


@dataclass(frozen=True, slots=True)
class Row:
    """One labelled query: the tools that count as right (none: nothing should be called) and those that are offered."""

    query: str
    gold: frozenset[str]
    offered: frozenset[str] | None


def rows_of(path: Path, names: Collection[str]) -> Iterator[Row]:
    """The rows without a history that ask for a tool or for none."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        expect = row["expect"]
        if row.get("history") or expect["outcome"] not in ("call", "none"):
            continue
        also = [*(expect.get("calls") or ()), *(expect.get("alternatives") or ())]
        right = {expect["tool"], *(call["tool"] for call in also if isinstance(call, dict) and "tool" in call)}
        gold = frozenset(name for name in right if name in names) if expect["outcome"] == "call" else frozenset[str]()
        if expect["outcome"] == "call" and not gold:
            continue
        yield Row(row["query"], gold, None if row["tools"] == "all" else frozenset(row["tools"]))


# ------------------------------------------------------------------------------------------------ the two rankers


def reach_ranker(tools: Sequence[ToolSpec]) -> Ranker:
    """The router under test."""
    router = Router(tools, threshold=THRESHOLD, top_k=5)

    def rank(query: str, offered: Collection[str] | None) -> list[tuple[str, float]]:
        return [(c.tool, c.score) for c in router.route(query, visible=offered).candidates]

    return rank


def floor_ranker(tools: Sequence[ToolSpec]) -> Ranker:
    """Bare BM25 over name, description and examples: lower-case words, single Chinese characters, no stems."""
    split = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
    bags = [Counter(split.findall(" ".join((t.name, str(t.description), *t.examples)).lower())) for t in tools]
    mean = sum(map(Counter.total, bags)) / max(1, len(bags)) or 1.0
    postings: dict[str, list[tuple[str, float]]] = {}
    for tool, bag in zip(tools, bags, strict=True):
        damping = 1.5 * (0.25 + 0.75 * bag.total() / mean)
        for word, count in bag.items():
            postings.setdefault(word, []).append((tool.name, count * 2.5 / (count + damping)))
    idf = {w: math.log(1 + (len(bags) - len(p) + 0.5) / (len(p) + 0.5)) for w, p in postings.items()}

    def rank(query: str, offered: Collection[str] | None) -> list[tuple[str, float]]:
        scores: dict[str, float] = {}
        for word in dict.fromkeys(split.findall(query.lower())):
            for name, weight in postings.get(word, ()):
                if offered is None or name in offered:
                    scores[name] = scores.get(name, 0.0) + idf[word] * weight
        return sorted(scores.items(), key=lambda pair: -pair[1])[:5]

    return rank


# ------------------------------------------------------------------------------------------------ quality


@dataclass(slots=True)
class Tally:
    """What one ranker did on one set. `right` and `none` are best scores, of rightly ranked calls and of none rows."""

    calls: int = 0
    first: int = 0
    in_five: int = 0
    called: list[float] = field(default_factory=list[float])
    right: list[float] = field(default_factory=list[float])
    none: list[float] = field(default_factory=list[float])

    def add(self, row: Row, ranked: Sequence[tuple[str, float]]) -> None:
        """Count one row."""
        best = ranked[0][1] if ranked else 0.0
        if not row.gold:
            self.none.append(best)
            return
        self.calls += 1
        self.called.append(best)
        self.in_five += any(name in row.gold for name, _ in ranked)
        if ranked and ranked[0][0] in row.gold:
            self.first += 1
            self.right.append(best)

    def line(self, name: str, *, calibrated: bool) -> str:
        """The tally as one row of the table."""
        kept = f"{_share(s >= THRESHOLD for s in self.right)} {_share(s < THRESHOLD for s in self.none)}"
        return (
            f"{name:<28}{self.calls:>6}{self.first / max(1, self.calls):>8.3f}{self.in_five / max(1, self.calls):>8.3f}"
            f"{len(self.none):>7}{auroc(self.called, self.none):>8.3f}  {kept if calibrated else '    -     -'}"
        )


def _share(flags: Iterator[bool]) -> str:
    values = list(flags)
    return f"{sum(values) / len(values):5.2f}" if values else "    -"


def auroc(high: Sequence[float], low: Sequence[float]) -> float:
    """The chance that a score out of `high` lies above one out of `low`; ties count half."""
    if not high or not low:
        return math.nan
    ordered = sorted({*high, *low})
    place = {score: at for at, score in enumerate(ordered)}
    below = [0] * (len(ordered) + 1)
    for score in low:
        below[place[score] + 1] += 1
    for at in range(len(ordered)):
        below[at + 1] += below[at]
    wins = sum((below[place[score]] + below[place[score] + 1]) / 2 for score in high)
    return wins / (len(high) * len(low))


def quality(data: Path, part: str) -> None:
    """Print one line a set for each ranker. Rows that offer one tool are listed apart: ranking them is no feat."""
    print(
        f"{'set':<28}{'calls':>6}{'top-1':>8}{'rec@5':>8}{'none':>7}{'AUROC':>8}  kept@{THRESHOLD} refused@{THRESHOLD}"
    )
    for name in SETS:
        folder = data / name
        if not (folder / f"{part}.jsonl").exists():
            print(f"{name}: skipped, {folder / f'{part}.jsonl'} is not there")
            continue
        tools = [tool_of(card) for card in json.loads((folder / "tools.json").read_text(encoding="utf-8"))]
        rows = list(rows_of(folder / f"{part}.jsonl", {tool.name for tool in tools}))
        for label, make, calibrated in (("reach", reach_ranker, True), ("floor", floor_ranker, False)):
            rank = make(tools)
            several, single = Tally(), Tally()
            for row in rows:
                tally = single if row.offered is not None and len(row.offered) < 2 else several
                tally.add(row, rank(row.query, row.offered))
            print(several.line(f"{name} {label}", calibrated=calibrated))
            if single.calls > 50:
                print(single.line(f"{name}, one tool, {label}", calibrated=calibrated))


# ------------------------------------------------------------------------------------------------ speed


def made_up_tools(count: int, chance: random.Random) -> list[ToolSpec]:
    """Tools over a vocabulary with the usual long tail: a few words everywhere, most words nearly nowhere."""
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "is")]
    words = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(8000)]
    weights = [1 / (place + 3) for place in range(len(words))]

    def text(size: int) -> str:
        return " ".join(chance.choices(words, weights, k=size))

    return [
        tool_of(
            {
                "name": f"{'_'.join(text(2).split())}_{at}",
                "description": f"{text(10)}. {text(8)}.",
                "examples": [text(6), text(6)],
                "parameters": {"properties": {word: {"description": text(5)} for word in set(text(3).split())}},
            }
        )
        for at in range(count)
    ]


def speed(sizes: Sequence[int]) -> None:
    """Print the median and the 95th percentile of one query's time for each registry size."""
    print(f"\n{'tools':>7}{'build s':>9}{'p50 us':>9}{'p95 us':>9}{'floor p50 us':>14}{'ratio':>8}")
    for size in sizes:
        chance = random.Random(size)
        tools = made_up_tools(size, chance)
        queries = [chance.choice(chance.choice(tools).examples) + " please" for _ in range(300)]
        begun = time.perf_counter()
        rank = reach_ranker(tools)
        built = time.perf_counter() - begun
        took, bare = timed(rank, queries), timed(floor_ranker(tools), queries)
        p50, p95, floor = statistics.median(took), sorted(took)[int(len(took) * 0.95)], statistics.median(bare)
        print(f"{size:>7}{built:>9.2f}{p50:>9.0f}{p95:>9.0f}{floor:>14.0f}{p50 / floor:>8.1f}")


def timed(rank: Ranker, queries: Sequence[str]) -> list[float]:
    """How long each query takes, in microseconds, after one warm-up round."""
    took: list[float] = []
    for query in (*queries[:30], *queries):
        begun = time.perf_counter()
        rank(query, None)
        took.append((time.perf_counter() - begun) * 1e6)
    return took[30:]


def main() -> None:
    """Read the command line and print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    default = Path(os.environ.get("REACH_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default, help="folder of the labelled sets")
    parser.add_argument("--rows", default="dev", help="which part of a set: the name of its .jsonl file")
    parser.add_argument("--sizes", default="20,200,2000,20000", help="registry sizes for the speed table")
    arguments = parser.parse_args()
    if arguments.data.is_dir():
        quality(arguments.data, arguments.rows)
    else:
        print(f"quality: skipped, {arguments.data} is not there (set REACH_DATA or --data)")
    speed([int(size) for size in arguments.sizes.split(",")])


if __name__ == "__main__":
    main()
