"""Tools whose binding is a Python function of this process.

Rule: the call returns at its deadline. An async function is cancelled then; a sync one can't be stopped, so its thread
stays counted against the backend's `max_concurrency` until the function returns.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from reach.adapters.functions import FunctionError, load_function
from reach.adapters.jsonable import jsonable
from reach.adapters.tasks import Tasks
from reach.adapters.workers import Attempt, Workers
from reach.errors import Applied, BackendFailure, BackendTimeout, CallError
from reach.ports import AdapterCall
from reach.spec import PythonBackend, PythonBinding, ToolSpec
from reach.types import Payload

_CALL = "call"
_CLOSE_PATIENCE_S = 1.0
_BY_KEYWORD = frozenset({inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY})
_VARIADIC = frozenset({inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})


@dataclass(frozen=True, slots=True)
class _Function:
    """A function and what its signature says. `parameters` is None where it can't be read, as for some built-ins."""

    run: Callable[..., Any]
    is_async: bool
    parameters: Mapping[str, inspect.Parameter] | None

    @property
    def takes_any(self) -> bool:
        return self.parameters is None or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in self.parameters.values())

    def accepts(self, name: str) -> bool:
        known = (self.parameters or {}).get(name)
        return self.takes_any if known is None else known.kind in _BY_KEYWORD

    def needs(self, name: str) -> bool:
        """True where it has a parameter of this name without a default."""
        known = (self.parameters or {}).get(name)
        return known is not None and known.kind not in _VARIADIC and known.default is inspect.Parameter.empty

    def arguments(self, call: AdapterCall) -> dict[str, Any]:
        """What it is called with: the values that are there, and None for one that is absent and has no default."""
        absent = {name: None for name in call.tool.parameters if name not in call.values and self.needs(name)}
        own = {_CALL: call} if _CALL in (self.parameters or {}) else {}
        return {**call.values, **absent, **own}


