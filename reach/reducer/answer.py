"""The answer that a user reads, made from a result without a model.

Rule: data is only ever inserted, never read as a template, and whatever is not shown is said to be not shown: the text
names how many rows there are wherever it shows fewer.

`result.say` holds `{path}` placeholders: plain field paths, looked up by key, without attributes, indexes or format
codes. A value that is missing or null becomes `-`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from reach.messages import message
from reach.spec import ToolSpec, localized
from reach.types import Structured

MISSING = "-"
MAX_VALUE = 500
"""Characters of one value inside a text."""

_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")
_LABELS = {
    "en": {"min": "lowest", "max": "highest", "mean": "average", "sum": "total", "count": "count"},
    "zh": {"min": "最低", "max": "最高", "mean": "平均", "sum": "合计", "count": "数量"},
}
_DATE_LABELS = {"en": {"min": "from", "max": "to"}, "zh": {"min": "最早", "max": "最晚"}}
_JOIN = {"en": ", ", "zh": "，"}
_COLON = {"en": ": ", "zh": "："}


def answer_text(tool: ToolSpec, structured: Structured, language: str) -> str:
    """The text of a result in `language` (`en` or `zh`).

    A record is one text; a list gives one numbered line a row, at most `list.sample`, then "Showing k of N" and the
    declared statistics wherever there are more rows than lines.
    """
    lang = language if language in _LABELS else "en"
    if structured.status != "succeeded":
        return (
            structured.error.message
            if structured.error is not None
            else message("failed", lang, title=_title(tool, lang))
        )
    lines = list(_body(tool, structured, lang))
    if structured.artifact_ref is not None and structured.completeness != "complete":
        lines.append(message("more", lang, ref=structured.artifact_ref))
    if structured.replayed:
        lines.append(message("replayed", lang))
    return "\n".join(lines)


def _body(tool: ToolSpec, structured: Structured, lang: str) -> Iterable[str]:
    data = structured.data
    summary = structured.result_summary or {}
    if structured.error is not None:
        yield message("unreadable", lang)
    elif summary.get("binary"):
        yield message("binary", lang, media_type=summary["media_type"], bytes=summary["bytes"])
    elif structured.total is not None and isinstance(data, list):
        yield from _list(tool, cast("list[Any]", data), structured, lang)
    elif data is None or data in ({}, ""):
        yield _nothing(tool, lang)
    else:
        yield _record(tool, data, lang)
        if structured.completeness != "complete":
            yield message("truncated_text" if isinstance(data, str) else "partial", lang)


def _nothing(tool: ToolSpec, lang: str) -> str:
    if tool.result.empty is not None:
        return localized(tool.result.empty, lang)
    if not tool.read_only:
        return message("done", lang, title=_title(tool, lang))
    return message("empty_result", lang)


def _list(tool: ToolSpec, rows: list[Any], structured: Structured, lang: str) -> Iterable[str]:
    total = structured.total or 0
    if not total:
        yield _nothing(tool, lang)
        if structured.completeness != "complete":
            yield message("partial", lang)
        return
    shown = rows[: tool.result.rows.sample]
    if total == 1 and shown:
        yield _record(tool, shown[0], lang)
    else:
        for number, row in enumerate(shown, 1):
            yield f"{number}. " + _record(tool, row, lang, inline=True)
    if len(shown) < total:
        yield message("showing", lang, shown=len(shown), total=total)
        yield from _statistics(tool, structured, lang)
    summary = structured.result_summary or {}
    if summary.get("total_is_lower_bound") or summary.get("cut") or structured.completeness == "partial_failed":
        yield message("partial", lang)


def _statistics(tool: ToolSpec, structured: Structured, lang: str) -> Iterable[str]:
    """One line for each declared statistic, with the rows that it is over."""
    summary = structured.result_summary or {}
    fields: Mapping[str, Mapping[str, Any]] = summary.get("fields", {})
    key = "statistics_at_least" if summary.get("total_is_lower_bound") else "statistics_all"
    scope = message(key, lang, total=structured.total)
    for name in tool.result.rows.stats or ():
        if parts := _parts(fields.get(name, {}), lang):
            yield message("statistics", lang, name=name, scope=scope, parts=_JOIN[lang].join(parts))


def _parts(stats: Mapping[str, Any], lang: str) -> list[str]:
    kind = stats.get("type")
    if kind == "number":
        labels = _LABELS[lang]
        return [f"{labels[key]} {readable(_rounded(stats[key]), lang)}" for key in ("sum", "mean", "min", "max")]
    if kind == "date":
        return [f"{label} {readable(stats[key], lang)}" for key, label in _DATE_LABELS[lang].items()]
    if kind == "string":
        return [f"{entry['value']} {entry['count']}" for entry in stats.get("top", ())]
    if kind == "boolean":
        return [f"{message(word, lang)} {stats[key]}" for word, key in (("yes", "true"), ("no", "false"))]
    return []


def _rounded(number: Any) -> Any:
    """A statistic for a person: two decimals, or three digits of what is smaller than that."""
    return number if not isinstance(number, float) or abs(number) < 0.01 else round(number, 2)


def _record(tool: ToolSpec, value: Any, lang: str, *, inline: bool = False) -> str:
    template = localized(tool.result.say, lang)
    if template:
        return _PLACEHOLDER.sub(lambda match: readable(_at(value, match.group(1)), lang), template)
    if isinstance(value, dict) and not inline:
        members = cast("dict[str, Any]", value)
        return "\n".join(f"{key}{_COLON[lang]}{readable(item, lang)}" for key, item in members.items())
    if isinstance(value, str):
        return value
    return readable(value, lang)


def _at(value: Any, path: str) -> Any:
    """The value at a path; lists on the way give all their items. Keys are looked up, nothing else."""
    for key in path.strip().replace("[]", "").split("."):
        if isinstance(value, list):
            value = [item for item in (_at(row, key) for row in cast("list[Any]", value)) if item is not None]
        else:
            value = cast("dict[str, Any]", value).get(key) if isinstance(value, dict) else None
    return value


def readable(value: Any, language: str) -> str:
    """One value for a person: whole floats without `.0`, moments without `T`, lists joined, objects as `key: value`."""
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return message("yes" if value else "no", language)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.15g}"
    if isinstance(value, str):
        return _moment(value) if _MOMENT.fullmatch(value) else value[:MAX_VALUE]
    join = _JOIN.get(language, ", ")
    if isinstance(value, list):
        return join.join(readable(item, language) for item in cast("list[Any]", value))[:MAX_VALUE] or MISSING
    if isinstance(value, dict):
        colon = _COLON.get(language, ": ")
        members = cast("dict[str, Any]", value).items()
        return join.join(f"{key}{colon}{readable(item, language)}" for key, item in members)[:MAX_VALUE] or MISSING
    return str(value)


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    shown = moment.strftime("%Y-%m-%d %H:%M:%S" if moment.second else "%Y-%m-%d %H:%M")
    if moment.tzinfo is None:
        return shown
    offset = moment.strftime("%z")
    return f"{shown} UTC" if offset == "+0000" else f"{shown} UTC{offset[:3]}:{offset[3:5]}"


def _title(tool: ToolSpec, language: str) -> str:
    return localized(tool.title, language) or tool.name
