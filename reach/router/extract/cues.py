"""How well the words around a value name one parameter.

Rule: a cue counts only inside the value's own clause, and the nearer one wins.
"""

from __future__ import annotations

import re

from reach.router.extract.parameter import Parameter
from reach.router.extract.utterance import CJK, Utterance, word_set

_ROLE_BEFORE = {
    "start": re.compile(
        r"(?:\bfrom|\bstarting|\bleaving|\bdepart\w*|\bsince|从|自|由|出发)\s*(?:the|my|on|at)?\s*$", re.IGNORECASE
    ),
    "end": re.compile(
        r"(?:\bto|\binto|\buntil|\btill|\breturn\w*|\bending|到|至|转到|转给|去|往|返回)\s*(?:the|my|on|at)?\s*$",
        re.IGNORECASE,
    ),
}
_COUNTS = word_set("number num count quantity amount size total limit n")
_WORD = re.compile(rf"[A-Za-z]+|[{CJK}]+|\d+")


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ies", "es", "ed", "s", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def cue_score(utterance: Utterance, start: int, end: int, parameter: Parameter) -> float:
    """0 without a cue; about 3 where the parameter's own name stands right before the value, less further away."""
    left, right = utterance.clause(start, end)
    before, after = utterance.text[left:start].lower(), utterance.text[end:right].lower()
    best = 0.0
    counts = bool(_COUNTS.intersection(parameter.names))  # "two numbers" says how many, not which number
    if parameter.role and _ROLE_BEFORE[parameter.role].search(before):
        best = 2.5
    for words, weight in ((parameter.names, 3.0), (parameter.hints, 1.3)):
        for word in words:
            best = max(best, _near(before, after, word, weight, counts=counts))
    return best


def _near(before: str, after: str, word: str, weight: float, *, counts: bool) -> float:
    if re.search(f"[{CJK}]", word):
        place = before.rfind(word)
        if place >= 0:
            return weight - 0.08 * (len(before) - place - len(word))
        place = after.find(word)
        return weight * 0.6 - 0.1 * place if 0 <= place <= 6 else 0.0
    stem = _stem(word)
    tokens = _WORD.findall(before)
    for distance, token in enumerate(reversed(tokens)):
        if _stem(token) == stem:
            return max(weight - 0.3 * distance, 0.0)
    for distance, token in enumerate(_WORD.findall(after)[:3]):
        if _stem(token) == stem and (counts or not token.endswith("s") or word.endswith("s")):
            return weight * 0.7 - 0.3 * distance
    return 0.0
