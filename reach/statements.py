"""Statements against the database that they are for: does it know their tables and columns?

Rule: a statement is explained, never run; a database that can't be reached proves nothing about a statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reach.errors import BackendFailure, CallError, Problem
from reach.ports import Deadline, Queries
from reach.registry import Registry
from reach.spec import SqlBackend, SqlBinding, sql_binds


@dataclass(frozen=True, slots=True)
class _Placed:
    """One reading statement, the backend that it is for, and the problem that it would be, but for its message."""

    backend: str
    sql: str
    problem: Problem


async def statement_problems(registry: Registry, queries: Mapping[str, Queries], deadline: Deadline) -> list[Problem]:
    """The statements that their SQLite database does not understand, each at its place.

    Only what reads can be explained: tools that are `read_only`, proofs of ownership, preconditions and catalogues.
    """
    problems: list[Problem] = []
    for placed in _reading(registry):
        backend = registry.spec.backends.get(placed.backend)
        if not isinstance(backend, SqlBackend) or not backend.url.startswith("sqlite"):
            continue
        nothing = dict.fromkeys(sql_binds(placed.sql))
        try:
            await queries[placed.backend].rows(f"EXPLAIN {placed.sql}", nothing, deadline)
        except BackendFailure as error:
            where = placed.problem
            problems.append(Problem(where.file, where.line, where.column, where.path, error.message))
        except CallError:
            continue
    return problems


def _reading(registry: Registry) -> Iterator[_Placed]:
    for part in registry.parts.tools:
        tool = part.spec
        if isinstance(tool.adapter, SqlBinding) and tool.read_only:
            for position, step in enumerate(tool.adapter.steps):
                place = ("statement",) if tool.adapter.statements is None else ("statements", position, "sql")
                yield _Placed(tool.adapter.backend, step.sql, part.problem("", "adapter", *place))
        for position, check in enumerate(tool.preconditions):
            yield _Placed(check.backend, check.sql, part.problem("", "preconditions", position, "sql"))
        for name, parameter in tool.parameters.items():
            known = parameter.known_values
            if known is not None and known.sql is not None and known.backend is not None:
                yield _Placed(known.backend, known.sql, part.problem("", "parameters", name, "values", "sql"))
    for owner in registry.parts.ownership:
        if owner.spec.sql is not None and owner.spec.backend is not None:
            yield _Placed(owner.spec.backend, owner.spec.sql, owner.problem("", "sql"))
