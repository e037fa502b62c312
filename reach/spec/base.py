"""What every model of a YAML file shares: strict scalars, texts for people, and the names inside SQL statements.

Rule: a scalar is never coerced ("30" is not 30), and an unknown key is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints

from reach.types import Caller

Int = Annotated[int, Strict()]
Bool = Annotated[bool, Strict()]
Number = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Language = Literal["en", "zh"]
Text: TypeAlias = Line | dict[Language, Line]
"""A text for people: one string, or one string a language (`{en: ..., zh: ...}`)."""

RESERVED_BINDS = frozenset({"caller_id", "caller_tenant", "idempotency_key", "now", "today"})
"""Names that Reach binds itself in every SQL statement; a tool may not declare a parameter of such a name."""


def localized(text: str | Mapping[Any, str] | None, language: str) -> str:
    """`text` in `language`, else in English, else in whatever it has; the empty string for None."""
    if text is None or isinstance(text, str):
        return text or ""
    return text.get(language) or text.get("en") or next(iter(text.values()), "")


_SQL_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\]   # strings and quoted names
    | --[^\n]* | /\*.*?\*/ | ::                                  # comments and casts
    | (?<![:\w]):([A-Za-z_]\w*)                                  # a parameter
    """,
    re.VERBOSE | re.DOTALL,
)


def sql_tokens(statement: str) -> Iterator[re.Match[str]]:
    """The strings, quoted names, comments, casts and parameters of a statement; group 1 is a parameter's name."""
    return _SQL_TOKEN.finditer(statement)


def sql_binds(statement: str) -> frozenset[str]:
    """The names of the `:name` parameters of a SQL statement, outside strings, quoted names, comments and casts."""
    return frozenset(m.group(1) for m in sql_tokens(statement) if m.group(1))


class Model(BaseModel):
    """Base of every model here: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def own_binds(
    names: Iterable[str], caller: Caller, *, now: datetime, today: str, idempotency_key: str = ""
) -> dict[str, Any]:
    """Values of those `names` that Reach binds itself: RESERVED_BINDS and `claim_NAME` (None for a claim not held).

    `now` is bound as an ISO string in UTC; `today` is the caller's date, `YYYY-MM-DD`.
    """
    known = {
        "caller_id": caller.id,
        "caller_tenant": caller.tenant,
        "idempotency_key": idempotency_key or None,
        "now": now.isoformat(),
        "today": today,
    }
    binds = {name: known[name] for name in names if name in known}
    return binds | {n: caller.claims.get(n.removeprefix("claim_")) for n in names if n.startswith("claim_")}
