"""The errors of Reach, one tree.

Rule: exceptions travel inside the runtime, values leave it. A configuration error is raised while loading; an error of
one call ends as the `error` of an `Execution`, an `Envelope` or an `Outcome`. A `code` never changes once published.

    ReachError
    +-- ConfigError           tools.yaml, policies, evals or the command line do not say something valid
    |   +-- MissingExtra      an optional part is not installed; the message names the command that installs it
    +-- CallError             one call could not be made or completed
    |   +-- InvalidArguments  the arguments do not fit the tool's parameters; the model or the user may correct them
    |   +-- PermissionDenied  policy refused; final for this caller and these values
    |   +-- DeadlineExceeded  the time that was left is used up
    |   +-- LimitExceeded     a rate, concurrency or call budget is used up
    |   +-- BackendUnavailable  the far side could not be reached; nothing was applied
    |   |   +-- BreakerOpen     it failed repeatedly before, so it was not asked
    |   +-- BackendTimeout    the far side did not answer in time; a write may have been applied
    |   +-- BackendRejected   the far side understood and refused; nothing was applied
    |   +-- BackendFailure    the far side broke in a way that proves nothing
    |   +-- IdempotencyConflict  one idempotency key was used for two different calls
    +-- ArtifactError         an artifact could not be read
    |   +-- ArtifactNotFound  ArtifactForbidden  ArtifactRevoked  ArtifactUnreadable
    |   +-- ArtifactRequestInvalid  the page that was asked for makes no sense
    +-- StateError            a store of Reach's own could not be read or written
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Applied = Literal["no", "maybe"]
"""What an error says about a write: it certainly did not happen, or it may have happened."""


class ReachError(Exception):
    """Any error that Reach raises.

    `message` is one sentence for the person who hits it; `hint` says what to do about it. `retryable` tells whether the
    same request may succeed later without a change.
    """

    code: ClassVar[str] = "error"
    retryable: bool = False

    def __init__(self, message: str, *, hint: str = "", retryable: bool | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if retryable is not None:
            self.retryable = retryable

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a configuration file.

    `line` and `column` count from 1; 0 means that the file could not be read that far. `path` is the place in the
    document, such as `tools[2].parameters.order_id.pattern`.
    """

    file: str
    line: int
    column: int
    path: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        where = f" {self.path}:" if self.path else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}:{where} {self.message}{hint}"


class ConfigError(ReachError):
    """One or more problems of configuration files; `problems` lists all of them, in file order."""

    code = "config"

    def __init__(self, problems: list[Problem] | str, *, hint: str = "") -> None:
        self.problems: tuple[Problem, ...] = () if isinstance(problems, str) else tuple(problems)
        message = problems if isinstance(problems, str) else "\n".join(str(problem) for problem in problems)
        super().__init__(message, hint=hint)


class MissingExtra(ConfigError):
    """An optional part is not installed."""

    code = "missing_extra"

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}'.", hint=f"Run: pip install 'reach-runtime[{extra}]'")


class CallError(ReachError):
    """One call could not be made or completed. `applied` says whether a write may have happened all the same."""

    code = "call_failed"
    applied: Applied = "no"


class InvalidArguments(CallError):
    """The arguments do not fit the tool's parameters."""

    code = "invalid_arguments"


class PermissionDenied(CallError):
    """Policy refused this call for this caller with these values."""

    code = "denied"


class DeadlineExceeded(CallError):
    """The turn's time is used up, so the stage was not begun."""

    code = "deadline_exceeded"
    retryable = True


class LimitExceeded(CallError):
    """A rate, concurrency or call budget is used up. `retry_after_s` is how long to wait, in seconds."""

    code = "limit_exceeded"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class BackendUnavailable(CallError):
    """The backend could not be reached, or its breaker is open; nothing was applied."""

    code = "backend_unavailable"
    retryable = True

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class BreakerOpen(BackendUnavailable):
    """The backend's breaker is open after repeated failures, so it was not asked."""

    code = "breaker_open"


class BackendTimeout(CallError):
    """The backend did not answer within the attempt's time."""

    code = "backend_timeout"
    retryable = True
    applied = "maybe"


class BackendRejected(CallError):
    """The backend understood the request and refused it; nothing was applied and trying again will not help.

    `text` is the reason for the user where the tool file gives one: a string, or one string a language.
    """

    code = "backend_rejected"

    def __init__(self, message: str, *, hint: str = "", text: str | Mapping[str, str] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.text = text


class BackendFailure(CallError):
    """The backend, or the function that stands for it, broke in a way that proves nothing about a write."""

    code = "backend_failure"
    applied = "maybe"


class IdempotencyConflict(CallError):
    """An idempotency key that was used before now comes with another tool or other arguments."""

    code = "idempotency_conflict"


class ArtifactError(ReachError):
    """An artifact could not be read."""

    code = "artifact"


class ArtifactNotFound(ArtifactError):
    """There is no such artifact, or it is not this caller's; the two answer alike."""

    code = "not_found"


class ArtifactForbidden(ArtifactError):
    """The caller owns the artifact but may no longer use the tool that made it."""

    code = "forbidden"


class ArtifactRevoked(ArtifactError):
    """The artifact was revoked or has expired."""

    code = "revoked"


class ArtifactUnreadable(ArtifactError):
    """The artifact is there but cannot be read now, or its bytes fail their checksum.

    `summary` is what the index still knows of the result, None where not even that.
    """

    code = "unreadable"
    retryable = True

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retryable: bool | None = None,
        summary: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, hint=hint, retryable=retryable)
        self.summary = summary


class ArtifactRequestInvalid(ArtifactError):
    """The page that was asked for makes no sense: a negative offset, a limit of zero, a page of something not text."""

    code = "invalid"


class StateError(ReachError):
    """A store of Reach's own could not be read or written."""

    code = "state"
    retryable = True
