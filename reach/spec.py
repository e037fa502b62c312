"""What tools.yaml, policies/*.yaml and evals/*.yaml may say, as pydantic models.

Rule: unknown keys are refused, scalars are never coerced ("30" is not 30), and whatever can be checked within one file
without a backend is checked here, so that the loader can name the file, line and column.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Strict,
    StringConstraints,
    Tag,
    field_validator,
    model_validator,
)

Int = Annotated[int, Strict()]
Bool = Annotated[bool, Strict()]
Number = Annotated[float, Field(allow_inf_nan=False)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Language = Literal["en", "zh"]
Text: TypeAlias = Line | dict[Language, Line]
"""A text for people: one string, or one string a language (`{en: ..., zh: ...}`)."""

RESERVED_BINDS = frozenset({"caller_id", "caller_tenant", "idempotency_key", "now", "today"})
"""Names that Reach binds itself in every SQL statement; a tool may not declare a parameter of such a name."""


def localized(text: Text | None, language: str) -> str:
    """`text` in `language`, else in English, else in whatever it has; the empty string for None."""
    if text is None or isinstance(text, str):
        return text or ""
    return text.get(language) or text.get("en") or next(iter(text.values()), "")  # pyright: ignore[reportArgumentType,reportCallIssue]


_SQL_TOKEN = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | --[^\n]* | /\*.*?\*/ | :: | (?<![:\w]):([A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL,
)


def sql_binds(statement: str) -> frozenset[str]:
    """The names of the `:name` parameters of a SQL statement, outside strings, quoted names, comments and `::` casts."""
    return frozenset(m.group(1) for m in _SQL_TOKEN.finditer(statement) if m.group(1))


class Model(BaseModel):
    """Base of every model here: frozen, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# ------------------------------------------------------------------------------------------------ runtime


class ArtifactsSpec(Model):
    """Where large results are kept."""

    index: Line | None = Field(None, description="URL of the artifact index; null: the same store as `state`.")
    blobs: Line = Field("file://.reach/artifacts", description="URL of the payloads, relative to tools.yaml.")
    ttl_s: Annotated[Int, Field(ge=1)] = Field(86_400, description="Seconds after which an artifact expires.")


class RuntimeSpec(Model):
    """Settings of the runtime. REACH_* environment variables override them (REACH_DEADLINE_MS, REACH_THRESHOLD ...)."""

    deadline_ms: Annotated[Int, Field(ge=1, le=3_600_000)] = Field(8000, description="One budget for a whole turn.")
    threshold: Annotated[Number, Field(ge=0, le=1)] = Field(0.45, description="Score below which Reach asks back.")
    top_k: Annotated[Int, Field(ge=1, le=50)] = 3
    max_calls_per_turn: Annotated[Int, Field(ge=1, le=100)] = 3
    model: Line | None = Field(None, description="null (local router), or openai:NAME.")
    state: Line = Field("sqlite:///.reach/state.db", description="sqlite:///PATH (relative to tools.yaml) or memory://.")
    artifacts: ArtifactsSpec = ArtifactsSpec()  # pyright: ignore[reportCallIssue]
    timezone: Line = Field("UTC", description="IANA zone of callers without a `zoneinfo` claim.")
    language: Language = Field("en", description="Language of answers where the user's words do not show one.")
    session_ttl_s: Annotated[Int, Field(ge=1)] = Field(3600, description="A session idle for longer is forgotten.")
    confirm_ttl_s: Annotated[Int, Field(ge=1)] = Field(600, description="A confirmation expires after this long.")
    dedupe_window_s: Annotated[Int, Field(ge=0)] = Field(
        10, description="The same write said again in a session within this time is the same request."
    )

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(value)
        except Exception:
            raise ValueError(f"'{value}' is not an IANA time zone, such as Asia/Shanghai") from None
        return value


class CredentialSpec(Model):
    """A secret by name. Exactly one of `env` (environment variable) and `file` (path of a secret file) says where it is."""

    kind: Literal["bearer", "basic", "api_key"]
    env: Line | None = None
    file: Line | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.env is None) == (self.file is None):
            raise ValueError("exactly one of 'env' and 'file' says where the secret is")
        return self


class BreakerSpec(Model):
    """When a backend's breaker opens, and for how long."""

    failures: Annotated[Int, Field(ge=1)] = Field(5, description="Failures in a row that open the breaker.")
    reset_ms: Annotated[Int, Field(ge=1)] = Field(30_000, description="How long it stays open before one trial.")


