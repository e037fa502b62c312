"""Identifiers: a parameter's own pattern, and e-mail, phone, URI and UUID.

Rule: an identifier is a whole token; four digits inside an order number, a date, an amount or a phone number are not
a phone tail.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reach.router.extract.shape import leading_letters
from reach.router.extract.utterance import CJK, Found
from reach.router.validation import pattern_of

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(?![A-Za-z0-9-])"
)
_UUID = re.compile(r"(?<![A-Za-z0-9-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![A-Za-z0-9-])")
_URI = re.compile(rf"(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{{1,20}}://[^\s<>\"'{CJK}，。、；！？”“「」]+", re.IGNORECASE)
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.@/-])(?:\+\d{1,3}[\s-]?)?(?:1[3-9]\d[\s-]?\d{4}[\s-]?\d{4}|0\d{2,3}-?\d{7,8}|\(?\d{3}\)?[\s.-]\d{3}[\s.-]\d{4}|(?<=\+)\d{7,15}"
    r"|(?:\+\d{1,3}[\s-]?)\d(?:[\s-]?\d){6,12}|400-?\d{3}-?\d{4})(?![A-Za-z0-9_@]|[-.]\d)"
)
_JOINER = "-_./@"


def find_emails(text: str) -> list[Found]:
    """E-mail addresses."""
    return [Found(m.start(), m.end(), m.group(), "email") for m in _EMAIL.finditer(text)]


def find_uuids(text: str) -> list[Found]:
    """UUIDs in their hyphenated form."""
    return [Found(m.start(), m.end(), m.group(), "uuid") for m in _UUID.finditer(text)]


def find_uris(text: str) -> list[Found]:
    """URIs with a scheme; punctuation that ends the sentence is no part of them."""
    out: list[Found] = []
    for match in _URI.finditer(text):
        uri = match.group().rstrip(".,;:!?)")
        out.append(Found(match.start(), match.start() + len(uri), uri, "uri"))
    return out


def find_phones(text: str) -> list[Found]:
    """Phone numbers, as their digits with the leading + where there is one."""
    return [Found(m.start(), m.end(), re.sub(r"[^\d+]", "", m.group()), "phone") for m in _PHONE.finditer(text)]


def _whole_token(text: str, start: int, end: int) -> bool:
    if start and _continues(text, start - 1, start - 2, text[start]):
        return False
    return end >= len(text) or not _continues(text, end, end + 1, text[end - 1])


def _continues(text: str, at: int, beyond: int, own: str) -> bool:
    """True where the character at `at` belongs to the same token as the match whose border character is `own`."""
    character = text[at]
    if character.isascii() and (character.isalnum() or character == "_"):
        return own.isascii() and (own.isalnum() or own == "_")
    neighbour = text[beyond] if 0 <= beyond < len(text) else " "
    if not (neighbour.isascii() and neighbour.isalnum()):
        return False
    if character in _JOINER:
        return True
    return character in ",:" and neighbour.isdigit() and own.isdigit()


@lru_cache(maxsize=1024)
def _searchable(pattern: str) -> re.Pattern[str] | None:
    """`pattern` without its anchors, deaf to case; None where it would match anything."""
    parts = re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[\^$]|[^\\\[$^]+|.", pattern, re.DOTALL)
    body = "".join(part for part in parts if part not in {"^", "$", r"\A", r"\Z"})
    try:
        compiled = re.compile(body, re.IGNORECASE | re.ASCII)
    except re.error:
        return None
    return None if compiled.search("") else compiled


@lru_cache(maxsize=1024)
def _valid(pattern: str) -> re.Pattern[str]:
    return pattern_of(pattern)


def find_pattern(text: str, pattern: str) -> list[Found]:
    """Whole tokens that fit `pattern`; another case is tried only where the written one does not fit."""
    search = _searchable(pattern)
    if search is None:
        return []
    out: list[Found] = []
    place = 0
    while match := search.search(text, place):
        place = max(match.end(), match.start() + 1)
        word = match.group()
        if len(word) > 200 or not word.strip() or not _whole_token(text, *match.span()):
            place = match.start() + 1 if not _whole_token(text, *match.span()) else place
            continue
        value = next((v for v in (word, word.upper(), word.lower()) if _valid(pattern).search(v)), None)
        if value is not None:
            out.append(Found(match.start(), match.end(), value, "pattern"))
    return out


def find_near_misses(text: str, pattern: str) -> list[Found]:
    """Tokens that begin like an identifier of `pattern` and go on with a digit, but do not fit it."""
    letters = leading_letters(pattern)
    if not letters:
        return []
    near = re.compile(
        rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, letters))})[-_ #]?"
        rf"(?=[A-Za-z0-9-]{{0,40}}\d)[0-9A-Za-z]{{1,40}}(?:[-_][0-9A-Za-z]{{1,40}}){{0,5}}",
        re.IGNORECASE,
    )
    return [Found(m.start(), m.end(), m.group(), "near_miss") for m in near.finditer(text)]
