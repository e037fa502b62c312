"""How English, and plain digits, say a day or a period.

Rule: words that are also ordinary words (may, march, sun) are dates only beside another part of a date.
"""

from __future__ import annotations

import re
from datetime import date

from reach.router.extract import calendar as cal
from reach.router.extract.calendar import DayRange
from reach.router.extract.dates import Days, Reading, Rule
from reach.router.extract.numerals import english_number

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = r"(?P<month>" + "|".join(f"{m[:3]}(?:{m[3:]})?" if m != "may" else "may" for m in _MONTHS) + r"|sept)\.?"
_WEEKDAY = r"(?P<weekday>mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|" + "|".join(_DAYS) + ")"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_YEAR = r"(?P<year>(?:19|20)\d{2})"
_COUNT = (
    r"(?P<count>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fourteen|fifteen|twenty|thirty|sixty|ninety)"
)
_PERIOD = r"(?P<unit>day|week|fortnight|month|quarter|year)s?"
_EDGE = r"(?<![A-Za-z0-9_])"
_END = r"(?![A-Za-z0-9_])"
_NUM_EDGE = r"(?<![A-Za-z0-9_./:-])"
_NUM_END = r"(?![A-Za-z0-9_]|[./-]\d)"


def _rule(pattern: str, read: object, *, weekday: bool = False, no_year: bool = False) -> Rule:
    compiled = re.compile(_EDGE + pattern + _END, re.IGNORECASE)
    return Rule(compiled, read, weekday=weekday, no_year=no_year)  # pyright: ignore[reportArgumentType]


def _month_number(match: re.Match[str]) -> int:
    return next(i for i, m in enumerate(_MONTHS, 1) if m[:3] == match["month"][:3].lower())


def near(reading: Reading, month: int, day: int) -> date:
    """The day without a year: this year's, unless the utterance clearly looks the other way."""
    this_year = date(reading.today.year, month, day)
    if reading.direction < 0 and this_year > reading.today:
        return date(reading.today.year - 1, month, day)
    if reading.direction > 0 and this_year < reading.today:
        return date(reading.today.year + 1, month, day)
    return this_year


def near_day(reading: Reading, day: int) -> date:
    """The day of the month alone: the coming one, or the last one where the utterance looks back."""
    if not 1 <= day <= 31:
        raise LookupError
    for offset in range(13):
        month = cal.month_at(reading.today, -offset if reading.direction < 0 else offset)
        if day > month[1].day:
            continue
        one = month[0].replace(day=day)
        if one <= reading.today if reading.direction < 0 else one >= reading.today:
            return one
    raise LookupError


def near_weekday(reading: Reading, weekday: int) -> date:
    """A bare weekday: the coming one or today, or the last one where the utterance looks back."""
    today = reading.today
    ahead = (weekday - today.weekday()) % 7
    return cal.shift_days(today, ahead - 7 if reading.direction < 0 and ahead else ahead)


def _iso(match: re.Match[str], _: Reading) -> date:
    return date(int(match["year"]), int(match["m"]), int(match["d"]))


def _slashed(match: re.Match[str], _: Reading) -> date | Days:
    a, b, year = int(match["a"]), int(match["b"]), int(match["year"])
    readings = [
        date(year, m, d) for m, d in dict.fromkeys(((a, b), (b, a))) if m <= 12 and d <= cal.month_of(year, m)[1].day
    ]
    if not readings:
        raise ValueError
    return readings[0] if len(readings) == 1 else Days(0, 0, readings[0], readings[0], others=(readings[1],))


def _month_day(match: re.Match[str], reading: Reading) -> date:
    month, day = _month_number(match), int(match["day"])
    if not match["year"]:
        return near(reading, month, day) if (month, day) != (2, 29) else _leap(reading)
    return date(int(match["year"]), month, day)


def _leap(reading: Reading) -> date:
    return date(reading.today.year, 2, 29)


def _month_days(match: re.Match[str], reading: Reading) -> DayRange:
    month, first, last = _month_number(match), int(match["day"]), int(match["last"])
    start = date(int(match["year"]), month, first) if match["year"] else near(reading, month, first)
    end = start.replace(day=last)
    if end < start:
        raise ValueError
    return start, end


def _month_alone(match: re.Match[str], reading: Reading) -> DayRange:
    month = _month_number(match)
    if match["year"]:
        return cal.month_of(int(match["year"]), month)
    which, today = (match["which"] or "").lower(), reading.today
    year = today.year
    if which == "last":
        year -= month >= today.month
    elif which == "next":
        year += month <= today.month
    elif reading.direction < 0:
        year -= month > today.month
    elif reading.direction > 0:
        year += month < today.month
    return cal.month_of(year, month)


def _day_of(match: re.Match[str], reading: Reading) -> date:
    offset = {"this": 0, "the": 0, "current": 0, "next": 1, "last": -1}[match["which"].lower()]
    return cal.month_at(reading.today, offset)[0].replace(day=int(match["day"]))


