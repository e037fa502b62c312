"""One utterance, normalised for matching, that still knows where every character came from.

Rule: recognisers match against `text`; whatever is shown to a person or recorded is cut from `original`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

CJK = "\u3400-\u9fff\uf900-\ufaff"
"""The Chinese characters, as the inside of a character class."""

_LIKE_ASCII = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-") | {"\u301c": "~", "\u2019": "'", "\u2018": "'"}
)
_REACH = 120
"""Characters to either side beyond which a word is not about a value any more."""
_FRACTION_SLASH = "\u2044"
_CLAUSE_END = re.compile(r"[,，。;；!?！？\n、…]|\.(?=\s|$)|\b(?:and|but)\b|但是?|而且|并且|然后")
_ALNUM = re.compile(r"[A-Za-z0-9_]")


@dataclass(frozen=True, slots=True)
class Found:
    """A value read at `start:end` of the normalised text."""

    start: int
    end: int
    value: Any
    recogniser: str

    def overlaps(self, spans: Iterable[tuple[int, int]]) -> bool:
        """True where any of `spans` shares a character with it."""
        return any(self.start < end and start < self.end for start, end in spans)


class Utterance:
    """`original` as the user wrote it and `text`, its NFKC form with one kind of dash and apostrophe."""

    __slots__ = ("_ends", "_starts", "original", "text")

    def __init__(self, original: str) -> None:
        self.original = original
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        index, length = 0, len(original)
        while index < length:
            end = index + 1
            while end < length and unicodedata.combining(original[end]):
                end += 1
            piece = original[index:end]
            if not piece.isascii():
                plain = unicodedata.normalize("NFKC", piece.translate(_LIKE_ASCII))
                piece = piece if _FRACTION_SLASH in plain else plain  # ½ is not the number 1 before a 2
            parts.append(piece)
            starts.extend([index] * len(piece))
            ends.extend([end] * len(piece))
            index = end
        self.text = "".join(parts)
        self._starts = starts
        self._ends = ends

    def source(self, start: int, end: int) -> tuple[str, int]:
        """The words of the user behind `text[start:end]` (not empty), and their index in `original`."""
        first, last = self._starts[start], self._ends[end - 1]
        return self.original[first:last], first

    def whole(self, start: int, end: int) -> tuple[int, int]:
        """`text[start:end]` widened to all that its first and last character of `original` became."""
        while start > 0 and self._starts[start - 1] == self._starts[start]:
            start -= 1
        while end < len(self.text) and self._starts[end] == self._starts[end - 1]:
            end += 1
        return start, end

    def clause(self, start: int, end: int) -> tuple[int, int]:
        """The borders of the clause around `text[start:end]`."""
        left = max(0, start - _REACH)
        for match in _CLAUSE_END.finditer(self.text, left, start):
            left = match.end()
        stop = min(len(self.text), end + _REACH)
        right = _CLAUSE_END.search(self.text, end, stop)
        return left, right.start() if right else stop


def word_set(words: str) -> frozenset[str]:
    """The words of a text that are parted by blanks."""
    return frozenset(words.split())


def is_word_edge(text: str, start: int, end: int) -> bool:
    """True where `text[start:end]` does not cut a Latin word or a number in two; Chinese has no such borders."""
    left = start == 0 or not (_ALNUM.match(text[start - 1]) and _ALNUM.match(text[start]))
    right = end >= len(text) or not (_ALNUM.match(text[end]) and _ALNUM.match(text[end - 1]))
    return left and right


def longest(found: Iterable[Found]) -> list[Found]:
    """Of values that overlap, the longest, then the first; in order of place."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda f: (f.start - f.end, f.start)):
        if not one.overlaps((k.start, k.end) for k in kept):
            kept.append(one)
    return sorted(kept, key=lambda f: f.start)


_NEGATION = re.compile(
    r"(?:\b(?:not|no|without|never|isn't|aren't|don't|doesn't|didn't|won't|rather than|instead of|except|excluding"
    r"|other than)"
    r"(?:\s+(?:a|an|the|any|want|need|include|including|to|be|it|for|is|have))*\s*"
    r"|(?:不要|不是|不需要|不用|不想要?|别|并非|没有?|无需|除了|而不是|非|不包[括含]|排除|不)(?:再|给我|帮我|要|的|了|是|做|选|含|带|加)*)$",
    re.IGNORECASE,
)


def negated(text: str, start: int) -> bool:
    """True where the words just before `start` deny what follows: "not urgent", "不是退货"."""
    return _NEGATION.search(text[max(0, start - 40) : start]) is not None


_CORRECTION = re.compile(
    r"(?:\b(?:not|isn't|rather than|instead of)(?:\s+(?:on|from|at|the|for))*|不是|而不是|并非)\s*$", re.IGNORECASE
)
_DENIAL = re.compile(r"\b(?:not|no|don't|doesn't|didn't|isn't|without|never)\b|不|没|无需|别", re.IGNORECASE)


def corrected(text: str, start: int) -> bool:
    """True where what follows `start` is the value that was *not* meant; "no, the 8th" means the 8th."""
    return _CORRECTION.search(text[max(0, start - 30) : start]) is not None


def in_denial(utterance: Utterance, start: int, end: int) -> bool:
    """True where anything earlier in the same clause denies: "I don't care about a garage"."""
    left, _ = utterance.clause(start, end)
    return _DENIAL.search(utterance.text[left:start]) is not None
