"""Labelled cases, the four numbers, and the gate that stops a change that makes things worse."""

from reach.evals.cases import Case, load_callers, load_cases
from reach.evals.metrics import Metrics, Rate, measure
from reach.evals.runner import CaseResult, TurnResult, run_cases
from reach.evals.sandbox import sandboxed

__all__ = [
    "Case",
    "CaseResult",
    "Metrics",
    "Rate",
    "TurnResult",
    "load_callers",
    "load_cases",
    "measure",
    "run_cases",
    "sandboxed",
]
