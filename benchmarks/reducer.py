"""How near the reducer comes to the floor: a typed decode of the whitelisted fields and nothing else.

Rule: floor and subject run in the same process; the ratio is what counts, the times are this machine's.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import msgspec

from reach.ports import Deadline
from reach.reducer import Reducer
from reach.spec import ToolSpec
from reach.testing.clock import FakeClock
from reach.types import Caller, Payload

FIELDS = ["id", "amount", "status", "created", "city"]
TOOL = ToolSpec.model_validate(
    {
        "name": "orders",
        "description": "Orders.",
        "side_effect": "read_only",
        "adapter": {"function": "shop:orders"},
        "result": {"fields": FIELDS, "list": {"stats": ["amount", "status", "created"]}},
    }
)
SIZES = (("4 kB", 8), ("300 kB", 600), ("5 MB", 10_000), ("50 MB", 100_000))


def orders(count: int) -> list[dict[str, Any]]:
    """Rows of 30 fields, about 500 bytes each."""
    rng = random.Random(7)
    return [
        {
            "id": f"SO-{number:07}",
            "amount": rng.randrange(100, 100_000) / 100,
            "status": rng.choice(["paid", "shipped", "done", "已退款"]),
            "created": f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            "city": rng.choice(["Berlin", "上海", "Lima"]),
            **{f"extra_{column}": f"value {column}" for column in range(25)},
        }
        for number in range(count)
    ]


def timed(run: Callable[[], Any], repeats: int) -> float:
    """The median time of `run` in milliseconds."""
    gc.collect()
    times: list[float] = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def main() -> None:
    """Print one line a size."""
    reducer = Reducer(None)
    clock = FakeClock()
    runner = asyncio.Runner()
    row: Any = msgspec.defstruct("Row", [(name, Any, msgspec.UNSET) for name in FIELDS])
    floor: msgspec.json.Decoder[Any] = msgspec.json.Decoder(list[row])  # pyright: ignore[reportInvalidTypeForm]  -- made at run time

    async def reduce(payload: Payload) -> None:
        await reducer.reduce(
            TOOL,
            payload,
            caller=Caller("u"),
            session="s",
            language="en",
            deadline=Deadline.after_ms(clock, 60_000),
        )

    print(f"{'payload':>8} {'typed decode':>13} {'reduce bytes':>19} {'reduce objects':>21} {'json.loads':>17}")
    for name, count in SIZES:
        data = orders(count)
        body = json.dumps(data, ensure_ascii=False).encode()
        repeats = max(5, min(500, 200_000 // count))
        base = timed(lambda body=body: floor.decode(body), repeats)
        columns = [
            timed(lambda body=body: runner.run(reduce(Payload(body=body))), repeats),
            timed(lambda data=data: runner.run(reduce(Payload(data=data))), repeats),
            timed(lambda body=body: json.loads(body), repeats),
        ]
        cells = "   ".join(f"{value:8.2f} ms {value / base:5.1f}x" for value in columns)
        print(f"{name:>8} {base:10.2f} ms {cells}")
    runner.close()


if __name__ == "__main__":
    main()
