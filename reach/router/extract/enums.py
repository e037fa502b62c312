"""Values of a closed list: by their own word, a declared synonym, or a small typing error.

Rule: the longest word wins, a denied word ("not urgent") is no value, and only words of five letters or more are
matched with an error in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from reach.router.extract.utterance import CJK, Found, is_word_edge, longest, negated

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_TYPO_RATIO = 85.0
_CJK = re.compile(f"[{CJK}]")


def find_enum(
    text: str,
    values: Sequence[Any],
    synonyms: Mapping[str, Iterable[str]] | None = None,
    *,
    about: frozenset[str] = frozenset(),
) -> list[Found]:
    """The values of `values` that `text` names, in order of place; each word names one value.

    `about` are the words for the list itself: "price" is not a misspelt "pricey" where the list is of price ranges.
    """
    words = _vocabulary(tuple(values), tuple((k, tuple(v)) for k, v in (synonyms or {}).items()))
    found = [
        Found(*match.span(), value, "enum")
        for word, value in words
        for match in _pattern(word).finditer(text)
        if is_word_edge(text, *match.span()) and _distinct(word, match.group())
    ]
    kept = longest(found)
    kept += [f for f in _typos(text, words, about) if not f.overlaps((k.start, k.end) for k in kept)]
    return sorted((f for f in kept if not negated(text, f.start)), key=lambda f: f.start)


@lru_cache(maxsize=512)
def _vocabulary(
    values: tuple[Any, ...], synonyms: tuple[tuple[str, tuple[str, ...]], ...]
) -> tuple[tuple[str, Any], ...]:
    extra = dict(synonyms)
    out: dict[str, Any] = {}
    for value in values:
        words = list(extra.get(str(value), ())) if not isinstance(value, str) else [value, *extra.get(value, ())]
        for word in words:
            for form in (word, re.sub(r"[_-]+", " ", word), re.sub(r"(?<=[a-z])(?=[A-Z])", " ", word)):
                if form.strip():
                    out.setdefault(form.strip(), value)
    return tuple(out.items())


@lru_cache(maxsize=4096)
def _pattern(word: str) -> re.Pattern[str]:
    body = r"[\s_-]*".join(re.escape(part) for part in re.split(r"[\s_-]+", word) if part) or re.escape(word)
    plural = r"(?:s|es)?" if len(word) > 3 and word[-1].isascii() and word[-1].isalpha() else ""
    return re.compile(body + plural, re.IGNORECASE)


def _distinct(word: str, written: str) -> bool:
    """A value of one or two letters (M, XL, in) must be written exactly so, in capitals."""
    if len(word) > 2 or _CJK.search(word) or not word.isalpha():
        return len(word) > 1 or bool(_CJK.search(word)) or word == written
    return written == word.upper() and written != "I"


def _typos(text: str, words: Sequence[tuple[str, Any]], about: frozenset[str]) -> list[Found]:
    known = {w.lower(): v for w, v in words if len(w) >= 5 and w.isascii() and w.isalpha()}
    if not known:
        return []
    from rapidfuzz import fuzz, process

    out: list[Found] = []
    for match in _WORD.finditer(text):
        token = match.group().lower()
        if len(token) >= 5 and token not in about:
            best = process.extract(token, list(known), scorer=fuzz.ratio, score_cutoff=_TYPO_RATIO, limit=2)
            if best and best[0][0][0] == token[0] and (len(best) == 1 or known[best[1][0]] == known[best[0][0]]):
                out.append(Found(*match.span(), known[best[0][0]], "enum_typo"))
    return out
