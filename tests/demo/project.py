"""The demo agent as the tests see it: its YAML files as models, and its tools' SQL run as an adapter would."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from reach.spec import CallersFile, EvalFile, PoliciesFile, SqlBinding, ToolsFile, sql_binds

ROOT = Path(__file__).parent.parent.parent
DAY = date(2024, 6, 15)
NOW = "2024-06-15T02:00:00.123456+00:00"


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


POLICIES = PoliciesFile.model_validate(_yaml("policies/after_sales.yaml"))
CALLERS = CallersFile.model_validate(_yaml("evals/callers.yaml")).callers
CASES = EvalFile.model_validate(_yaml("evals/after_sales.yaml")).cases
TOOLS = {tool.name: tool for tool in ToolsFile.model_validate(_yaml("tools.yaml")).tools}
SQL_TOOLS = [name for name, tool in TOOLS.items() if isinstance(tool.adapter, SqlBinding)]


def dump_hash(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def run(db, name: str, caller: str, key: str = "key-1", **values) -> list[dict]:
    """The rows of the tool's last statement; every statement must change as many rows as it expects."""
    tool = TOOLS[name]
    rows: list[dict] = []
    for step in tool.adapter.steps:
        binds = {
            **dict.fromkeys(tool.parameters), **values,
            "caller_id": caller, "caller_tenant": "", "now": NOW, "today": DAY.isoformat(), "idempotency_key": key,
        }  # fmt: skip
        cursor = db.execute(step.sql, {bind: binds[bind] for bind in sql_binds(step.sql)})
        rows = [dict(row) for row in cursor.fetchall()]
        if step.expect_rows is not None:
            assert cursor.rowcount == step.expect_rows
    return rows
