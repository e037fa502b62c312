"""Settings of the runtime that the environment overrides.

Rule: REACH_ and the setting's name in capitals is the variable (REACH_THRESHOLD, REACH_ARTIFACTS_BLOBS); an empty one
counts as not set, and a bad one is an error that names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from reach.errors import ConfigError, Problem
from reach.registry.construct import scalar
from reach.registry.document import Path
from reach.registry.load import validate
from reach.registry.yamlfile import document_of
from reach.spec import RuntimeSpec


def override(runtime: RuntimeSpec, environ: Mapping[str, str]) -> RuntimeSpec:
    """`runtime` with what the REACH_* variables of `environ` say. Raises ConfigError."""
    data = runtime.model_dump(by_alias=True)
    problems: list[Problem] = []
    changed = False
    for path in _settings(RuntimeSpec, ()):
        variable = "REACH_" + "_".join(path).upper()
        text = environ.get(variable, "").strip()
        if not text:
            continue
        changed = True
        problem = _set(data, path, text)
        if problem is not None:
            problems.append(Problem("environment", 0, 0, variable, problem.message, problem.hint))
    if problems:
        raise ConfigError(problems)
    return RuntimeSpec.model_validate(data, strict=True) if changed else runtime


def _settings(model: type[BaseModel], prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The path of every setting, those of nested models included."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _settings(field.annotation, (*prefix, name))
        else:
            yield (*prefix, name)


def _set(data: dict[str, Any], path: tuple[str, ...], text: str) -> Problem | None:
    """Set one value, read as a YAML scalar or else as text; what is wrong with it where neither fits."""
    readings: list[Any] = [text]
    try:
        readings.insert(0, scalar(text))
    except ValueError as error:
        return Problem("", 0, 0, "", str(error))
    found: list[Problem] = []
    for reading in readings:
        single: Any = reading
        for part in reversed(path):
            single = {part: single}
        _, problems = validate(document_of(single), RuntimeSpec)
        if not problems:
            _put(data, path, reading)
            return None
        found += problems
    return found[0]


def _put(data: dict[str, Any], path: Path, value: Any) -> None:
    for part in path[:-1]:
        data = data[str(part)]
    data[str(path[-1])] = value