class _Backend(Model):
    breaker: BreakerSpec = BreakerSpec()  # pyright: ignore[reportCallIssue]
    max_concurrency: Annotated[Int, Field(ge=1, le=10_000)] = Field(16, description="Calls at a time in one process.")
    credential: Name | None = None


class SqlBackend(_Backend):
    """A database, through SQLAlchemy. A relative SQLite path is relative to tools.yaml."""

    kind: Literal["sql"]
    url: Line
    seed: Line | None = Field(
        None, description="module:function called with the path of a SQLite file that does not exist yet, to create it."
    )


class PythonBackend(_Backend):
    """Functions of this process that share a breaker and a concurrency limit."""

    kind: Literal["python"]


BackendSpec = Annotated[SqlBackend | PythonBackend, Field(discriminator="kind")]


# ------------------------------------------------------------------------------------------------ parameters


class ValuesSpec(Model):
    """A catalogue of known values: a list, or a SQL statement whose first column is the value."""

    values: list[Line] | None = Field(None, alias="list")
    sql: Line | None = None
    backend: Name | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.values is None) == (self.sql is None):
            raise ValueError("exactly one of 'list' and 'sql' says where the known values come from")
        if self.sql is not None and self.backend is None:
            raise ValueError("'sql' needs 'backend', the name of the backend that it runs on")
        return self


