"""What every state store must decide alike: which claim stands in the way, how a bucket refills, how audit is chained.

Rule: pure functions over values; no store, no clock, no input or output.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from reach.errors import StateError
from reach.ports import LedgerRow
from reach.types import canonical_json

LEDGER_RETENTION_S = 30 * 86_400.0
"""How long a row that has ended keeps answering for its key. Rows that are `begun` or `unknown` are never dropped."""

ARTIFACT_GRACE_S = 7 * 86_400.0
"""How long an expired artifact's row stays, so that its owner hears `expired` and not `not found`."""

GENESIS = "0" * 64
"""The hash that the first audit record follows."""

_CLOCK_RESOLUTION_S = 1e-6


def lease_passed(row: LedgerRow, now: float) -> bool:
    """True where the claim's owner has had its time and has not finished."""
    return row.status == "begun" and row.lease_until <= now


def stands_in_the_way(row: LedgerRow, *, now: float, dedupe_window_s: float) -> bool:
    """Whether a row of the same scope (under another key) forbids a new claim."""
    if row.status == "succeeded":
        return now - row.begun_at < dedupe_window_s
    return row.status in ("begun", "unknown")


def take_token(tokens: float, updated_at: float, *, now: float, limit: int, window_s: float) -> tuple[float, float]:
    """One step of a token bucket: (seconds to wait, tokens left). 0.0 seconds: one token was taken.

    The bucket holds `limit` tokens and refills evenly in `window_s`. A clock that went back refills nothing. The wait
    is rounded up by the clock's resolution, so that a caller who waits that long is granted.
    """
    if limit < 1 or window_s <= 0:
        return max(window_s, _CLOCK_RESOLUTION_S), 0.0
    per_second = limit / window_s
    tokens = min(float(limit), tokens + max(0.0, now - updated_at) * per_second)
    if tokens >= 1.0:
        return 0.0, tokens - 1.0
    return (1.0 - tokens) / per_second + _CLOCK_RESOLUTION_S, tokens


def full_again_at(tokens: float, *, now: float, limit: int, window_s: float) -> float:
    """When the bucket is full, in the seconds of `now`: from then on it says no more than a bucket never used."""
    return now + (limit - tokens) * window_s / limit if limit > 0 else now + max(window_s, 0.0)


def audit_text(record: Mapping[str, Any]) -> str:
    """The record in its one spelling. Raises StateError where it is not JSON data.

    A lone surrogate, which UTF-8 cannot hold, is written as its JSON escape and reads back as it was.
    """
    try:
        text = canonical_json(record).decode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:
        raise StateError(
            f"An audit record is not JSON data: {error}.",
            hint="Pass only objects, lists, strings, finite numbers, booleans and null.",
            retryable=False,
        ) from error
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def chain_hash(previous: str, seq: int, at: float, text: str) -> str:
    """The SHA-256 of an audit row: everything that is stored of it, behind the hash of the row before it."""
    head = canonical_json([previous, seq, at])
    return hashlib.sha256(head + b"\n" + text.encode("utf-8", "surrogatepass")).hexdigest()
