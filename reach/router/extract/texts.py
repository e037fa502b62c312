"""Free text: what stands in quotation marks, after the parameter's own label, or is the whole answer to a question.

Rule: free text is never cut out of a sentence by guessing where it begins; without quotes, a label or a question that
was just asked there is none.
"""

from __future__ import annotations

import re

from reach.router.extract.parameter import Parameter
from reach.router.extract.utterance import CJK, Found

_QUOTES = re.compile(
    r"“([^“”]{1,2000})”|「([^「」]{1,2000})」|『([^『』]{1,2000})』|《([^《》]{1,200})》|\"([^\"]{1,2000})\""
    r"|(?<![A-Za-z0-9])'((?:[^']|(?<=[A-Za-z])'(?=[A-Za-z])){1,2000})'(?![A-Za-z0-9])"
)
_REASON = re.compile(
    r"\b(?:because(?: of)?|due to)\s+(?P<en>[^.;!?\n]+)|(?:因为|由于)(?P<zh>[^,，。;；!?！？\n]+)", re.IGNORECASE
)
_QUESTION = re.compile(
    r"[?？]|什么|多少|几[个点天分]|哪|谁|怎么|怎样|如何|吗|呢$|^(?:what|which|how|who|where|when)\b", re.IGNORECASE
)
_TOKEN = r"[A-Za-z0-9][A-Za-z0-9_.@+/#-]*"
_POLITE_START = re.compile(
    r"^(?:\s|[,，。、:：]|(?:it'?s|it is|that'?s|that is|this is|i'?d say|please|well|um+|uh+|ok(?:ay)?|yes|sure|because(?: of)?|the (?:reason|subject|title) is|"
    r"嗯+|哦|啊|好的?|那个|就是|是|应该是|大概是|因为|由于|麻烦|请|您好|你好|就写|写|就说)(?=[\s,，。、:：]|(?<=[^A-Za-z])))+",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:[\s,，。、.!！~]|(?:\b(?:please|thanks?|thank you|thx)\b|谢谢你?您?|多谢|麻烦了?你?您?|拜托了?|吧|呀|啊|哦|哈))+$",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\s*(?:never ?mind|cancel(?: (?:it|that))?|forget it|stop|i don'?t know|not sure|no idea|skip|none|"
    r"算了|取消|不用了|不要了|不知道|不清楚|忘了|不记得了?|没有|随便|都行|等等|等一下|稍等)[.!。！,，]*\s*",
    re.IGNORECASE,
)


def find_quoted(text: str) -> list[Found]:
    """The inside of every pair of quotation marks."""
    out: list[Found] = []
    for match in _QUOTES.finditer(text):
        group = next(i for i, g in enumerate(match.groups(), 1) if g is not None)
        start, end = _trimmed(text, *match.span(group))
        if end > start:
            out.append(Found(start, end, text[start:end], "quoted"))
    return out


def find_labelled(text: str, parameter: Parameter) -> list[Found]:
    """What follows the parameter's own label: "subject: ...", "原因是...", "case number CA123456"."""
    out: list[Found] = []
    for label in _labels(parameter):
        out += _after_label(text, label)
    if {"reason", "cause", "原因", "理由"}.intersection((*parameter.names, *parameter.hints)):
        for match in _REASON.finditer(text):
            group = "en" if match["en"] else "zh"
            start, end = _trimmed(text, *match.span(group))
            if end > start:
                out.append(Found(start, end, text[start:end], "labelled"))
    return out


def _labels(parameter: Parameter) -> list[str]:
    own = list(re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", parameter.name).lower()))
    labels = [r"[\s_-]*".join(own)] if own else []
    labels += [re.escape(w) for w in (*parameter.names, *parameter.hints) if re.search(f"[{CJK}]", w)]
    return [label for label in dict.fromkeys(labels) if len(label) > 1]


def _after_label(text: str, label: str) -> list[Found]:
    out: list[Found] = []
    edge = r"(?<![A-Za-z0-9_])" if label[0].isascii() else ""
    for match in re.finditer(
        rf"{edge}{label}\s*(?:[:=]|：)\s*(?P<value>[^\n;；]+?)(?=[。!！?？]|\.(?:\s|$)|[\n;；]|$|,\s*[A-Za-z_ ]+[:=])",
        text,
        re.IGNORECASE,
    ):
        out.append(_found(text, match, "labelled"))
    for match in re.finditer(
        rf"{edge}{label}\s*(?:is|are|was|should be|will be|set to|of|as|是|为|叫|:|=|：)?\s*[\"'“]?(?P<value>{_TOKEN})",
        text,
        re.IGNORECASE,
    ):
        if re.search(r"\d|_|[a-z][A-Z]", match["value"]) and not re.match(
            r"[A-Za-z]", text[match.end() : match.end() + 1]
        ):
            out.append(_found(text, match, "labelled_id"))
    between = r"\s+(?:is|are|was|should be|will be)\s+" if label[0].isascii() else r"(?:是|为|叫做?|写)"
    for match in re.finditer(
        rf"{edge}{label}{between}(?P<value>[^,，。;；!！?？\n]+?)(?=[,，。;；!！\n]|\.(?:\s|$)|[?？]|$|\s+and\s+)",
        text,
        re.IGNORECASE,
    ):
        if not _QUESTION.search(match["value"]) and not _QUESTION.match(text, match.end()):
            out.append(_found(text, match, "labelled"))
    return [f for f in out if f.end > f.start and not _QUESTION.search(f.value)]


def _found(text: str, match: re.Match[str], recogniser: str) -> Found:
    start, end = _trimmed(text, *match.span("value"))
    return Found(start, end, text[start:end], recogniser)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (text[start].isspace() or text[start] in "\"'“”「」"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "\"'“”「」.,，。!！"):
        end -= 1
    return start, end


def bare_answer(text: str) -> Found | None:
    """The whole of `text` without its politeness, as the answer to a question; None for a question or a refusal."""
    if _NO_ANSWER.fullmatch(text) or text.rstrip().endswith(("?", "？", "吗", "呢")):
        return None
    start = match.end() if (match := _POLITE_START.match(text)) else 0
    tail = _POLITE_END.search(text, start)
    start, end = _trimmed(text, start, tail.start() if tail else len(text))
    if end <= start:
        return None
    return Found(start, end, text[start:end], "answer")