def _ordinal(match: re.Match[str], reading: Reading) -> date:
    return near_day(reading, int(match["day"]))


def _near_word(match: re.Match[str], reading: Reading) -> date:
    word = re.sub(r"\s+", " ", match.group().lower())
    offset = 0
    if word.startswith(("the day after", "day after")):
        offset = 2
    elif word.startswith(("the day before", "day before")):
        offset = -2
    elif word.startswith("tomorrow"):
        offset = 1
    elif word.startswith(("yesterday", "last night")):
        offset = -1
    return cal.shift_days(reading.today, offset)


def _weekday(match: re.Match[str], reading: Reading) -> date:
    number = next(i for i, d in enumerate(_DAYS) if d[:3] == match["weekday"][:3].lower())
    which, today = (match["which"] or "").lower().split(" ")[-1], reading.today
    short = len(match["weekday"]) < 5
    if not which and short:
        raise LookupError
    if which in {"last", "past", "previous"}:
        return cal.shift_days(today, -((today.weekday() - number - 1) % 7 + 1))
    if which == "next":
        return cal.shift_days(cal.week_of(today, 1)[0], number)
    if which == "coming":
        return cal.shift_days(today, (number - today.weekday() - 1) % 7 + 1)
    if which == "this":
        return near_weekday(Reading(today, 1), number)
    return near_weekday(reading, number)


def _weekday_of_week(match: re.Match[str], reading: Reading) -> date:
    number = next(i for i, d in enumerate(_DAYS) if d[:3] == match["weekday"][:3].lower())
    week = cal.week_of(reading.today, {"next": 1, "this": 0, "last": -1}[match["which"].lower()])
    return cal.shift_days(week[0], number)


def _relative(match: re.Match[str], reading: Reading) -> DayRange:
    which, unit, today = match["which"].lower().split(" ")[-1], match["unit"].lower(), reading.today
    if which in {"past", "recent"}:
        return cal.trailing(today, 1, unit)
    offset = {"this": 0, "current": 0, "last": -1, "previous": -1, "next": 1, "coming": 1, "following": 1}[which]
    if unit == "week":
        return cal.week_of(today, offset)
    if unit == "month":
        return cal.month_at(today, offset)
    if unit == "quarter":
        return cal.quarter_at(today, offset)
    return cal.year_of(today.year + offset)


def _weekend(match: re.Match[str], reading: Reading) -> DayRange:
    which = (match["which"] or "this").lower().split(" ")[-1]
    sunday = cal.week_of(reading.today, {"last": -1, "past": -1, "next": 1}.get(which, 0))[1]
    return cal.shift_days(sunday, -1), sunday


def _counted(match: re.Match[str]) -> tuple[int, str]:
    count, unit = (
        english_number(match["count"]) if not match["count"].isdigit() else int(match["count"]),
        match["unit"].lower(),
    )
    if count is None or not count:
        raise LookupError
    return (int(count) * 2, "week") if unit == "fortnight" else (int(count), unit)


def _trailing(match: re.Match[str], reading: Reading) -> DayRange:
    return cal.trailing(reading.today, *_counted(match))


def _leading(match: re.Match[str], reading: Reading) -> DayRange:
    return cal.leading(reading.today, *_counted(match))


def shifted(today: date, count: int, unit: str) -> date:
    """The day `count` days, weeks, months, quarters or years after `today`."""
    if unit in {"day", "week"}:
        return cal.shift_days(today, count * (7 if unit == "week" else 1))
    return cal.shift_months(today, count * {"month": 1, "quarter": 3, "year": 12}[unit])


def _ago(match: re.Match[str], reading: Reading) -> date:
    count, unit = _counted(match)
    return shifted(reading.today, -count, unit)


def _ahead(match: re.Match[str], reading: Reading) -> date:
    return shifted(reading.today, *_counted(match))


def _quarter(match: re.Match[str], reading: Reading) -> DayRange:
    word = (match["q"] or match["word"]).lower()
    number = int(word) if word.isdigit() else {"first": 1, "second": 2, "third": 3, "fourth": 4}[word]
    return cal.quarter_of(int(match["year"] or reading.today.year), number)


def _year(match: re.Match[str], _: Reading) -> DayRange:
    return cal.year_of(int(match["year"]))


def _edge_of(match: re.Match[str], reading: Reading) -> date:
    offset = {"next": 1, "last": -1}.get((match["which"] or "").lower(), 0)
    if match["unit"].lower() == "month":
        days = cal.month_at(reading.today, offset)
    elif match["unit"].lower() == "week":
        days = cal.week_of(reading.today, offset)
    else:
        days = cal.year_of(reading.today.year + offset)
    return days[1] if match["edge"].lower() == "end" else days[0]


def _to_date(match: re.Match[str], reading: Reading) -> DayRange:
    unit, today = match["unit"].lower(), reading.today
    first = {"week": cal.week_of(today)[0], "month": cal.month_at(today, 0)[0]}.get(unit, date(today.year, 1, 1))
    return first, today


