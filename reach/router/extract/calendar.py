"""Calendar arithmetic: weeks that start on Monday, months and quarters that keep their ends.

Rule: a function here that would leave the calendar (year 0, year 10000, 30 February) raises ValueError, never clamps a
day that somebody named.
"""

from __future__ import annotations

from datetime import date, timedelta

DayRange = tuple[date, date]
"""First and last day, both included."""


def shift_days(day: date, days: int) -> date:
    """`days` later. Raises ValueError outside the calendar."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        raise ValueError(f"{days} days from {day} is outside the calendar") from None


def shift_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of a shorter month."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= 9999:
        raise ValueError(f"{months} months from {day} is outside the calendar")
    return date(year, month + 1, min(day.day, month_of(year, month + 1)[1].day))


def week_of(day: date, offset: int = 0) -> DayRange:
    """Monday to Sunday of the week `offset` weeks after the one of `day`."""
    monday = shift_days(day, 7 * offset - day.weekday())
    return monday, shift_days(monday, 6)


def month_of(year: int, month: int) -> DayRange:
    """First to last day of a month."""
    first = date(year, month, 1)
    following = date(year + 1, 1, 1) if month == 12 and year < 9999 else None
    if following is None:
        following = date(year, month + 1, 1) if month < 12 else None
    return first, shift_days(following, -1) if following else date(year, 12, 31)


def month_at(day: date, offset: int) -> DayRange:
    """First to last day of the month `offset` months after the one of `day`."""
    shifted = shift_months(day.replace(day=1), offset)
    return month_of(shifted.year, shifted.month)


def quarter_of(year: int, quarter: int) -> DayRange:
    """First to last day of quarter 1 to 4."""
    return date(year, 3 * quarter - 2, 1), month_of(year, 3 * quarter)[1]


def quarter_at(day: date, offset: int) -> DayRange:
    """First to last day of the quarter `offset` quarters after the one of `day`."""
    shifted = shift_months(day.replace(day=1), 3 * offset)
    return quarter_of(shifted.year, (shifted.month + 2) // 3)


def year_of(year: int) -> DayRange:
    """First to last day of a year."""
    return date(year, 1, 1), date(year, 12, 31)


def trailing(today: date, count: int, unit: str) -> DayRange:
    """The `count` days, weeks, months, quarters or years that end today; seven days are today and the six before."""
    if unit in {"day", "week"}:
        return shift_days(today, 1 - count * (7 if unit == "week" else 1)), today
    first = shift_months(today, -count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return shift_days(first, 1), today


def leading(today: date, count: int, unit: str) -> DayRange:
    """The `count` days, weeks, months, quarters or years that begin today."""
    if unit in {"day", "week"}:
        return today, shift_days(today, count * (7 if unit == "week" else 1) - 1)
    last = shift_months(today, count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return today, shift_days(last, -1)
