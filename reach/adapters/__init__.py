"""What tools talk to: one adapter a backend.

Rule: a driver is imported only by the file that owns it, and only when a backend needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reach.spec import BackendSpec, SqlBackend

if TYPE_CHECKING:
    from reach.ports import Adapter

__all__ = ["build_adapter"]


def build_adapter(name: str, backend: BackendSpec, root: Path, password: str = "") -> Adapter:
    """The adapter of the backend `name`. Relative paths and modules of the project are looked for in `root`.

    `password` is what the backend's credential holds, or empty.

    Connects to nothing yet. Raises ConfigError for an address that can't be used, MissingExtra for a driver that is not
    installed.
    """
    if isinstance(backend, SqlBackend):
        from reach.adapters.sql import SqlAdapter

        return SqlAdapter(name, backend, root, password)
    from reach.adapters.python import PythonAdapter

    return PythonAdapter(name, backend, root)
