"""One replica of an agent as a process of its own: `python -m tests.attacks.replica TOOLS STEP...`.

It loads, says `ready`, waits for a line, runs its steps (JSON: {"do": "call" | "confirm" | "ask", ...}) together or,
with a first step "one by one", one after the other, and prints their ends as one JSON list.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reach import Caller, Reach

ROOT = Path(__file__).resolve().parents[2]
ME = Caller("u1", roles={"customer"})


async def _step(reach: Reach, step: dict[str, Any]) -> dict[str, Any]:
    do = step.pop("do")
    if do == "ask":
        outcome = await reach.ask(step.pop("text"), caller=ME, **step)
        return {"end": outcome.kind, "text": outcome.text, "confirmation": getattr(outcome, "confirmation_id", "")}
    if do == "confirm":
        result = await reach.confirm(step.pop("id"), caller=ME, **step)
    else:
        result = await reach.call(step.pop("tool"), step.pop("arguments"), caller=ME, **step)
    replayed = result.envelope.structured.replayed
    return {"end": result.status, "replayed": replayed, "confirmation": result.confirmation_id or ""}


async def _main(tools: str, *texts: str) -> None:
    steps = [json.loads(text) for text in texts]
    async with Reach.load(tools) as reach:
        print("ready", flush=True)  # noqa: T201  # the test reads it
        await asyncio.to_thread(sys.stdin.readline)
        if steps and steps[0] == "one by one":
            ends = [await _step(reach, step) for step in steps[1:]]
        else:
            ends = await asyncio.gather(*(_step(reach, step) for step in steps))
    print(json.dumps(ends), flush=True)  # noqa: T201  # the test reads it


class Replica:
    """A running replica, as the test sees it."""

    def __init__(self, tools: Path, *steps: Mapping[str, Any] | str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.replica", str(tools), *(json.dumps(step) for step in steps)],
            cwd=ROOT,
            env={**os.environ, "HANDS": str(tools.parent)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ready(self) -> Replica:
        """Wait until it has loaded."""
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        return self

    def go(self) -> Replica:
        """Let it begin."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self

    def ends(self) -> list[dict[str, Any]]:
        """How its steps ended; an empty list where the process was killed."""
        out, _ = self.process.communicate(timeout=60)
        return json.loads(out) if out.strip() else []


def run(tools: Path, *steps: Mapping[str, Any] | str) -> list[dict[str, Any]]:
    """One replica from its start to its end."""
    return Replica(tools, *steps).ready().go().ends()


if __name__ == "__main__":
    asyncio.run(_main(*sys.argv[1:]))
