"""Blobs as files, and in memory: whole or not at all, and never outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reach.errors import StateError
from reach.stores.blobs_memory import MemoryBlobs
from reach.stores.files import FileBlobs


@pytest.fixture(params=["files", "memory"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> FileBlobs | MemoryBlobs:
    return FileBlobs(tmp_path / "deep" / "blobs") if request.param == "files" else MemoryBlobs()


async def keys_of(blobs: FileBlobs | MemoryBlobs) -> list[str]:
    listing = blobs.keys()
    return [key async for key in listing]


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def test_a_range_of_a_blob_is_read_and_shorter_at_the_end(blobs: FileBlobs | MemoryBlobs) -> None:
    await blobs.put("a/b-1", b"0123456789")
    assert await blobs.read("a/b-1", 2, 3) == b"234"
    assert await blobs.read("a/b-1", 8, 100) == b"89"
    assert await blobs.read("a/b-1", 100, 5) == b""
    assert await blobs.read("a/b-1", 0, 0) == b""


async def test_what_is_not_there_is_a_key_error_and_removing_it_is_nothing(blobs: FileBlobs | MemoryBlobs) -> None:
    await blobs.delete("nothing")
    with pytest.raises(KeyError):
        await blobs.read("nothing", 0, 1)


async def test_a_blob_is_replaced_and_removed_whole(blobs: FileBlobs | MemoryBlobs) -> None:
    await blobs.put("k", b"old and longer")
    await blobs.put("k", b"new")
    assert await blobs.read("k", 0, 100) == b"new"
    await blobs.delete("k")
    with pytest.raises(KeyError):
        await blobs.read("k", 0, 1)


async def test_all_keys_are_listed_as_they_were_given(blobs: FileBlobs | MemoryBlobs) -> None:
    assert await keys_of(blobs) == []
    names = {"plain", "with/slash", "a", "a/b", "A=b_c-d.e"}
    for name in names:
        await blobs.put(name, name.encode())
    assert set(await keys_of(blobs)) == names


@pytest.mark.parametrize(
    "key",
    [
        "",
        "..",
        "../x",
        "a/../x",
        "a/..",
        "/etc/passwd",
        "a//b",
        "a\\b",
        "a\x00",
        "单",
        ".hidden",
        "a/",
        "x" * 129,
        "a\n",
    ],
)
async def test_a_key_that_could_leave_the_folder_is_refused(blobs: FileBlobs | MemoryBlobs, key: str) -> None:
    with pytest.raises(StateError):
        await blobs.put(key, b"x")
    with pytest.raises(StateError):
        await blobs.read(key, 0, 1)
    with pytest.raises(StateError):
        await blobs.delete(key)


async def test_a_failed_write_leaves_the_old_blob_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs = FileBlobs(tmp_path)
    await blobs.put("k", b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StateError, match="No space left"):
            await blobs.put("k", b"new")
    assert await blobs.read("k", 0, 10) == b"old"
    assert len(files_in(tmp_path)) == 1


async def test_bytes_and_folder_are_synced_around_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = FileBlobs(tmp_path)
    await blobs.put("k", b"old")
    order: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def watched_fsync(handle: int) -> None:
        order.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")  # noqa: PTH112
        fsync(handle)

    def watched_replace(path: Path, target: Path) -> Path:
        order.append("rename")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(Path, "replace", watched_replace)
    await blobs.put("k", b"new")
    assert order == ["file", "rename", "folder"]


async def test_only_the_owner_of_the_process_can_read_the_files(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path / "blobs")
    await blobs.put("k", b"x")
    assert {path.stat().st_mode & 0o077 for path in files_in(tmp_path)} == {0}


async def test_a_folder_that_cannot_be_made_is_a_state_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StateError):
        await FileBlobs(tmp_path / "file").put("k", b"x")
