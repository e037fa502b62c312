"""The settings of the runtime, credentials, and the backends that tools talk to.

Rule: every setting has a default, and a secret is named here but never written here.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator, model_validator

from reach.spec.base import Int, Language, Line, Model, Name, Number


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
    state: Line = Field(
        "sqlite:///.reach/state.db", description="sqlite:///PATH (relative to tools.yaml) or memory://."
    )
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
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"'{value}' is not an IANA time zone, such as Asia/Shanghai") from None
        return value


class CredentialSpec(Model):
    """A secret by name. Exactly one of `env` (environment variable) and `file` (path) says where it is."""

    kind: Literal["password"] = Field(description="`password`: of the user that a `sql` backend's url names.")
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


class SqlBackend(_Backend):
    """A database, through SQLAlchemy. A relative SQLite path is relative to tools.yaml."""

    kind: Literal["sql"]
    url: Line
    credential: Name | None = Field(None, description="Name of the credential that holds the password.")
    seed: Line | None = Field(
        None, description="module:function called with the path of a SQLite file that does not exist yet, to create it."
    )


class PythonBackend(_Backend):
    """Functions of this process that share a breaker and a concurrency limit."""

    kind: Literal["python"]


BackendSpec = Annotated[SqlBackend | PythonBackend, Field(discriminator="kind")]
