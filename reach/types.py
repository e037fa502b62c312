"""The values that cross rooms, in the order in which one turn makes them.

Rule: every value here is frozen, knows nothing of how it was made, and can be written as JSON.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from reach.errors import CallError

# ------------------------------------------------------------------------------------------------ who


@dataclass(frozen=True, slots=True, init=False)
class Caller:
    """The identity that the host has authenticated; Reach never guesses one.

    `claims` are facts about the caller that the host vouches for. The OpenID names `zoneinfo` (an IANA time zone) and
    `locale` (such as `zh-CN`) set the caller's time zone and language.
    """

    id: str
    roles: frozenset[str]
    tenant: str
    claims: Mapping[str, Any]

    def __init__(
        self,
        id: str,  # noqa: A002  # the design's name, and every host's
        roles: Iterable[str] = (),
        tenant: str = "",
        claims: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(id, str) or not id:  # pyright: ignore[reportUnnecessaryIsInstance]  -- hosts pass anything
            raise ValueError("A caller needs a non-empty string as id.")
        if isinstance(roles, str):
            raise ValueError("Caller.roles is a collection of role names, not one string.")  # noqa: TRY004  # the same
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "roles", frozenset(roles))
        object.__setattr__(self, "tenant", tenant)
        object.__setattr__(self, "claims", MappingProxyType(dict(claims or {})))

    @property
    def identity(self) -> str:
        """SHA-256 over tenant and id as they are, without any normalisation: two callers never share one."""
        parts = [part.encode("utf-8", "surrogatepass").hex() for part in (str(self.tenant), self.id)]
        return hashlib.sha256("/".join(parts).encode()).hexdigest()


# ------------------------------------------------------------------------------------------------ describe


@dataclass(frozen=True, slots=True)
class ToolCard:
    """The part of a tool that a model may see. `parameters` is a JSON Schema object."""

    name: str
    description: str
    when_to_use: str
    when_not_to_use: str
    examples: tuple[str, ...]
    parameters: Mapping[str, Any]
    side_effect: Literal["read_only", "write"]

    def as_openai(self) -> dict[str, Any]:
        """The card as one entry of the `tools` list of an OpenAI-compatible chat completion request."""
        parts = [self.description]
        if self.when_to_use:
            parts.append(f"Use when: {self.when_to_use}")
        if self.when_not_to_use:
            parts.append(f"Do not use for: {self.when_not_to_use}")
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": "\n".join(parts),
                "parameters": dict(self.parameters),
            },
        }


# ------------------------------------------------------------------------------------------------ route


@dataclass(frozen=True, slots=True)
class Candidate:
    """One tool that may answer. `score` is in 0..1 and means the same from query to query; `why` names its parts."""

    tool: str
    score: float
    why: Mapping[str, float] = field(default_factory=dict[str, float])


RouteReason = Literal["ranked", "below_threshold", "greeting", "closing", "thanks", "empty", "no_tools"]


@dataclass(frozen=True, slots=True)
class Route:
    """The ranked candidates of one query, best first.

    `abstained` is true where no candidate reached `threshold`: the conversation then asks back (`below_threshold`) or
    says that nothing was asked for (`greeting`, `closing`, `thanks`, `empty`).
    """

    query: str
    candidates: tuple[Candidate, ...]
    abstained: bool
    threshold: float
    reason: RouteReason = "ranked"

    @property
    def above(self) -> tuple[Candidate, ...]:
        """The candidates at or above the threshold, best first."""
        return tuple(c for c in self.candidates if c.score >= self.threshold)


# ------------------------------------------------------------------------------------------------ fill

Source = Literal["user", "slot", "result", "claim", "default", "host"]
"""Where a value came from: the user's words, a confirmed slot, an earlier tool result, a claim, a declared default, or
the host that called `Reach.call` itself."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where one argument came from. `text` is the span of the user's words (or the claim's name), `start` its place."""

    source: Source
    text: str = ""
    start: int = -1
    recogniser: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One real choice offered to the user: the value that would be used and the label that is shown."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class Arguments:
    """What is known of a tool's arguments.

    `values` and `provenance` have the same keys. `missing` lists required parameters without a value, and one name of
    each unmet `require_one_of` group; `invalid` says what is wrong with a value that was given; `ambiguous` lists the
    readings of a value that has several.
    """

    values: Mapping[str, Any]
    provenance: Mapping[str, Provenance]
    missing: tuple[str, ...] = ()
    invalid: Mapping[str, str] = field(default_factory=dict[str, str])
    ambiguous: Mapping[str, tuple[Choice, ...]] = field(default_factory=dict[str, tuple[Choice, ...]])

    @property
    def complete(self) -> bool:
        """True where the call can be made with these values."""
        return not (self.missing or self.invalid or self.ambiguous)


