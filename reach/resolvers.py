"""Python functions that prove ownership (`ownership.RESOURCE.function` of a policy).

Rule: a resolver answers by the deadline or counts as failed, whatever it does: a sync one runs in a thread, and one
that ignores its cancellation is left behind.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from reach.adapters.tasks import Tasks
from reach.adapters.workers import Attempt, Workers
from reach.errors import BackendFailure, BackendTimeout, ConfigError
from reach.policy import Resolver
from reach.ports import Deadline
from reach.types import Caller

_MOST_THREADS = 16
_CLOSE_PATIENCE_S = 1.0


class Resolvers:
    """The resolvers that policies name as `module:name`: `resolver(value, caller)`, sync or async."""

    def __init__(self) -> None:
        self._workers = Workers("ownership", _MOST_THREADS, refuse_when_stuck=True)
        self._tasks = Tasks()

    def of(self, functions: Mapping[str, str | None]) -> dict[str, Resolver]:
        """By reference, from the functions by resource. Raises ConfigError where one is not there."""
        resolved: dict[str, Resolver] = {}
        for resource, function in functions.items():
            if function is None:
                continue
            module, _, name = function.partition(":")
            try:
                resolved[function] = self._bounded(getattr(import_module(module), name))
            except (ImportError, AttributeError) as error:
                raise ConfigError(f"ownership.{resource}: '{function}' can't be imported: {error}") from error
        return resolved

    async def close(self) -> None:
        """Let tasks and threads end; one that is stuck is left behind."""
        await self._tasks.close(_CLOSE_PATIENCE_S)
        await self._workers.close(_CLOSE_PATIENCE_S)

    def _bounded(self, function: Callable[..., Any]) -> Resolver:
        is_async = inspect.iscoroutinefunction(function)

        async def resolve(value: Any, caller: Caller, deadline: Deadline) -> Any:
            try:
                if is_async:
                    return await self._tasks.run(function(value, caller), deadline)
                answer = await self._workers.run(lambda _attempt: function(value, caller), Attempt(deadline))
                return await self._tasks.run(answer, deadline) if inspect.isawaitable(answer) else answer
            except TimeoutError as error:
                raise BackendTimeout("The proof of ownership did not answer in time.") from error
            except SystemExit as error:
                raise BackendFailure("The proof of ownership wanted to end the process.") from error

        return resolve
