"""The date helper of the demo agent: what day a date is, and how far away.

Rule: the present day comes from the call, never from the machine's clock.
"""

from __future__ import annotations

from datetime import date
from typing import TypedDict

from reach.ports import AdapterCall

_WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_WEEKDAYS_ZH = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")


class DateInfo(TypedDict):
    """One day: `date` as YYYY-MM-DD, its ISO week as YYYY-Www, and its distance from the caller's today in days."""

    date: str
    weekday_en: str
    weekday_zh: str
    iso_week: str
    days_until: int
    distance_en: str
    distance_zh: str


def date_info(*, call: AdapterCall, day: str | None = None) -> DateInfo:
    """Weekday, ISO week and distance of `day` (YYYY-MM-DD), or of the caller's today where it is None.

    `days_until` is negative for a day in the past. Raises ValueError for anything that is not a date.
    """
    today = date.fromisoformat(call.today)
    wanted = date.fromisoformat(day) if day is not None else today
    days = (wanted - today).days
    year, week, weekday = wanted.isocalendar()
    distance_en, distance_zh = _distance(days)
    return DateInfo(
        date=wanted.isoformat(),
        weekday_en=_WEEKDAYS_EN[weekday - 1],
        weekday_zh=_WEEKDAYS_ZH[weekday - 1],
        iso_week=f"{year}-W{week:02d}",
        days_until=days,
        distance_en=distance_en,
        distance_zh=distance_zh,
    )


def _distance(days: int) -> tuple[str, str]:
    """`days` from today in words, in English and Chinese."""
    if days == 0:
        return "today", "就是今天"
    count = abs(days)
    unit = "day" if count == 1 else "days"
    return (f"in {count} {unit}", f"还有{count}天") if days > 0 else (f"{count} {unit} ago", f"已过去{count}天")
