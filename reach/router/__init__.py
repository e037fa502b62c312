"""Route: rank the tools, fill the arguments, ask back.

Rule: a value is filled only where its source is known, and a score never decides what is safe.
"""

from reach.router.arguments import check_arguments
from reach.router.fill import fill
from reach.router.rank import Router, log_odds
from reach.router.text import phrases_of, plain

__all__ = ["Router", "check_arguments", "fill", "log_odds", "phrases_of", "plain"]
