"""The valid parts of the files of one registry, each with its place.

Rule: what is broken in one place hides nothing in another: a cross-check sees every part that could be read, and knows
the names of those that could not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from reach.errors import Problem
from reach.registry.document import Document, Mark, Path
from reach.spec import BackendSpec, CredentialSpec, OwnershipSpec, PoliciesFile, RuleSpec, ToolsFile, ToolSpec

P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Part(Generic[P_co]):
    """One entry of a file. `name` is what others call it."""

    name: str
    spec: P_co
    document: Document
    path: Path

    def problem(
        self, message: str, *where: str | int, hint: str = "", key: bool = False, at: Mark | None = None
    ) -> Problem:
        """A problem of this part, at `where` below it."""
        return self.document.problem((*self.path, *where), message, hint, key=key, at=at)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the files say. The `..._names` hold every name that is written, in valid parts or not."""

    tools: tuple[Part[ToolSpec], ...]
    backends: dict[str, Any]
    credentials: tuple[Part[CredentialSpec], ...]
    backend_parts: tuple[Part[Any], ...]
    ownership: tuple[Part[OwnershipSpec], ...]
    rules: tuple[Part[RuleSpec], ...]
    tool_names: frozenset[str]
    credential_names: frozenset[str]
    backend_names: frozenset[str]
    resource_names: frozenset[str]
    tags: frozenset[str]
    tags_complete: bool
    policies_complete: bool


def parts_of(
    tools: tuple[Document, ToolsFile | None],
    policies: Iterable[tuple[Document, PoliciesFile | None]],
    *,
    complete: bool,
) -> Parts:
    """The parts of tools.yaml and the policy files. `complete`: no policy file was unreadable."""
    document, spec = tools
    tool_parts = tuple(_tools(document, spec))
    backends = tuple(_entries(document, "backends", spec and spec.backends, BackendSpec))
    credentials = tuple(_entries(document, "credentials", spec and spec.credentials, CredentialSpec))
    ownership: list[Part[OwnershipSpec]] = []
    rules: list[Part[RuleSpec]] = []
    resources: set[str] = set()
    for policy, policy_spec in policies:
        ownership += _entries(policy, "ownership", policy_spec and policy_spec.ownership, OwnershipSpec)
        rules += _listed(policy, "rules", policy_spec and policy_spec.rules, RuleSpec, "id")
        resources |= set(_names(policy, "ownership"))
    raw_tools = document.value(("tools",))
    return Parts(
        tools=tool_parts,
        backends={part.name: part.spec for part in backends},
        credentials=credentials,
        backend_parts=backends,
        ownership=tuple(ownership),
        rules=tuple(rules),
        tool_names=frozenset(_tool_names(raw_tools)),
        credential_names=frozenset(_names(document, "credentials")),
        backend_names=frozenset(_names(document, "backends")),
        resource_names=frozenset(resources),
        tags=frozenset(tag for part in tool_parts for tag in part.spec.tags),
        tags_complete=isinstance(raw_tools, list) and len(tool_parts) == len(raw_tools),
        policies_complete=complete,
    )


def _tools(document: Document, spec: ToolsFile | None) -> Iterator[Part[ToolSpec]]:
    return _listed(document, "tools", spec and spec.tools, ToolSpec, "name")


M = TypeVar("M", bound=BaseModel)


def _listed(document: Document, key: str, specs: list[M] | None, model: type[M], name: str) -> Iterator[Part[M]]:
    raw = document.value((key,))
    for position, item in enumerate(raw if isinstance(raw, list) else ()):
        try:
            spec = specs[position] if specs is not None else model.model_validate(item, strict=True)
        except ValidationError:
            continue
        yield Part(getattr(spec, name), spec, document, (key, position))


def _entries(document: Document, key: str, specs: dict[str, Any] | None, model: Any) -> Iterator[Part[Any]]:
    if specs is not None:
        yield from (Part(name, spec, document, (key, name)) for name, spec in specs.items())
        return
    adapter: TypeAdapter[Any] = TypeAdapter(model)
    raw = document.value((key,))
    for name, item in (raw if isinstance(raw, dict) else {}).items():
        try:
            spec = adapter.validate_python(item, strict=True)
        except ValidationError:
            continue
        yield Part(name, spec, document, (key, name))


def _names(document: Document, key: str) -> list[str]:
    raw = document.value((key,))
    return list(raw) if isinstance(raw, dict) else []


def _tool_names(raw: Any) -> Iterator[str]:
    for item in raw if isinstance(raw, list) else ():
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            yield item["name"]
