"""What a SQL statement is, told from its text alone.

Rule: only what is certain is said: an unknown dialect's statement is neither a read nor a write.
"""

from __future__ import annotations

import re

_NOISE = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\]   # strings and quoted names
    | --[^\n]* | /\*.*?\*/                                       # comments
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z_]+|[()]", re.ASCII)
_CHANGES = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE"})
_WRITES = _CHANGES | {"REPLACE", "UPSERT", "CREATE", "DROP", "ALTER", "TRUNCATE", "GRANT", "REVOKE"}


def write_word(statement: str) -> str | None:
    """The keyword that makes `statement` a write, such as `UPDATE`; None where it is not obviously one.

    A common table expression (`WITH ...`) is judged by every statement in it.
    """
    bare = _NOISE.sub(" ", statement)
    first = _WORD.search(bare.lstrip("( \t\r\n"))
    opening = first.group().upper() if first else ""
    if opening in _WRITES:
        return opening
    if opening == "WITH":
        words = [word.upper() for word in _WORD.findall(bare)]
        for before, word, after in zip(words, words[1:], words[2:], strict=False):
            if before in "()" and word in _CHANGES and after != "(":  # with a bracket it is a function
                return word
    return None


def holds_several(statement: str) -> bool:
    """True where something follows a `;` outside strings and comments."""
    head, _, tail = _NOISE.sub(" ", statement).partition(";")
    return bool(head.strip() and tail.strip(" \t\r\n;"))
