"""Execute: guards around every call (deadline, retries, idempotency, breakers, limits, cache)."""

from reach.executor.bookkeeping import recorded
from reach.executor.executor import Executor, ExecutorStores
from reach.executor.faults import FaultPlan
from reach.executor.running import TurnBudget

__all__ = ["Executor", "ExecutorStores", "FaultPlan", "TurnBudget", "recorded"]
