"""Blobs as files of one folder.

Rule: a file has its name only once its bytes are on disk: a temporary file is written and synced, renamed, and the
folder synced. All disk work happens in threads.

    ROOT/3f/artifact-Zm9v.blob        `3f`: the first two hex digits of the key's SHA-256; a `/` of the key is `%2F`
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

from reach.errors import StateError
from reach.stores.blobs_memory import check_key

_SUFFIX = ".blob"
_TEMPORARY = ".tmp-"


class FileBlobs:
    """A `BlobStore` in the folder `root`, which is made when it is first written to."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put(self, key: str, data: bytes) -> None:
        """Store `data`; it is on disk when this returns. Raises StateError."""
        await asyncio.to_thread(self._put, check_key(key), data)

    async def read(self, key: str, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`; fewer at the end. Raises KeyError or StateError."""
        return await asyncio.to_thread(self._read, check_key(key), max(0, offset), max(0, length))

    async def delete(self, key: str) -> None:
        """Remove it, if it is there. Raises StateError."""
        await asyncio.to_thread(self._delete, check_key(key))

    async def keys(self) -> AsyncIterator[str]:
        """All keys, folder by folder."""
        for shard in await asyncio.to_thread(self._shards):
            for key in await asyncio.to_thread(_keys, shard):
                yield key

    def _path(self, key: str) -> Path:
        return self._root / hashlib.sha256(key.encode()).hexdigest()[:2] / (quote(key, safe="=") + _SUFFIX)

    def _put(self, key: str, data: bytes) -> None:
        path = self._path(key)
        with _state_errors("write", key):
            self._make_folder(path.parent)
            handle, temporary = tempfile.mkstemp(prefix=_TEMPORARY, dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
            _sync_folder(path.parent)

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
            _sync_folder(self._root)

    def _read(self, key: str, offset: int, length: int) -> bytes:
        with _state_errors("read", key):
            try:
                handle = os.open(self._path(key), os.O_RDONLY)
            except FileNotFoundError:
                raise KeyError(key) from None
            try:
                return _pread(handle, offset, length)
            finally:
                os.close(handle)

    def _delete(self, key: str) -> None:
        with _state_errors("remove", key):
            self._path(key).unlink(missing_ok=True)

    def _shards(self) -> list[Path]:
        with suppress(FileNotFoundError):
            return sorted(path for path in self._root.iterdir() if path.is_dir())
        return []


def _pread(handle: int, offset: int, length: int) -> bytes:
    """`length` bytes from `offset`, fewer only at the end of the file."""
    pieces: list[bytes] = []
    while length > 0 and (piece := os.pread(handle, length, offset)):
        pieces.append(piece)
        offset += len(piece)
        length -= len(piece)
    return b"".join(pieces)


def _keys(shard: Path) -> list[str]:
    with suppress(FileNotFoundError):
        return sorted(unquote(p.name.removesuffix(_SUFFIX)) for p in shard.iterdir() if p.name.endswith(_SUFFIX))
    return []


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _state_errors(verb: str, key: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise StateError(f"Could not {verb} the blob {key}: {error.strerror}.") from error
