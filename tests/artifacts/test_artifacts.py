"""Artifacts: what the owner, another, and a thief of the disk can read."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.artifacts import FRAME_BYTES, MAX_PAGE_BYTES, Artifacts
from reach.errors import (
    ArtifactForbidden,
    ArtifactNotFound,
    ArtifactRequestInvalid,
    ArtifactRevoked,
    ArtifactUnreadable,
    ConfigError,
    DeadlineExceeded,
    StateError,
)
from reach.ports import Deadline
from reach.stores.blobs_memory import MemoryBlobs
from reach.stores.files import FileBlobs
from reach.stores.memory import MemoryArtifacts
from reach.testing.clock import FakeClock
from reach.types import Caller, Page

KEY = bytes(range(32))
OWNER = Caller("u_1", tenant="t_1")
TTL_S = 3600.0


class CountingBlobs(MemoryBlobs):
    """Blobs that say what was read, and fail on demand."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[tuple[int, int]] = []
        self.failures = 0

    async def read(self, key: str, offset: int, length: int) -> bytes:
        if self.failures:
            self.failures -= 1
            raise StateError("The disk is away.")
        self.reads.append((offset, length))
        return await super().read(key, offset, length)


class World:
    def __init__(self, **options: Any) -> None:
        self.clock = FakeClock(auto_advance=True)
        self.index = MemoryArtifacts(self.clock)
        self.blobs = CountingBlobs()
        self.artifacts = Artifacts(self.index, self.blobs, self.clock, key=KEY, ttl_s=TTL_S, **options)

    async def save(self, body: bytes, **changes: Any) -> str:
        how: dict[str, Any] = {
            "media_type": "application/json",
            "caller": OWNER,
            "session": "s_1",
            "tool": "list_orders",
            "summary": {"rows": 7},
            "deadline": Deadline.after_ms(self.clock, 60_000),
        }
        return await self.artifacts.save(body, **{**how, **changes})

    async def blob_keys(self) -> list[str]:
        listing = self.blobs.keys()
        return [key async for key in listing]

    async def fetch(self, ref: str, offset: Any = 0, limit: Any = 16_384, **changes: Any) -> Page:
        how: dict[str, Any] = {"caller": OWNER, "permitted": lambda _tool: True, **changes}
        return await self.artifacts.fetch(ref, offset=offset, limit=limit, **how)

    async def everything(self, ref: str, limit: int) -> bytes:
        joined, offset = b"", 0
        while True:
            page = await self.fetch(ref, offset, limit)
            assert page.offset == offset
            joined += page.text.encode()
            if not page.has_more:
                assert page.next_offset == page.total_bytes == len(joined)
                return joined
            assert page.next_offset > offset
            offset = page.next_offset


@pytest.fixture
def world() -> World:
    return World()


# ------------------------------------------------------------------------------------------------ paging


@settings(max_examples=150, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=200), limit=st.integers(1, 40))
def test_pages_joined_are_the_original_bytes_for_any_text_and_any_page_size(text: str, limit: int) -> None:
    async def run() -> bytes:
        world = World()
        return await world.everything(await world.save(text.encode()), limit)

    assert asyncio.run(run()) == text.encode()


@settings(max_examples=15, deadline=None)
@given(shift=st.integers(0, 3), limit=st.integers(20_000, 200_000))
def test_a_character_across_two_frames_comes_whole(shift: int, limit: int) -> None:
    text = "x" * shift + "订单😀" * 20_000

    async def run() -> bytes:
        world = World()
        return await world.everything(await world.save(text.encode()), limit)

    assert asyncio.run(run()) == text.encode()


async def test_a_limit_smaller_than_one_character_still_returns_one_whole_character(world: World) -> None:
    page = await world.fetch(await world.save("😀单".encode()), 0, 1)
    assert (page.text, page.next_offset, page.has_more) == ("😀", 4, True)


async def test_an_offset_inside_a_character_moves_to_its_start(world: World) -> None:
    ref = await world.save("a单b".encode())
    for offset in (1, 2, 3):
        page = await world.fetch(ref, offset, 4)
        assert (page.text, page.offset, page.next_offset) == ("单b", 1, 5)


async def test_an_offset_at_the_end_is_an_empty_last_page(world: World) -> None:
    page = await world.fetch(await world.save(b"[1,2]"), 5)
    assert (page.text, page.offset, page.next_offset, page.total_bytes, page.has_more) == ("", 5, 5, 5, False)


async def test_an_empty_payload_is_one_empty_page(world: World) -> None:
    page = await world.fetch(await world.save(b"", media_type="text/plain"))
    assert (page.text, page.total_bytes, page.has_more, page.ephemeral) == ("", 0, False, True)


