"""A copy of an agent that evals may do anything to.

Rule: an eval never changes the state store, the artifacts or a database of the project; a write to a backend that can't
be copied is not made: it fails as if the backend were down.
"""

from __future__ import annotations

import inspect
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from importlib import import_module
from pathlib import Path

from reach.errors import ConfigError
from reach.registry import Registry
from reach.spec import SqlBackend

_SQLITE = "sqlite:///"


def sandboxed(registry: Registry, folder: Path, now: datetime | None) -> Registry:
    """The registry with its state in memory and every SQLite database replaced by a copy in `folder`.

    A database with a `seed` is made anew; a seed function with a parameter `day` gets the day of `now`, so that the
    data and the pinned clock fit together. Raises ConfigError where a database can't be copied.
    """
    backends = dict(registry.spec.backends)
    for name, backend in backends.items():
        if isinstance(backend, SqlBackend) and backend.url.startswith(_SQLITE):
            copy = folder / f"{name}.db"
            _copy(backend, registry.root / backend.url.removeprefix(_SQLITE), copy, now)
            backends[name] = backend.model_copy(update={"url": f"{_SQLITE}{copy}", "seed": None})
    runtime = registry.spec.runtime
    runtime = runtime.model_copy(
        update={
            "state": "memory://",
            "artifacts": runtime.artifacts.model_copy(update={"index": None, "blobs": "memory://"}),
        }
    )
    return replace(registry, spec=registry.spec.model_copy(update={"backends": backends, "runtime": runtime}))


def unmade_writes(registry: Registry) -> list[str]:
    """The faults that keep the writes to backends without a copy from being made: `TOOL=error` for each of them."""
    copied = {
        name
        for name, backend in registry.spec.backends.items()
        if isinstance(backend, SqlBackend) and backend.url.startswith(_SQLITE)
    }
    return [
        f"{name}=error"
        for name, tool in registry.tools.items()
        if not tool.read_only and tool.adapter.backend not in copied
    ]


def _copy(backend: SqlBackend, source: Path, target: Path, now: datetime | None) -> None:
    try:
        if backend.seed is not None:
            module, _, name = backend.seed.partition(":")
            seed = getattr(import_module(module), name)
            if now is not None and "day" in inspect.signature(seed).parameters:
                seed(str(target), day=now.date())
            else:
                seed(str(target))
        else:
            with (
                closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
                closing(sqlite3.connect(target)) as new,
            ):
                old.backup(new)
    except (sqlite3.Error, OSError, ImportError, AttributeError) as error:
        raise ConfigError(f"The database {source} can't be copied for the evals: {error}.") from error
