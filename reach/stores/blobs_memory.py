"""Blobs in memory, for tests and for a runtime that keeps nothing.

Rule: a blob is replaced whole or not at all.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from reach.errors import StateError

MAX_KEY = 128

_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.=-]*(?:/[A-Za-z0-9][A-Za-z0-9_.=-]*)*")


def check_key(key: str) -> str:
    """`key`, where it is one every blob store can hold.

    That is: parts of letters, digits and `_.=-` between slashes, each beginning with a letter or digit, at most 128
    characters. Raises StateError for anything else, such as `../x` or `/x`.
    """
    if len(key) > MAX_KEY or not _KEY.fullmatch(key):
        raise StateError(f"{key[:MAX_KEY]!r} is not a blob key.", retryable=False)
    return key


class MemoryBlobs:
    """A `BlobStore` that lives as long as the process."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    async def put(self, key: str, data: bytes) -> None:
        """Store `data`."""
        self._blobs[check_key(key)] = bytes(data)

    async def read(self, key: str, offset: int, length: int) -> bytes:
        """`length` bytes from `offset`; fewer at the end. Raises KeyError."""
        return self._blobs[check_key(key)][max(0, offset) : max(0, offset) + max(0, length)]

    async def delete(self, key: str) -> None:
        """Remove it, if it is there."""
        self._blobs.pop(check_key(key), None)

    async def keys(self) -> AsyncIterator[str]:
        """All keys."""
        for key in tuple(self._blobs):
            yield key
