"""Where in a document the judgement of a model's own validator lies.

Rule: a validator speaks about the whole of its model; its words name keys in quotes and SQL parameters as ':name', and
those give the most precise place away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from reach.errors import Problem
from reach.registry.document import Document, Mark, Path
from reach.registry.shapes import is_schema_form

_BIND = re.compile(r"':(\w+)'")
_QUOTED = re.compile(r"(?<!\w)'([^':]+)'")


def judged(document: Document, path: Path, message: str) -> Problem:
    """A validator's message at the most precise place that its words give away."""
    bind = _BIND.search(message)
    if bind is not None and (spot := _bind_spot(document, path, bind.group(1))):
        where, mark = spot
        return document.problem(where, message, at=mark)
    names = _QUOTED.findall(message)
    value = document.value(path)
    if isinstance(value, dict):
        for where in _named_spots(document, path, names, message):
            return document.problem(where, message, key=document.value(where) is not None)
    return document.problem(path, message)


def _named_spots(document: Document, path: Path, names: Sequence[str], message: str) -> Iterator[Path]:
    """The places that the quoted `names` of a message may mean, most precise first."""
    value: dict[str, Any] = document.value(path)
    if "'require_one_of'" in message:
        groups: list[list[str]] = value["require_one_of"]
        for group, items in enumerate(groups):
            yield from ((*path, "require_one_of", group, position) for position, n in enumerate(items) if n in names)
    parameters = parameters_path(document, path)
    for name in names:
        if name in (document.value(parameters) or {}):
            yield (*parameters, name)
    present = [name for name in names if name in value]
    if present:
        later = max(present, key=lambda name: document.mark((*path, name), key=True))
        yield (*path, later if "exactly one of" in message else present[0])
    if message.startswith("the default"):
        yield (*path, "default")


def _bind_spot(document: Document, path: Path, name: str) -> tuple[Path, Mark] | tuple[Path, None] | None:
    """Where the statements below `path` use `:name`; else the parameter of that name."""
    for statement in statement_paths(document, path):
        if mark := document.mark_in(statement, rf"(?<![:\w]):{re.escape(name)}\b"):
            return statement, mark
    parameter = (*parameters_path(document, path), name)
    if name in (document.value(parameter[:-1]) or {}):
        return parameter, document.mark(parameter, key=True)
    return next(((statement, None) for statement in statement_paths(document, path)), None)


def parameters_path(document: Document, tool: Path) -> Path:
    """Where the parameters of the tool at `tool` are, in the shorthand or in a JSON Schema object."""
    path = (*tool, "parameters")
    value = document.value(path)
    return (*path, "properties") if is_schema_form(value) else path


def statement_paths(document: Document, path: Path) -> Iterator[Path]:
    """The SQL statements of the tool or ownership at `path`, the adapter's first."""
    value = document.value(path)
    if not isinstance(value, dict):
        return
    if isinstance(value.get("sql"), str):
        yield (*path, "sql")
    adapter = value.get("adapter")
    if isinstance(adapter, dict):
        if isinstance(adapter.get("statement"), str):
            yield (*path, "adapter", "statement")
        for position in _positions(adapter.get("statements")):
            yield (*path, "adapter", "statements", position, "sql")
    for position in _positions(value.get("preconditions")):
        yield (*path, "preconditions", position, "sql")


def _positions(value: Any) -> range:
    return range(len(value)) if isinstance(value, list) else range(0)
