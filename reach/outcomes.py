"""From how a call ended to what the user is told.

Rule: the text says what happened and nothing more; an answer that stands in for another says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reach.messages import message
from reach.reducer import answer_text
from reach.router.wording import title_of
from reach.spec import ToolSpec
from reach.types import Answer, CallResult, Confirm, Denied, Fallback, Outcome, Unknown


def outcome_of(tool: ToolSpec, result: CallResult, language: str) -> Outcome:
    """The outcome of a turn that ended with `result` of `tool`."""
    about: dict[str, Any] = {
        "tool": result.tool,
        "arguments": result.arguments,
        "provenance": result.provenance,
        "envelope": result.envelope,
    }
    if result.status == "succeeded":
        return Answer(answer_text(tool, result.envelope.structured, language), **about)
    if result.status == "confirm":
        return Confirm(result.text, **about, confirmation_id=result.confirmation_id or "", expires_at=result.expires_at)
    if result.status == "denied":
        decision = result.decision
        rule, reason = (decision.rule, decision.reason) if decision else ("", "")
        return Denied(result.text, **about, rule=rule, reason=reason)
    if result.status == "unknown":
        return Unknown(message("unknown", language, title=title_of(tool, language)), **about)
    return Fallback(failure_text(tool, result, language), **about)


def instead_of(first: CallResult, tool: ToolSpec, outcome: Outcome, title: str, language: str) -> Outcome:
    """The `outcome` of a second choice, called `title`, in place of `first`, which was refused or failed with `tool`.

    It says so: it may answer another question than the one that was asked.
    """
    before = first.text if first.status == "denied" else failure_text(tool, first, language)
    return replace(outcome, text=f"{before}\n{message('instead', language, title=title)}\n{outcome.text}")


def failure_text(tool: ToolSpec, result: CallResult, language: str) -> str:
    """What a user is told of a call that failed."""
    error = result.envelope.structured.error
    title = title_of(tool, language)
    code = error.code if error else ""
    if code == "backend_rejected" and error is not None:
        return message("rejected", language, title=title, reason=error.message)
    if code == "limit_exceeded":
        return message("limit", language)
    if code in ("backend_timeout", "deadline_exceeded"):
        return message("failed_timeout", language, title=title)
    return message("failed", language, title=title)