_RELATIVE = r"(?P<which>this|current|last|previous|next|the coming|the following|coming|(?:the\s+|over the\s+)?past)"
RULES: tuple[Rule, ...] = (
    Rule(re.compile(_NUM_EDGE + r"(?P<year>(?:19|20)\d{2})([-/.])(?P<m>\d{1,2})\2(?P<d>\d{1,2})" + _NUM_END), _iso),
    Rule(re.compile(_NUM_EDGE + r"(?P<a>\d{1,2})([-/.])(?P<b>\d{1,2})\2(?P<year>(?:19|20)\d{2})" + _NUM_END), _slashed),
    _rule(rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:(?:,|\s+of|\s+in)?\s+{_YEAR})?(?!:\d)", _month_day, no_year=True),
    _rule(rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:(?:,|\s+of|\s+in)?\s+{_YEAR})?", _month_day, no_year=True),
    _rule(rf"{_YEAR},?\s+{_MONTH}\s+{_DAY}", _month_day),
    _rule(rf"{_YEAR},?\s+{_DAY}\s+(?:of\s+)?{_MONTH}", _month_day),
    _rule(rf"{_WEEKDAY}\s+(?:of\s+)?(?P<which>next|this|last)\s+week", _weekday_of_week),
    _rule(
        rf"{_MONTH}\s+{_DAY}\s*(?:-|to|through|and)\s*(?P<last>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?(?!:\d)",
        _month_days,
    ),
    _rule(
        rf"(?:in|during|of|since|from|until|for|through)?\s*(?:(?P<which>this|last|next)\s+)?{_MONTH}\s+{_YEAR}",
        _month_alone,
    ),
    _rule(rf"(?<=\bin )(?:(?P<which>this|last|next)\s+)?{_MONTH}(?P<year>)", _month_alone, no_year=True),
    _rule(rf"(?<=\bsince )(?P<which>last\s+)?{_MONTH}(?P<year>)", _month_alone, no_year=True),
    _rule(rf"(?P<which>this|last|next)\s+{_MONTH}(?P<year>)", _month_alone),
    _rule(rf"(?:the\s+)?{_ORDINAL}\s+(?:of\s+)?(?P<which>this|the|current|next|last)\s+month", _day_of),
    _rule(
        rf"(?:the\s+|(?<=\bon )){_ORDINAL}"
        r"(?!\s+(?:of\b|street|st\b|ave|floor|time|order|one|item|century|place|edition|grade))",
        _ordinal,
        no_year=True,
    ),
    _rule(
        r"(?:the\s+)?day\s+(?:after\s+tomorrow|before\s+yesterday)|today|tonight"
        r"|tomorrow(?:\s+(?:morning|afternoon|evening|night))?"
        r"|yesterday(?:\s+(?:morning|afternoon|evening|night))?|this\s+(?:morning|afternoon|evening)|last\s+night",
        _near_word,
    ),
    _rule(
        rf"(?:(?P<which>last|past|previous|next|this coming|this|coming|upcoming)\s+)?{_WEEKDAY}",
        _weekday,
        weekday=True,
    ),
    _rule(rf"{_RELATIVE}\s+(?P<unit>week|month|quarter|year)(?!\s+(?:to\s+date|end))", _relative),
    _rule(r"(?:(?P<which>this coming|this|last|past|next|the)\s+)?weekend", _weekend),
    _rule(rf"(?:the\s+)?(?:last|past|previous|recent|trailing)\s+{_COUNT}\s+{_PERIOD}", _trailing),
    _rule(rf"(?:the\s+)?(?:next|coming|following)\s+{_COUNT}\s+{_PERIOD}", _leading),
    _rule(rf"{_COUNT}\s+{_PERIOD}\s+(?:ago|back|earlier)", _ago),
    _rule(rf"in\s+{_COUNT}\s+{_PERIOD}(?:'s?\s+time)?", _ahead),
    _rule(rf"{_COUNT}\s+{_PERIOD}\s+(?:from\s+(?:now|today)|later|hence)", _ahead),
    _rule(
        rf"(?:q(?P<q>[1-4])|(?:the\s+)?(?P<word>first|second|third|fourth)\s+quarter)(?:\s+(?:of\s+)?{_YEAR})?",
        _quarter,
    ),
    _rule(rf"(?<!ends )(?<!ending )(?:in|during|since|for|throughout)\s+(?:the\s+year\s+)?{_YEAR}(?!-)", _year),
    _rule(
        r"(?:the\s+)?(?P<edge>end|beginning|start)\s+of\s+(?:the|this|(?P<which>next|last))\s+(?P<unit>week|month|year)",
        _edge_of,
    ),
    _rule(r"(?P<unit>week|month|year)\s+to\s+date", _to_date),
    _rule(r"so\s+far\s+this\s+(?P<unit>week|month|year)", _to_date),
)
