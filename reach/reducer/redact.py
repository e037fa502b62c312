"""Masking of fields by path, before anything is counted, shown or stored.

Rule: masking fails closed. Where a path names a part of an object and the data has a scalar instead, the scalar is
masked; lists on the way are entered whether or not the path writes `[]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec
from msgspec import UNSET

from reach.reducer.paths import Keys, Tree, attributes, parse_path, tree_of

MASK = "***"
_TAIL_ABOVE = 8
_LONG = 11


def compile_redaction(paths: Iterable[str]) -> Tree:
    """The tree of the paths to mask; empty where there are none. Raises ConfigError for a bad path."""
    return tree_of(parse_path(path) for path in paths)


def mask(value: Any, tree: Tree) -> Any:
    """`value` with everything that `tree` names masked. Plain data is copied where it changes, rows change in place."""
    if value is None or value is UNSET or tree == {}:
        return value
    if isinstance(value, list):
        return [mask(item, tree) for item in cast("list[Any]", value)]
    if tree is None:
        return hide(value)
    if isinstance(value, msgspec.Struct):
        names = attributes(type(value))
        for key in tree.keys() & names.keys():
            setattr(value, names[key], mask(getattr(value, names[key]), tree[key]))
        return value
    if isinstance(value, dict):
        row = cast("dict[str, Any]", value)
        return row | {key: mask(row[key], tree[key]) for key in tree.keys() & row.keys()}
    return hide(value)


def hide(value: Any) -> str:
    """`***`, and for a string of more than 8 characters its last 2 (from 11 characters on its last 4)."""
    if not isinstance(value, str) or len(value) <= _TAIL_ABOVE:
        return MASK
    return MASK + value[-4 if len(value) >= _LONG else -2 :]


def touches(tree: Tree, keys: Keys) -> bool:
    """True where the value at `keys` is masked, lies inside something masked, or holds something masked."""
    node = tree
    for key in keys:
        if node is None:
            return True
        if key not in node:
            return False
        node = node[key]
    return node != {}
