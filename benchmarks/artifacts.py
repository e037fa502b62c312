"""How near a page comes to its floor: opening the one or two frames that it touches, from memory.

Rule: floor and subject run in the same process; a page of the end must cost what a page of the beginning costs.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import zstandard
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from reach.artifacts import FRAME_BYTES, Artifacts
from reach.ports import Deadline
from reach.stores.blobs_memory import MemoryBlobs
from reach.stores.files import FileBlobs
from reach.stores.memory import MemoryArtifacts
from reach.testing.clock import FakeClock
from reach.types import Caller

OWNER = Caller("u_1")
MEGABYTES = 50
PAGE = 16_384
REPEATS = 200


def payload() -> bytes:
    """Text of about 50 MB that compresses as tool results do."""
    rng = random.Random(7)
    words = [hashlib.sha256(str(number).encode()).hexdigest()[: rng.randrange(3, 12)] for number in range(5000)]
    line = "\n".join(" ".join(rng.choices(words, k=12)) + " 订单" for _ in range(60_000))
    repeated = line * (MEGABYTES * 2**20 // len(line.encode()) + 1)
    return repeated.encode()[: MEGABYTES * 2**20].decode("utf-8", "ignore").encode()


async def timed(run: Callable[[int], Awaitable[object]], repeats: int = REPEATS) -> float:
    """The median time of `run` in milliseconds."""
    times: list[float] = []
    for number in range(repeats):
        begin = time.perf_counter()
        await run(number)
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


async def floor_of(body: bytes) -> float:
    """Opening one frame that is already in memory: decrypt and decompress."""
    cipher = AESGCM(secrets.token_bytes(32))
    nonce = bytes(12)
    frame = cipher.encrypt(nonce, zstandard.ZstdCompressor(level=3).compress(body[:FRAME_BYTES]), b"")
    decompressor = zstandard.ZstdDecompressor()

    async def open_frame(_number: int) -> None:
        decompressor.decompress(cipher.decrypt(nonce, frame, b""))

    return await timed(open_frame)


async def main() -> None:
    """Print what saving and paging cost."""
    body = payload()
    base = await floor_of(body)
    print(f"floor: one frame opened from memory {base:.3f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for name, blobs in (("memory", MemoryBlobs()), ("files", FileBlobs(Path(folder)))):
            clock = FakeClock()
            artifacts = Artifacts(MemoryArtifacts(clock), blobs, clock, key=secrets.token_bytes(32), ttl_s=3600)
            begin = time.perf_counter()
            ref = await artifacts.save(
                body,
                media_type="text/plain",
                caller=OWNER,
                session="s",
                tool="t",
                summary={},
                deadline=Deadline.after_ms(clock, 600_000),
            )
            print(f"{name}: saved {len(body) / 2**20:.0f} MB in {(time.perf_counter() - begin) * 1000:.0f} ms")
            for place, at in (("first", 0), ("middle", len(body) // 2), ("last", len(body) - PAGE)):

                async def page(_number: int, artifacts: Artifacts = artifacts, ref: str = ref, at: int = at) -> None:
                    await artifacts.fetch(ref, caller=OWNER, offset=at, limit=PAGE, permitted=lambda _tool: True)

                cost = await timed(page)
                print(f"{name}: {place} page {cost:.3f} ms, {cost / base:.1f}x the floor")


if __name__ == "__main__":
    asyncio.run(main())