class ParameterSpec(Model):
    """One parameter of a tool: the JSON Schema words that apply, and what Reach needs to fill and prove it."""

    type: Literal["string", "integer", "number", "boolean", "array", "object"] = "string"
    required: Bool = True
    description: Text = ""  # pyright: ignore[reportAssignmentType]
    ask: Text | None = Field(None, description="The question that asks the user for it.")
    title: Text | None = Field(None, description="What it is called in front of a user.")
    resource: Name | None = Field(None, description="What the value identifies; a policy must say how it is proved.")
    claim: Line | None = Field(None, description="Name of the caller's claim that fills it where the user does not.")
    default: Any = None
    pattern: Line | None = None
    format: Literal["date", "date-time", "time", "email", "uri", "uuid", "phone"] | None = None
    period: Literal["start", "end"] | None = Field(None, description="Which end of a spoken period this date takes.")
    unit: Line | None = None
    enum: Annotated[list[Any], Field(min_length=1)] | None = None
    synonyms: dict[Line, list[Line]] | None = Field(None, description="Other words for each enum value.")
    known_values: ValuesSpec | None = Field(None, alias="values")
    minimum: Int | Number | None = None
    maximum: Int | Number | None = None
    min_length: Annotated[Int, Field(ge=0)] | None = Field(None, alias="minLength")
    max_length: Annotated[Int, Field(ge=0)] | None = Field(None, alias="maxLength")
    items: dict[str, Any] | None = None
    properties: dict[str, Any] | None = None
    min_items: Annotated[Int, Field(ge=0)] | None = Field(None, alias="minItems")
    max_items: Annotated[Int, Field(ge=0)] | None = Field(None, alias="maxItems")

    @field_validator("pattern")
    @classmethod
    def _valid_regex(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                re.compile(value)
            except re.error as error:
                raise ValueError(f"is not a valid regular expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.pattern is not None and self.type != "string":
            raise ValueError(f"'pattern' applies to strings, and this parameter is of type {self.type}")
        if self.synonyms is not None:
            known = {str(v) for v in self.enum or ()}
            if unknown := sorted(set(self.synonyms) - known):
                raise ValueError(f"'synonyms' names {unknown[0]!r}, which is not one of the enum values")
        if self.default is not None and self.enum is not None and self.default not in self.enum:
            raise ValueError(f"the default {self.default!r} is not one of the enum values")
        if self.default is not None and self.resource is not None:
            raise ValueError("a parameter with a 'resource' identifies something of a caller, so it can't have a default")
        return self

    def json_schema(self) -> dict[str, Any]:
        """The parameter as JSON Schema, without the words that only Reach reads."""
        schema: dict[str, Any] = {"type": self.type}
        if description := localized(self.description, "en"):
            schema["description"] = description
        for key in ("pattern", "unit", "enum", "minimum", "maximum", "items", "properties"):
            if key != "unit" and (value := getattr(self, key)) is not None:
                schema[key] = value
        if self.unit:
            schema["description"] = f"{schema.get('description', '')} In {self.unit}.".strip()
        if self.format and self.format != "phone":
            schema["format"] = self.format
        for key, word in (
            ("min_length", "minLength"),
            ("max_length", "maxLength"),
            ("min_items", "minItems"),
            ("max_items", "maxItems"),
        ):
            if (value := getattr(self, key)) is not None:
                schema[word] = value
        if self.default is not None:
            schema["default"] = self.default
        return schema


_SCHEMA_WORDS = frozenset(ParameterSpec.model_fields) | {"values", "minLength", "maxLength", "minItems", "maxItems"}


def _normal_parameters(data: Any) -> Any:
    """A plain JSON Schema object as the shorthand; anything else is returned as it is."""
    if not isinstance(data, Mapping) or not isinstance(data.get("properties"), Mapping) or data.get("type") != "object":  # pyright: ignore[reportUnknownMemberType]
        return data  # pyright: ignore[reportUnknownVariableType]
    required = data.get("required", [])  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
    return {
        name: {**schema, "required": name in required} if isinstance(schema, Mapping) else schema
        for name, schema in data["properties"].items()  # pyright: ignore[reportUnknownVariableType]
    }


# ------------------------------------------------------------------------------------------------ adapters


class SqlStep(Model):
    """One statement of a transaction. With `expect_rows`, another number of changed rows rolls everything back."""

    sql: Line
    expect_rows: Annotated[Int, Field(ge=0)] | None = None
    reason: Text | None = Field(None, description="What the user is told where `expect_rows` is not met.")


class SqlBinding(Model):
    """SQL with `:name` parameters, one statement or several in one transaction; the last one's rows are the result.

    Lists and objects are bound as JSON text. `caller_id`, `caller_tenant`, `idempotency_key`, `now` (ISO, UTC) and
    `today` (the caller's date) are bound by Reach; `claim_NAME` binds a claim of the caller. A parameter without a value
    is bound as NULL.
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
    """A function `module:name`, sync or async. It is called with the tool's parameters by keyword; a parameter of its
    own named `call` receives the `AdapterCall` (caller, deadline, idempotency key, now)."""

    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
    backend: Name = "python"


def _binding_kind(data: Any) -> str:
    if isinstance(data, PythonBinding) or (isinstance(data, Mapping) and "function" in data):
        return "python"
    return "sql"


AdapterSpec = Annotated[
    Annotated[SqlBinding, Tag("sql")] | Annotated[PythonBinding, Tag("python")], Discriminator(_binding_kind)
]


# ------------------------------------------------------------------------------------------------ tools


class RetrySpec(Model):
    """How often a read is tried. Writes are never retried unless `idempotency.honoured` says the far side knows the key."""

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
    redact: list[Line] = Field(default_factory=list[str], description="Paths that are masked before anything is stored.")
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
        return _normal_parameters(value)

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
        for problem in self._inconsistencies():
            raise ValueError(problem)
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


# ------------------------------------------------------------------------------------------------ policies


class OwnershipSpec(Model):
    """How a value of one resource is proved to be the caller's, at call time. No proof is a denial.

    `sql` must return a row (it sees `:value`, `:caller_id`, `:caller_tenant`, `:claim_NAME`, and the other arguments of
    the call as `:arg_NAME`); `claim` names a claim that is the value, or a list that holds it (`id` is the caller's own
    id); `function` is `module:name`, called with `value` and `caller`. `anyone: true` says that values of this resource
    belong to nobody in particular.
    """

    backend: Name | None = None
    sql: Line | None = None
    claim: Line | None = None
    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    anyone: Bool = False
    roles: list[Line] | None = Field(None, description="Only callers of these roles must prove it; null: everyone.")
    reason: Text | None = Field(None, description="What the caller is told without proof.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [w for w, on in (("sql", self.sql), ("claim", self.claim), ("function", self.function)) if on]
        ways += ["anyone"] if self.anyone else []
        if len(ways) != 1:
            raise ValueError("exactly one of 'sql', 'claim', 'function' and 'anyone: true' says how it is proved")
        if (self.sql is None) != (self.backend is None):
            raise ValueError("'sql' and 'backend' go together")
        if self.sql is not None:
            binds = sql_binds(self.sql)
            if "value" not in binds:
                raise ValueError("the statement does not use ':value', so it proves nothing about the value")
            for name in sorted(binds - {"value"} - RESERVED_BINDS):
                if not name.startswith(("claim_", "arg_")):
                    raise ValueError(f"the statement uses ':{name}'; known: :value :caller_id :claim_NAME :arg_NAME")
            if not any(n.startswith(("caller_", "claim_")) for n in binds):
                raise ValueError("the statement does not use the caller (:caller_id or :claim_NAME)")
        return self


class RuleBody(Model):
    """Who and what a rule covers. Every key that is given must match.

    An `allow` or `confirm` must name `roles`, or say `everyone: true`.
    """

    roles: Annotated[list[Line], Field(min_length=1)] | None = None
    everyone: Bool = False
    tenants: Annotated[list[Line], Field(min_length=1)] | None = None
    claims: dict[Line, Any] | None = Field(None, description="Claims that must have this value, or one of a list.")
    tools: Annotated[list[Name], Field(min_length=1)] | None = None
    tags: Annotated[list[Name], Field(min_length=1)] | None = None
    when: Line | None = Field(None, description="A CEL condition over args, provenance, caller, tool, now.")

    @model_validator(mode="after")
    def _names_tools(self) -> Self:
        if self.tools is None and self.tags is None:
            raise ValueError("a rule names its 'tools' (exact names) or 'tags'")
        if self.roles is not None and self.everyone:
            raise ValueError("'roles' and 'everyone: true' exclude each other")
        return self


class RuleSpec(Model):
    """One rule: an id and exactly one of allow, confirm, deny."""

    id: Name
    allow: RuleBody | None = None
    confirm: RuleBody | None = None
    deny: RuleBody | None = None
    reason: Text | None = None

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        given = [e for e in ("allow", "confirm", "deny") if getattr(self, e) is not None]
        if len(given) != 1:
            raise ValueError("a rule has exactly one of 'allow', 'confirm' and 'deny'")
        if given[0] != "deny" and self.body.roles is None and not self.body.everyone:
            raise ValueError(f"'{given[0]}' must name 'roles', or say 'everyone: true'")
        return self

    @property
    def effect(self) -> Literal["allow", "confirm", "deny"]:
        """What the rule does where it matches."""
        return "allow" if self.allow else "confirm" if self.confirm else "deny"

    @property
    def body(self) -> RuleBody:
        """Who and what it covers."""
        body = self.allow or self.confirm or self.deny
        assert body is not None
        return body


class PoliciesFile(Model):
    """The whole of one file of policies/."""

    version: Literal[1]
    ownership: dict[Name, OwnershipSpec] = Field(default_factory=dict[str, OwnershipSpec])
    rules: list[RuleSpec] = Field(default_factory=list[RuleSpec])


# ------------------------------------------------------------------------------------------------ evals


class CallerSpec(Model):
    """A test identity."""

    id: Line | None = Field(None, description="The caller's id; null: the name it is listed under.")
    roles: list[Line] = Field(default_factory=list[str])
    tenant: str = ""
    claims: dict[Line, Any] = Field(default_factory=dict[str, Any])


class CallersFile(Model):
    """The whole of evals/callers.yaml."""

    version: Literal[1]
    callers: dict[Line, CallerSpec]


class ExpectSpec(Model):
    """What a right turn looks like. Only what is given is checked."""

    outcome: Literal["answer", "clarify", "confirm", "denied", "fallback", "unknown", "no_tool"]
    tool: Name | None = None
    args: dict[Name, Any] | None = None
    answer_points: list[Line] = Field(default_factory=list[str], description="Texts that the answer must contain.")
    never: list[Name] = Field(default_factory=list[str], description="Tools that must not be called.")


class TurnSpec(Model):
    """One turn of a case with several."""

    query: str
    expect: ExpectSpec


class CaseSpec(Model):
    """One labelled case: `query` and `expect`, or `turns`."""

    id: Line
    caller: Line
    query: str | None = None
    expect: ExpectSpec | None = None
    turns: Annotated[list[TurnSpec], Field(min_length=1)] | None = None
    tags: list[Line] = Field(default_factory=list[str])

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        single = self.query is not None and self.expect is not None
        if single == (self.turns is not None) or (self.turns is not None and (self.query or self.expect)):
            raise ValueError("a case has 'query' and 'expect', or 'turns'")
        return self

    @property
    def steps(self) -> tuple[TurnSpec, ...]:
        """The turns of the case, one or more."""
        if self.turns is not None:
            return tuple(self.turns)
        assert self.query is not None and self.expect is not None
        return (TurnSpec(query=self.query, expect=self.expect),)


class EvalFile(Model):
    """The whole of one file of labelled cases. `now` (ISO, with offset) fixes the clock for all of them."""

    version: Literal[1]
    now: Line | None = None
    cases: Annotated[list[CaseSpec], Field(min_length=1)]
