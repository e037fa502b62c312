"""The parameters of a tool: the JSON Schema words that apply, and what Reach needs to fill and prove a value.

Rule: the shorthand and a plain JSON Schema object mean the same and end as the same models.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from reach.spec.base import Bool, Int, Line, Model, Name, Number, Text, localized


class ValuesSpec(Model):
    """A catalogue of known values: a list, or a SQL statement whose first column is the value."""

    values: list[Line] | None = Field(None, alias="list")
    sql: Line | None = None
    backend: Name | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.values is None) == (self.sql is None):
            raise ValueError("exactly one of 'list' and 'sql' says where the known values come from")
        if self.sql is not None and self.backend is None:
            raise ValueError("'sql' needs 'backend', the name of the backend that it runs on")
        return self


class ParameterSpec(Model):
    """One parameter of a tool: the JSON Schema words that apply, and what Reach needs to fill and prove it."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"] = "string"
    required: Bool = True
    description: Text = ""  # pyright: ignore[reportAssignmentType]
    ask: Text | None = Field(None, description="The question that asks the user for it.")
    title: Text | None = Field(None, description="What it is called in front of a user.")
    resource: Name | None = Field(None, description="What the value identifies; a policy must say how it is proved.")
    claim: Line | None = Field(
        None, description="The caller's claim (`id`: their own id) that fills it where the user does not."
    )
    default: Any = None
    pattern: Line | None = None
    format: Literal["date", "date-time", "time", "email", "uri", "uuid", "phone"] | None = None
    period: Literal["start", "end"] | None = Field(None, description="Which end of a spoken period this date takes.")
    unit: Line | None = None
    enum: Annotated[list[Any], Field(min_length=1)] | None = None
    synonyms: dict[Line, list[Line]] | None = Field(None, description="Other words for each enum value.")
    known_values: ValuesSpec | None = Field(None, alias="values")
    minimum: Int | Number | None = None
    maximum: Int | Number | None = None
    min_length: Annotated[Int, Field(ge=0)] | None = Field(None, alias="minLength")
    max_length: Annotated[Int, Field(ge=0)] | None = Field(None, alias="maxLength")
    items: dict[str, Any] | None = None
    properties: dict[str, Any] | None = None
    min_items: Annotated[Int, Field(ge=0)] | None = Field(None, alias="minItems")
    max_items: Annotated[Int, Field(ge=0)] | None = Field(None, alias="maxItems")

    @field_validator("pattern")
    @classmethod
    def _valid_regex(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # a pattern that Python may read otherwise one day is none to keep
                    re.compile(value)
            except (re.error, OverflowError, RecursionError, Warning) as error:
                raise ValueError(f"is not a valid regular expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.pattern is not None and self.type != "string":
            raise ValueError(f"'pattern' applies to strings, and this parameter is of type {self.type}")
        if self.synonyms is not None:
            known = {str(v) for v in self.enum or ()}
            if unknown := sorted(set(self.synonyms) - known):
                raise ValueError(f"'synonyms' names {unknown[0]!r}, which is not one of the enum values")
        if self.default is not None and self.enum is not None and self.default not in self.enum:
            raise ValueError(f"the default {self.default!r} is not one of the enum values")
        if self.default is not None and self.resource is not None:
            raise ValueError("a parameter with a 'resource' names something of a caller, so it can't have a default")
        return self

    def json_schema(self) -> dict[str, Any]:
        """The parameter as JSON Schema, without the words that only Reach reads."""
        schema: dict[str, Any] = {"type": self.type}
        if description := localized(self.description, "en"):
            schema["description"] = description
        for key in ("pattern", "unit", "enum", "minimum", "maximum", "items", "properties"):
            if key != "unit" and (value := getattr(self, key)) is not None:
                schema[key] = value
        if self.unit:
            schema["description"] = f"{schema.get('description', '')} In {self.unit}.".strip()
        if self.format and self.format != "phone":
            schema["format"] = self.format
        for key, word in (
            ("min_length", "minLength"),
            ("max_length", "maxLength"),
            ("min_items", "minItems"),
            ("max_items", "maxItems"),
        ):
            if (value := getattr(self, key)) is not None:
                schema[word] = value
        if self.default is not None:
            schema["default"] = self.default
        return schema


_SCHEMA_WORDS = frozenset(ParameterSpec.model_fields) | {"values", "minLength", "maxLength", "minItems", "maxItems"}


def normal_parameters(data: Any) -> Any:
    """A plain JSON Schema object as the shorthand; anything else is returned as it is."""
    if not isinstance(data, Mapping) or not isinstance(data.get("properties"), Mapping) or data.get("type") != "object":  # pyright: ignore[reportUnknownMemberType]
        return data  # pyright: ignore[reportUnknownVariableType]
    required = data.get("required", [])  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise ValueError("'required' beside 'properties' is a list of parameter names")
    if unknown := [name for name in required if name not in data["properties"]]:  # pyright: ignore[reportUnknownVariableType]
        raise ValueError(f"'required' names '{unknown[0]}', which is not one of the properties")
    return {
        name: {**schema, "required": name in required} if isinstance(schema, Mapping) else schema
        for name, schema in data["properties"].items()  # pyright: ignore[reportUnknownVariableType]
    }
