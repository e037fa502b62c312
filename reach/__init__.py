"""Reach lets a chat agent reach real systems safely.

Rule: importing this package loads no SDK; each public name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reach.errors import ConfigError, ReachError
    from reach.runtime import Reach
    from reach.types import (
        Answer,
        Caller,
        CallResult,
        Clarify,
        Confirm,
        Denied,
        Envelope,
        Fallback,
        NoTool,
        Outcome,
        Page,
        Unknown,
    )

_TYPES = [
    "Answer",
    "Caller",
    "CallResult",
    "Clarify",
    "Confirm",
    "Denied",
    "Envelope",
    "Fallback",
    "NoTool",
    "Outcome",
    "Page",
    "Unknown",
]
_HOMES = {
    "Reach": "reach.runtime",
    "ReachError": "reach.errors",
    "ConfigError": "reach.errors",
    **dict.fromkeys(_TYPES, "reach.types"),
}

__version__ = "0.1.0"
__all__ = [
    "Answer",
    "CallResult",
    "Caller",
    "Clarify",
    "ConfigError",
    "Confirm",
    "Denied",
    "Envelope",
    "Fallback",
    "NoTool",
    "Outcome",
    "Page",
    "Reach",
    "ReachError",
    "Unknown",
    "__version__",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'reach' has no attribute {name!r}")
    return getattr(import_module(home), name)
