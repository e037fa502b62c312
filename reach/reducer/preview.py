"""Cutting a value so that its JSON fits a number of bytes.

Rule: the result is valid JSON of the same shape. Strings are cut between characters, lists after whole items, objects
after whole members; each cut is reported as `{"path", "kept", "of", "unit"}`, never marked inside the data.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

import msgspec

MAX_CUTS = 10
_SMALLEST = 32
"""Bytes below which a cut value tells nothing: what does not fit is then left out whole."""

_MAX_BITS = 3400


def encode(value: Any) -> bytes:
    """`value` as compact UTF-8 JSON. Lone surrogates become `?`; integers of over a thousand digits become null."""
    return settle(value)[1]


def settle(value: Any) -> tuple[Any, bytes]:
    """`value` and its JSON; where JSON can't hold all of it, the value that its JSON means."""
    try:
        return value, msgspec.json.encode(value)
    except ValueError:
        scrubbed = _scrub(msgspec.to_builtins(value))
        return scrubbed, msgspec.json.encode(scrubbed)


def _scrub(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return None
    if isinstance(value, list):
        return [_scrub(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {_scrub(key): _scrub(item) for key, item in cast("dict[str, Any]", value).items()}
    return value


@dataclass(slots=True)
class Cutter:
    """Cuts values and remembers the first `MAX_CUTS` cuts."""

    cuts: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def fit(self, value: Any, budget: int, path: str = "") -> Any:
        """`value`, or as much of it as fits in `budget` bytes of JSON."""
        if isinstance(value, str):
            return self._text(value, budget, path)
        if isinstance(value, list):
            return self._items(cast("list[Any]", value), budget, path)
        if isinstance(value, dict):
            return self._members(cast("dict[str, Any]", value), budget, path)
        if len(encode(value)) > budget:
            self._note(path, 0, 1, "value")
            return None
        return value

    def rows(self, rows: Sequence[Any], budget: int) -> list[Any]:
        """The first rows that fit whole; where not even one does, the first row, cut."""
        kept, _ = _whole(rows, budget)
        return kept if kept or not rows else [self.fit(rows[0], budget - 2)]

    def _text(self, text: str, budget: int, path: str) -> str:
        kept = text[: max(0, budget - 2)]
        while (size := len(encode(kept))) > budget and kept:
            kept = kept[: min(len(kept) - 1, len(kept) * budget // size)]
        self._note(path, len(kept), len(text), "characters")
        return kept

    def _items(self, items: list[Any], budget: int, path: str) -> list[Any]:
        kept, used = _whole(items, budget)
        left = budget - used - 1
        if len(kept) < len(items) and not kept and left >= _SMALLEST:
            kept.append(self.fit(items[0], left, f"{path}[]"))
        self._note(path or "[]", len(kept), len(items), "items")
        return kept

    def _members(self, members: dict[str, Any], budget: int, path: str) -> dict[str, Any]:
        sizes: dict[str, int] = {}
        heads: dict[str, int] = {}
        room = budget - 2
        for key, value in members.items():
            head = len(encode(key)) + 2
            if room < head + _SMALLEST:
                break
            size = len(encode(value))
            heads[key], sizes[key] = head, size
            room -= head + min(size, _SMALLEST)
        self._note(path, len(sizes), len(members), "fields")
        share = _share(sizes.values(), budget - 2 - sum(heads.values()))
        return {
            key: members[key] if size <= share else self.fit(members[key], share, f"{path}.{key}".lstrip("."))
            for key, size in sizes.items()
        }

    def _note(self, path: str, kept: int, of: int, unit: str) -> None:
        if kept < of and len(self.cuts) < MAX_CUTS:
            self.cuts.append({"path": path[:64], "kept": kept, "of": of, "unit": unit})


def _whole(items: Sequence[Any], budget: int) -> tuple[list[Any], int]:
    """The first items that fit whole in a JSON array of `budget` bytes, and the bytes that they use."""
    kept: list[Any] = []
    used = 2
    for item in items:
        size = len(encode(item)) + bool(kept)
        if used + size > budget:
            break
        kept.append(item)
        used += size
    return kept, used


def _share(sizes: Collection[int], budget: int) -> int:
    """The largest size so that values cut to it fit `budget` together: small values leave their room to large ones."""
    left, count = budget, len(sizes)
    for size in sorted(sizes):
        if size * count > left:
            return max(0, left // count)
        left -= size
        count -= 1
    return budget


def first(rows: Sequence[Any], count: int) -> list[Any]:
    """The first `count` rows as plain data."""
    return [msgspec.to_builtins(row) for row in islice(rows, count)]
