"""Tools whose binding is SQL: one transaction a call, on SQLite or PostgreSQL.

Rule: whether a call may write is decided by the connection that it runs on, never by reading its statements.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from reach.adapters.classify import classify
from reach.adapters.statements import Statement, compile_statement, statement_problems
from reach.adapters.transaction import Database, Transaction
from reach.adapters.workers import Attempt, Workers
from reach.errors import BackendFailure, ConfigError, MissingExtra
from reach.ports import AdapterCall, Deadline
from reach.spec import SqlBackend, SqlBinding, SqlStep, ToolSpec, own_binds
from reach.types import Payload

_SQLITE = re.compile(r"sqlite(?:\+pysqlite)?:///(?P<path>[^?]+)")
_POSTGRES = re.compile(r"(?:postgres|postgresql)(?:\+psycopg)?(?P<rest>://.+)")
_CLOSE_PATIENCE_S = 5.0
_STATEMENTS = 2048


@dataclass(frozen=True, slots=True)
class _Plan:
    binding: SqlBinding
    steps: tuple[SqlStep, ...]
    binds: frozenset[str]


class SqlAdapter:
    """One database, with `root` as the folder that a relative SQLite path is relative to.

    `password`, where given, is that of the user whom the URL names.

    - A read runs on a connection that can't write. Every write runs its `statements` in one transaction, on SQLite one
      write after another, with foreign keys enforced.
    - A column aliased `NAME__json` is parsed as JSON and returned as NAME; the other values are written as
      `reach.adapters.jsonable` says.
    - `expect_rows` counts changed rows, or the rows returned by a step that returns some.
    - The last step that returns rows gives the result; where none does, it is `{"changed": N}` over all steps.

    Raises ConfigError for an address that can't be used, MissingExtra for PostgreSQL without its driver.
    """

    def __init__(self, name: str, backend: SqlBackend, root: Path, password: str = "") -> None:
        self._name = name
        self._password = password
        self._backend = backend
        self._root = root
        self._sqlite_path = _sqlite_path(name, backend, root)
        self._postgres_url = "" if self._sqlite_path else _postgres_url(name, backend)
        self._database: Database | None = None
        # Now rather than within the first call, of whose deadline it would take a third of a second.
        import_module("reach.adapters.postgres" if self._sqlite_path is None else "reach.adapters.sqlite")
        self._opening = threading.Lock()
        self._plans: dict[int, _Plan] = {}
        self._compiled = lru_cache(_STATEMENTS)(self._compile)
        self._readers = Workers(name, backend.max_concurrency)
        # SQLite has one writer at a time: waiting for a turn must not take a reader's thread.
        self._writers = Workers(name, 1) if self._sqlite_path else self._readers

    def problems(self, tool: ToolSpec) -> list[str]:
        """What is wrong with the tool's statements, as far as can be told without the database."""
        if not isinstance(tool.adapter, SqlBinding):
            return [f"backend '{self._name}' is a database, and the tool's adapter holds no statement"]
        return [
            problem for step in tool.adapter.steps for problem in statement_problems(step.sql, read_only=tool.read_only)
        ]

    async def call(self, call: AdapterCall) -> Payload:
        """Run the tool's statements and return their result. Raises CallError."""
        tool, binding = call.tool, call.tool.adapter
        if not isinstance(binding, SqlBinding):
            failure = BackendFailure(f"Tool '{tool.name}' has no statement for backend '{self._name}'.")
            failure.applied = "no"
            raise failure
        plan = self._plan(binding)
        own = own_binds(
            plan.binds,
            call.caller,
            now=call.now.astimezone(UTC),
            today=call.today,
            idempotency_key=call.idempotency_key,
        )
        return await self._run(
            Transaction(
                name=self._name,
                steps=plan.steps,
                values={**call.values, **own},
                returns=binding.returns,
                max_rows=binding.max_rows,
                read_only=tool.read_only,
            ),
            call.deadline,
        )

    async def rows(
        self, statement: str, binds: Mapping[str, Any], deadline: Deadline, max_rows: int = 1
    ) -> list[dict[str, Any]]:
        """At most `max_rows` rows of a read-only statement. Raises CallError."""
        step = SqlStep(sql=statement, expect_rows=None, reason=None)
        payload = await self._run(Transaction(self._name, (step,), binds, "rows", max_rows, read_only=True), deadline)
        return payload.data

    async def close(self) -> None:
        """Stop what runs, wait for the threads, close the connections."""
        await self._readers.close(_CLOSE_PATIENCE_S)
        if self._writers is not self._readers:
            await self._writers.close(_CLOSE_PATIENCE_S)
        if self._database is not None:
            self._database.close()

    def _plan(self, binding: SqlBinding) -> _Plan:
        """The binding's steps and names, read once: reading them costs more than a small query."""
        plan = self._plans.get(id(binding))
        if plan is None or plan.binding is not binding:
            if len(self._plans) >= _STATEMENTS:
                self._plans.clear()
            plan = self._plans[id(binding)] = _Plan(binding, binding.steps, binding.binds)
        return plan

    async def _run(self, transaction: Transaction, deadline: Deadline) -> Payload:
        deadline.check(f"backend '{self._name}'")
        workers = self._readers if transaction.read_only else self._writers

        def work(attempt: Attempt) -> Payload:
            return transaction.run(self._opened(), self._compiled, attempt)

        return await workers.run(work, Attempt(deadline))

    def _opened(self) -> Database:
        """The database, made by the first call."""
        if self._database is None:
            with self._opening:
                if self._database is None:
                    try:
                        self._database = self._open()
                    except Exception as error:  # noqa: BLE001 -- its text may hold the address, password included
                        raise classify(error, self._name, read_only=True, committing=False) from None
        return self._database

    def _open(self) -> Database:
        if self._sqlite_path is not None:
            from reach.adapters.sqlite import SqliteDatabase

            return SqliteDatabase(self._name, self._sqlite_path, self._backend.seed, self._root)
        from reach.adapters.postgres import PostgresDatabase

        return PostgresDatabase(self._postgres_url, self._password)

    def _compile(self, sql: str, read_only: bool) -> Statement:
        return compile_statement(sql, self._opened().dialect, read_only=read_only)


def _sqlite_path(name: str, backend: SqlBackend, root: Path) -> Path | None:
    if not backend.url.startswith("sqlite"):
        return None
    match = _SQLITE.fullmatch(backend.url)
    if match is None or match.group("path") == ":memory:":
        raise ConfigError(
            f"backend '{name}': its SQLite address names no file.", hint="Write sqlite:///PATH, without options."
        )
    return root / match.group("path")


def _postgres_url(name: str, backend: SqlBackend) -> str:
    match = _POSTGRES.fullmatch(backend.url)
    if match is None:
        scheme = backend.url.partition(":")[0]
        raise ConfigError(
            f"backend '{name}': '{scheme}' is not a database that Reach knows.",
            hint="Write sqlite:///PATH or postgresql://USER@HOST/DATABASE.",
        )
    try:
        port = urlsplit(backend.url).port
    except ValueError:
        port = -1
    if port == -1:
        raise ConfigError(f"backend '{name}': the port in its address is not a number.")
    if backend.seed is not None:
        raise ConfigError(f"backend '{name}': 'seed' makes SQLite files only.", hint="Remove it.")
    if find_spec("psycopg") is None:
        raise MissingExtra(f"Backend '{name}' on PostgreSQL", "postgres")
    return f"postgresql+psycopg{match.group('rest')}"
