"""Dates and periods in both languages, as days of the caller's calendar.

Rule: a mention is resolved against an injected `today`; one that names a day which does not exist is reported as
broken, not moved to the next best day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from reach.router.extract.calendar import DayRange, shift_days

Bound = Literal["", "since", "from", "until", "before", "after"]


@dataclass(frozen=True, slots=True)
class Days:
    """A day or a period mentioned at `start:end`, both days included.

    `first` or `last` is None where the period is open on that side. `bound` says how the words limit it: `since` ends
    today, `from` and `until` are open, `before` and `after` exclude the day itself. `broken`: there is no such day.
    `others` are further readings of the same words (3/5/2024). `no_year`: the words lack the year, so the
    other end of a range may supply it. `counted`: a number of days or months is named ("last 7 days");
    `with_year`: the year is.
    """

    start: int
    end: int
    first: date | None
    last: date | None
    bound: Bound = ""
    broken: bool = False
    others: tuple[date, ...] = ()
    weekday: bool = False
    no_year: bool = False
    counted: bool = False
    with_year: bool = False

    @property
    def day(self) -> date | None:
        """The day, where it is exactly one."""
        return self.first if self.first is not None and self.first == self.last else None


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read dates: `today`, and whether a bare weekday or day lies behind it (-1), ahead of it (1) or either."""

    today: date
    direction: Literal[-1, 0, 1] = 0


Handler = Callable[[re.Match[str], Reading], "DayRange | date | Days"]
"""Days, or ValueError where there is no such day; LookupError where the words are no date after all."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One way of saying a day or a period."""

    pattern: re.Pattern[str]
    read: Handler
    weekday: bool = False
    no_year: bool = False


def _mentions(text: str, reading: Reading) -> list[Days]:
    from reach.router.extract.dates_en import RULES as ENGLISH
    from reach.router.extract.dates_zh import RULES as CHINESE

    found = [
        _apply(rule, match, _looking_back(text, match, reading))
        for rule in (*ENGLISH, *CHINESE)
        for match in rule.pattern.finditer(text)
    ]
    return _longest(one for one in found if one)


def _looking_back(text: str, match: re.Match[str], reading: Reading) -> Reading:
    """The reading of a match; "since Friday" is the Friday that was."""
    (_, before), (_, after) = _BEFORE[0], _AFTER[0]
    since = before.search(text[max(0, match.start() - 12) : match.start()]) or after.match(text, match.end())
    return replace(reading, direction=-1) if since else reading


def _apply(rule: Rule, match: re.Match[str], reading: Reading) -> Days | None:
    start, end = match.span()
    try:
        days = rule.read(match, reading)
    except LookupError:
        return None
    except (ValueError, OverflowError):
        return Days(start, end, None, None, broken=True)
    if isinstance(days, Days):
        return replace(days, start=start, end=end)
    first, last = (days, days) if isinstance(days, date) else days
    groups = match.groupdict()
    return Days(
        start,
        end,
        first,
        last,
        weekday=rule.weekday,
        no_year=rule.no_year and not groups.get("year"),
        counted="count" in groups,
        with_year=bool(groups.get("year")),
    )


def _longest(found: Iterable[Days]) -> list[Days]:
    kept: list[Days] = []
    for one in sorted(found, key=lambda d: (d.start - d.end, d.start, d.broken)):
        if all(one.end <= k.start or k.end <= one.start for k in kept):
            kept.append(one)
    return sorted(kept, key=lambda d: d.start)


_NEAR = 24
_GAP = re.compile(r"[\s,(]*(?:the\s+)?", re.IGNORECASE)
_TO = re.compile(r"\s*(?:-{1,2}|~|到了?|至|to|until|till|through|thru)\s*(?:the\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|和|与|跟)\s*(?:the\s+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:between|在|介于)\s*(?:the\s+)?$", re.IGNORECASE)
_FROM = re.compile(r"(?:\bfrom|从|自|由)\s*(?:the\s+)?$", re.IGNORECASE)


def find_days(text: str, reading: Reading) -> list[Days]:
    """All days and periods of `text`, in order; "from A to B" is one period, "Friday, March 8" one day."""
    out: list[Days] = []
    for one in _with_shared_year(_mentions(text, reading)):
        joined = _join(text, out[-1], one) if out else None
        if joined:
            out[-1] = joined
        else:
            out.append(one)
    return [_bounded(text, one, reading) for one in out]


