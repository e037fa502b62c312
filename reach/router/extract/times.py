"""Times of the day in both languages, as hours and minutes.

Rule: an hour of 1 to 11 without morning, afternoon or a leading zero has two readings, and both are reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reach.router.extract.numerals import chinese_number, english_number


@dataclass(frozen=True, slots=True)
class Clock:
    """A time at `start:end`, minutes after midnight. `other` is the second reading, where it has two."""

    start: int
    end: int
    minutes: int
    other: int | None = None


_MORNING = r"morning|早上|早晨|清晨|凌晨|上午|今早|明早"
_LATE = r"afternoon|evening|night|tonight|下午|傍晚|晚上|今晚|明晚|昨晚|夜里|晚"
_EN_HOUR = r"\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ZH = r"\d{1,2}|[一二两三四五六七八九十]{1,3}"
_AMPM = r"(?P<half>[ap])\.?\s?m\b\.?"
_EN_PART = r"(?:\s*(?:in\s+the\s+|at\s+)?(?P<part>morning|afternoon|evening|night)\b)"

_EN_CLOCK = re.compile(
    rf"(?<![A-Za-z0-9_.:/-])(?:(?P<before>morning|afternoon|evening)\s+(?:at\s+)?)?"
    rf"(?P<hour>\d{{1,2}}):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])"
    rf"(?:\s*{_AMPM}|{_EN_PART})?",
    re.IGNORECASE,
)
_EN_HOUR_ONLY = re.compile(
    rf"(?<![A-Za-z0-9_.:/$-])(?P<hour>{_EN_HOUR})(?:\s*o'?clock)?\s*(?:{_AMPM}|(?:in\s+the\s+|at\s+)(?P<part>morning|afternoon|evening|night)\b)",
    re.IGNORECASE,
)
_EN_OCLOCK = re.compile(
    rf"(?<![A-Za-z0-9_.:/-])(?P<hour>{_EN_HOUR})\s*o'?clock\b"
    r"|(?:\b(?P<before>morning|afternoon|evening)\s+(?P<hour2>\d{1,2})\b(?!:))",
    re.IGNORECASE,
)
_EN_PAST = re.compile(
    rf"\b(?P<minute>half|(?:a\s+)?quarter|\d{{1,2}}|five|ten|twenty|twenty[- ]five)\s+"
    rf"(?P<side>past|after|to|till)\s+(?P<hour>{_EN_HOUR})"
    rf"(?![A-Za-z0-9/:.-])(?:\s*o'?clock)?(?:\s*{_AMPM}|{_EN_PART})?",
    re.IGNORECASE,
)
_EN_WORD = re.compile(r"\b(noon|midday|midnight)\b", re.IGNORECASE)
_ZH_CLOCK = re.compile(
    rf"(?:(?P<part>早上|早晨|清晨|凌晨|上午|中午|下午|傍晚|晚上|今晚|明晚|昨晚|今早|明早|夜里|早|晚)的?)?\s*"
    rf"(?<![0-9一二三四五六七八九十.:])(?P<hour>{_ZH})(?:点钟?(?!多|[击评赞]|[一二三四五六七八九]?[个件])|时(?![间长段候常]))"
    rf"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>\d{{1,2}}|[零〇]?[一二三四五六七八九十]{{1,3}})分?(?![0-9钟]))?"
)
_ZH_DIGITS = re.compile(
    r"(?P<part>早上|上午|中午|下午|傍晚|晚上|凌晨|今晚|明晚|早|晚)的?\s*(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)"
)


def find_clocks(text: str) -> list[Clock]:
    """All times of day of `text`, in order of place."""
    found = [_clock(m, _int(m["hour"]), int(m["minute"]), _half(m), plain=m["hour"]) for m in _EN_CLOCK.finditer(text)]
    found += [_clock(m, _int(m["hour"]), 0, _half(m)) for m in _EN_HOUR_ONLY.finditer(text)]
    found += [_clock(m, _int(m["hour"] or m["hour2"]), 0, _part(m["before"] or "")) for m in _EN_OCLOCK.finditer(text)]
    found += [_past(m) for m in _EN_PAST.finditer(text)]
    found += [Clock(*m.span(), 0 if m.group(1).lower() == "midnight" else 720) for m in _EN_WORD.finditer(text)]
    found += [_chinese(m) for m in _ZH_CLOCK.finditer(text)]
    found += [_clock(m, int(m["hour"]), int(m["minute"]), _part(m["part"])) for m in _ZH_DIGITS.finditer(text)]
    return _longest([one for one in found if one])


def _chinese(match: re.Match[str]) -> Clock | None:
    if match["hour"] == "一" and not match["part"] and match.end() - match.end("hour") == 1:
        return None  # 一点: "a little"
    minute = 30 if match["half"] else {"一": 15, "三": 45, None: 0}[match["quarter"]]
    if match["minute"]:
        minute = _int(match["minute"].lstrip("零〇"))
    return _clock(match, _int(match["hour"]), minute, _part(match["part"] or ""))


def _longest(found: list[Clock]) -> list[Clock]:
    kept: list[Clock] = []
    for one in sorted(found, key=lambda c: (c.start - c.end, c.start)):
        if all(one.end <= k.start or k.end <= one.start for k in kept):
            kept.append(one)
    return sorted(kept, key=lambda c: c.start)


def _int(word: str) -> int:
    if word.isdigit():
        return int(word)
    number = english_number(word) if word.isascii() else chinese_number(word)
    return int(number) if number is not None else -1


def _part(word: str) -> str:
    if not word:
        return ""
    if word == "中午":
        return "noon"
    if re.fullmatch(_MORNING + "|早", word, re.IGNORECASE):
        return "am"
    return "pm" if re.fullmatch(_LATE, word, re.IGNORECASE) else ""


def _half(match: re.Match[str]) -> str:
    groups = match.groupdict()
    if groups.get("half"):
        return f"{groups['half'].lower()}m"
    return _part(groups.get("part") or groups.get("before") or "")


def _past(match: re.Match[str]) -> Clock | None:
    word = re.sub(r"^a\s+", "", match["minute"].lower())
    minute = {"half": 30, "quarter": 15}.get(word) or _int(word)
    hour = _int(match["hour"])
    if match["side"].lower() in {"to", "till"}:
        if word == "half":
            return None
        return _clock(match, 12 if hour == 1 else hour - 1, 60 - minute, _half(match))
    return _clock(match, hour, minute, _half(match))


def _clock(match: re.Match[str], hour: int, minute: int, half: str, *, plain: str = "") -> Clock | None:
    if not 0 <= hour <= 24 or not 0 <= minute <= 59:
        return None
    total = hour * 60 + minute
    if half and hour <= 12:
        total = (hour % 12) * 60 + minute
        if half == "pm" or (half == "noon" and hour in {12, 1, 2}):
            total += 720
        if half == "pm" and hour == 12 and match.re is _ZH_CLOCK and "晚" in match.group():
            total = 1440 + minute
        return Clock(match.start(), match.end(), total % 1440)
    if total > 1440 or total < 0:
        return None
    open_half = not half and 1 <= hour <= 11 and not plain.startswith("0")
    return Clock(match.start(), match.end(), total % 1440, (total + 720) % 1440 if open_half else None)


def as_clock(minutes: int) -> str:
    """Minutes after midnight as HH:MM."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
