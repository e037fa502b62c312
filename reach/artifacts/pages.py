"""Where a page begins and ends, and which frames hold it.

Rule: a page holds whole characters, at least one while there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reach.artifacts.frames import HEADER_BYTES
from reach.errors import ArtifactRequestInvalid
from reach.ports import ArtifactRow


@dataclass(frozen=True, slots=True)
class Span:
    """The frames that hold a range of the payload, and where they are in the blob."""

    first: int
    lengths: tuple[int, ...]
    payload_start: int
    blob_start: int

    @property
    def blob_bytes(self) -> int:
        """Bytes that the frames take in the blob."""
        return sum(self.lengths)

    @classmethod
    def of(cls, row: ArtifactRow, begin: int, end: int) -> Span:
        """The frames that hold the payload's bytes from `begin` to `end`."""
        first = begin // row.frame_bytes
        last = max(first, -(-end // row.frame_bytes))
        return cls(first, row.frames[first:last], first * row.frame_bytes, HEADER_BYTES + sum(row.frames[:first]))


def check_range(offset: Any, limit: Any) -> None:
    """Raise ArtifactRequestInvalid for a negative offset, a limit below 1, or anything that is no whole number."""
    for name, value, least in (("offset", offset, 0), ("limit", limit, 1)):
        if type(value) is not int or value < least:
            raise ArtifactRequestInvalid(f"The {name} {value!r} is not a whole number of at least {least}.")


def character_bounds(around: bytes, offset: int, limit: int) -> tuple[int, int]:
    """Where a page begins and ends inside `around`, both between characters."""
    start = offset
    while 0 < start < len(around) and _continues(around[start]):
        start -= 1
    stop = min(len(around), offset + limit)
    while start < stop < len(around) and _continues(around[stop]):
        stop -= 1
    if stop <= start < len(around):
        stop = start + 1
        while stop < len(around) and _continues(around[stop]):
            stop += 1
    return start, stop


def _continues(byte: int) -> bool:
    return byte & 0xC0 == 0x80