@pytest.mark.parametrize(
    ("offset", "limit"), [(-1, 10), (0, 0), (0, -5), (6, 10), (0.0, 10), (0, "10"), (True, 10), (None, 10)]
)
async def test_a_page_that_makes_no_sense_is_refused_as_invalid(world: World, offset: Any, limit: Any) -> None:
    ref = await world.save(b"[1,2]")
    with pytest.raises(ArtifactRequestInvalid) as refused:
        await world.fetch(ref, offset, limit)
    assert refused.value.code == "invalid"


async def test_a_huge_limit_is_one_page_of_the_greatest_size(world: World) -> None:
    page = await world.fetch(await world.save(b"x" * (MAX_PAGE_BYTES + 10)), 0, 10**12)
    assert (page.next_offset, page.has_more) == (MAX_PAGE_BYTES, True)


async def test_a_page_reads_only_the_frames_that_it_touches(world: World) -> None:
    body = os.urandom(40 * FRAME_BYTES).hex().encode()
    ref = await world.save(body)
    row = await world.index.get(ref)
    assert row is not None
    world.blobs.reads.clear()
    page = await world.fetch(ref, 50 * FRAME_BYTES + 1000, 16_384)
    assert page.text.encode() == body[50 * FRAME_BYTES + 1000 :][:16_384]
    assert sorted(length for _, length in world.blobs.reads) == [64, row.frames[50]]


# ------------------------------------------------------------------------------------------------ who may read


async def test_missing_and_foreign_answer_alike(world: World) -> None:
    ref = await world.save(b"[1]")
    other = "art_" + "x" * 24
    for stranger in (Caller("u_2", tenant="t_1"), Caller("u_1", tenant="t_2"), Caller("u_1")):
        with pytest.raises(ArtifactNotFound) as foreign:
            await world.fetch(ref, caller=stranger)
        with pytest.raises(ArtifactNotFound) as missing:
            await world.fetch(other, caller=stranger)
        assert str(foreign.value).replace(ref, "REF") == str(missing.value).replace(other, "REF")


async def test_a_stranger_learns_nothing_of_a_revoked_or_forbidden_artifact(world: World) -> None:
    ref = await world.save(b"[1]")
    with pytest.raises(ArtifactNotFound):
        await world.fetch(ref, caller=Caller("u_2", tenant="t_1"), permitted=lambda _tool: False)
    with pytest.raises(ArtifactNotFound):
        await world.artifacts.revoke(ref, caller=Caller("u_2", tenant="t_1"))
    await world.artifacts.revoke(ref, caller=OWNER)
    with pytest.raises(ArtifactNotFound):
        await world.fetch(ref, caller=Caller("u_2", tenant="t_1"))


async def test_the_owner_is_told_that_it_was_revoked_and_the_bytes_are_gone(world: World) -> None:
    ref = await world.save(b"[1]")
    await world.artifacts.revoke(ref, caller=OWNER)
    with pytest.raises(ArtifactRevoked, match="revoked"):
        await world.fetch(ref)
    assert await world.blob_keys() == []


async def test_the_owner_is_told_that_it_has_expired(world: World) -> None:
    ref = await world.save(b"[1]")
    world.clock.advance(TTL_S - 1)
    assert (await world.fetch(ref)).text == "[1]"
    world.clock.advance(1)
    with pytest.raises(ArtifactRevoked, match="expired"):
        await world.fetch(ref)


async def test_every_page_asks_again_whether_the_tool_is_permitted(world: World) -> None:
    ref = await world.save(b"[1]", tool="list_orders")
    allowed = {"list_orders"}
    assert (await world.fetch(ref, permitted=allowed.__contains__)).text == "[1]"
    allowed.clear()
    with pytest.raises(ArtifactForbidden) as refused:
        await world.fetch(ref, permitted=allowed.__contains__)
    assert not refused.value.retryable


# ------------------------------------------------------------------------------------------------ saving


async def test_a_ref_cannot_be_guessed_and_says_nothing(world: World) -> None:
    refs = {await world.save(f"[{number}]".encode()) for number in range(20)}
    assert len(refs) == 20
    assert all(ref.startswith("art_") and len(ref) == 28 for ref in refs)


async def test_randomness_is_injected() -> None:
    ref = await World(token=lambda size: b"\x00" * size).save(b"[1]")
    assert ref == "art_" + "A" * 24


