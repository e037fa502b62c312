"""Advice about files that are valid: what usually makes a tool hard to find, to fill or to permit.

Rule: advice never stops a registry from loading; each piece names one place and one thing to do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reach.conditions import Condition
from reach.registry.check import credential_of
from reach.registry.check_policies import tools_of
from reach.registry.document import format_path
from reach.registry.judgements import parameters_path
from reach.registry.nearest import nearest
from reach.registry.parts import Part, Parts
from reach.registry.registry import Registry, card_of
from reach.spec import ParameterSpec, ToolSpec, localized

LONG_CARD_TOKENS = 600
"""Cards above about this many tokens are worth a word; a request carries several cards."""

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice; `line` and `column` count from 1, `path` is the place in the document."""

    file: str
    line: int
    column: int
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.path}: {self.message}"


def lint(registry: Registry) -> list[Advice]:
    """All advice about the files of `registry`, in the order of files and places."""
    parts = registry.parts
    found = [*_tools(parts), *_permissions(parts), *_conditions(parts), *_unused(parts)]
    files = {file: at for at, file in enumerate(dict.fromkeys(p.document.file for p in (*parts.tools, *parts.rules)))}
    return sorted(dict.fromkeys(found), key=lambda a: (files.get(a.file, len(files)), a.line, a.column, a.message))


def tokens(text: str) -> int:
    """About how many tokens a model reads `text` as: one for each Chinese character, one for four others."""
    chinese = len(_CJK.findall(text))
    return chinese + (len(text) - chinese + 3) // 4


def _at(part: Part[object], message: str, *where: str | int, key: bool = False) -> Advice:
    path = (*part.path, *where)
    line, column = part.document.mark(path, key=key)
    return Advice(part.document.file, line, column, format_path(path), message)


# ------------------------------------------------------------------------------------------------ tools


def _tools(parts: Parts) -> Iterator[Advice]:
    said: dict[str, Part[ToolSpec]] = {}
    for tool in parts.tools:
        spec = tool.spec
        if not spec.when_to_use:
            yield _at(tool, "add 'when_to_use': what a user wants who needs this tool", "name")
        if not spec.when_not_to_use:
            yield _at(tool, "add 'when_not_to_use': which questions belong to a neighbour", "name")
        if not spec.examples:
            yield _at(tool, "add 'examples': five real questions help the router more than anything else", "name")
        for position, example in enumerate(spec.examples):
            first = said.setdefault(example.strip().casefold(), tool)
            if first is not tool:
                yield _at(tool, f"'{first.name}' has the same example, so neither wins by it", "examples", position)
        size = tokens(json.dumps(card_of(spec).as_openai(), ensure_ascii=False))
        if size > LONG_CARD_TOKENS:
            yield _at(tool, f"the card is about {size} tokens; more than {LONG_CARD_TOKENS} crowd a request", "name")
        if spec.result.fields == "*":
            yield _at(tool, "list the fields that may be seen; '*' also passes what is added later", "result", "fields")
        for name, parameter in spec.parameters.items():
            yield from _parameter(tool, name, parameter)


def _parameter(tool: Part[ToolSpec], name: str, parameter: ParameterSpec) -> Iterator[Advice]:
    where = (*parameters_path(tool.document, tool.path)[len(tool.path) :], name)
    asked = parameter.required or any(name in group for group in tool.spec.require_one_of)
    if asked and parameter.ask is None and parameter.default is None and parameter.claim is None:
        yield _at(tool, "add 'ask': the question that gets it from the user", *where, key=True)
    if not localized(parameter.description, "en"):
        yield _at(tool, "add 'description': the router and the model know it only by its name", *where, key=True)


# ------------------------------------------------------------------------------------------------ policies


def _permissions(parts: Parts) -> Iterator[Advice]:
    allowed: set[str] = set()
    confirmed: set[str] = set()
    for rule in parts.rules:
        names = {tool.name for tool in tools_of(rule.spec, parts)}
        if rule.spec.effect != "deny":
            allowed |= names
        if rule.spec.effect == "confirm":
            confirmed |= names
    for tool in parts.tools:
        if tool.name not in allowed:
            yield _at(tool, "no rule allows it, so nobody can use it", "name")
        elif not tool.spec.read_only and tool.name not in confirmed:
            yield _at(tool, "no 'confirm' rule covers this write, so it runs without a yes", "side_effect")


def _conditions(parts: Parts) -> Iterator[Advice]:
    """A parameter that only some of a rule's tools have denies the others, because it can't be evaluated there."""
    for rule in parts.rules:
        source = rule.spec.body.when
        if source is None:
            continue
        tools = tools_of(rule.spec, parts)
        for root, member in sorted(Condition(source).references):
            without = [tool.name for tool in tools if member not in tool.spec.parameters]
            if root in ("args", "provenance") and without and not _asks_first(source, root, member):
                message = (
                    f"'{without[0]}' has no parameter '{member}', so this denies it; ask has({root}.{member}) first"
                )
                yield _at(rule, message, rule.spec.effect, "when")


def _asks_first(source: str, root: str, member: str) -> bool:
    return re.search(rf"has\(\s*{root}\s*\.\s*{member}\s*\)", source) is not None


def _unused(parts: Parts) -> Iterator[Advice]:
    resources = {p.resource for tool in parts.tools for p in tool.spec.parameters.values() if p.resource}
    for owner in parts.ownership:
        if owner.name not in resources:
            near = nearest(owner.name, resources)
            hint = f"; is '{near}' meant?" if near else ""
            yield _at(owner, f"no parameter is a '{owner.name}'{hint}", key=True)
    backends = {tool.spec.adapter.backend for tool in parts.tools}
    backends |= {check.backend for tool in parts.tools for check in tool.spec.preconditions}
    backends |= {owner.spec.backend for owner in parts.ownership if owner.spec.backend}
    for backend in parts.backend_parts:
        if backend.name not in backends | _catalogue_backends(parts):
            yield _at(backend, f"nothing uses the backend '{backend.name}'", key=True)
    credentials = {credential_of(backend.spec) for backend in parts.backend_parts}
    for credential in parts.credentials:
        if credential.name not in credentials:
            yield _at(credential, f"no backend uses the credential '{credential.name}'", key=True)


def _catalogue_backends(parts: Parts) -> set[str]:
    known = [p.known_values for tool in parts.tools for p in tool.spec.parameters.values()]
    return {values.backend for values in known if values is not None and values.backend is not None}
