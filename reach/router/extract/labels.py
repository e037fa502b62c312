"""Text that stands after a parameter's own label, or in the place that its role names ("from ... to ...").

Rule: after a label the value ends with its clause; without a verb or a colon only an identifier or an amount follows a
label, because a noun phrase has no end that code can see.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reach.router.extract.parameter import Parameter, split_name
from reach.router.extract.texts import is_question, trimmed
from reach.router.extract.units import UNITS
from reach.router.extract.utterance import CJK, Found, word_set

_REASON = re.compile(
    r"\b(?:because(?: of)?|due to)\s+(?P<en>[^.;!?\n]{1,500})|(?:因为|由于)(?P<zh>[^,，。;；!?！？\n]{1,500})",
    re.IGNORECASE,
)
_REASON_WORDS = frozenset({"reason", "cause", "原因", "理由"})
_TOKEN = r"[A-Za-z0-9][A-Za-z0-9_.@+/#-]{0,99}"  # noqa: S105  -- a word, not a secret
_IDENTIFIER = re.compile(r"\d|_|[a-z][A-Z]")
_ZH_UNIT = "|".join(sorted((re.escape(u) for u in UNITS if re.match(f"[{CJK}%]", u)), key=len, reverse=True))
_DECIMAL = r"\d+(?:\.\d+)?"
_AMOUNT = (
    rf"(?:{_DECIMAL}(?:\s*(?:{_ZH_UNIT}))?\s*(?:-|~|到|至)\s*{_DECIMAL}\s*(?:{_ZH_UNIT})|{_DECIMAL}\s*(?:{_ZH_UNIT}))"
    r"(?:及?以[上下内])?"
)
_PROSE = word_set(
    "reason cause description detail details content message note notes remark comment body summary text "
    "原因 理由 描述 说明 内容 备注"
)
_EN_BETWEEN = r"\s+(?:is|are|was|should be|will be)\s+"
_EN_LINK = r"\s*(?:is|are|was|should be|will be|set to|of|as|:|=)?\s*"
_ZH_LINK = r"\s*(?:最好|大概|大约|希望|能|要)?(?:是|在|为|叫|到|达到|:|=)?\s*"
_FROM = word_set("from origin source departure departing start starting leaving pickup where_from")
_TO = word_set("to destination dest arrival arriving end dropoff where_to")
_PLACE = r"[A-Z][\w.'-]*(?:\s+(?:of\s+|the\s+)?[A-Z][\w.'-]*){0,3}(?:,\s*[A-Z][A-Za-z]+)?"
_ROUTE_FROM = re.compile(rf"\bfrom\s+(?:the\s+)?(?P<value>{_PLACE})")
_ROUTE_TO = re.compile(rf"\bto\s+(?:the\s+)?(?P<value>{_PLACE})")
_NOT_A_PLACE = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|[AP]M\b|I\b",
    re.IGNORECASE,
)


def find_labelled(text: str, parameter: Parameter) -> list[Found]:
    """What follows the parameter's own label: "subject: ...", "原因是...", "case number CA123456", "评分4.5分以上"."""
    out: list[Found] = []
    prose = bool(_PROSE.intersection((*parameter.names, *parameter.hints)))
    for label in _labels(parameter):
        for pattern, recogniser in _patterns(label):
            for match in pattern.finditer(text):
                start, end = trimmed(text, *match.span("value"))
                if end > start and text[end - 1] == "的":
                    end -= 1
                if end > start and _fits(text, start, end, recogniser) and (prose or "的" not in text[start:end]):
                    out.append(Found(start, end, text[start:end], recogniser))
    if _REASON_WORDS.intersection((*parameter.names, *parameter.hints)):
        for match in _REASON.finditer(text):
            start, end = trimmed(text, *match.span("en" if match["en"] else "zh"))
            if end > start:
                out.append(Found(start, end, text[start:end], "labelled"))
    return sorted(out, key=lambda f: (_ORDER[f.recogniser], f.start - f.end))


_ORDER = {"labelled_amount": 0, "labelled": 1, "labelled_id": 2}


def _fits(text: str, start: int, end: int, recogniser: str) -> bool:
    value = text[start:end]
    if is_question(value) or text[end : end + 1] in {"?", "？"} or re.match("[吗呢]", text[end:]):
        return False
    if recogniser == "labelled_id":
        after = text[end : end + 1]
        return (bool(_IDENTIFIER.search(value)) and not re.fullmatch(r"[\d.~-]+", value)) or (
            value.isdigit() and len(value) > 3 and not re.match(f"[{CJK}]", after)
        )
    return True


def _labels(parameter: Parameter) -> list[str]:
    own = split_name(parameter.name)
    labels = [" ".join(own)] if own else []
    labels += [w for w in (*parameter.names, *parameter.hints) if re.search(f"[{CJK}]", w)]
    return [label for label in dict.fromkeys(labels) if len(label) > 1]


@lru_cache(maxsize=4096)
def _patterns(label: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    latin = label.isascii()
    body = r"[\s_-]*".join(re.escape(part) for part in label.split()) if latin else re.escape(label)
    head = rf"(?<![A-Za-z0-9_]){body}(?![A-Za-z0-9])" if latin else body
    link = _EN_LINK if latin else _ZH_LINK
    after_colon = r"[^\n;；]{1,1000}?(?=[。!！?？\n;；]|\.(?:\s|$)|$|,\s*[A-Za-z_ ]{1,30}[:=])"
    after_verb = r"[^,，。;；!！?？\n]{1,500}?(?=[,，。;；!！\n?？]|\.(?:\s|$)|$|\s+and\s+)"
    verb = _EN_BETWEEN if latin else r"(?:是|为|叫做?|写)"
    sources = (
        (rf"{head}\s*[:=]\s*(?P<value>{after_colon})", "labelled"),
        (rf"{head}{verb}(?P<value>{after_verb})", "labelled"),
        (rf"{head}{link}(?P<value>{_AMOUNT})", "labelled_amount"),
        (rf"{head}{link}[\"'“]?(?P<value>{_TOKEN})(?![A-Za-z])", "labelled_id"),
    )
    return tuple((re.compile(source, re.IGNORECASE), recogniser) for source, recogniser in sources)


def find_route(text: str, parameter: Parameter) -> list[Found]:
    """The capitalised place after "from" or "to", for a parameter whose own name says which."""
    own = set(split_name(parameter.name))
    pattern = _ROUTE_FROM if own & _FROM else _ROUTE_TO if own & _TO else None
    if pattern is None or (own & _FROM and own & _TO):
        return []
    out: list[Found] = []
    for match in pattern.finditer(text):
        start, end = trimmed(text, *match.span("value"))
        if end > start and not _NOT_A_PLACE.match(text, start):
            out.append(Found(start, end, text[start:end], "route"))
    return out
