"""Field paths of a result: `order_id`, `items[].name`, `last_event.time`, `*`; compiled once a tool.

Rule: what no path names never leaves the decoder. A path names keys; lists on the way are entered whether or not the
path writes `[]`, and keep their shape. A scalar where a path expects an object becomes an empty object, so that its
value is dropped and the field counts as absent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from math import isfinite
from typing import Any, Optional, TypeAlias, Union, cast

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import BaseModel

from reach.errors import ConfigError
from reach.types import to_json

Keys: TypeAlias = tuple[str, ...]
Tree: TypeAlias = Mapping[str, "Tree"] | None
"""The keys that paths name, nested; None stands for a whole value."""

_KEY = r"[^.\[\]{}]+(?:\[\])*"
_PATH = re.compile(rf"(?:\[\])+|(?:(?:\[\])+\.)?{_KEY}(?:\.{_KEY})*")
_ATOMS = frozenset({str, int, bool, type(None)})


def parse_path(text: str) -> Keys:
    """The keys of one path; `()` for `*`, the whole. Raises ConfigError where `text` is not a path."""
    stripped = text.strip()
    if not stripped or not _PATH.fullmatch(stripped):
        raise ConfigError(f"'{text}' is not a field path.", hint="Write name, parent.name, or list[].name.")
    keys = [key for key in stripped.replace("[]", "").split(".") if key]
    if "*" in keys[:-1]:
        raise ConfigError(f"'{text}' has '*' in the middle.", hint="It stands for a whole value, at the end.")
    return tuple(key for key in keys if key != "*")


def tree_of(paths: Iterable[Keys]) -> Tree:
    """All paths as one tree. A whole value wins over the paths inside it."""
    root: dict[str, Any] = {}
    for keys in paths:
        if not keys:
            return None
        node = root
        for key in keys[:-1]:
            child = node.setdefault(key, {})
            if child is None:
                break
            node = child
        else:
            node[keys[-1]] = None
    return root


def as_mapping(value: Any) -> Mapping[Any, Any] | None:
    """A mapping, dataclass or pydantic model as a mapping; None for anything else."""
    if isinstance(value, Mapping):
        return cast("Mapping[Any, Any]", value)
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None


def plain(value: Any) -> Any:
    """Any value of a tool as plain JSON data that shares nothing mutable with it. NaN and infinities become null."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is float:
        return value if isfinite(value) else None
    mapping = cast("dict[Any, Any]", value) if kind is dict else as_mapping(value)
    if mapping is not None:
        return {key if type(key) is str else str(key): plain(item) for key, item in mapping.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in cast("Iterable[Any]", value)]
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (float, Decimal)):
        return to_json(value) if isfinite(value) else None
    if isinstance(value, int):
        return int(value)
    return to_json(value)


def project(value: Any, tree: Tree) -> Any:
    """What `tree` names of an object that is already decoded, as plain JSON data."""
    if tree is None:
        return plain(value)
    if value is None:
        return None
    if type(value) is dict:
        mapping = cast("dict[Any, Any]", value)
    elif isinstance(value, (list, tuple)):
        return [project(item, tree) for item in cast("Iterable[Any]", value)]
    elif (mapping := as_mapping(value)) is None:
        return {}
    result: dict[str, Any] = {}
    for key, child in tree.items():
        if key in mapping:
            item = mapping[key]
            result[key] = item if child is None and type(item) in _ATOMS else project(item, child)
    return result


# ------------------------------------------------------------------------------------------------ bytes


def _row_type(tree: Mapping[str, Tree]) -> type[msgspec.Struct]:
    members: list[tuple[str, Any, Any]] = []
    for number, child in enumerate(tree.values()):
        kind: Any = Any
        if child is not None:
            node: Any = _row_type(child)
            kind = Union[node, list[Optional[node]], None, UnsetType]  # noqa: UP007, UP045 -- made at run time
        members.append((f"f{number}", kind, UNSET))
    rename = {f"f{number}": key for number, key in enumerate(tree)}
    return msgspec.defstruct("Row", members, rename=rename, gc=False)


@lru_cache(maxsize=4096)
def attributes(row: type[msgspec.Struct]) -> Mapping[str, str]:
    """The attribute of a row type that holds each key."""
    return dict(zip(row.__struct_encode_fields__, row.__struct_fields__, strict=True))


def member(value: Any, key: str) -> Any:
    """`value[key]` of an object or a row, UNSET where it has none."""
    if type(value) is dict:
        return value.get(key, UNSET)
    if isinstance(value, msgspec.Struct):
        name = attributes(type(value)).get(key)
        return UNSET if name is None else getattr(value, name)
    return UNSET


@dataclass(frozen=True, slots=True)
class Projection:
    """A whitelist, compiled. `names` are the paths as they are written, with their keys.

    `decoder` is None where some key can't be a struct field; everything is then decoded and projected.
    """

    names: Mapping[str, Keys]
    tree: Tree
    decoder: msgspec.json.Decoder[Any] | None

    def of_object(self, value: Any) -> Any:
        """The whitelisted part of decoded data."""
        return project(value, self.tree)

    def of_bytes(self, body: bytes | str) -> Any:
        """The whitelisted part of JSON text: rows of a typed decoder where the shape fits, plain data elsewhere.

        Raises ValueError or RecursionError where `body` is not JSON.
        """
        if self.decoder is not None:
            with suppress(msgspec.MsgspecError):
                return self.decoder.decode(body)
        return project(json.loads(body), self.tree)

    def absent(self, value: Any) -> list[str]:
        """The declared fields that no row has. A null or an empty list on the way proves nothing."""
        return [name for name, keys in self.names.items() if not _present(value, keys)]


def _present(value: Any, keys: Keys) -> bool:
    if value is None or value is UNSET:
        return value is None
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return not items or any(_present(item, keys) for item in items)
    return not keys or _present(member(value, keys[0]), keys[1:])


def compile_projection(paths: Iterable[str]) -> Projection:
    """The projection of a whitelist; `*` keeps everything. Raises ConfigError for a bad path."""
    names = {path: parse_path(path) for path in paths}
    tree = tree_of(names.values())
    if tree is None:
        return Projection({}, None, msgspec.json.Decoder())
    try:
        row: Any = _row_type(tree)
    except ValueError:
        return Projection(names, tree, None)
    return Projection(names, tree, msgspec.json.Decoder(Union[list[row], row, None]))  # noqa: UP007 -- made at run time
