"""Where in a document an error of a pydantic model lies, and what the model expects there.

Rule: everything is read from the models' own annotations, so that a new model or field needs no change here.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, StringConstraints, Tag
from pydantic.fields import FieldInfo

from reach.registry.document import Document, Path


@dataclass(frozen=True, slots=True)
class Located:
    """The place that an error is about.

    `shape` is the annotation there, `model` the model whose key the last part of `path` is (for its known keys).
    `key`: the error is about the key itself. `union` is the path of an untagged union that the error lies in, and
    `member` says which kind of its members complained: scalar, list or mapping.
    """

    path: Path
    shape: Any
    model: type[BaseModel] | None = None
    key: bool = False
    union: Path | None = None
    union_shape: Any = None
    member: str = ""


def locate(model: type[BaseModel], loc: Sequence[str | int], document: Document) -> Located:
    """The place of the pydantic location `loc`: the tags and labels of unions in it are no part of the path."""
    path: Path = ()
    shape: Any = model
    owner: type[BaseModel] | None = None
    key = False
    keys: Any = str
    union: Path | None = None
    union_shape: Any = None
    member = ""
    for part in loc:
        if part == "[key]":
            key, shape = True, keys
            continue
        members = union_members(shape)
        if len(members) > 1:
            tagged = next((m for m in members if part in _tags(m)), None)
            if tagged is not None:
                shape = tagged
            else:
                union, union_shape, member = path, shape, _kind_of_label(str(part))
                shape = next((m for m in members if _kind(m) == member), Any)
            continue
        shape = members[0]
        origin = get_origin(shape)
        if _is_model(shape):
            owner = cast("type[BaseModel]", shape)
            field = field_of(owner, str(part))
            path = (*path, part)
            shape = Any if field is None else field_annotation(field)
        elif origin in (list, dict):
            owner = None
            if path and path[-1] == "parameters" and is_schema_form(document.value(path)):
                path = (*path, "properties")
            path = (*path, part)
            keys, shape = get_args(shape)[0], get_args(shape)[-1]
        else:
            owner, shape = None, Any
            path = (*path, part)
    return Located(path, shape, owner, key, union, union_shape, member)


def field_of(model: type[BaseModel], key: str) -> FieldInfo | None:
    """The field of `model` that the YAML key `key` names."""
    field = model.model_fields.get(key)
    if field is not None and field.alias in (None, key):
        return field
    return next((f for f in model.model_fields.values() if f.alias == key), None)


def known_keys(model: type[BaseModel]) -> list[str]:
    """The YAML keys of a model, in the order of its fields."""
    return [field.alias or name for name, field in model.model_fields.items()]


def field_annotation(field: FieldInfo) -> Any:
    """A field's annotation with the constraints that pydantic keeps apart from it."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


def union_members(shape: Any) -> list[Any]:
    """The members of a union without None, each still annotated; one member for anything else, without its notes."""
    bare = bare_shape(shape)
    if get_origin(bare) in (Union, types.UnionType):
        members = [m for m in get_args(bare) if m is not type(None)]
        return [bare_shape(members[0])] if len(members) == 1 else members
    return [bare]


def bare_shape(shape: Any) -> Any:
    """An annotation without `Annotated`."""
    while get_origin(shape) is Annotated:
        shape = get_args(shape)[0]
    return shape


def pattern_of(shape: Any) -> str | None:
    """The pattern of a constrained string."""
    if get_origin(shape) is Annotated:
        for note in get_args(shape)[1:]:
            if isinstance(note, StringConstraints) and isinstance(note.pattern, str):
                return note.pattern
    return None


def describe(shape: Any) -> str:
    """What is expected, in words: `text`, `a whole number`, `true or false`, `one of low, high`, `a list` ..."""
    members = union_members(shape)
    if len(members) > 1:
        words = list(dict.fromkeys(describe(member) for member in members))
        if set(words) == {"a whole number", "a number"}:
            return "a number"
        return " or ".join(words)
    bare = members[0]
    origin = get_origin(bare)
    if origin is Literal:
        values = [str(v) for v in get_args(bare)]
        return f"'{values[0]}'" if len(values) == 1 else f"one of {', '.join(values)}"
    if origin is dict:
        keys = bare_shape(get_args(bare)[0])
        return f"a mapping with {' and '.join(get_args(keys))}" if get_origin(keys) is Literal else "a mapping"
    if origin is list:
        return "a list"
    if _is_model(bare):
        return "a mapping"
    return _WORDS.get(bare, "a value")


_WORDS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _is_model(shape: Any) -> bool:
    return isinstance(shape, type) and issubclass(shape, BaseModel)


def _kind(shape: Any) -> str:
    bare = bare_shape(shape)
    if get_origin(bare) is dict or _is_model(bare):
        return "mapping"
    return "list" if get_origin(bare) is list else "scalar"


def _kind_of_label(label: str) -> str:
    if label.startswith("dict") or "dict[" in label:
        return "mapping"
    return "list" if "list" in label else "scalar"


def _tags(member: Any) -> list[Any]:
    """The values that choose this member of a tagged union."""
    if get_origin(member) is Annotated:
        named = [note.tag for note in get_args(member)[1:] if isinstance(note, Tag)]
        if named:
            return named
    bare = bare_shape(member)
    if not _is_model(bare):
        return []
    literals = [
        f.annotation for f in bare.model_fields.values() if get_origin(f.annotation) is Literal and f.is_required()
    ]
    return [value for literal in literals for value in get_args(literal)]


def choices(shape: Any) -> tuple[Any, ...]:
    """The values of a Literal; none for anything else."""
    bare = bare_shape(shape)
    return get_args(bare) if get_origin(bare) is Literal else ()


def is_schema_form(parameters: Any) -> bool:
    """True where parameters are written as a JSON Schema object."""
    return (
        isinstance(parameters, dict)
        and parameters.get("type") == "object"
        and isinstance(parameters.get("properties"), dict)
    )
