"""Proof that a value is this caller's.

Rule: a value is proved by data at call time, each value of a list by itself; no proof, an error and a time-out are all
denials.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reach.errors import CallError
from reach.ports import Clock, Deadline, Queries
from reach.spec import OwnershipSpec, ToolSpec, own_binds, sql_binds
from reach.types import Caller, CallRequest

Resolver = Callable[[Any, Caller, Deadline], Awaitable[Any]]
"""Answers by the deadline or raises; only `True` is a proof."""


@dataclass(frozen=True, slots=True)
class Unproved:
    """A value that could not be proved. `error` is set where the proof itself failed."""

    resource: str
    parameter: str
    value: Any
    spec: OwnershipSpec
    error: str = ""


class Ownership:
    """Proves the values of every parameter with a `resource`."""

    def __init__(
        self,
        specs: Mapping[str, OwnershipSpec],
        queries: Mapping[str, Queries],
        resolvers: Mapping[str, Resolver],
        clock: Clock,
        today_of: Callable[[Caller], str],
    ) -> None:
        self._today_of = today_of
        self._specs = specs
        self._queries = queries
        self._resolvers = resolvers
        self._clock = clock

    async def first_unproved(self, request: CallRequest, tool: ToolSpec, deadline: Deadline) -> Unproved | None:
        """The first value that is not proved to be the caller's, or None where all are."""
        for name, parameter in tool.parameters.items():
            if parameter.resource is None or request.values.get(name) is None:
                continue
            spec = self._specs[parameter.resource]
            if spec.roles is not None and request.caller.roles.isdisjoint(spec.roles):
                continue
            for value in _single_values(request.values[name]):
                proved, error = await self._prove(spec, value, request, deadline)
                if not proved:
                    return Unproved(parameter.resource, name, value, spec, error)
        return None

    async def _prove(
        self, spec: OwnershipSpec, value: Any, request: CallRequest, deadline: Deadline
    ) -> tuple[bool, str]:
        try:
            deadline.check("the proof of ownership")
            if spec.anyone:
                return True, ""
            if spec.claim is not None:
                return _claim_holds(spec.claim, value, request.caller), ""
            if spec.sql is not None and spec.backend is not None:
                binds = self._binds(spec.sql, value, request)
                return bool(await self._queries[spec.backend].rows(spec.sql, binds, deadline)), ""
            return await self._resolved(spec.function or "", value, request.caller, deadline), ""
        except CallError as error:
            return False, error.message
        except Exception as error:  # noqa: BLE001  # whatever a resolver does, an error is no proof
            return False, f"{type(error).__name__} while proving"

    async def _resolved(self, function: str, value: Any, caller: Caller, deadline: Deadline) -> bool:
        return await self._resolvers[function](value, caller, deadline) is True

    def _binds(self, statement: str, value: Any, request: CallRequest) -> dict[str, Any]:
        names = sql_binds(statement)
        own = own_binds(names, request.caller, now=self._clock.now(), today=self._today_of(request.caller))
        arguments = {n: request.values.get(n.removeprefix("arg_")) for n in names if n.startswith("arg_")}
        return {"value": value} | own | arguments


def _claim_holds(claim: str, value: Any, caller: Caller) -> bool:
    have = caller.id if claim == "id" else caller.claims.get(claim)
    held = have if isinstance(have, (list, tuple, set, frozenset)) else [have]
    return any(type(item) is type(value) and item == value for item in held)


def _single_values(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _single_values(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _single_values(item)
    else:
        yield value
