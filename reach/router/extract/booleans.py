"""Switches: true where the utterance names them, false where it denies them.

Rule: every content word of the switch must stand together; a switch that is not named has no value.
"""

from __future__ import annotations

import re

from reach.router.extract.parameter import Parameter, texts_of
from reach.router.extract.utterance import CJK, Found, is_word_edge, negated, word_set

_FILLER = word_set(
    "is are has have include includes included including with should need needs needed want wants enable "
    "enabled use only show allow allows add do does be get require requires required flag option whether to of "
    "the a an for in on if no not"
)
_ZH_FILLER = re.compile(
    r"^(?:是否|需不需要|要不要|有没有|能否|可否)?(?:需要|包括|包含|显示|启用|开启|使用|进行|要|有|为|是|只看|仅)?"
)
YES = re.compile(
    r"\s*(?:yes|yeah|yep|yup|sure|true|ok(?:ay)?|of course|please do|right|correct"
    r"|是的?|对的?|好的?|要的?|需要|可以|行|嗯+|没错|没问题|当然|确定)"
    r"(?:\s*[,，。.!！、]?\s*(?:please|thanks?|thank you|it is|i do|i would|that's right"
    r"|谢谢|的|啊|呀|吧|需要|要))*\s*[.!。！~]*\s*",
    re.IGNORECASE,
)
NO = re.compile(
    r"\s*(?:no(?:pe)?|false|not? (?:really|needed|necessary|thanks)|don't"
    r"|不(?:是|要|用|需要|必|行|可以|对)?了?|没有|否|别|无需)"
    r"(?:\s*[,，。.!！、]?\s*(?:please|thanks?|thank you|it isn't|i don't"
    r"|谢谢|了|的|啊|吧))*\s*[.!。！~]*\s*",
    re.IGNORECASE,
)


def find_boolean(text: str, parameter: Parameter) -> list[Found]:
    """Where `text` names the switch: True, or False where it is denied."""
    return [
        Found(*match.span(), not negated(text, match.start()), "boolean")
        for phrase in _phrases(parameter)
        for match in phrase.finditer(text)
        if is_word_edge(text, *match.span())
    ]


def bare_boolean(text: str) -> bool | None:
    """A bare yes or no, as an answer to a question; None for anything else."""
    if YES.fullmatch(text):
        return True
    return False if NO.fullmatch(text) else None


def _phrases(parameter: Parameter) -> list[re.Pattern[str]]:
    words = [w for w in parameter.names if w.isascii() and w not in _FILLER]
    own = [w for w in words if w in re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", parameter.name).lower())]
    phrases: list[str] = []
    if own and len("".join(own)) >= 4:
        phrases.append(r"[\s-]+".join(re.escape(w) + ("(?:s|ed|d)?" if len(w) > 3 else "") for w in own))
    for text in (*texts_of(parameter.spec.title), *texts_of(parameter.spec.description)):
        for part in re.findall(f"[{CJK}]+", text)[:1]:
            core = _ZH_FILLER.sub("", part, count=1)
            if 2 <= len(core) <= 6:
                phrases.append(re.escape(core))
    for value, synonyms in (parameter.spec.synonyms or {}).items():
        if value.lower() == "true":
            phrases += [re.escape(word) for word in synonyms]
    return [re.compile(p, re.IGNORECASE) for p in dict.fromkeys(phrases)]
