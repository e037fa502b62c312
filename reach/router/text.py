"""Words for the local ranker: how a text in English, Chinese or both becomes weighted terms and sentences.

Rule: tools and queries go through the same functions, so a text always matches itself; any Unicode string is accepted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

import snowballstemmer

from reach.router.concepts import PHRASES, WORDS, chinese_concepts

_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_RUN = re.compile(rf"([{_CJK}]+)|([^\W_{_CJK}]+)(?:['\u2019][^\W\d_{_CJK}]+)?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LETTERS = re.compile(r"\d+|[^\W\d]+")
_VALUE = re.compile(
    r"https?://\S+ | [\w.+-]+@[\w-]+\.[\w.]+ | (?<![A-Za-z0-9])[A-Za-z]{1,5}[-_]?\d[\d-]{3,}(?![A-Za-z])",
    re.ASCII | re.VERBOSE,
)
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[;\n。！？；…]+")
_CLAUSE = re.compile(r"[.!?:](?=\s|$)|[,;\n，、。！？；：…]+")
_stem_english = snowballstemmer.stemmer("english").stemWord

_STOP_WORDS = """
    a about after all also am an and any are as at be been before being between both but by can could did do
    does doing don done each else ever few for from had has have having he her here hers him his how i if in
    into is it its just ll may me might mine more most much my myself no nor not now of off on once one only or
    other our ours out over own please re same shall she should so some such t than that the their theirs them
    then there these they this those through to too under until up us ve very was we were what when where which
    while who whom whose why will with would yes you your yours d m s hi hello hey thanks thank okay ok
"""
_COMMON_WORDS = """
    able add anyone ask available best better bring call change check choose come compute current currently
    detail different example explain find first follow get give go going good great help include information
    input item keep kind know learn let like list look lot make many mean name need new number old order people
    possible provide put question quick quickly really recommend require right say search see set show something
    sort start suggest sure take tell thing think time today together top try type understand use user using
    value various view want way well work wonder world year
"""
_STOP_CHARS = frozenset("的了吗呢啊吧呀哦嘛我你您他她它们是和与及或也就都还又很么这那个些")
_STOP_PAIRS = """
    你好 您好 请问 谢谢 麻烦 帮我 我想 想要 一下 怎么 么样 什么 可以 需要 能不 不能 能否 是否 一个 这个 那个
    哪个 哪些 这些 那些 有没 没有 如何 多少 知道 告诉 诉我 为什 请帮 请告 我要 我的 想知 看看 看下 帮忙 现在
    可否 还是 时候
"""
_COMMON_CHINESE = """
    想 要 请 问 帮 查 看 找 能 可 以 有 没 不 什 怎 样 时 候 多 少 下 一 好 用 来 去 说 知 道 信 息 查询 查看
    信息
"""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The English stem of a lower-case word; words of other scripts are returned as they are."""
    return _stem_english(word) if word.isascii() else word


def _stemmed(table: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The table with every word stemmed; words that become one share their concepts."""
    joined: dict[str, dict[str, None]] = {}
    for words, names in table.items():
        joined.setdefault(" ".join(stem(word) for word in words.split()), {}).update(dict.fromkeys(names))
    return {words: tuple(names) for words, names in joined.items()}


_CONCEPTS = _stemmed({**WORDS, **PHRASES})
_STOP_TERMS = frozenset(stem(word) for word in _STOP_WORDS.split()) | _STOP_CHARS | frozenset(_STOP_PAIRS.split())
_COMMON_TERMS = frozenset(stem(word) for word in _COMMON_WORDS.split()) | frozenset(_COMMON_CHINESE.split())


def normalise(text: str) -> str:
    """`text` in one form: full-width letters and compatibility characters become plain ones (NFKC)."""
    return unicodedata.normalize("NFKC", text)


def terms(text: str) -> list[str]:
    """The terms of `text` in order, with repetitions.

    Words are split at camelCase, underscores and between letters and digits, lower-cased and stemmed; a word that was
    split is also kept whole, and two English words that stand together also make one term. Chinese runs give single
    characters and overlapping pairs. What the thesaurus knows gives its concept as well. Addresses, order numbers, bare
    numbers, emoji and punctuation give nothing.
    """
    found: list[str] = []
    before = ""
    for match in _RUN.finditer(_VALUE.sub(" ", normalise(text))):
        if match.group(1):
            found.extend(_chinese_terms(match.group(1)))
            found.extend(chinese_concepts(match.group(1)))
            before = ""
            continue
        words = _word_terms(match.group(2))
        for word in words:
            if before:
                found.append(f"{before} {word}")
                found.extend(_CONCEPTS.get(f"{before} {word}", ()))
            before = word
            found.extend(_CONCEPTS.get(word, ()))
        found.extend(words)
    return found


def _chinese_terms(run: str) -> Iterator[str]:
    yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


@lru_cache(maxsize=65_536)
def _word_terms(word: str) -> tuple[str, ...]:
    parts = [part.lower() for part in (_CAMEL if word.isascii() else _LETTERS).findall(word)]
    letters = [part for part in parts if not part.isdigit()]
    kept = [stem(part) for part in letters]
    # Short mixtures such as mp3 or 5g are words; long ones are names of things, which say little.
    if letters and len(parts) > 1 and (len(letters) == len(parts) or len(word) <= 5):
        kept.append(stem(word.lower()))
    return tuple(kept)


def is_stop(term: str) -> bool:
    """True for a term that is part of the language rather than of any subject."""
    return term in _STOP_TERMS or (len(term) == 2 and term[0] in _STOP_CHARS and term[1] in _STOP_CHARS)


@lru_cache(maxsize=1 << 18)
def kind_weight(term: str) -> float:
    """How much a term of this kind can say beside a whole word, 0..1."""
    if term[0] == "#":
        return 0.5
    if " " in term:
        return 0.4
    if term.isascii():
        weight = 1.0
    elif len(term) == 1:
        weight = 0.35
    else:
        weight = 0.5 if term[0] in _STOP_CHARS or term[1] in _STOP_CHARS else 1.0
    return weight / 2 if is_stop(term) else weight


@lru_cache(maxsize=1 << 18)
def background_share(term: str) -> float:
    """The share of all imaginable tools whose texts have this term, 0..1: what is known of it before seeing any."""
    if is_stop(term):
        return 0.9
    return 0.4 if term in _COMMON_TERMS else 0.1 if term[0] == "#" else 0.02


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order."""
    return [part for part in (piece.strip() for piece in _SENTENCE.split(text)) if part]


def clauses(text: str) -> list[str]:
    """The clauses of a text that lists cases: split at commas as well."""
    return [part for part in (piece.strip() for piece in _CLAUSE.split(text)) if part]


def plain(text: str) -> str:
    """`text` as its words only, one space between them: lower-case, stemmed, each Chinese character a word."""
    words: list[str] = []
    for match in _RUN.finditer(normalise(text)):
        if match.group(1):
            words.extend(match.group(1))
        else:
            words.append(stem(match.group(2).casefold()))
    return " ".join(words)


def phrases_of(text: str, max_words: int = 8) -> frozenset[str]:
    """Every run of up to `max_words` words of `text`, in the form of `plain`."""
    words = plain(text).split(" ")
    ends = range(len(words))
    return frozenset(" ".join(words[at : end + 1]) for at in ends for end in range(at, min(at + max_words, len(words))))


def has_words(text: str) -> bool:
    """True where `text` has any letter or digit of any script."""
    return any(char.isalnum() for char in text)
