"""A small shop in a SQLite file, and short ways to make tools and calls."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reach.adapters.python import PythonAdapter
from reach.adapters.sql import SqlAdapter
from reach.clock import SystemClock
from reach.ports import AdapterCall, Deadline
from reach.spec import PythonBackend, SqlBackend, ToolSpec
from reach.types import Caller

CLOCK = SystemClock()
NOW = datetime(2026, 3, 5, 1, 2, 3, tzinfo=UTC)
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS x FROM n"
SHOP = """
CREATE TABLE orders (
    id TEXT PRIMARY KEY, customer TEXT NOT NULL, status TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount >= 0)
);
CREATE TABLE notes (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL REFERENCES orders(id), body TEXT);
INSERT INTO orders VALUES ('SO-1', 'u_1', 'paid', 100), ('SO-2', 'u_1', 'shipped', 250), ('SO-3', 'u_2', 'paid', 7);
"""


def tool(adapter: dict[str, Any] | str, *, write: bool = False, **parameters: Any) -> ToolSpec:
    """A tool with this binding (or one statement) and optional parameters of the given JSON types."""
    binding = {"backend": "shop", "statement": adapter} if isinstance(adapter, str) else adapter
    return ToolSpec.model_validate(
        {
            "name": "t",
            "description": "A tool.",
            "side_effect": "write" if write else "read_only",
            "parameters": {name: {"type": type_, "required": False} for name, type_ in parameters.items()},
            "adapter": binding,
            "result": {"fields": "*"},
        }
    )


def steps(*given: Any, **more: Any) -> dict[str, Any]:
    """A binding of several statements; each is a string or a dict of step keys."""
    return {
        "backend": "shop",
        "statements": [step if isinstance(step, dict) else {"sql": step} for step in given],
        **more,
    }


def call_of(spec: ToolSpec, values: dict[str, Any] | None = None, *, ms: float = 5000, **more: Any) -> AdapterCall:
    """One attempt with `ms` of real time."""
    return AdapterCall(
        tool=spec,
        values=values or {},
        caller=more.pop("caller", Caller("u_1", tenant="t_1")),
        deadline=more.pop("deadline", Deadline.after_ms(CLOCK, ms)),
        now=NOW,
        today="2026-03-05",
        **more,
    )


async def until(condition: Callable[[], object]) -> None:
    """Let the loop turn until `condition()` holds; the test's own time-out bounds it."""
    while not condition():  # noqa: ASYNC110 -- threads set no asyncio event
        await asyncio.sleep(0)


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """What is in the file now, seen from outside."""
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute(sql).fetchall()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(SHOP)
        raw.execute("PRAGMA journal_mode = WAL")
    return path


@pytest.fixture
async def sql(shop: Path) -> AsyncIterator[SqlAdapter]:
    """The adapter of the shop."""
    adapter = SqlAdapter("shop", SqlBackend(kind="sql", url="sqlite:///shop.db"), shop.parent)
    yield adapter
    await adapter.close()


@pytest.fixture
async def functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., tuple[PythonAdapter, str]]]:
    """`functions(source, limit=16)` writes a module and gives an adapter for it and the module's name."""
    monkeypatch.setattr("sys.path", __import__("sys").path[:])
    made: list[PythonAdapter] = []

    def make(source: str, limit: int = 16) -> tuple[PythonAdapter, str]:
        module = f"mod_{tmp_path.name.replace('-', '_')}_{len(made)}"
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
        made.append(PythonAdapter("python", PythonBackend(kind="python", max_concurrency=limit), tmp_path))
        return made[-1], module

    yield make
    for adapter in made:
        await adapter.close()
