"""Amounts: a number with the unit that stands beside it, and ranges of two amounts.

Rule: digits inside an identifier, a date, a phone number or a longer token are no amount.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from reach.router.extract.numerals import (
    CHINESE,
    DIGITS,
    ENGLISH,
    SCALE,
    chinese_number,
    digits_number,
    english_number,
)
from reach.router.extract.units import PREFIX_UNITS, UNITS, converted
from reach.router.extract.utterance import CJK

Bound = Literal["", "at_least", "at_most", "low", "high"]


@dataclass(frozen=True, slots=True)
class Amount:
    """One amount at `start:end`. `unit` is the word for it as said, or empty.

    `bound`: a lower or upper limit, or one end of a range. `weak`: "a", "one" or 一个, which often count nothing.
    """

    start: int
    end: int
    value: Fraction
    unit: str = ""
    bound: Bound = ""
    weak: bool = False


def _unit_pattern() -> str:
    latin = sorted((w for w in UNITS if w.isascii() and w[0].isalpha()), key=len, reverse=True)
    other = sorted((w for w in UNITS if not w.isascii() or not w[0].isalpha()), key=len, reverse=True)
    return rf"(?:{'|'.join(map(re.escape, other))}|(?:{'|'.join(latin)})(?![A-Za-z0-9]))"


_UNIT = _unit_pattern()
_NUMBER = re.compile(
    rf"(?P<prefix>us\$|[$¥€£]|\b(?:rmb|usd|cny|eur)\s?)?\s?"
    rf"(?<![A-Za-z0-9_.])(?P<sign>-(?=\d))?"
    rf"(?:(?P<digits>{DIGITS})(?P<scale>{SCALE})?"
    rf"|(?P<zh>(?<![第])(?:{CHINESE}))|(?<![A-Za-z])(?P<en>{ENGLISH})(?![A-Za-z]))"
    rf"(?P<half>个半|\s+and\s+a\s+half)?\s{{0,2}}-?(?P<unit>{_UNIT})?(?P<tail>半(?![{CJK}]?[年月天小])|\s+and\s+a\s+half\b)?",
    re.IGNORECASE,
)
_HALF_EN = re.compile(rf"\bhalf\s+(?:a|an)\s+(?P<unit>{_UNIT})", re.IGNORECASE)
_ZH_NOT_A_NUMBER = re.compile(
    rf"(?:[{CJK}]*(?:一下|一起|一些|一样|一直|一般|一定|一会|一点|一共|万一|统一|唯一|之一|十分|千万别|一切|一旦|半天|一边|第一|万分))"
)
_TOKEN_AFTER = re.compile(r"[-_./:][A-Za-z0-9]|[A-Za-z0-9_]")
_RANGE = re.compile(r"\s*(?:-|~|到|至|to|and|和)\s*", re.IGNORECASE)
_AT_LEAST_BEFORE = re.compile(
    r"(?:at least|more than|over|above|no less than|minimum(?: of)?|最少|至少|不少于|不低于|超过|大于|高于)\s*$",
    re.IGNORECASE,
)
_AT_MOST_BEFORE = re.compile(
    r"(?:at most|less than|under|below|up to|no more than"
    r"|(?:nothing|not|never) (?:over|above|more than)|cheaper than|within"
    r"|maximum(?: of)?|不超过|最多|不高于|低于|少于|小于|至多)\s*$",
    re.IGNORECASE,
)
_AT_LEAST_AFTER = re.compile(r"\s*(?:以上|及以上|起|or more|or higher|and above|or above|\+)", re.IGNORECASE)
_AT_MOST_AFTER = re.compile(r"\s*(?:以下|及以下|以内|之内|or less|or lower|or under|or below)", re.IGNORECASE)


_LIMIT_AFTER = re.compile(r"及?以[上下内]|之[内间]|左右|到|至")
_MOST = 100
_A_COUNTS = re.compile(
    r"(?:^|\b(?:for|in|within|after|about|around|last|takes?|once|of|only|just|is)\s+)$", re.IGNORECASE
)


def find_amounts(text: str, taken: list[tuple[int, int]] | None = None) -> list[Amount]:
    """All amounts of `text` outside `taken`, in order of place; compound ones ("1小时20分") as one."""
    blocked = taken or []
    amounts = [a for m in _HALF_EN.finditer(text) if (a := Amount(m.start(), m.end(), Fraction(1, 2), m["unit"]))]
    place = 0
    while match := _NUMBER.search(text, place):
        amount = _read(text, match)
        place = match.end() if amount else max(match.start() + 1, _number_end(match))
        if amount and not any(amount.start < e and s < amount.end for s, e in blocked):
            amounts.append(amount)
    return _ranges(text, _compounds(text, _apart(amounts)))[:_MOST]


def _number_end(match: re.Match[str]) -> int:
    return max(match.end(group) for group in ("digits", "zh", "en"))


def _apart(amounts: list[Amount]) -> list[Amount]:
    kept: list[Amount] = []
    for amount in sorted(amounts, key=lambda a: (a.start, a.start - a.end)):
        if not kept or amount.start >= kept[-1].end:
            kept.append(amount)
    return kept


def _read(text: str, match: re.Match[str]) -> Amount | None:
    unit = (match["unit"] or "").lower()
    prefix = (match["prefix"] or "").strip().lower()
    end = match.end("tail") if match["tail"] else match.end("unit") if unit else _end_without_unit(match)
    if match["digits"]:
        return _read_digits(text, match, unit or PREFIX_UNITS.get(prefix, ""), end)
    value = _worded(text, match, unit)
    if value is None:
        return None
    start = match.start() if prefix else match.start("zh" if match["zh"] else "en")
    return Amount(start, end, value + _extra_half(match), unit, weak=_is_weak(match, unit))


def _extra_half(match: re.Match[str]) -> Fraction:
    return Fraction(1, 2) if match["half"] or match["tail"] else Fraction(0)


def _read_digits(text: str, match: re.Match[str], unit: str, end: int) -> Amount | None:
    start = match.start("digits")
    if _inside_token(text, start, end, has_unit=bool(match["unit"])):
        return None
    value = digits_number(match["digits"], match["scale"] or "") + _extra_half(match)
    if match["prefix"]:
        return Amount(match.start(), end, value, unit)
    if match["sign"] and (start < 2 or not text[start - 2].isalnum()):
        return Amount(start - 1, end, -value, unit)
    return Amount(start, end, value, unit)


def _worded(text: str, match: re.Match[str], unit: str) -> Fraction | None:
    if match["zh"]:
        alone = not unit and not _stands_alone(text, match)
        return None if alone or _is_idiom(text, match.start("zh")) else chinese_number(match["zh"])
    start = match.start("en")
    if unit and not unit[0].isalpha():
        return None
    if match["en"].lower() in {"a", "an"} and not (unit and _A_COUNTS.search(text[max(0, start - 14) : start])):
        return None
    return english_number(match["en"])


_WEAK_UNITS = frozenset({"", "个", "次", "条", "位", "款", "家", "项", "点", "块", "号"})


def _is_weak(match: re.Match[str], unit: str) -> bool:
    if match["zh"]:
        return match["zh"] in {"一", "半"} and unit in _WEAK_UNITS
    return match["en"].lower() in {"a", "an", "one"}


def _end_without_unit(match: re.Match[str]) -> int:
    return max(match.end("half"), match.end("scale"), _number_end(match))


def _inside_token(text: str, start: int, end: int, *, has_unit: bool) -> bool:
    if start and text[start - 1] == "第":
        return True
    if start >= 2 and text[start - 1] in "-_/:.#@" and (text[start - 2].isascii() and text[start - 2].isalnum()):
        before = re.search(r"[A-Za-z0-9_.:/-]*$", text[max(0, start - 40) : start])
        if before and not re.fullmatch(r"[\d,.]*[~-]", before.group()):
            return True
    if has_unit:
        return False
    after = _TOKEN_AFTER.match(text, end)
    if after is None or re.match(r"-\s?[\d.]+\s?(?![\w-])", text[end:], re.ASCII):
        return False
    return not re.match(r"-(?:[A-Za-z]{3,})", text[end:])


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    start, end = match.start("zh"), match.end("zh")
    if match["zh"] in {"俩", "仨"}:
        return True
    cjk = re.compile(f"[{CJK}]")
    before_ok = start == 0 or not cjk.match(text[start - 1]) or text[start - 1] in "是为要买共约选"
    after_ok = end == len(text) or not cjk.match(text[end]) or bool(_LIMIT_AFTER.match(text, end))
    return before_ok and after_ok


def _is_idiom(text: str, start: int) -> bool:
    return bool(re.match(_ZH_NOT_A_NUMBER.pattern.replace(rf"[{CJK}]*", ""), text[start:])) or bool(
        start and text[start - 1] in "第万统唯之周期" and not text[start].isdigit()
    )


def _compounds(text: str, amounts: list[Amount]) -> list[Amount]:
    """Join "1 hour 20 minutes" and "3米5"-like runs of units of one dimension, each smaller than the one before."""
    out: list[Amount] = []
    for amount in amounts:
        if out and amount.unit and out[-1].unit and re.fullmatch(r"\s*(?:and\s+)?", text[out[-1].end : amount.start]):
            part = converted(amount.value, amount.unit, out[-1].unit)
            unit_is_smaller = (
                part is not None and (one := converted(Fraction(1), amount.unit, out[-1].unit)) and one < 1
            )
            if part is not None and unit_is_smaller:
                out[-1] = replace(out[-1], end=amount.end, value=out[-1].value + part)
                continue
        out.append(amount)
    return out


def _ranges(text: str, amounts: list[Amount]) -> list[Amount]:
    out: list[Amount] = []
    for amount in amounts:
        if out and _RANGE.fullmatch(text[out[-1].end : amount.start]) and _is_range(text, out[-1], amount):
            low = out[-1]
            unit = low.unit or amount.unit
            scaled = low.value
            if (
                not low.unit
                and amount.value >= 10_000 > low.value * 100
                and re.search("[万亿]", text[amount.start : amount.end])
            ):
                scaled = low.value * 10_000
            out[-1] = replace(low, bound="low", unit=unit, value=scaled)
            out.append(replace(amount, bound="high"))
            continue
        out.append(_bounded(text, amount))
    return out


def _is_range(text: str, low: Amount, high: Amount) -> bool:
    between = text[low.end : high.start].strip().lower()
    if low.bound or (low.unit and high.unit and low.unit != high.unit):
        return False
    if between in {"and", "和"}:
        return bool(re.search(r"(?:between|在|介于)\s*$", text[max(0, low.start - 12) : low.start], re.IGNORECASE))
    return low.value < high.value


def _bounded(text: str, amount: Amount) -> Amount:
    before = text[max(0, amount.start - 20) : amount.start]
    least = _AT_LEAST_BEFORE.search(before) or _AT_LEAST_AFTER.match(text, amount.end)
    most = _AT_MOST_BEFORE.search(before) or _AT_MOST_AFTER.match(text, amount.end)
    if least and most:  # "no more than" holds "more than": the longer phrase is the one that was said
        least, most = (least, None) if len(least.group()) > len(most.group()) else (None, most)
    return replace(amount, bound="at_least" if least else "at_most") if least or most else amount
