"""Labelled cases: reading them, and seeing that they speak of callers, tools and parameters that exist.

Rule: a case that names something unknown is an error, because it could never fail for the right reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reach.errors import ConfigError, Problem
from reach.registry import load_document, load_file
from reach.spec import CallersFile, CaseSpec, EvalFile, ExpectSpec, ToolSpec
from reach.types import Caller

CALLERS_FILE = "callers.yaml"


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled case with its caller and the moment at which it is asked (aware)."""

    spec: CaseSpec
    caller: Caller
    now: datetime | None
    file: str


def load_callers(folder: Path) -> Mapping[str, Caller]:
    """The test identities of `callers.yaml` in `folder`, by name. Raises ConfigError."""
    callers = load_file(folder / CALLERS_FILE, CallersFile).callers
    return {
        name: Caller(spec.id or name, roles=spec.roles, tenant=spec.tenant, claims=spec.claims)
        for name, spec in callers.items()
    }


def load_cases(path: Path, tools: Mapping[str, ToolSpec] | None = None) -> tuple[Case, ...]:
    """The cases of one file, or of every YAML file of a folder.

    Raises ConfigError with all problems, also where there is no case at all: an empty set measures nothing.
    """
    folder = path if path.is_dir() else path.parent
    files = [path]
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.suffix in (".yaml", ".yml", ".json") and p.name != CALLERS_FILE)
    if not files:
        raise ConfigError(f"There is no file of cases in {path}.", hint="Write one: see docs/evals.md.")
    problems: list[Problem] = []
    cases: list[Case] = []
    callers = load_callers(folder)
    for file in files:
        try:
            spec, document = load_document(file, EvalFile)
        except ConfigError as error:
            problems += error.problems
            continue
        found = [
            document.problem(where, text, hint)
            for where, text, hint in _mistakes(spec, callers, tools, {case.spec.id for case in cases})
        ]
        problems += found
        if not found:
            now = datetime.fromisoformat(spec.now) if spec.now else None
            cases += [Case(case, callers[case.caller], now, str(file)) for case in spec.cases]
    if problems:
        raise ConfigError(problems)
    return tuple(cases)


_Mistake = tuple[tuple[str | int, ...], str, str]
"""A place in the document, what is wrong there, and a hint."""


def _mistakes(
    spec: EvalFile, callers: Mapping[str, Caller], tools: Mapping[str, ToolSpec] | None, seen: set[str]
) -> Iterator[_Mistake]:
    if spec.now is not None and not _is_aware(spec.now):
        yield ("now",), "is not a moment with an offset", "such as 2024-06-15T10:00:00+08:00"
    known = set(seen)
    for index, case in enumerate(spec.cases):
        if case.id in known:
            yield ("cases", index, "id"), f"the id '{case.id}' is used twice", ""
        known.add(case.id)
        if case.caller not in callers:
            yield ("cases", index, "caller"), f"there is no caller '{case.caller}'", _near(case.caller, callers)
        if tools is None:
            continue
        for turn, step in enumerate(case.steps):
            where = ("cases", index, "turns", turn, "expect") if case.turns is not None else ("cases", index, "expect")
            yield from _unknown_names(step.expect, where, tools)


def _unknown_names(
    expect: ExpectSpec, where: tuple[str | int, ...], tools: Mapping[str, ToolSpec]
) -> Iterator[_Mistake]:
    if expect.tool is not None and expect.tool not in tools:
        yield (*where, "tool"), f"there is no tool '{expect.tool}'", _near(expect.tool, tools)
    for position, name in enumerate(expect.never):
        if name not in tools:
            yield (*where, "never", position), f"there is no tool '{name}'", _near(name, tools)
    if expect.args is not None and expect.tool is None:
        yield (*where, "args"), "'args' needs 'tool'", ""
    for name in expect.args or {}:
        if expect.tool is not None and expect.tool in tools and name not in tools[expect.tool].parameters:
            parameters = tools[expect.tool].parameters
            yield (*where, "args", name), f"'{expect.tool}' has no parameter '{name}'", _near(name, parameters)


def _near(name: str, known: Mapping[str, Any]) -> str:
    from rapidfuzz import process

    found = process.extractOne(name, list(known), score_cutoff=60)
    return f"did you mean '{found[0]}'?" if found else f"known: {', '.join(known)}"


def _is_aware(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