async def test_the_same_content_of_one_owner_and_session_is_stored_once(world: World) -> None:
    first, second = await asyncio.gather(world.save(b"[1]"), world.save(b"[1]"))
    assert first == second
    assert len(await world.blob_keys()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"caller": Caller("u_2", tenant="t_1")},
        {"caller": Caller("u_1", tenant="t_2")},
        {"session": "s_2"},
        {"tool": "list_parcels"},
        {"media_type": "text/plain"},
    ],
)
async def test_nothing_is_shared_across_owners_sessions_tools_or_types(world: World, change: dict[str, Any]) -> None:
    assert await world.save(b"[1]") != await world.save(b"[1]", **change)


async def test_content_that_is_about_to_expire_or_was_revoked_is_stored_anew(world: World) -> None:
    first = await world.save(b"[1]")
    world.clock.advance(TTL_S / 2 + 1)
    second = await world.save(b"[1]")
    assert second != first
    await world.artifacts.revoke(second, caller=OWNER)
    assert await world.save(b"[1]") not in {first, second}


async def test_content_whose_bytes_are_gone_is_stored_anew(world: World) -> None:
    first = await world.save(b"[1]")
    await world.blobs.delete((await world.index.get(first)).blob_key)  # pyright: ignore[reportOptionalMemberAccess]
    second = await world.save(b"[1]")
    assert (await world.fetch(second)).text == "[1]"


async def test_a_digest_does_not_reveal_the_content(world: World) -> None:
    other = Artifacts(world.index, world.blobs, world.clock, key=bytes(32), ttl_s=TTL_S)
    ref = await world.save(b"[1]")
    how: dict[str, Any] = {"media_type": "application/json", "caller": OWNER, "session": "s_1", "tool": "list_orders"}
    twin = await other.save(b"[1]", **how, summary={}, deadline=Deadline.after_ms(world.clock, 1000))
    first, second = await world.index.get(ref), await world.index.get(twin)
    assert first is not None
    assert second is not None
    assert first.digest != second.digest


async def test_what_is_stored_does_not_contain_what_was_saved(world: World) -> None:
    body = b'{"secret": "quite a long secret that compresses badly"}'
    ref = await world.save(body)
    row = await world.index.get(ref)
    assert row is not None
    stored = await world.blobs.read(row.blob_key, 0, 10_000)
    assert b"secret" not in stored
    assert row.total_bytes == len(body)


async def test_the_blob_is_there_before_the_index_knows_of_it(world: World) -> None:
    seen: list[tuple[str, int]] = []
    insert, complete = world.index.insert, world.index.complete

    async def watched_insert(row: Any) -> None:
        seen.append((row.status, len(await world.blobs.read(row.blob_key, 0, 10_000))))
        await insert(row)

    async def watched_complete(ref: str) -> None:
        seen.append(("complete", 0))
        await complete(ref)

    world.index.insert, world.index.complete = watched_insert, watched_complete  # type: ignore[method-assign]
    await world.save(b"[1]")
    assert [status for status, _ in seen] == ["writing", "complete"]
    assert seen[0][1] > 64


async def test_a_save_without_time_is_not_begun(world: World) -> None:
    with pytest.raises(DeadlineExceeded):
        await world.save(b"[1]", deadline=Deadline.after_ms(world.clock, 0))
    assert await world.blob_keys() == []


async def test_a_save_that_hangs_ends_with_its_deadline(world: World) -> None:
    async def hang(_key: str, _data: bytes) -> None:
        await asyncio.Event().wait()

    world.blobs.put = hang  # type: ignore[method-assign]
    with pytest.raises(DeadlineExceeded):
        await world.save(b"[1]", deadline=Deadline.after_ms(world.clock, 50))


def test_a_key_of_another_length_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="16 bytes"):
        Artifacts(MemoryArtifacts(FakeClock()), MemoryBlobs(), FakeClock(), key=b"x" * 16, ttl_s=1)


# ------------------------------------------------------------------------------------------------ damage