# ------------------------------------------------------------------------------------------------ permit

Effect = Literal["allow", "deny", "confirm"]


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One frozen call: what policy, confirmation, ledger, audit and adapter all see.

    `values` are complete: validated against the tool's parameters, defaults bound. `session` and `turn` scope the
    idempotency key; `idempotency_key` is the host's own key, if it gave one.
    """

    tool: str
    values: Mapping[str, Any]
    provenance: Mapping[str, Provenance]
    caller: Caller
    session: str
    turn: str
    call_id: str
    idempotency_key: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 over tool, canonical values, caller, tenant and session: the identity of what was shown."""
        return digest_of([self.tool, self.values, self.caller.identity, self.session])


@dataclass(frozen=True, slots=True)
class Decision:
    """What policy decided about one call, by which rule, and why. `facts` are the values that the rule saw."""

    effect: Effect
    rule: str
    reason: str
    policy_version: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


class PermittedCall(ABC):
    """A call that policy has let through. Only the policy room has a concrete class, so the check cannot be skipped."""

    __slots__ = ()

    @property
    @abstractmethod
    def request(self) -> CallRequest:
        """The call, exactly as policy saw it."""

    @property
    @abstractmethod
    def decision(self) -> Decision:
        """The decision that permitted it: `allow`, or `confirm` together with the caller's yes."""


# ------------------------------------------------------------------------------------------------ execute