class PythonAdapter:
    """Functions of this process; `root` is the place of the project's own modules (see `reach.adapters.functions`).

    - Async functions are awaited; sync ones run in at most `max_concurrency` threads, with the caller's context.
    - The result is written as JSON data (see `reach.adapters.jsonable`); bytes become an octet-stream body; a `Payload`
      is passed on as it is.
    - A `CallError` that the function raises is passed on, a TimeoutError is a BackendTimeout, and anything else is a
      BackendFailure that names its type only; the original is its `__cause__`.
    """

    def __init__(self, name: str, backend: PythonBackend, root: Path) -> None:
        self._name = name
        self._root = root
        self._functions: dict[str, _Function] = {}
        self._tasks = Tasks()
        self._workers = Workers(name, backend.max_concurrency, refuse_when_stuck=True)
        self._importer = Workers(name, 1)  # stuck functions must not keep an async one from being imported

    def problems(self, tool: ToolSpec) -> list[str]:
        """What is wrong with the tool's function: not there, not callable, or other parameters. Imports its module."""
        if not isinstance(tool.adapter, PythonBinding):
            return [f"backend '{self._name}' holds Python functions, and the tool's adapter names none"]
        reference = tool.adapter.function
        try:
            function = self._load(reference)
        except FunctionError as error:
            return [str(error)]
        found: list[str] = []
        if _CALL in tool.parameters:
            found.append(f"a parameter can't be named '{_CALL}': a function's '{_CALL}' receives the call itself")
        found += [
            f"'{reference}' does not take the parameter '{name}'"
            for name in tool.parameters
            if name != _CALL and not function.accepts(name)
        ]
        found += [
            f"'{reference}' needs '{name}', which is not a parameter of the tool"
            for name in function.parameters or {}
            if name != _CALL and name not in tool.parameters and function.needs(name)
        ]
        if _CALL in (function.parameters or {}) and not function.accepts(_CALL):
            found.append(f"'{reference}' must take '{_CALL}' by keyword")
        return found

    async def call(self, call: AdapterCall) -> Payload:
        """Call the function and return what it returned. Raises CallError."""
        tool, binding = call.tool, call.tool.adapter
        if not isinstance(binding, PythonBinding):
            raise _failure(f"Tool '{tool.name}' names no function for backend '{self._name}'.", "no")
        call.deadline.check(f"the function of '{tool.name}'")
        applied: Applied = "no" if tool.read_only else "maybe"
        function = self._functions.get(binding.function) or await self._load_in_thread(binding.function, call)
        arguments = function.arguments(call)
        try:
            if function.is_async:
                returned = await self._awaited(function.run(**arguments), call, applied)
            else:
                returned = await self._in_thread(partial(function.run, **arguments), call, applied)
                if inspect.isawaitable(returned):
                    returned = await self._awaited(returned, call, applied)
        except asyncio.CancelledError as cancelled:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            self._fail(cancelled, binding.function, applied)  # cancelled by the function, not by who waits for it
        except CallError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- any failure of the function is the backend's
            self._fail(error, binding.function, applied)
        return self._payload(returned, binding.function, applied)

    async def close(self) -> None:
        """Let tasks and threads end; one that is stuck in a function is left behind."""
        await self._tasks.close(_CLOSE_PATIENCE_S)
        await self._workers.close(_CLOSE_PATIENCE_S)
        await self._importer.close(_CLOSE_PATIENCE_S)

    def _load(self, reference: str) -> _Function:
        if reference not in self._functions:
            run = load_function(reference, self._root)
            try:
                parameters = inspect.signature(run).parameters
            except (TypeError, ValueError):
                parameters = None
            is_async = inspect.iscoroutinefunction(run) or inspect.iscoroutinefunction(type(run).__call__)
            self._functions[reference] = _Function(run, is_async, parameters)
        return self._functions[reference]

    async def _load_in_thread(self, reference: str, call: AdapterCall) -> _Function:
        try:
            return await self._importer.run(lambda _attempt: self._load(reference), Attempt(call.deadline))
        except FunctionError as error:
            raise _failure(f"Backend '{self._name}': {error}.", "no") from error

    async def _in_thread(self, run: Callable[[], Any], call: AdapterCall, applied: Applied) -> Any:
        def work(attempt: Attempt) -> Any:
            if applied == "maybe":
                attempt.begin_commit()
            try:
                return run()
            except (asyncio.CancelledError, StopIteration) as error:  # neither can be handed to a future
                raise RuntimeError(type(error).__name__) from error

        return await self._workers.run(work, Attempt(call.deadline))

    async def _awaited(self, awaitable: Any, call: AdapterCall, applied: Applied) -> Any:
        try:
            return await self._tasks.run(awaitable, call.deadline)
        except TimeoutError as error:
            if call.deadline.remaining_s() > 0:
                raise
            raise _timeout(f"Backend '{self._name}' did not answer in time.", applied) from error

    def _fail(self, error: BaseException, reference: str, applied: Applied) -> NoReturn:
        if isinstance(error, TimeoutError):
            raise _timeout(f"Function '{reference}' ran out of time.", applied) from error
        raise _failure(f"Function '{reference}' failed: {type(error).__name__}.", applied) from error

    def _payload(self, returned: Any, reference: str, applied: Applied) -> Payload:
        if isinstance(returned, Payload):
            return returned
        if isinstance(returned, (bytes, bytearray, memoryview)):
            return Payload(body=bytes(returned), media_type="application/octet-stream")
        try:
            return Payload(jsonable(returned))
        except (TypeError, RecursionError) as error:
            detail = error if isinstance(error, TypeError) else "a value that holds itself"
            raise _failure(f"Function '{reference}' returned {detail}.", applied) from error


def _failure(message: str, applied: Applied) -> BackendFailure:
    failure = BackendFailure(message)
    failure.applied = applied
    return failure


def _timeout(message: str, applied: Applied) -> BackendTimeout:
    timeout = BackendTimeout(message)
    timeout.applied = applied
    return timeout
