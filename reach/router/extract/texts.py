"""Free text with visible borders: what stands in quotation marks, or is the whole answer to a question.

Rule: a question or a refusal is no answer.
"""

from __future__ import annotations

import re

from reach.router.extract.utterance import Found

_QUOTES = re.compile(
    r"“([^“”]{1,2000})”|「([^「」]{1,2000})」|『([^『』]{1,2000})』|《([^《》]{1,200})》|\"([^\"]{1,2000})\""
    r"|(?<![A-Za-z0-9])'((?:[^']|(?<=[A-Za-z])'(?=[A-Za-z])){1,2000})'(?![A-Za-z0-9])"
)
_QUESTION = re.compile(
    r"[?？]|什么|多少|几[个点天分]|哪|谁|怎么|怎样|如何|吗|呢$|^(?:what|which|how|who|where|when)\b", re.IGNORECASE
)
_POLITE_START = re.compile(
    r"^(?:\s|[,，。、:：]|(?:it'?s|it is|that'?s|that is|this is|i'?d say"
    r"|please|well|um+|uh+|ok(?:ay)?|yes|sure|because(?: of)?"
    r"|the (?:reason|subject|title) is|"
    r"嗯+|哦|啊|好的?|那个|就是|是|应该是|大概是|因为|由于|麻烦|请|您好|你好|就写|写|就说)(?=[\s,，。、:：]|(?<=[^A-Za-z])))+",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:[\s,，。、.!！~]|(?:\b(?:please|thanks?|thank you|thx)\b"
    r"|谢谢你?您?|多谢|麻烦了?你?您?|拜托了?|吧|呀|啊|哦|哈))+$",
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
        start, end = match.span(group)
        while start < end and text[start].isspace():
            start += 1
        while end > start and (text[end - 1].isspace() or text[end - 1] in ",，"):
            end -= 1
        if end > start:
            out.append(Found(start, end, text[start:end], "quoted"))
    return out


def is_question(text: str) -> bool:
    """True where the words ask rather than tell."""
    return bool(_QUESTION.search(text))


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The borders without blanks, quotation marks and closing punctuation."""
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
    start, end = trimmed(text, start, tail.start() if tail else len(text))
    if end <= start:
        return None
    return Found(start, end, text[start:end], "answer")
