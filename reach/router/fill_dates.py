"""The stages of `fill` that give days, periods and times to parameters.

Rule: two dates that are the ends of a period take both ends of a spoken period; a single day asked of such a pair is
that day alone. A day that does not exist is said to be wrong.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from reach.messages import message
from reach.router.draft import Candidate, Draft
from reach.router.extract.dates import Days
from reach.router.extract.parameter import Parameter
from reach.router.extract.times import Clock, as_clock
from reach.router.extract.utterance import Found
from reach.types import Choice

_CLEARLY = 1.0


def fill_dates(draft: Draft) -> None:
    """Dates and date-times."""
    wanted = draft.open("date", "date-time")
    mentions = [d for d in draft.days if draft.is_free(d.start, d.end)]
    if not wanted or not mentions:
        return
    good = [d for d in mentions if not d.broken]
    pair = _pair([p for p in draft.parameters if p.kind in {"date", "date-time"} and not p.many])
    if pair and good:
        _fill_pair(draft, pair, good)
    wanted = [p for p in draft.open("date", "date-time") if not pair or p not in pair]
    if wanted and good:
        _fill_single(draft, wanted, good)
    for parameter in [p for p in draft.open("date", "date-time") if p is draft.asked or draft.needs(p)][:1]:
        broken = next((d for d in mentions if d.broken and draft.is_free(d.start, d.end)), None)
        if broken:
            given, _ = draft.utterance.source(broken.start, broken.end)
            draft.reject(parameter, message("no_such_day", draft.language, value=given), (broken.start, broken.end))


def _pair(dates: list[Parameter]) -> tuple[Parameter, Parameter] | None:
    """The start and the end, where the tool has exactly these two dates."""
    starts, ends = [p for p in dates if p.role == "start"], [p for p in dates if p.role == "end"]
    return (starts[0], ends[0]) if len(dates) == 2 and len(starts) == 1 and len(ends) == 1 else None


def _fill_pair(draft: Draft, pair: tuple[Parameter, Parameter], mentions: list[Days]) -> None:
    start, end = pair
    periods = [d for d in mentions if d.day is None and d.bound in {"", "since", "from", "until"}]
    singles = [d for d in mentions if d.day is not None and d.bound in {"", "since", "from", "until"}]
    if len(periods) == 1 and not singles:
        _put_period(draft, start, end, periods[0])
    elif len(periods) == 2 and not singles and {d.bound for d in periods} == {"from", "until"}:
        for one in periods:
            _put_period(draft, start, end, one)
    elif len(singles) == 1 and not periods:
        _put_one_day(draft, start, end, singles[0])
    elif len(singles) == 2 and not periods and not any(d.others for d in singles):
        first, second = _ordered(draft, start, end, singles)
        _put_day(draft, start, first)
        _put_day(draft, end, second)


def _ordered(draft: Draft, start: Parameter, end: Parameter, days: list[Days]) -> tuple[Days, Days]:
    one, two = days
    straight = draft.score(start, one.start, one.end) + draft.score(end, two.start, two.end)
    crossed = draft.score(start, two.start, two.end) + draft.score(end, one.start, one.end)
    return (two, one) if crossed - straight >= _CLEARLY else (one, two)


def _put_one_day(draft: Draft, start: Parameter, end: Parameter, one: Days) -> None:
    if one.others:
        for parameter in [p for p in (draft.asked, start) if p in (start, end)][:1]:
            _choose_day(draft, parameter, one)
        return
    if draft.asked in (start, end):
        _put_day(draft, draft.asked, one)  # pyright: ignore[reportArgumentType]
        return
    for_start, for_end = draft.score(start, one.start, one.end), draft.score(end, one.start, one.end)
    if abs(for_start - for_end) >= _CLEARLY or not (start.strict_role and end.strict_role):
        _put_day(draft, end if for_end - for_start >= _CLEARLY else start, one)
    elif not draft.held.intersection((start.name, end.name)):
        _put_period(draft, start, end, one)


def _put_period(draft: Draft, start: Parameter, end: Parameter, days: Days) -> None:
    """Both ends from the same words: the one case in which a span serves two parameters, which are one period."""
    before = list(draft.taken)
    if days.first:
        _put_day(draft, start, days, days.first)
    draft.taken[:] = before
    if days.last:
        _put_day(draft, end, days, days.last)
    if days.first or days.last:
        draft.taken[:] = [*before, draft.utterance.whole(days.start, days.end)]


def _fill_single(draft: Draft, wanted: list[Parameter], mentions: list[Days]) -> None:
    candidates: list[Candidate] = []
    for parameter in wanted:
        for days in mentions:
            day = _the_day(parameter, days)
            if day is None:
                continue
            if days.others:
                if draft.needs(parameter) or parameter is draft.asked:
                    _choose_day(draft, parameter, days)
                continue
            value = _value(draft, parameter, day)
            if value is not None:
                found = Found(days.start, days.end, value, "date")
                candidates.append(Candidate(parameter, found, draft.score(parameter, days.start, days.end)))
    draft.settle(candidates)


def _the_day(parameter: Parameter, days: Days) -> date | None:
    if days.bound in {"until", "before"}:
        return days.last if parameter.due else None
    if days.bound == "after":
        return None
    return days.first if days.bound in {"since", "from"} and days.last != days.first else days.day


def _choose_day(draft: Draft, parameter: Parameter, days: Days) -> None:
    readings = [d for d in (days.day, *days.others) if d]
    choices = [Choice(v, d.isoformat()) for d in readings if (v := _value(draft, parameter, d)) is not None]
    draft.choose(parameter, choices, (days.start, days.end))


def _put_day(draft: Draft, parameter: Parameter, days: Days, day: date | None = None) -> None:
    chosen = day or days.day or days.first or days.last
    value = _value(draft, parameter, chosen) if chosen else None
    if value is not None:
        draft.put(parameter, value, "date", (days.start, days.end))


def _value(draft: Draft, parameter: Parameter, day: date) -> str | None:
    if parameter.kind == "date":
        return day.isoformat() if parameter.layout == "%Y-%m-%d" else day.strftime(parameter.layout)
    clocks = draft.clocks
    if len(clocks) == 1 and clocks[0].other is None:
        return datetime.combine(day, time(*divmod(clocks[0].minutes, 60)), draft.now.tzinfo).isoformat()
    if clocks or not parameter.spec.period:
        return None
    whole = datetime.combine(day, time.min, draft.now.tzinfo)
    if parameter.role == "end":
        whole += timedelta(hours=23, minutes=59, seconds=59)
    return whole.isoformat()


def fill_times(draft: Draft) -> None:
    """Times of day; an hour that may be in either half of the day leaves a choice."""
    candidates: list[Candidate] = []
    clocks = [c for c in draft.clocks if draft.is_free(c.start, c.end)]
    wanted = draft.open("time")
    for parameter in wanted:
        for clock in clocks:
            if clock.other is None:
                found = Found(clock.start, clock.end, _time(parameter, clock.minutes), "time")
                candidates.append(Candidate(parameter, found, draft.score(parameter, clock.start, clock.end)))
    draft.settle(candidates)
    open_clocks = [c for c in clocks if c.other is not None and draft.is_free(c.start, c.end)]
    if len(open_clocks) == 1 and len(wanted) == 1 and not draft.settled(wanted[0]):
        _choose_time(draft, wanted[0], open_clocks[0])


def _choose_time(draft: Draft, parameter: Parameter, clock: Clock) -> None:
    readings = [m for m in (clock.minutes, clock.other) if m is not None]
    choices = [Choice(_time(parameter, m), as_clock(m)) for m in sorted(readings)]
    draft.choose(parameter, choices, (clock.start, clock.end))


def _time(parameter: Parameter, minutes: int) -> str:
    return as_clock(minutes) + (":00" if parameter.layout.endswith("%S") else "")
