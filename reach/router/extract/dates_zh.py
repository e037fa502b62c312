"""How Chinese says a day or a period.

Rule: 号 and 日 are days only where no thing follows (5号线, 3号楼 are names), and 前N天 counts back from today.
"""

from __future__ import annotations

import re
from datetime import date

from reach.router.extract import calendar as cal
from reach.router.extract.calendar import DayRange
from reach.router.extract.dates import Reading, Rule
from reach.router.extract.dates_en import near, near_day, near_weekday, shifted
from reach.router.extract.numerals import chinese_number

_N = r"[0-9]{1,2}|[一二三四五六七八九十]{1,3}"
_COUNT = r"(?P<count>[0-9]{1,4}|[一二两三四五六七八九十百]{1,5}|半)"
_WEEK = r"(?:周|星期|礼拜)"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2}|[一二三四五六七八九〇零]{4})年"
_NO_THING = r"(?![线楼门馆院店桌房机球位床台仓商技选厅车])"
_NOT_DIGIT = r"(?<![0-9一二三四五六七八九十.-])"
_DAYS = {
    "一": 0,
    "二": 1,
    "三": 2,
    "四": 3,
    "五": 4,
    "六": 5,
    "日": 6,
    "天": 6,
    "1": 0,
    "2": 1,
    "3": 2,
    "4": 3,
    "5": 4,
    "6": 5,
    "7": 6,
}


def _rule(pattern: str, read: object, *, weekday: bool = False, no_year: bool = False) -> Rule:
    return Rule(re.compile(pattern), read, weekday=weekday, no_year=no_year)  # pyright: ignore[reportArgumentType]


def _int(words: str) -> int:
    if words.isdigit() and words.isascii():
        return int(words)
    number = chinese_number(words)
    if number is None or number.denominator != 1:
        raise LookupError
    return int(number)


def _year_number(words: str) -> int:
    if words.isascii():
        return int(words)
    return int("".join("0" if c in "〇零" else str("一二三四五六七八九".index(c) + 1) for c in words))


def _year_of(match: re.Match[str], reading: Reading) -> int | None:
    if match["year"]:
        return _year_number(match["year"])
    word = match["yearword"] or ""
    if not word:
        return None
    return reading.today.year + {"前年": -2, "去年": -1, "上年": -1, "今年": 0, "本年": 0, "明年": 1, "后年": 2}[word]


def _near_word(match: re.Match[str], reading: Reading) -> date:
    word = match.group()
    table = (("大前", -3), ("前", -2), ("昨", -1), ("今", 0), ("当", 0), ("明", 1), ("大后", 3), ("后", 2))
    return cal.shift_days(reading.today, next(offset for start, offset in table if word.startswith(start)))


def _offset(word: str) -> int:
    if word.startswith(("上", "下")):
        sign = -1 if word[0] == "上" else 1
        return sign * len(re.match(r"[上下]+", word).group())  # pyright: ignore[reportOptionalMemberAccess]
    return 0


def _week(match: re.Match[str], reading: Reading) -> DayRange | date:
    week = cal.week_of(reading.today, _offset(match["which"]))
    day = match["day"]
    if not day:
        return week
    if day == "末":
        return cal.shift_days(week[0], 5), week[1]
    return cal.shift_days(week[0], _DAYS[day])


def _weekday(match: re.Match[str], reading: Reading) -> date:
    return near_weekday(reading, _DAYS[match["day"]])


def _weekend(_: re.Match[str], reading: Reading) -> DayRange:
    sunday = cal.week_of(reading.today)[1]
    return cal.shift_days(sunday, -1), sunday


def _month_word(match: re.Match[str], reading: Reading) -> DayRange | date:
    month = cal.month_at(reading.today, _offset(match["which"]))
    if match["day"]:
        return month[0].replace(day=_int(match["day"]))
    return _part(month, match["part"] or "")


def _part(month: DayRange, part: str) -> DayRange | date:
    first, last = month
    match part:
        case "底" | "末":
            return last
        case "初":
            return first
        case "上旬":
            return first, first.replace(day=10)
        case "中旬":
            return first.replace(day=11), first.replace(day=20)
        case "下旬":
            return first.replace(day=21), last
        case _:
            return month


def _bare_month_part(match: re.Match[str], reading: Reading) -> DayRange | date:
    return _part(cal.month_at(reading.today, 0), match["part"])


def _full(match: re.Match[str], reading: Reading) -> DayRange | date:
    year, month = _year_of(match, reading), match["month"]
    if not month:
        if year is None:
            raise LookupError
        return cal.year_of(year)
    number = _int(month)
    if match["day"]:
        day = _int(match["day"])
        return date(year, number, day) if year else near(reading, number, day)
    if year is None:
        year = reading.today.year
        year -= reading.direction < 0 and number > reading.today.month
        year += reading.direction > 0 and number < reading.today.month
    return _part(cal.month_of(year, number), match["part"] or "")


def _month_days(match: re.Match[str], reading: Reading) -> DayRange:
    year, month = _year_of(match, reading), _int(match["month"])
    first, last = _int(match["day"]), _int(match["last"])
    start = date(year, month, first) if year else near(reading, month, first)
    end = start.replace(day=last)
    if end < start:
        raise ValueError
    return start, end


def _months(match: re.Match[str], reading: Reading) -> DayRange:
    year = _year_of(match, reading) or reading.today.year
    first, last = _int(match["month"]), _int(match["last"])
    if last < first:
        raise ValueError
    return cal.month_of(year, first)[0], cal.month_of(year, last)[1]


