"""A guided tour of the demo agent: what a user sees, and what each layer did about it.

    make demo

It runs on a copy of the agent inside `.reach/`, which is removed at the end: run it as often as you like.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reach import Caller, Outcome, Reach
from reach.evals import load_callers, sandboxed
from reach.registry import Registry, load_registry

ROOT = Path(__file__).resolve().parent.parent
COLOURS = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


class Tour:
    """Prints exchanges. One conversation a scene."""

    def __init__(self, registry: Registry, callers: Mapping[str, Caller]) -> None:
        self._registry = registry
        self._callers = callers
        self._scene = 0

    def scene(self, title: str) -> None:
        """Begin a scene: a new conversation."""
        self._scene += 1
        print(f"\n{_paint(f'{self._scene}. {title}', '1')}")

    async def say(self, reach: Reach, who: str, text: str, **options: Any) -> Outcome:
        """One exchange, and what each layer did."""
        outcome = await reach.ask(text, caller=self._callers[who], session=f"scene-{self._scene}", **options)
        print(f"  {_paint(who, '36')}: {text}")
        print(_indent(outcome.text, _paint("reach", "32") + ": ", 2))
        for event in (await reach.why(outcome.turn) or {}).get("events", []):
            line = _explained(event)
            if line:
                print(_paint(f"      {event['layer']:<8}{line}", "90"))
        return outcome

    def with_fault(self, *faults: str) -> Reach:
        """The same agent with faults on purpose."""
        return Reach(self._registry, faults=faults)

    def note(self, text: str) -> None:
        """A remark between exchanges."""
        print(_paint(f"      {text}", "90"))


async def main() -> None:
    """The tour."""
    home = ROOT / ".reach"
    home.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="tour-", dir=home))
    try:
        registry = sandboxed(load_registry(ROOT / "tools.yaml"), folder, None)
        tour = Tour(registry, load_callers(ROOT / "evals"))
        async with Reach(registry) as reach:
            await _answers(tour, reach)
            await _questions(tour, reach)
            await _refusals(tour, reach)
            await _writes(tour, reach)
            await _large_result(tour, reach)
        await _faults(tour)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\nNext: reach init my-agent, or read README.md.")


async def _answers(tour: Tour, reach: Reach) -> None:
    tour.scene("It answers, in the language it is asked in")
    await tour.say(reach, "li_ming", "你好")
    await tour.say(reach, "li_ming", "帮我看下 SO-2024-00017 现在到哪一步了")
    await tour.say(reach, "emma", "Has my order SO-2024-00031 been shipped?")


async def _questions(tour: Tour, reach: Reach) -> None:
    tour.scene("It asks instead of guessing, and a digression loses nothing")
    await tour.say(reach, "li_ming", "那个单子怎么样了")
    await tour.say(reach, "li_ming", "今天星期几")
    await tour.say(reach, "li_ming", "SO-2024-00018")


async def _refusals(tour: Tour, reach: Reach) -> None:
    tour.scene("It refuses what is not the caller's; a tool that is not for them does not exist for them")
    await tour.say(reach, "emma", "What is the status of order SO-2024-00017?")
    await tour.say(reach, "emma", "List the abnormal orders of last month")


async def _writes(tour: Tour, reach: Reach) -> None:
    tour.scene("A write waits for a yes, and runs once")
    await tour.say(reach, "li_ming", "SO-2024-00018 坏了，帮我开个售后工单")
    await tour.say(reach, "li_ming", "好的")
    await tour.say(reach, "li_ming", "SO-2024-00018 坏了，帮我开个售后工单")
    tour.note("The same write within ten seconds is the same request: the first result comes back, nothing runs twice.")


async def _large_result(tour: Tour, reach: Reach) -> None:
    tour.scene("A large result is aggregated over all rows, and the rest can be fetched")
    outcome = await tour.say(reach, "support", "列出最近一年的异常订单")
    structured = outcome.envelope.structured if outcome.envelope else None
    if structured is None or structured.artifact_ref is None:
        return
    ref = structured.artifact_ref
    page = await reach.fetch(ref, caller=CALLERS["support"], limit=300)
    tour.note(f"reach fetch {ref} --limit 300: bytes {page.offset}-{page.next_offset} of {page.total_bytes}")
    print(_indent(page.text, "", 6))


async def _faults(tour: Tour) -> None:
    tour.scene("It survives failures, and never invents an answer")
    question = "帮我看下 SO-2024-00017 现在到哪一步了"
    for fault in ("*=timeout", "*=error", "*=empty", "*=huge", "*=slow:200"):
        tour.note(f"--fault {fault}")
        async with tour.with_fault(fault) as reach:
            await tour.say(reach, "li_ming", question, deadline_ms=400)
    tour.note("--fault create_ticket=timeout: a write that was sent and never answered")
    async with tour.with_fault("create_ticket=timeout") as reach:
        await tour.say(reach, "li_ming", "SO-2024-00018 坏了，帮我开个售后工单", deadline_ms=400)
        await tour.say(reach, "li_ming", "好的", deadline_ms=400)


def _explained(event: Mapping[str, Any]) -> str:
    match event["layer"]:
        case "route":
            best = ", ".join(f"{c['tool']} {c['score']:.2f}" for c in event["candidates"][:3])
            return f"{best or event['reason']} (threshold {event['threshold']})"
        case "fill":
            known = ", ".join(
                f"{name}={value!r} from {event['provenance'][name]['source']} {event['provenance'][name]['text']!r}"
                for name, value in event.get("values", {}).items()
            )
            missing = f"missing {', '.join(event['missing'])}" if event.get("missing") else ""
            return " ".join(part for part in (event["tool"], known, missing) if part)
        case "permit":
            return f"{event.get('effect')} by {event.get('rule')}"
        case "execute":
            replayed = ", replayed" if event["replayed"] else ", cached" if event["cached"] else ""
            return f"{event['status']} after {event['attempts']} attempts, {event['duration_ms']:.1f} ms{replayed}"
        case "return":
            sizes = event["sizes"]
            of = f", {event['shown']} of {event['total']} rows" if event.get("total") is not None else ""
            return f"{event['completeness']}{of}, {sizes.get('raw', 0)} -> {sizes.get('content', 0)} bytes"
        case _:
            return ""


def _paint(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if COLOURS else text


def _indent(text: str, head: str, spaces: int) -> str:
    lines = text.splitlines() or [""]
    rest = "".join(f"\n{' ' * (spaces + 7)}{line}" for line in lines[1:])
    return f"{' ' * spaces}{head}{lines[0]}{rest}"


CALLERS = load_callers(ROOT / "evals")

if __name__ == "__main__":
    asyncio.run(main())
