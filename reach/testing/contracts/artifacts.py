"""The suites of `reach.ports.BlobStore` and `reach.ports.ArtifactIndex`.

Rule: what is promised is tested through the port alone.
"""
# ruff: noqa: D102, S101  -- a test's name is its claim, and these are pytest's asserts

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from reach.ports import ArtifactIndex, ArtifactRow, BlobStore
from reach.testing.contracts.base import Contract, raised_by


class BlobStoreContract(Contract[BlobStore]):
    """`reach.ports.BlobStore`."""

    async def test_bytes_come_back_exactly(self) -> None:
        async with self.made() as blobs:
            for key, data in (("empty", b""), ("small", bytes(range(256))), ("folder/large", b"\x00reach" * 200_000)):
                await blobs.put(key, data)
                assert await blobs.read(key, 0, len(data) + 1) == data

    async def test_a_part_is_read_by_offset_and_length(self) -> None:
        async with self.made() as blobs:
            await blobs.put("a", b"0123456789")
            assert await blobs.read("a", 3, 4) == b"3456"
            assert await blobs.read("a", 8, 100) == b"89"
            assert await blobs.read("a", 10, 5) == b""
            assert await blobs.read("a", 99, 5) == b""

    async def test_what_is_not_there_is_a_key_error(self) -> None:
        async with self.made() as blobs:
            assert await raised_by(blobs.read("a", 0, 1)) is KeyError
            await blobs.put("a", b"1")
            await blobs.delete("a")
            await blobs.delete("a")
            assert await raised_by(blobs.read("a", 0, 1)) is KeyError

    async def test_keys_lists_what_is_there(self) -> None:
        async with self.made() as blobs:
            assert [key async for key in blobs.keys()] == []  # noqa: SIM118  -- a method of the port
            for key in ("a", "b", "folder/c"):
                await blobs.put(key, key.encode())
            await blobs.delete("b")
            assert {key async for key in blobs.keys()} == {"a", "folder/c"}  # noqa: SIM118  -- the same

    async def test_the_same_blob_may_be_put_by_many_at_once(self) -> None:
        async with self.made() as blobs:
            await asyncio.gather(*(blobs.put("a", b"same" * 1000) for _ in range(20)))
            assert await blobs.read("a", 0, 10_000) == b"same" * 1000


class ArtifactIndexContract(Contract[ArtifactIndex]):
    """`reach.ports.ArtifactIndex`."""

    def row(self, ref: str = "art_1", **changes: Any) -> ArtifactRow:
        """A row that is being written, expiring in an hour."""
        now = self.clock.now().timestamp()
        row = ArtifactRow(
            ref=ref,
            owner="u_1001",
            tenant="t",
            session="s-1",
            tool="list_orders",
            digest="d" * 64,
            blob_key="blob-1",
            status="writing",
            media_type="application/json",
            total_bytes=131_073,
            frame_bytes=65_536,
            frames=(500, 400, 17),
            created_at=now,
            expires_at=now + 3600.5,
            summary={"rows": 12, "列": ["金额"], "mean": 1.5},
        )
        return replace(row, **changes)

    async def test_a_row_comes_back_equal(self) -> None:
        async with self.made() as index:
            await index.insert(self.row())
            assert await index.get("art_1") == self.row()
            assert await index.get("art_2") is None

    async def test_a_row_is_found_by_content_only_once_complete(self) -> None:
        async with self.made() as index:
            await index.insert(self.row())
            assert await self._found(index) is None
            await index.complete("art_1")
            assert await self._found(index) == self.row(status="complete")

    async def test_another_owner_tenant_session_or_content_does_not_find_it(self) -> None:
        async with self.made() as index:
            await index.insert(self.row())
            await index.complete("art_1")
            for other in ({"tenant": "x"}, {"owner": "x"}, {"session": "x"}, {"digest": "x"}):
                assert await self._found(index, **other) is None

    async def test_an_expired_row_is_not_found_by_content(self) -> None:
        async with self.made() as index:
            await index.insert(self.row())
            await index.complete("art_1")
            assert await self._found(index, now=self.row().expires_at - 0.25) is not None
            assert await self._found(index, now=self.row().expires_at) is None

    async def test_a_revoked_row_stays_revoked(self) -> None:
        async with self.made() as index:
            await index.insert(self.row())
            assert await index.revoke("art_1")
            await index.complete("art_1")
            assert await index.get("art_1") == self.row(status="revoked")
            assert await self._found(index) is None
            assert not await index.revoke("art_2")

    async def _found(self, index: ArtifactIndex, **changes: Any) -> ArtifactRow | None:
        wanted: dict[str, Any] = {name: getattr(self.row(), name) for name in ("tenant", "owner", "session", "digest")}
        wanted["now"] = self.row().created_at
        return await index.find(**{**wanted, **changes})
