"""The registry: everything that tools.yaml and the policies say, checked, in one frozen value.

Rule: a registry exists only if every file is valid by itself and all of them together.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from reach.errors import ConfigError, Problem
from reach.registry.check import check_tools
from reach.registry.check_policies import check_policies
from reach.registry.document import Document
from reach.registry.environment import override
from reach.registry.load import in_order, read_bytes, validate
from reach.registry.parts import Parts, parts_of
from reach.registry.yamlfile import read
from reach.spec import PoliciesFile, ToolsFile, ToolSpec, localized
from reach.types import ToolCard

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True, slots=True)
class Registry:
    """What the files say.

    `version` and `policy_version` identify the bytes of the files (12 hexadecimal digits of SHA-256); `root` is the
    folder of tools.yaml, which relative paths are relative to; `parts` keeps the places of everything.
    """

    spec: ToolsFile
    policies: PoliciesFile
    tools: Mapping[str, ToolSpec]
    cards: Mapping[str, ToolCard]
    version: str
    policy_version: str
    root: Path
    parts: Parts = field(repr=False, compare=False)


def load_registry(
    tools: Path | str, policies: Path | str | None = None, *, environ: Mapping[str, str] | None = None
) -> Registry:
    """Read tools.yaml and the policies, a file or a folder of files (default: `policies` beside tools.yaml).

    REACH_* variables of `environ` (default: the process's own) override settings of the runtime. Raises ConfigError
    with every problem of all files.
    """
    tools = Path(tools)
    problems: list[Problem] = []
    document, spec, body = _read_tools(tools, problems)
    files: list[tuple[Document, PoliciesFile | None]] = []
    bodies: list[bytes] = []
    complete = True
    for file in _policy_files(tools, policies, problems):
        try:
            bodies.append(read_bytes(file))
            policy, found = read(bodies[-1], str(file))
        except ConfigError as error:
            problems += error.problems
            complete = False
            continue
        model, more = validate(policy, PoliciesFile)
        problems += found + more
        files.append((policy, model))
    if document is None:
        raise ConfigError(in_order(problems))
    parts = parts_of((document, spec), files, complete=complete)
    problems = in_order([*problems, *check_tools(parts), *check_policies(parts)])
    try:
        spec = spec and spec.model_copy(
            update={"runtime": override(spec.runtime, os.environ if environ is None else environ)}
        )
    except ConfigError as error:
        problems += error.problems
    if problems or spec is None:
        raise ConfigError(problems)
    return Registry(
        spec=spec,
        policies=_merged(model for _, model in files),
        tools=MappingProxyType({tool.name: tool for tool in spec.tools}),
        cards=MappingProxyType({tool.name: card_of(tool) for tool in spec.tools}),
        version=_version([body]),
        policy_version=_version(bodies),
        root=tools.parent,
        parts=parts,
    )


def card_of(tool: ToolSpec) -> ToolCard:
    """The part of a tool that a model may see; a text in several languages is given in English."""
    return ToolCard(
        name=tool.name,
        description=localized(tool.description, "en"),
        when_to_use=localized(tool.when_to_use, "en"),
        when_not_to_use=localized(tool.when_not_to_use, "en"),
        examples=tuple(tool.examples),
        parameters=MappingProxyType(tool.schema_object()),
        side_effect=tool.side_effect,
    )


def _read_tools(tools: Path, problems: list[Problem]) -> tuple[Document | None, ToolsFile | None, bytes]:
    try:
        body = read_bytes(tools)
        document, found = read(body, str(tools))
    except ConfigError as error:
        problems += error.problems
        return None, None, b""
    spec, more = validate(document, ToolsFile)
    problems += found + more
    return document, spec, body


def _policy_files(tools: Path, policies: Path | str | None, problems: list[Problem]) -> list[Path]:
    """The policy files in the order of their names. A folder that is named must be there; the default one need not."""
    place = Path(policies) if policies is not None else tools.parent / "policies"
    try:
        if place.is_dir():
            return sorted(p for p in place.iterdir() if p.suffix in _SUFFIXES and not p.name.startswith("."))
        if policies is None and not place.exists():
            return []
    except (OSError, ValueError) as error:
        problems.append(Problem(str(place), 0, 0, "", f"could not be read: {error}"))
        return []
    return [place]


def _merged(files: Iterable[PoliciesFile | None]) -> PoliciesFile:
    known = [file for file in files if file is not None]
    ownership = {name: spec for file in known for name, spec in file.ownership.items()}
    return PoliciesFile(version=1, ownership=ownership, rules=[rule for file in known for rule in file.rules])


def _version(bodies: list[bytes]) -> str:
    digest = hashlib.sha256()
    for body in bodies:
        digest.update(hashlib.sha256(body).digest() if len(bodies) != 1 else body)
    return digest.hexdigest()[:12]
