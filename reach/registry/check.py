"""What only shows when all of tools.yaml is seen together: names that nothing defines, and statements out of place.

Rule: a check here needs no backend and no network; what it can't be sure of it leaves to run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reach.errors import Problem
from reach.registry.judgements import parameters_path
from reach.registry.nearest import did_you_mean
from reach.registry.parts import Part, Parts
from reach.registry.sqltext import holds_several, write_word
from reach.spec import (
    RESERVED_BINDS,
    ParameterSpec,
    PythonBackend,
    PythonBinding,
    SqlBackend,
    SqlBinding,
    ToolSpec,
    sql_binds,
)

_KINDS: dict[type[Any], tuple[type[Any], str]] = {
    SqlBinding: (SqlBackend, "sql"),
    PythonBinding: (PythonBackend, "python"),
}


def check_tools(parts: Parts) -> Iterator[Problem]:
    """The problems of tools.yaml, seen together with the policies."""
    yield from _duplicate_names(parts)
    for backend in parts.backend_parts:
        name = credential_of(backend.spec)
        if name is not None and name not in parts.credential_names:
            hint = did_you_mean(name, parts.credential_names)
            yield backend.problem(f"unknown credential '{name}'", "credential", hint=hint)
    for tool in parts.tools:
        yield from _adapter(tool, parts)
        yield from _preconditions(tool, parts)
        for name, parameter in tool.spec.parameters.items():
            yield from _parameter(tool, name, parameter, parts)


def credential_of(backend: Any) -> str | None:
    """The name of a backend's credential; not every kind has one."""
    return getattr(backend, "credential", None)


def backend_problem(
    part: Part[Any], name: str, parts: Parts, *where: str | int, kind: tuple[type[Any], str] = (SqlBackend, "sql")
) -> Iterator[Problem]:
    """The problem of naming `name` as a backend of `kind` at `where`, if it is one."""
    if name not in parts.backend_names:
        yield part.problem(f"unknown backend '{name}'", *where, hint=did_you_mean(name, parts.backend_names))
    elif name in parts.backends and not isinstance(parts.backends[name], kind[0]):
        found = parts.backends[name].kind
        yield part.problem(f"the backend '{name}' is of kind {found}; this needs one of kind {kind[1]}", *where)


def statement_problems(part: Part[Any], sql: str, *where: str | int, reads: str = "") -> Iterator[Problem]:
    """What is wrong with one statement; `reads` says why it may only read, where it may."""
    if holds_several(sql):
        yield part.problem("holds several statements; give each an entry of its own", *where)
    word = write_word(sql)
    if reads and word is not None:
        at = part.document.mark_in((*part.path, *where), rf"(?i)\b{word}\b")
        yield part.problem(f"{reads}, but the statement is {'an' if word[0] in 'AIU' else 'a'} {word}", *where, at=at)


def _duplicate_names(parts: Parts) -> Iterator[Problem]:
    first: dict[str, Part[ToolSpec]] = {}
    for tool in parts.tools:
        if tool.name in first:
            line, column = tool.document.mark((*first[tool.name].path, "name"))
            message = f"the tool '{tool.name}' is here a second time; the first is at line {line}, column {column}"
            yield tool.problem(message, "name")
        first.setdefault(tool.name, tool)


def _adapter(tool: Part[ToolSpec], parts: Parts) -> Iterator[Problem]:
    adapter = tool.spec.adapter
    if isinstance(adapter, PythonBinding) and adapter.backend == "python" and "python" not in parts.backend_names:
        return
    kind = _KINDS.get(type(adapter))
    if kind is not None:
        yield from backend_problem(tool, adapter.backend, parts, "adapter", "backend", kind=kind)
    if isinstance(adapter, SqlBinding):
        reads = "a read_only tool may only read" if tool.spec.read_only else ""
        for position, step in enumerate(adapter.steps):
            where = ("statement",) if adapter.statements is None else ("statements", position, "sql")
            yield from statement_problems(tool, step.sql, "adapter", *where, reads=reads)


def _preconditions(tool: Part[ToolSpec], parts: Parts) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, check in enumerate(tool.spec.preconditions):
        here = ("preconditions", position)
        if check.id in seen:
            yield tool.problem(f"the precondition '{check.id}' is here a second time", *here, "id")
        seen.add(check.id)
        yield from backend_problem(tool, check.backend, parts, *here, "backend")
        yield from statement_problems(tool, check.sql, *here, "sql", reads="a precondition may only read")
        if not isinstance(tool.spec.adapter, SqlBinding):  # the model has seen to those of a SQL tool
            known = [*tool.spec.parameters, *sorted(RESERVED_BINDS)]
            for name in sorted(sql_binds(check.sql)):
                if name not in known and not name.startswith("claim_"):
                    at = tool.document.mark_in((*tool.path, *here, "sql"), rf"(?<![:\w]):{name}\b")
                    message = f"the statement uses ':{name}', which is neither a parameter nor a name that Reach binds"
                    yield tool.problem(message, *here, "sql", hint=did_you_mean(name, known), at=at)


def _parameter(tool: Part[ToolSpec], name: str, parameter: ParameterSpec, parts: Parts) -> Iterator[Problem]:
    here = (*parameters_path(tool.document, tool.path)[len(tool.path) :], name)
    resource = parameter.resource
    if resource is not None and parts.policies_complete and resource not in parts.resource_names:
        message = f"no policy says how a '{resource}' is proved to be the caller's"
        hint = did_you_mean(resource, parts.resource_names)
        add = f"add ownership.{resource} to a policy file"
        yield tool.problem(message, *here, "resource", hint=f"{hint} or {add}" if hint.startswith("did") else add)
    if parameter.period is not None and parameter.format != "date":
        yield tool.problem("'period' applies to dates: add 'format: date'", *here, "period")
    known = parameter.known_values
    if known is not None and known.sql is not None and known.backend is not None:
        yield from backend_problem(tool, known.backend, parts, *here, "values", "backend")
        yield from statement_problems(tool, known.sql, *here, "values", "sql", reads="a catalogue may only read")
        for bind in sorted(sql_binds(known.sql)):
            at = tool.document.mark_in((*tool.path, *here, "values", "sql"), rf"(?<![:\w]):{bind}\b")
            yield tool.problem(
                f"a catalogue is the same for everyone: ':{bind}' can't be used", *here, "values", "sql", at=at
            )
