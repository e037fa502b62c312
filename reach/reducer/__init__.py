"""Return: the smallest result that answers the question, with its completeness as a field.

Rule: whitelist, redact, aggregate, tier, in this order; numbers given as totals are computed before anything is cut.
"""

from reach.reducer.answer import answer_text
from reach.reducer.envelope import (
    confirm_envelope,
    envelope_json,
    envelope_schema,
    error_envelope,
    openai_message,
    replayed,
)
from reach.reducer.reduce import Reducer

__all__ = [
    "Reducer",
    "answer_text",
    "confirm_envelope",
    "envelope_json",
    "envelope_schema",
    "error_envelope",
    "openai_message",
    "replayed",
]
