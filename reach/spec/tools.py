"""tools.yaml: what a tool is for, what it takes, how it is run and what of its result may be seen.

Rule: whatever can be checked within the file without a backend is checked here, so that the loader can name the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, StringConstraints, Tag, field_validator, model_validator

from reach.spec.base import RESERVED_BINDS, Bool, Int, Line, Model, Name, Text, sql_binds
from reach.spec.parameters import ParameterSpec, normal_parameters
from reach.spec.runtime import BackendSpec, CredentialSpec, PythonBackend, RuntimeSpec, SqlBackend


class SqlStep(Model):
    """One statement of a transaction. With `expect_rows`, another number of changed rows rolls everything back."""

    sql: Line
    expect_rows: Annotated[Int, Field(ge=0)] | None = None
    reason: Text | None = Field(None, description="What the user is told where `expect_rows` is not met.")


class SqlBinding(Model):
    """SQL with `:name` parameters, one statement or several in one transaction; the last one's rows are the result.

    Lists and objects are bound as JSON text. `caller_id`, `caller_tenant`, `idempotency_key`, `now` (ISO, UTC) and
    `today` (the caller's date) are bound by Reach; `claim_NAME` binds a claim of the caller. A parameter without a
    value is bound as NULL.
    """

    backend: Name
    statement: Line | None = None
    statements: Annotated[list[SqlStep], Field(min_length=1)] | None = None
    returns: Literal["rows", "row", "value"] = Field("rows", description="A list of rows, the first row, or one value.")
    max_rows: Annotated[Int, Field(ge=1, le=10_000_000)] = Field(100_000, description="More rows make it `partial`.")

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.statement is None) == (self.statements is None):
            raise ValueError("exactly one of 'statement' and 'statements' says what to run")
        return self

    @property
    def steps(self) -> tuple[SqlStep, ...]:
        """The statements in order."""
        if self.statements is not None:
            return tuple(self.statements)
        return (SqlStep(sql=self.statement or "", expect_rows=None, reason=None),)

    @property
    def binds(self) -> frozenset[str]:
        """The names of all `:name` parameters."""
        return frozenset[str]().union(*(sql_binds(step.sql) for step in self.steps))


class PythonBinding(Model):
    """A function `module:name`, sync or async.

    It is called with the tool's parameters by keyword; a parameter of its own named `call` receives the `AdapterCall`
    (caller, deadline, idempotency key, now).
    """

    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
    backend: Name = "python"


def _binding_kind(data: Any) -> str:
    if isinstance(data, PythonBinding) or (isinstance(data, Mapping) and "function" in data):
        return "python"
    return "sql"


AdapterSpec = Annotated[
    Annotated[SqlBinding, Tag("sql")] | Annotated[PythonBinding, Tag("python")], Discriminator(_binding_kind)
]


class RetrySpec(Model):
    """How often a read is tried. Writes are not retried unless `idempotency.honoured`."""

    attempts: Annotated[Int, Field(ge=1, le=10)] = 3
    base_ms: Annotated[Int, Field(ge=0)] = 50
    max_ms: Annotated[Int, Field(ge=1)] = 1000


class CacheSpec(Model):
    """A read's result is kept for `ttl_s`, for each caller apart unless `shared`."""

    ttl_s: Annotated[Int, Field(ge=1, le=86_400)]
    shared: Bool = False


_RATE = re.compile(r"^([1-9]\d{0,6})/(second|minute|hour|day)$")
_RATE_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
Rate = Annotated[str, StringConstraints(pattern=_RATE.pattern)]


def rate_of(rate: str) -> tuple[int, int]:
    """`30/minute` as (30, 60): how many calls in how many seconds."""
    match = _RATE.match(rate)
    if match is None:
        raise ValueError(f"'{rate}' is not a rate such as 30/minute")
    return int(match.group(1)), _RATE_SECONDS[match.group(2)]


class RateLimitSpec(Model):
    """Most calls in a time, such as `30/minute`: for one caller, for one tenant, for the tool as a whole."""

    per_caller: Rate | None = None
    per_tenant: Rate | None = None
    per_tool: Rate | None = None


class IdempotencySpec(Model):
    """`honoured: true` says that the far side recognises the key, so that a write may be retried."""

    honoured: Bool = False


class PreconditionSpec(Model):
    """A statement that must return a row for the call to be allowed; otherwise the call is refused with `reason`.

    It sees the tool's parameters and the names that Reach binds.
    """

    id: Name
    backend: Name
    sql: Line
    reason: Text


class ListSpec(Model):
    """How a list is aggregated: above `over` rows, statistics over all rows and the first `sample` rows."""

    over: Annotated[Int, Field(ge=0)] = 50
    sample: Annotated[Int, Field(ge=0)] = 5
    stats: list[Line] | None = Field(None, description="Fields with statistics; null: chosen by type.")


class ResultSpec(Model):
    """What of a result may be seen. `fields` is a whitelist of paths (`items[].name`, `last_event.time`), or `"*"`."""

    fields: Literal["*"] | Annotated[list[Line], Field(min_length=1)]
    rows: ListSpec = Field(ListSpec(), alias="list")  # pyright: ignore[reportCallIssue]
    artifact: Literal["auto", "never", "always"] = "auto"
    redact: list[Line] = Field(default_factory=list[str], description="Paths masked before anything is stored.")
    say: Text | None = Field(None, description="Template of the answer, for the record or for each row: {path}.")
    empty: Text | None = Field(None, description="What is said where there is nothing.")


class ToolSpec(Model):
    """One tool."""

    name: Name
    title: Text | None = Field(None, description="What the tool is called in front of a user.")
    description: Text
    when_to_use: Text = ""  # pyright: ignore[reportAssignmentType]
    when_not_to_use: Text = ""  # pyright: ignore[reportAssignmentType]
    examples: list[Line] = Field(default_factory=list[str])
    counter_examples: list[Line] = Field(default_factory=list[str])
    tags: list[Name] = Field(default_factory=list[str])
    side_effect: Literal["read_only", "write"]
    cost_hint: Literal["low", "medium", "high"] = "low"
    timeout_ms: Annotated[Int, Field(ge=1, le=3_600_000)] = 3000
    parameters: dict[Name, ParameterSpec] = Field(default_factory=dict[str, ParameterSpec])
    require_one_of: list[Annotated[list[Name], Field(min_length=1)]] = Field(default_factory=list[list[str]])
    adapter: AdapterSpec
    retry: RetrySpec = RetrySpec()  # pyright: ignore[reportCallIssue]
    cache: CacheSpec | None = None
    rate_limit: RateLimitSpec | None = None
    idempotency: IdempotencySpec = IdempotencySpec()  # pyright: ignore[reportCallIssue]
    preconditions: list[PreconditionSpec] = Field(default_factory=list[PreconditionSpec])
    result: ResultSpec

    @field_validator("parameters", mode="before")
    @classmethod
    def _shorthand(cls, value: Any) -> Any:
        return normal_parameters(value)

    @property
    def read_only(self) -> bool:
        """True where the tool changes nothing."""
        return self.side_effect == "read_only"

    def schema_object(self) -> dict[str, Any]:
        """The parameters as one JSON Schema object that refuses unknown arguments; `require_one_of` as `anyOf`."""
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {name: parameter.json_schema() for name, parameter in self.parameters.items()},
            "required": [name for name, parameter in self.parameters.items() if parameter.required],
            "additionalProperties": False,
        }
        groups = [{"anyOf": [{"required": [name]} for name in group]} for group in self.require_one_of]
        if groups:
            schema["allOf"] = groups
        return schema

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        problems = list(self._inconsistencies())
        if problems:
            raise ValueError("\n".join(problems))
        return self

    def _inconsistencies(self) -> Iterator[str]:
        for name in self.parameters:
            if name in RESERVED_BINDS or name.startswith("claim_"):
                yield f"parameter '{name}' has a name that Reach binds itself; choose another"
        for group in self.require_one_of:
            for name in group:
                if name not in self.parameters:
                    yield f"'require_one_of' names '{name}', which is not a parameter"
                elif self.parameters[name].required:
                    yield f"'{name}' is in 'require_one_of', so it must say 'required: false'"
        if self.cache is not None and not self.read_only:
            yield "a write can't have a 'cache'"
        if isinstance(self.adapter, SqlBinding):
            yield from self._sql_inconsistencies(self.adapter)

    def _sql_inconsistencies(self, adapter: SqlBinding) -> Iterator[str]:
        binds = adapter.binds | frozenset[str]().union(*(sql_binds(check.sql) for check in self.preconditions))
        for name in sorted(binds - set(self.parameters)):
            if name not in RESERVED_BINDS and not name.startswith("claim_"):
                yield f"the statement uses ':{name}', which is neither a parameter nor a name that Reach binds"
        for name in self.parameters:
            if name not in binds:
                yield f"the statement does not use the parameter ':{name}'"


class ToolsFile(Model):
    """The whole of tools.yaml."""

    version: Literal[1]
    runtime: RuntimeSpec = RuntimeSpec()  # pyright: ignore[reportCallIssue]
    credentials: dict[Name, CredentialSpec] = Field(default_factory=dict[str, CredentialSpec])
    backends: dict[Name, BackendSpec] = Field(default_factory=dict[str, SqlBackend | PythonBackend])
    tools: Annotated[list[ToolSpec], Field(min_length=1)]
