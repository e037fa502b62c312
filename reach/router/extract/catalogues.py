"""Known values: names that a backend lists, found in the utterance.

Rule: the longest exact name wins over a part of one; a part that several names share gives all of them, so that the
user chooses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from reach.router.extract.utterance import CJK

_MOST_CHOICES = 10
_TYPO_RATIO = 90.0
_SKIPPED = re.compile(r"[\s\-_.,·'’\"“”「」()（）/]")
_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Listed:
    """`names` of a catalogue that `text[start:end]` may mean: one, or several that share these words."""

    start: int
    end: int
    names: tuple[str, ...]
    recogniser: str


@dataclass(frozen=True, slots=True)
class _Index:
    exact: dict[str, str]
    parts: dict[str, tuple[str, ...]]
    lengths: tuple[int, ...]
    part_lengths: tuple[int, ...]


def _compact(text: str) -> str:
    return _SKIPPED.sub("", unicodedata.normalize("NFKC", text).casefold())


def _long_enough(key: str) -> bool:
    return len(key) >= (2 if _CJK.search(key) else 3)


@lru_cache(maxsize=64)
def _index(names: tuple[str, ...]) -> _Index:
    exact: dict[str, str] = {}
    parts: dict[str, dict[str, None]] = {}
    for name in names:
        key = _compact(name)
        if _long_enough(key):
            exact.setdefault(key, name)
        for part in _parts(name):
            parts.setdefault(part, {})[name] = None
    shared = {k: tuple(v) for k, v in parts.items() if k not in exact and len(v) <= _MOST_CHOICES}
    lengths = tuple(sorted({len(k) for k in exact}, reverse=True))
    return _Index(exact, shared, lengths, tuple(sorted({len(k) for k in shared}, reverse=True)))


def _parts(name: str) -> list[str]:
    """What people say for `name`: without the bracket at its end, or its first words."""
    base = re.sub(r"\s*[(（][^()（）]*[)）]\s*$", "", name)
    words = base.split()
    keys = [_compact(base)] if base != name else []
    keys += [_compact(" ".join(words[:n])) for n in range(1, len(words))]
    return [k for k in keys if len(k) >= 3]


def find_listed(text: str, names: Sequence[str]) -> list[Listed]:
    """The names that `text` mentions, in order of place."""
    index = _index(tuple(names))
    places = [(i, c) for i, raw in enumerate(text) for c in raw.casefold() if not _SKIPPED.match(raw)]
    compact = "".join(c for _, c in places)
    found = _scan(text, compact, [i for i, _ in places], index)
    return found or _typos(text, index)


def _scan(text: str, compact: str, places: list[int], index: _Index) -> list[Listed]:
    out: list[Listed] = []
    at = 0
    while at < len(compact):
        hit = _hit(text, compact, places, at, index)
        if hit:
            out.append(hit)
            while at < len(places) and places[at] < hit.end:
                at += 1
        else:
            at += 1
    return out


def _hit(text: str, compact: str, places: list[int], at: int, index: _Index) -> Listed | None:
    """The longest name, else the longest part of a name, that begins at `compact[at]`."""
    for length in index.lengths:
        key = compact[at : at + length]
        if len(key) == length and key in index.exact:
            end = _whole(text, places[at], places[at + length - 1])
            if end:
                return Listed(places[at], end, (index.exact[key],), "catalogue")
    for length in index.part_lengths:
        key = compact[at : at + length]
        if len(key) == length and key in index.parts and _named_part(text[places[at]], key):
            end = _whole(text, places[at], places[at + length - 1])
            if end:
                return Listed(places[at], end, index.parts[key], "catalogue_part")
    return None


def _whole(text: str, first: int, last: int) -> int:
    """Where the word that `text[first:last + 1]` fills ends, a plural included; 0 where it cuts a word in two."""
    for end in (last + 1, last + 2, last + 3):
        if text[last + 1 : end].lower() in {"", "s", "es"} and _edges(text, first, end - 1):
            return end
    return 0


def _named_part(initial: str, key: str) -> bool:
    """A short part of a name counts only where it is written like a name."""
    return len(key) >= 5 or bool(_CJK.search(key)) or initial.isupper()


def _edges(text: str, first: int, last: int) -> bool:
    def word(i: int) -> bool:
        return 0 <= i < len(text) and text[i].isascii() and text[i].isalnum()

    return not (word(first) and word(first - 1)) and not (word(last) and word(last + 1))


def _typos(text: str, index: _Index) -> list[Listed]:
    from rapidfuzz import fuzz, process

    long_names = {n.casefold(): n for k, n in index.exact.items() if len(k) >= (4 if _CJK.search(k) else 6)}
    if not long_names or len(text) > 400:
        return []
    subject = text.casefold()
    best = process.extract(subject, list(long_names), scorer=fuzz.partial_ratio, score_cutoff=_TYPO_RATIO, limit=3)
    best = [b for b in best if len(b[0]) <= len(subject)]
    if not best or (len(best) > 1 and best[1][1] == best[0][1]):
        return []
    alignment = fuzz.partial_ratio_alignment(best[0][0], subject)
    if alignment is None or alignment.dest_end <= alignment.dest_start:
        return []
    start, end = alignment.dest_start, min(alignment.dest_end, len(text))
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end <= start or not _edges(text, start, end - 1) or len(subject) != len(text):
        return []
    return [Listed(start, end, (long_names[best[0][0]],), "catalogue_typo")]
