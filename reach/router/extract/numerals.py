"""Numbers as they are written in digits and in words of both languages.

Rule: a word that is more often not a number (一下, 万一, 十分, "a") is a number only in front of a unit.
"""

from __future__ import annotations

import re
from fractions import Fraction

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: i for i, word in enumerate(_ONES)} | {word: 20 + 10 * i for i, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "k": 1000}
_ZH_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8, "百万": 10**6, "千万": 10**7, "十万": 10**5}

_SMALL = "|".join(sorted(_WORDS, key=len, reverse=True))
ENGLISH = (
    r"(?:(?:half\s+)?a\s+dozen|a\s+couple(?:\s+of)?"
    rf"|(?:{_SMALL}|a|an)(?:[\s-]+(?:{_SMALL}|hundred|thousand|million|billion|and(?=\s+(?:{_SMALL})\b)))*)"
)
"""A number in English words. It matches the bare article too: what follows must be a unit or another numeral."""

CHINESE = r"[零〇一二三四五六七八九十百千万亿两俩仨半]{1,20}"
DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?"
SCALE = r"(?:\s?(?:million|billion|thousand|hundred)\b|[kK](?![A-Za-z0-9])|[十百千]?[万亿]|[百千](?!米|克|瓦))"


def english_number(words: str) -> Fraction | None:
    """`two hundred and five` as 205, `half a dozen` as 6; None where it is not a number."""
    text = re.sub(r"[\s-]+", " ", words.lower()).strip()
    fixed = {"a": 1, "an": 1, "a dozen": 12, "half a dozen": 6, "a couple": 2, "a couple of": 2}
    if text in fixed:
        return Fraction(fixed[text])
    total, current, last = 0, 0, ""
    for word in text.split(" "):
        if word == "and":
            continue
        if word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                current = max(current, 1) * 100
            else:
                total, current = total + max(current, 1) * scale, 0
        elif word in {"a", "an"}:
            current = 1
        elif word in _WORDS:
            value = _WORDS[word]
            if last in _WORDS and not (_WORDS[last] >= 20 and 0 < value < 10):
                return None
            current += value
        else:
            return None
        last = word
    return Fraction(total + current)


def chinese_number(words: str) -> Fraction | None:
    """`三百二十` as 320, `俩` as 2, `半` as one half, `两万半`: None."""
    fixed = {"半": Fraction(1, 2), "俩": Fraction(2), "仨": Fraction(3)}
    if words in fixed:
        return fixed[words]
    if any(c in words for c in "半俩仨"):
        return None
    import cn2an

    try:
        return Fraction(str(cn2an.cn2an(words, "smart")))
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def digits_number(digits: str, scale: str = "") -> Fraction:
    """`1,234.5` with a scale such as `万` or `k` as a number."""
    amount = Fraction(digits.replace(",", ""))
    word = scale.strip().lower()
    if word in _SCALES:
        return amount * _SCALES[word]
    return amount * _ZH_SCALES.get(word, 1)
