"""JSON Schemas of the YAML files, so that an editor completes, explains and checks them while they are written.

Rule: made from the models that load the files, so that the two can't disagree about a key.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel

from reach.spec import CallersFile, EvalFile, PoliciesFile, ToolsFile

Kind = Literal["tools", "policies", "evals", "callers"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FILES: dict[Kind, tuple[type[BaseModel], str]] = {
    "tools": (ToolsFile, "Reach: tools.yaml"),
    "policies": (PoliciesFile, "Reach: a file of policies/"),
    "evals": (EvalFile, "Reach: a file of labelled cases"),
    "callers": (CallersFile, "Reach: callers.yaml"),
}


def json_schema(kind: Kind) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one kind of file: tools, policies, evals or callers."""
    model, title = _FILES[kind]
    schema = model.model_json_schema(by_alias=True)
    schema.pop("title", None)
    _drop_titles(schema)
    if kind == "tools":
        _accept_both_forms(schema)
    return {"$schema": _DIALECT, "title": title, **schema}


def write_schemas(folder: Path) -> list[Path]:
    """Write `KIND.schema.json` of every kind into `folder`; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for kind in get_args(Kind):
        path = folder / f"{kind}.schema.json"
        path.write_text(schema_text(kind), encoding="utf-8")
        written.append(path)
    return written


def schema_text(kind: Kind) -> str:
    """The schema as it stands in its file."""
    return json.dumps(json_schema(kind), indent=2, ensure_ascii=False) + "\n"


def _drop_titles(schema: Any) -> None:
    """Remove the titles that pydantic makes of names; a property that is called `title` stays."""
    if isinstance(schema, list):
        for item in schema:
            _drop_titles(item)
    elif isinstance(schema, dict):
        if isinstance(schema.get("title"), str):
            del schema["title"]
        for value in schema.values():
            _drop_titles(value)


def _accept_both_forms(schema: dict[str, Any]) -> None:
    """A tool's parameters: the shorthand, or a JSON Schema object, which is told by its `type` and `properties`."""
    definitions: dict[str, Any] = schema["$defs"]
    parameter: dict[str, Any] = definitions["ParameterSpec"]
    listed: dict[str, Any] = {**parameter, "properties": {**parameter["properties"]}}
    listed["properties"].pop("required")
    listed["description"] = "One property; `required` of the object around it says whether it is required."
    definitions["PropertySpec"] = listed
    properties: dict[str, Any] = definitions["ToolSpec"]["properties"]
    shorthand = properties["parameters"]
    names = shorthand.get("propertyNames") or {}
    properties["parameters"] = {
        "description": "Parameters by name, or a JSON Schema object with `properties` and `required`.",
        "type": "object",
        "if": {
            "required": ["type", "properties"],
            "properties": {"type": {"const": "object"}, "properties": {"type": "object"}},
        },
        "then": {
            "properties": {
                "type": {"const": "object"},
                "properties": {
                    "type": "object",
                    "propertyNames": names,
                    "additionalProperties": {"$ref": "#/$defs/PropertySpec"},
                },
                "required": {"type": "array", "items": {"type": "string"}},
            },
        },
        "else": {key: value for key, value in shorthand.items() if key != "type"},
    }
