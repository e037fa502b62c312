"""Several processes on one state file: one winner a claim, one audit chain, and nothing acknowledged is lost."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter

from reach.stores.sqlite import SqliteState

HEAD = """
import asyncio, json, sys
from pathlib import Path
from reach.stores.sqlite import SqliteState

async def main(path, name):
    state = SqliteState(Path(path), busy_s=60)
    print("ready", flush=True)
    sys.stdin.readline()
"""

RACE = (
    HEAD
    + """
    async def claim(key):
        _, mine = await state.ledger.begin(key, key, "p", fence=name, now=1000.0, lease_s=30, dedupe_window_s=10)
        return mine
    won = await asyncio.gather(*(claim(f"k{i}") for i in range(200)))
    taken = await asyncio.gather(*(state.keyvalue.take(f"v{i}") for i in range(200)))
    granted = [await state.counter.acquire("limit", limit=30, window_s=1e6) == 0.0 for _ in range(20)]
    await state.close()
    print(json.dumps({"won": won, "taken": [value is not None for value in taken], "granted": sum(granted)}))

asyncio.run(main(*sys.argv[1:]))
"""
)

AUDIT = (
    HEAD
    + """
    for start in range(0, 100, 10):
        await asyncio.gather(*(state.audit.append({"by": name, "number": start + i}) for i in range(10)))
    await state.close()

asyncio.run(main(*sys.argv[1:]))
"""
)

CRASH = (
    HEAD
    + """
    async def claim(number):
        key = f"k{number}"
        _, mine = await state.ledger.begin(key, key, "p", fence="dead", now=1000.0, lease_s=30, dedupe_window_s=10)
        assert mine
        print(key, flush=True)
        if number % 3 == 0 and await state.ledger.finish(key, fence="dead", status="succeeded", result=b"done"):
            print("finished", key, flush=True)
    number = 0
    while True:
        await asyncio.gather(*(claim(number + i) for i in range(20)))
        number += 20

asyncio.run(main(*sys.argv[1:]))
"""
)


def start(script, path, *names):
    children = [
        subprocess.Popen(
            [sys.executable, "-c", script, path, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in names
    ]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    return children


def outputs(children):
    for child in children:  # all are running and waiting: now they begin together
        child.stdin.write("\n")
        child.stdin.flush()
    texts = [child.communicate(timeout=100)[0] for child in children]
    assert [child.returncode for child in children] == [0] * len(children)
    return texts


def test_four_processes_share_claims_values_and_limits_without_sharing_one_twice(tmp_path):
    path = tmp_path / "state.db"

    async def fill():
        state = SqliteState(path)
        await asyncio.gather(*(state.keyvalue.set(f"v{i}", b"once", ttl_s=3600) for i in range(200)))
        await state.close()

    asyncio.run(fill())
    results = [json.loads(text) for text in outputs(start(RACE, path, "a", "b", "c", "d"))]
    assert [sum(column) for column in zip(*(result["won"] for result in results), strict=True)] == [1] * 200
    assert [sum(column) for column in zip(*(result["taken"] for result in results), strict=True)] == [1] * 200
    assert sum(result["granted"] for result in results) == 30


async def test_two_processes_write_one_valid_audit_chain(tmp_path):
    path = tmp_path / "state.db"
    await asyncio.to_thread(lambda: outputs(start(AUDIT, path, "a", "b")))
    state = SqliteState(path)
    records = await state.audit.recent(1000)
    assert await state.audit.verify() is None
    await state.close()
    assert Counter((record["by"], record["number"]) for record in records) == Counter(
        (name, number) for name in "ab" for number in range(100)
    )


async def test_a_killed_process_loses_nothing_it_was_told_and_its_claims_become_unknown(tmp_path):
    path = tmp_path / "state.db"
    (child,) = await asyncio.to_thread(start, CRASH, path, "dead")
    child.stdin.write("\n")
    child.stdin.flush()
    lines = [child.stdout.readline() for _ in range(200)]
    os.kill(child.pid, signal.SIGKILL)
    rest, _ = child.communicate(timeout=60)
    told = [line.strip() for line in [*lines, *rest.splitlines(keepends=True)] if line.endswith("\n")]
    claimed = {line for line in told if line.startswith("k")}
    finished = {line.removeprefix("finished ") for line in told if line.startswith("finished ")}
    assert len(claimed) >= 100
    assert finished

    state = SqliteState(path)

    async def status(key, now):
        row = await state.ledger.find(key, "elsewhere", now=now, dedupe_window_s=10)
        return row.status if row else None

    assert {await status(key, 1029.0) for key in finished} == {"succeeded"}
    after = {key: await status(key, 1030.0) for key in claimed - finished}
    mute = {key for key in after if int(key[1:]) % 3}  # the others may have finished without saying so any more
    assert mute
    assert {after[key] for key in mute} == {"unknown"}
    assert set(after.values()) <= {"unknown", "succeeded"}
    row, mine = await state.ledger.begin(
        min(mute), min(mute), "p", fence="heir", now=1031.0, lease_s=30, dedupe_window_s=10
    )
    assert (row.status, row.fence, mine) == ("unknown", "dead", False)
    await state.close()
