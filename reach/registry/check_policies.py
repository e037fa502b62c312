"""What only shows when policies and tools are seen together: rules about nothing, and conditions that can't hold.

Rule: a rule that could never do what it says is an error, because a deny that never matches leaves a door open.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import get_args

from reach.conditions import Condition, ConditionError, tokens_of
from reach.errors import Problem
from reach.registry.check import backend_problem, statement_problems
from reach.registry.document import Mark
from reach.registry.nearest import did_you_mean
from reach.registry.parts import Part, Parts
from reach.spec import RuleSpec, ToolSpec
from reach.types import Source

ROOTS = ("args", "provenance", "caller", "tool", "now")
"""The variables of a condition."""

_MEMBERS = {"caller": ("id", "roles", "tenant", "claims"), "tool": ("name", "side_effect", "tags")}
_SOURCES = (*get_args(Source), "")


def check_policies(parts: Parts) -> Iterator[Problem]:
    """The problems of the policy files, seen together with tools.yaml."""
    yield from _duplicates(parts.ownership, "ownership of '{}'", ())
    yield from _duplicates(parts.rules, "rule '{}'", ("id",))
    for owner in parts.ownership:
        if owner.spec.backend is not None:
            yield from backend_problem(owner, owner.spec.backend, parts, "backend")
        if owner.spec.sql is not None:
            yield from statement_problems(owner, owner.spec.sql, "sql", reads="a proof may only read")
    for rule in parts.rules:
        yield from _names(rule, parts)
        yield from _condition(rule, parts)


def tools_of(rule: RuleSpec, parts: Parts) -> list[Part[ToolSpec]]:
    """The tools that a rule covers by name or tag."""
    names, tags = set(rule.body.tools or ()), set(rule.body.tags or ())
    return [tool for tool in parts.tools if tool.name in names or not tags.isdisjoint(tool.spec.tags)]


def _duplicates(entries: Collection[Part[object]], what: str, where: tuple[str, ...]) -> Iterator[Problem]:
    first: dict[str, Part[object]] = {}
    for entry in entries:
        earlier = first.setdefault(entry.name, entry)
        if earlier is not entry:
            line, column = earlier.document.mark((*earlier.path, *where), key=not where)
            place = f"{earlier.document.file}:{line}:{column}"
            message = f"the {what.format(entry.name)} is here a second time; the first is at {place}"
            yield entry.problem(message, *where, key=not where)


def _names(rule: Part[RuleSpec], parts: Parts) -> Iterator[Problem]:
    effect, body = rule.spec.effect, rule.spec.body
    for position, name in enumerate(body.tools or ()):
        if name not in parts.tool_names:
            yield rule.problem(
                f"unknown tool '{name}'", effect, "tools", position, hint=did_you_mean(name, parts.tool_names)
            )
    for position, tag in enumerate(body.tags or ()):
        if parts.tags_complete and tag not in parts.tags:
            yield rule.problem(
                f"no tool has the tag '{tag}'", effect, "tags", position, hint=did_you_mean(tag, parts.tags)
            )


# ------------------------------------------------------------------------------------------------ conditions


def _condition(rule: Part[RuleSpec], parts: Parts) -> Iterator[Problem]:
    source = rule.spec.body.when
    if source is None:
        return
    where = (rule.spec.effect, "when")
    try:
        condition = Condition(source)
    except ConditionError as error:
        yield rule.problem(str(error), *where, at=_place_in(rule, source, error))
        return
    for name in sorted(condition.variables - set(ROOTS)):
        hint = did_you_mean(name, ROOTS)
        yield rule.problem(f"unknown variable '{name}'", *where, hint=hint, at=_mark(rule, rf"(?<![\w.]){name}\b"))
    tools = tools_of(rule.spec, parts)
    whole = parts.tags_complete and set(rule.spec.body.tools or ()) <= {tool.name for tool in parts.tools}
    parameters = sorted({name for tool in tools for name in tool.spec.parameters})
    for root, member in sorted(condition.references):
        if root in ("args", "provenance") and whole and tools and member not in parameters:
            message, known = f"no tool of this rule has a parameter '{member}'", parameters
        elif root in _MEMBERS and member not in _MEMBERS[root]:
            message, known = f"'{root}' has no '{member}'", list(_MEMBERS[root])
        else:
            continue
        at = _mark(rule, rf"(?<![\w.]){root}\s*(?:\.\s*{member}\b|\[\s*['\"]{re.escape(member)}['\"])")
        yield rule.problem(message, *where, hint=did_you_mean(member, known), at=at)
    for wrong in _unknown_sources(source):
        hint = f"one of {', '.join(get_args(Source))}"
        message = f"a provenance is never '{wrong}'"
        yield rule.problem(message, *where, hint=hint, at=_mark(rule, rf"['\"]{re.escape(wrong)}['\"]"))


def _mark(rule: Part[RuleSpec], pattern: str) -> Mark | None:
    return rule.document.mark_in((*rule.path, rule.spec.effect, "when"), pattern)


def _place_in(rule: Part[RuleSpec], source: str, error: ConditionError) -> Mark | None:
    """Where in the file a compiler's place is, if the condition stands there on one line as it is."""
    mark = _mark(rule, re.escape(source))
    if mark is None or "\n" in source or not error.column:
        return None
    return Mark(mark.line, mark.column + error.column - 1)


def _unknown_sources(source: str) -> Iterator[str]:
    """Texts that a provenance is compared with and that no provenance ever is."""
    tokens = list(tokens_of(source))
    texts = [text for _, text in tokens]
    for at, text in enumerate(texts):
        if text != "provenance" or (at and texts[at - 1] == "."):
            continue
        end = at + (4 if texts[at + 1 : at + 2] == ["["] else 3)
        compared = [end + 1] if texts[end : end + 1] in (["=="], ["!="]) else []
        if texts[end : end + 2] == ["in", "["]:
            close = texts.index("]", end)
            compared = list(range(end + 2, close))
        for position in compared:
            if tokens[position][0] == "string" and (literal := texts[position].strip("'\"")) not in _SOURCES:
                yield literal
