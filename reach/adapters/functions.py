"""Functions named `module:name`, as tool files write them.

Rule: a project's own folder is put at the end of `sys.path`, and only once a module is not found without it, so that a
project's file never hides an installed module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


class FunctionError(Exception):
    """The name leads to nothing that can be called; the message says why, for the person who wrote it."""


def load_function(reference: str, root: Path) -> Callable[..., Any]:
    """The function that `module:name` names, with `root` as the place of the project's own modules.

    Importing runs the module's code, so it may block. Raises FunctionError.
    """
    module_name, _, name = reference.partition(":")
    module = _module(module_name, root)
    function = getattr(module, name, None)
    if function is None:
        place = getattr(module, "__file__", None) or "a built-in module"
        raise FunctionError(f"module '{module_name}' ({place}) has no '{name}'")
    if not callable(function):
        raise FunctionError(f"'{reference}' is of type {type(function).__name__}, not a function")
    return function


def _module(name: str, root: Path) -> ModuleType:
    try:
        return _import(name)
    except ModuleNotFoundError as missing:
        if missing.name != name.partition(".")[0] or str(root) in sys.path:
            raise FunctionError(f"module '{name}' can't be imported: {missing}") from missing
    sys.path.append(str(root))
    try:
        return _import(name)
    except ModuleNotFoundError as missing:
        raise FunctionError(f"module '{name}' can't be imported, not from {root} either: {missing}") from missing


def _import(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise
    except Exception as error:
        raise FunctionError(f"importing module '{name}' failed: {type(error).__name__}: {error}") from error
