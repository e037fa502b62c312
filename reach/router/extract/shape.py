"""What a regular expression of an identifier looks like to a person: an example of its shape and its leading letters.

Rule: an expression that is not a plain sequence gets no example at all, rather than a wrong one.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ITEM = re.compile(
    r"(?P<class>\\[dwsDWS]|\[(?P<inside>(?:\\.|[^\]\\])+)\])|(?P<literal>\\[^A-Za-z0-9]|[^\\\[\](){}|?*+.^$])"
)
_COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}|([+*?])")
_GROUP = re.compile(r"^\(\?:|^\(")


@lru_cache(maxsize=1024)
def shape_of(pattern: str) -> str:
    r"""An example of the shape, such as `SO-0000-00000` for `^SO-\d{4}-\d{5}$`; empty where it can't be told."""
    body = pattern.removeprefix("^").removesuffix("$")
    out: list[str] = []
    place = 0
    while place < len(body):
        item = _ITEM.match(body, place)
        if item is None:
            return ""
        place = item.end()
        count = _COUNT.match(body, place)
        times = 1
        if count:
            place = count.end()
            times = int(count.group(1)) if count.group(1) else {"+": 1, "*": 0, "?": 0}[count.group(2)]
        unit = _example(item)
        if not unit or times > 64:
            return ""
        out.append(unit * times)
    example = "".join(out)
    return example if example and re.search(pattern, example, re.ASCII) else ""


def _example(item: re.Match[str]) -> str:
    if item["literal"]:
        return item["literal"][-1]
    if item["class"] == r"\d":
        return "0"
    if item["class"] == r"\w":
        return "X"
    inside = item["inside"] or ""
    if inside.startswith("^") or not inside:
        return ""
    for candidate in ("0", "X", "x"):
        if re.fullmatch(item["class"], candidate, re.ASCII):
            return candidate
    return inside[0] if inside[0] != "\\" else ""


@lru_cache(maxsize=1024)
def leading_letters(pattern: str) -> tuple[str, ...]:
    r"""The letters an identifier must begin with: `("SO",)` for `^SO-\d{4}`, `("A", "B")` for `^(A|B)\d+$`, or none."""
    body = re.sub(r"^\^?(?:#\??)?", "", pattern)
    choice = re.match(r"\((?:\?:)?([A-Za-z]+(?:\|[A-Za-z]+)*)\)", body)
    if choice:
        return tuple(choice.group(1).split("|"))
    plain = re.match(r"[A-Za-z]+(?![A-Za-z]*[?*{|])", body)
    if plain is None or "|" in body:
        return ()
    return (plain.group(0),)
