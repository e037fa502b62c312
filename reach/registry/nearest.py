"""The known name that somebody probably meant.

Rule: no guess is better than a far-fetched one.
"""

from __future__ import annotations

from collections.abc import Iterable

_ENOUGH = 65
_SHOWN = 12


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that is most like `name`, or None where none is close."""
    from rapidfuzz import fuzz, process, utils

    found = process.extractOne(
        name, sorted(known), scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_ENOUGH
    )
    return found[0] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint: the nearest known name, else the known names; the empty string where there are none."""
    known = list(dict.fromkeys(known))
    near = nearest(name, known)
    if near is not None:
        return f"did you mean '{near}'?"
    if not known:
        return ""
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return f"known: {', '.join(known[:_SHOWN])}{more}"