def _bare_day(match: re.Match[str], reading: Reading) -> date:
    return near_day(reading, _int(match["day"]))


_UNITS = {
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
}
_UNIT = r"(?:个)?(?P<unit>天|日|周|星期|礼拜|月|季度|年)"


def _counted(match: re.Match[str]) -> tuple[int, str]:
    unit = _UNITS[match["unit"]]
    if match["count"] == "半":
        if unit == "year":
            return 6, "month"
        if unit == "month":
            return 15, "day"
        raise LookupError
    return _int(match["count"]), unit


def _trailing(match: re.Match[str], reading: Reading) -> DayRange:
    return cal.trailing(reading.today, *_counted(match))


def _leading(match: re.Match[str], reading: Reading) -> DayRange:
    return cal.leading(reading.today, *_counted(match))


def _ago(match: re.Match[str], reading: Reading) -> date:
    count, unit = _counted(match)
    return shifted(reading.today, -count if match["side"] == "前" else count, unit)


def _quarter(match: re.Match[str], reading: Reading) -> DayRange:
    year = _year_of(match, reading) or reading.today.year
    word = match["q"]
    return cal.quarter_of(year, int(word) if word.isdigit() else "一二三四".index(word) + 1)


def _quarter_word(match: re.Match[str], reading: Reading) -> DayRange:
    return cal.quarter_at(reading.today, _offset(match["which"]))


def _half_year(match: re.Match[str], reading: Reading) -> DayRange:
    year = _year_of(match, reading) or reading.today.year
    first_half = match["half"] == "上"
    return date(year, 1 if first_half else 7, 1), date(year, 6 if first_half else 12, 30 if first_half else 31)


def _year_part(match: re.Match[str], reading: Reading) -> date:
    year = (
        (_year_of(match, reading) or reading.today.year) if match["yearword"] or match["year"] else reading.today.year
    )
    return date(year, 12, 31) if match["part"] in "底末" else date(year, 1, 1)


_YEAR_OR_WORD = rf"(?:{_YEAR}|(?P<yearword>前年|去年|上年|今年|本年|明年|后年)的?)"
_DAY = rf"(?P<day>{_N})[日号]{_NO_THING}"
RULES: tuple[Rule, ...] = (
    _rule(r"大前[天日]|大后天|[昨今明][天日晚早儿]|前[天日]|后天|今早|当[天日]", _near_word),
    _rule(
        rf"(?P<which>上+|下+|这|本)(?:个|一)?{_WEEK}(?P<day>[一二三四五六日天末1-7](?![0-9个天年]))?",
        _week,
        weekday=True,
    ),
    _rule(
        r"(?<![上下这本每个双单0-9一二三四五六七八九十两])(?:周|星期|礼拜)(?P<day>[一二三四五六日天](?![个天年]))",
        _weekday,
        weekday=True,
    ),
    _rule(r"(?<![上下这本每个双单])周末", _weekend),
    _rule(
        rf"(?P<which>上+|下+|这|本|当)(?:个|一个)?月(?:份|的)?(?:{_DAY}|(?P<part>底|末|初|[上中下]旬))?", _month_word
    ),
    _rule(r"(?<![0-9一二三四五六七八九十个本上下这当])月(?P<part>底|末|初)", _bare_month_part),
    _rule(
        rf"{_NOT_DIGIT}(?:{_YEAR_OR_WORD})?(?P<month>{_N})月份?(?!饼|[内前后]|之)(?:(?:的)?(?P<day>{_N})[日号]?{_NO_THING}(?![0-9个:点])|(?P<part>底|末|初|[上中下]旬))?",
        _full,
        no_year=True,
    ),
    _rule(rf"{_YEAR_OR_WORD}(?P<month>)(?P<day>)(?P<part>)", _full),
    _rule(
        rf"{_NOT_DIGIT}(?:{_YEAR_OR_WORD})?(?P<month>{_N})月(?P<day>{_N})[日号]?\s*(?:到|至|-|~)\s*(?P<last>{_N})[日号]?(?![0-9月年:点])",
        _month_days,
    ),
    _rule(
        rf"{_NOT_DIGIT}(?:{_YEAR_OR_WORD})?(?P<month>{_N})月?份?\s*(?:到|至|-|~)\s*(?P<last>{_N})月份?(?![0-9一二三四五六七八九十])",
        _months,
    ),
    _rule(rf"{_NOT_DIGIT}(?<![月第年]){_DAY}", _bare_day, no_year=True),
    _rule(rf"(?:在)?(?:过去的?|最近的?|近|前|过往|刚过去的)(?:这)?{_COUNT}{_UNIT}(?:之?内|以来|里|间|来)?", _trailing),
    _rule(rf"(?:未来的?|接下来的?|今后|往后|之后|后)(?:这)?{_COUNT}{_UNIT}(?:之?内|里|间)?", _leading),
    _rule(rf"(?<![前近去来后第]){_COUNT}{_UNIT}(?:之|以)?(?P<side>前|后)", _ago),
    _rule(rf"(?:{_YEAR_OR_WORD})?(?:第?(?P<q>[一二三四1-4])季度?|(?P<which>)$^)", _quarter),
    _rule(r"(?P<which>上|下|这|本)(?:个|一个|一)?季度", _quarter_word),
    _rule(rf"(?:{_YEAR_OR_WORD})?(?P<half>上|下)半年", _half_year),
    _rule(rf"(?:{_YEAR}|(?P<yearword>去年|今年|明年))?(?<![0-9])年?(?P<part>底|末|初)(?<=年.)", _year_part),
)
