"""Python functions that prove ownership (`ownership.RESOURCE.function` of a policy).

Rule: a resolver answers by the deadline or counts as failed, whatever it does: a sync one runs in a thread, and one
that ignores its cancellation is left behind.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from reach.adapters.workers import Attempt, Workers
from reach.errors import BackendTimeout, ConfigError
from reach.policy import Resolver
from reach.ports import Deadline
from reach.types import Caller

_MOST_THREADS = 16
_CLOSE_PATIENCE_S = 1.0


class Resolvers:
    """The resolvers that policies name as `module:name`: `resolver(value, caller)`, sync or async."""

    def __init__(self) -> None:
        self._workers = Workers("ownership", _MOST_THREADS, refuse_when_stuck=True)
        self._tasks: set[asyncio.Future[Any]] = set()

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
        for task in self._tasks:
            task.cancel()
        await self._workers.close(_CLOSE_PATIENCE_S)

    def _bounded(self, function: Callable[..., Any]) -> Resolver:
        is_async = inspect.iscoroutinefunction(function)

        async def resolve(value: Any, caller: Caller, deadline: Deadline) -> Any:
            if is_async:
                return await self._awaited(function(value, caller), deadline)
            answer = await self._workers.run(lambda _attempt: function(value, caller), Attempt(deadline))
            return await self._awaited(answer, deadline) if inspect.isawaitable(answer) else answer

        return resolve

    async def _awaited(self, awaitable: Any, deadline: Deadline) -> Any:
        task = asyncio.ensure_future(awaitable)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        try:
            await asyncio.wait({task}, timeout=deadline.remaining_s())
        except asyncio.CancelledError:
            task.cancel()
            raise
        if not task.done():
            task.cancel()
            raise BackendTimeout("The proof of ownership did not answer in time.")
        return task.result()

    def _ended(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # read, so that it is not reported as lost: its caller may have gone