async def test_no_flipped_byte_is_ever_returned_as_data(world: World) -> None:
    body = os.urandom(FRAME_BYTES).hex().encode()
    ref = await world.save(body)
    row = await world.index.get(ref)
    assert row is not None
    good = await world.blobs.read(row.blob_key, 0, 10**9)
    for place in (0, 5, 20, 63, 64, 64 + row.frames[0] - 1, 64 + row.frames[0], len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 1
        await world.blobs.put(row.blob_key, bytes(bad))
        with pytest.raises(ArtifactUnreadable) as refused:
            await world.everything(ref, FRAME_BYTES)
        assert not refused.value.retryable


async def test_frames_cannot_change_places_or_artifacts(world: World) -> None:
    half = os.urandom(FRAME_BYTES // 2).hex().encode()
    ref, twin = await world.save(half + half[::-1]), await world.save(half[::-1] + half)
    row, other = await world.index.get(ref), await world.index.get(twin)
    assert row is not None
    assert other is not None
    good = await world.blobs.read(row.blob_key, 0, 10**9)
    first, second = row.frames
    swapped = good[:64] + good[64 + first :] + good[64 : 64 + first]
    foreign = await world.blobs.read(other.blob_key, 0, 10**9)
    for bad in (swapped, foreign, good[:-1], good[:64], b""):
        await world.blobs.put(row.blob_key, bad)
        with pytest.raises(ArtifactUnreadable):
            await world.everything(ref, 4 * FRAME_BYTES)
    assert first + second + 64 == len(good)


async def test_a_changed_owner_in_the_index_opens_nothing(world: World) -> None:
    ref = await world.save(b"[1]")
    row = await world.index.get(ref)
    assert row is not None

    async def forged(_ref: str) -> Any:
        return replace(row, owner="u_2")

    world.index.get = forged  # type: ignore[method-assign]
    with pytest.raises(ArtifactUnreadable):
        await world.fetch(ref, caller=Caller("u_2", tenant="t_1"))


async def test_one_failed_read_is_tried_again_and_two_are_told_with_the_summary(world: World) -> None:
    ref = await world.save(b"[1]")
    world.blobs.failures = 1
    assert (await world.fetch(ref)).text == "[1]"
    world.blobs.failures = 2
    with pytest.raises(ArtifactUnreadable) as refused:
        await world.fetch(ref)
    assert refused.value.retryable
    assert refused.value.summary == {"rows": 7}


async def test_a_missing_blob_is_unreadable_for_good(world: World) -> None:
    ref = await world.save(b"[1]")
    row = await world.index.get(ref)
    assert row is not None
    await world.blobs.delete(row.blob_key)
    with pytest.raises(ArtifactUnreadable, match="gone") as refused:
        await world.fetch(ref)
    assert not refused.value.retryable


async def test_a_row_being_written_is_waited_for_briefly_and_then_refused(world: World) -> None:
    ref = await world.save(b"[1]")
    get = world.index.get
    polls = 0

    async def writing(asked: str) -> Any:
        nonlocal polls
        polls += 1
        row = await get(asked)
        assert row is not None
        return replace(row, status="writing") if polls <= until else row

    world.index.get = writing  # type: ignore[method-assign]
    until = 3
    assert (await world.fetch(ref)).text == "[1]"
    polls, until, before = 0, 10**6, world.clock.monotonic()
    with pytest.raises(ArtifactUnreadable, match="being written"):
        await world.fetch(ref)
    assert 0.4 < world.clock.monotonic() - before < 1


# ------------------------------------------------------------------------------------------------ not text


async def test_content_that_is_not_text_is_exported_never_paged(world: World) -> None:
    ref = await world.save(b"\x89PNG\xff", media_type="image/png")
    with pytest.raises(ArtifactRequestInvalid, match="reach artifacts export"):
        await world.fetch(ref)
    pieces = [piece async for piece in world.artifacts.export(ref, caller=OWNER, permitted=lambda _tool: True)]
    assert b"".join(pieces) == b"\x89PNG\xff"


async def test_text_that_is_not_utf8_counts_as_not_text(world: World) -> None:
    ref = await world.save(b"caf\xe9", media_type="text/plain")
    with pytest.raises(ArtifactRequestInvalid, match="application/octet-stream"):
        await world.fetch(ref)


async def test_an_export_is_checked_as_a_page_is(world: World) -> None:
    ref = await world.save(b"x" * (MAX_PAGE_BYTES + 1))
    pieces = [piece async for piece in world.artifacts.export(ref, caller=OWNER, permitted=lambda _tool: True)]
    assert list(map(len, pieces)) == [MAX_PAGE_BYTES, 1]
    with pytest.raises(ArtifactForbidden):
        await anext(world.artifacts.export(ref, caller=OWNER, permitted=lambda _tool: False))


async def test_files_hold_artifacts_as_memory_does(tmp_path: Path) -> None:
    clock = FakeClock(auto_advance=True)
    artifacts = Artifacts(MemoryArtifacts(clock), FileBlobs(tmp_path), clock, key=KEY, ttl_s=TTL_S)
    body = ("订单" * 60_000).encode()
    how: dict[str, Any] = {"media_type": "application/json", "session": "s", "tool": "t", "summary": {}}
    ref = await artifacts.save(body, caller=OWNER, deadline=Deadline.after_ms(clock, 60_000), **how)
    page = await artifacts.fetch(ref, caller=OWNER, offset=300_000, limit=10, permitted=lambda _tool: True)
    assert (page.text, page.offset) == ("订单订", 300_000)