ExecutionStatus = Literal["succeeded", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Payload:
    """What a backend returned: decoded `data`, or `body` bytes that the reducer decodes through the whitelist.

    `partial` is true where the backend itself said, or the adapter saw, that there is more than this. `masked` is true
    of what was stored and read back: what the tool masks is masked already.
    """

    data: Any = None
    body: bytes | None = None
    media_type: str = "application/json"
    partial: bool = False
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Execution:
    """How one permitted call ended. `payload` is set where it succeeded, `error` where it did not.

    `unknown` is a write that was sent and never answered: it may have happened. `replayed` says that an earlier run's
    stored result was returned, `cached` that a read came from the cache. `duration_ms` covers all attempts.
    """

    status: ExecutionStatus
    payload: Payload | None = None
    error: CallError | None = None
    attempts: int = 0
    replayed: bool = False
    cached: bool = False
    duration_ms: float = 0.0


# ------------------------------------------------------------------------------------------------ return

Completeness = Literal["complete", "truncated", "partial_failed"]


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """An error as a value: what a host or a model may see of it."""

    code: str
    message: str
    retryable: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Structured:
    """The facts beside the content.

    `completeness` says whether `data` is everything (`complete`), a part (`truncated`) or a part because something
    failed on the way (`partial_failed`). `shown` of `total` rows are in `data`; both are None for what is not a
    list. `result_summary` holds rows, columns and statistics over *all* rows. `artifact_ref` and `fetch_hint` say how
    to have the rest. `sizes` are bytes: what the backend returned (`raw`) and what the content takes (`content`).
    """

    status: Literal["succeeded", "confirm", "denied", "invalid", "failed", "unknown"]
    completeness: Completeness = "complete"
    data: Any = None
    shown: int | None = None
    total: int | None = None
    result_summary: Mapping[str, Any] | None = None
    artifact_ref: str | None = None
    fetch_hint: str | None = None
    replayed: bool = False
    error: ErrorInfo | None = None
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Envelope:
    """One result for the model: `content` is what it reads, `structured` what the host may act on."""

    content: str
    structured: Structured


@dataclass(frozen=True, slots=True)
class Page:
    """One page of an artifact.

    `text` holds whole characters only; `offset` and `next_offset` are bytes of the UTF-8 payload. Pages joined give the
    original bytes. A page is `ephemeral`: a host must not write it into the conversation's history.
    """

    ref: str
    text: str
    offset: int
    next_offset: int
    total_bytes: int
    has_more: bool
    media_type: str = "application/json"
    ephemeral: bool = True


# ------------------------------------------------------------------------------------------------ answer

CallStatus = Literal["succeeded", "confirm", "denied", "invalid", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class CallResult:
    """What `Reach.call` and `Reach.confirm` return. `envelope` is there whatever the status is.

    `text` is for the user, in their language: the question of a write that waits for a yes, or the reason of a refusal.
    """

    status: CallStatus
    tool: str
    envelope: Envelope
    call_id: str
    turn: str
    text: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    provenance: Mapping[str, Provenance] = field(default_factory=dict[str, Provenance])
    decision: Decision | None = None
    confirmation_id: str | None = None
    expires_at: datetime | None = None
    attempts: int = 0
    duration_ms: float = 0.0


OutcomeKind = Literal["answer", "clarify", "confirm", "denied", "fallback", "unknown", "no_tool"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one turn ended; `kind` names the subclass. `text` is ready to be shown to the user in their language."""

    kind: ClassVar[OutcomeKind]

    text: str
    turn: str = ""
    session: str = ""
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    provenance: Mapping[str, Provenance] = field(default_factory=dict[str, Provenance])
    envelope: Envelope | None = None
    route: Route | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Answer(Outcome):
    """A tool succeeded; `envelope` holds what it returned."""

    kind: ClassVar[OutcomeKind] = "answer"


@dataclass(frozen=True, slots=True)
class Clarify(Outcome):
    """Something is missing or ambiguous: the text asks for `parameter`, or lets the user choose among `choices`."""

    kind: ClassVar[OutcomeKind] = "clarify"
    parameter: str | None = None
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Confirm(Outcome):
    """A write waits for a yes. What runs after it is exactly `tool` with `arguments`."""

    kind: ClassVar[OutcomeKind] = "confirm"
    confirmation_id: str = ""
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Denied(Outcome):
    """Policy refused; `rule` is the one that decided."""

    kind: ClassVar[OutcomeKind] = "denied"
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fallback(Outcome):
    """Every candidate failed; nothing was invented instead."""

    kind: ClassVar[OutcomeKind] = "fallback"


@dataclass(frozen=True, slots=True)
class Unknown(Outcome):
    """A write was sent and never answered: it may have happened."""

    kind: ClassVar[OutcomeKind] = "unknown"


@dataclass(frozen=True, slots=True)
class NoTool(Outcome):
    """Nothing was asked for that a tool should do: a greeting, a closing, a cancelled question."""

    kind: ClassVar[OutcomeKind] = "no_tool"


# ------------------------------------------------------------------------------------------------ canonical forms


def _canonical(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {_canonical(str(k)): _canonical(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_canonical(item) for item in value), key=repr)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def canonical_json(value: Any) -> bytes:
    """`value` in one spelling: keys sorted, strings in NFC, whole floats as integers, no spaces.

    Two argument sets that mean the same call give the same bytes. Raises ValueError for NaN and infinities, and
    TypeError for anything that is not JSON.
    """
    return json.dumps(
        _canonical(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).encode("utf-8", "surrogatepass")


def digest_of(value: Any) -> str:
    """The SHA-256 of `canonical_json(value)`, 64 hex digits."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def to_json(value: Any) -> Any:
    """A frozen value as plain JSON data: dataclasses become objects, with their `kind` where they have one."""
    if is_dataclass(value) and not isinstance(value, type):
        data = {f.name: to_json(getattr(value, f.name)) for f in fields(value)}
        if isinstance(value, Outcome):
            return {"outcome": value.kind, **data}
        return data
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    if isinstance(value, (set, frozenset)):
        return sorted((to_json(item) for item in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [to_json(item) for item in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (bytes, bytearray)):
        return value.decode("utf-8", "replace")
    return str(value)