def _with_shared_year(mentions: list[Days]) -> list[Days]:
    """Where exactly one year is said, the days beside it that name none are of that year."""
    years = {d.first.year for d in mentions if d.first and d.day and d.with_year}
    if len(years) != 1:
        return mentions
    year = years.pop()
    return [
        replace(d, first=_with_year(d.first, year), last=_with_year(d.last, year), no_year=False)
        if d.no_year and not d.with_year and d.first and d.last
        else d
        for d in mentions
    ]


def _join(text: str, left: Days, right: Days) -> Days | None:
    between = text[left.end : right.start]
    if left.broken or right.broken:
        return None
    if _GAP.fullmatch(between) and left.day and right.day and (left.day == right.day or left.weekday):
        return replace(right, start=left.start)
    if not left.first or not right.last or left.others or right.others or left.bound:
        return None
    is_range = _TO.fullmatch(between) or (
        _AND.fullmatch(between) and _BETWEEN.search(text[max(0, left.start - _NEAR) : left.start])
    )
    if not is_range:
        return None
    first, last = left.first, right.last
    if last < first and right.weekday:
        last = shift_days(last, 7)
    if last < first and right.no_year:
        last = _with_year(last, first.year if last.replace(year=first.year) >= first else first.year + 1)
    if last < first and left.no_year:
        first = _with_year(first, last.year if first.replace(year=last.year) <= last else last.year - 1)
    if last < first:
        return Days(left.start, right.end, None, None, broken=True)
    start = left.start
    near = max(0, start - _NEAR)
    if prefix := (_FROM.search(text, near, start) or _BETWEEN.search(text, near, start)):
        start = prefix.start()
    return Days(start, right.end, first, last)


def _with_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:
        return day


_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("since", re.compile(r"\bsince\s+(?:the\s+)?$", re.IGNORECASE)),
    (
        "from",
        re.compile(r"(?:\bfrom|\bstarting(?:\s+(?:from|on))?|\bbeginning|自|从|由)\s*(?:the\s+)?$", re.IGNORECASE),
    ),
    (
        "until",
        re.compile(
            r"(?:\buntil|\btill|\bthrough|\bup to|\bby|\bno later than|截[至止]到?|到)\s*(?:the\s+)?$", re.IGNORECASE
        ),
    ),
    ("before", re.compile(r"\b(?:before|earlier than|prior to)\s+(?:the\s+)?$", re.IGNORECASE)),
    ("after", re.compile(r"\b(?:after|later than)\s+(?:the\s+)?$", re.IGNORECASE)),
)
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    (
        "since",
        re.compile(
            r"\s*(?:以来|至今|到现在|到今天|到今日|起至今|(?:until|till|to|through) (?:now|date|today)\b)",
            re.IGNORECASE,
        ),
    ),
    ("from", re.compile(r"\s*(?:起|开始|onwards?\b)", re.IGNORECASE)),
    ("until", re.compile(r"\s*(?:为止|止)")),
    ("before", re.compile(r"\s*(?:之前|以前|前)")),
    ("after", re.compile(r"\s*(?:之后|以后|后)")),
)


def _bounded(text: str, one: Days, reading: Reading) -> Days:
    if one.first is None or one.last is None or one.bound:
        return one
    bound, start, end = one.bound, one.start, one.end
    for name, pattern in _BEFORE:
        if match := pattern.search(text, max(0, start - _NEAR), start):
            bound, start = name, match.start()
            break
    for name, pattern in _AFTER:
        if match := pattern.match(text, end):
            bound, end = name, match.end()
            break
    if not bound:
        return one
    return _limited(replace(one, bound=bound, start=start, end=end), reading)


def _limited(one: Days, reading: Reading) -> Days:
    if one.first is None or one.last is None:
        return one
    if one.bound == "since":
        if one.first > reading.today:
            return replace(one, bound="from", last=None)
        return replace(one, last=reading.today)
    if one.bound == "from":
        return replace(one, last=None) if one.day else replace(one, bound="")
    if one.bound == "until":
        return replace(one, first=None)
    return one
