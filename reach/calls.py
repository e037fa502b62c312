"""One governed call: validate, permit, execute, return.

Rule: this is the only way to a backend, for the conversation, for a host's own loop and for the command line alike; a
tool that the caller may not see and a tool that does not exist answer alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reach.errors import BackendRejected, CallError, StateError
from reach.executor import Executor, TurnBudget
from reach.messages import message
from reach.policy import Confirmations, Policy
from reach.ports import Deadline
from reach.reducer import Reducer, confirm_envelope, error_envelope, replayed
from reach.router import check_arguments
from reach.router.wording import argument_lines, title_of
from reach.spec import ToolSpec, localized
from reach.telemetry import Trace
from reach.types import (
    Arguments,
    Caller,
    CallRequest,
    CallResult,
    CallStatus,
    Decision,
    Envelope,
    ErrorInfo,
    Execution,
    Payload,
    Structured,
)


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, in which session and turn, until when, and where it is noted down."""

    caller: Caller
    session: str
    turn: str
    deadline: Deadline
    budget: TurnBudget
    language: str
    trace: Trace


class Calls:
    """Makes calls through policy, executor and reducer."""

    def __init__(
        self,
        *,
        tools: Mapping[str, ToolSpec],
        policy: Policy,
        executor: Executor,
        reducer: Reducer,
        confirmations: Confirmations,
        new_id: Callable[[str], str],
    ) -> None:
        self._tools = tools
        self._policy = policy
        self._executor = executor
        self._reducer = reducer
        self._confirmations = confirmations
        self._new_id = new_id

    async def call(
        self,
        tool: str,
        arguments: Arguments | Mapping[str, Any],
        context: CallContext,
        *,
        idempotency_key: str = "",
        dry_run: bool = False,
    ) -> CallResult:
        """Make one call. `arguments` are those that the router filled, or a host's own mapping, which is checked first.

        With `dry_run` everything but the call itself is done. Every end is a result; only CancelledError is raised.
        """
        checked = self.check(tool, arguments, context.caller)
        if checked is not None:
            self._hide(tool, arguments, context.trace)
        request = self._request(tool, checked or Arguments({}, {}), context, idempotency_key)
        if checked is None:
            return self._unknown_tool(request, context)
        if not checked.complete:
            return self._invalid(request, checked, context)
        try:
            return await self._governed(request, context, dry_run=dry_run)
        except (StateError, CallError) as error:
            return _failed(request, error)

    async def _governed(self, request: CallRequest, context: CallContext, *, dry_run: bool) -> CallResult:
        tool = request.tool
        decision = await self._policy.decide(request, context.deadline, context.language)
        context.trace.note("permit", call=request.call_id, tool=tool, **_decision_facts(decision))
        if decision.effect == "deny":
            return self._denied(request, decision, context)
        earlier = await self._executor.earlier(request, context.deadline, self._policy.version)
        if earlier is not None:
            return await self._returned(request, decision, earlier, context)
        refusal = await self._policy.precondition(request, context.deadline, context.language)
        if refusal is not None:
            context.trace.note("permit", call=request.call_id, tool=tool, **_decision_facts(refusal))
            return self._denied(request, refusal, context)
        if decision.effect == "confirm":
            return await self._ask_for_yes(request, decision, context, dry_run=dry_run)
        if dry_run:
            return self._dry(request, decision)
        permitted = self._policy.permit(request, decision)
        execution = await self._executor.execute(permitted, context.deadline, context.budget)
        return await self._returned(request, decision, execution, context)

    async def confirm(self, confirmation_id: str, context: CallContext) -> CallResult:
        """Run the call that was shown, after proving everything again. `invalid` where there is nothing to confirm."""
        nothing = self._nothing(context)
        try:
            request = await self._confirmations.take(confirmation_id, context.caller, context.session)
            if request is None or request.tool not in self._tools:
                text = message("confirmation_gone", context.language)
                return _result(nothing, "invalid", error_envelope("invalid", ErrorInfo("no_confirmation", text)))
            self._hide(request.tool, request.values, context.trace)
            return await self._confirmed(request, context)
        except (StateError, CallError) as error:
            return _failed(nothing, error)

    async def _confirmed(self, request: CallRequest, context: CallContext) -> CallResult:
        decision = await self._policy.decide(request, context.deadline, context.language)
        context.trace.note(
            "permit", call=request.call_id, tool=request.tool, confirmed=True, **_decision_facts(decision)
        )
        if decision.effect == "deny":
            return self._denied(request, decision, context)
        refusal = await self._policy.precondition(request, context.deadline, context.language)
        if refusal is not None:
            context.trace.note("permit", call=request.call_id, tool=request.tool, **_decision_facts(refusal))
            return self._denied(request, refusal, context)
        permitted = self._policy.permit(request, decision, confirmed=True)
        execution = await self._executor.execute(permitted, context.deadline, context.budget)
        return await self._returned(request, decision, execution, context)

    async def decide(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> Decision:
        """The decision of rules and ownership for these values, without preconditions and without a call."""
        checked = self.check(tool, arguments, context.caller)
        if checked is None:
            return Decision("deny", "unknown_tool", _unknown_text(tool), self._policy.version)
        if not checked.complete:
            return Decision("deny", "invalid_arguments", _invalid_text(checked), self._policy.version)
        request = self._request(tool, checked, context, "")
        return await self._policy.decide(request, context.deadline, context.language)

    async def drop(self, confirmation_id: str, caller: Caller, session: str) -> None:
        """Forget a confirmation that was answered with a no."""
        await self._confirmations.drop(confirmation_id, caller, session)

    def check(self, tool: str, arguments: Arguments | Mapping[str, Any], caller: Caller) -> Arguments | None:
        """The arguments checked against the tool's parameters; None for a tool that this caller may not see."""
        if tool not in self._tools or tool not in self._policy.visible(caller):
            return None
        if isinstance(arguments, Arguments):
            return arguments
        if not isinstance(arguments, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  -- hosts pass anything
            return Arguments({}, {}, invalid={"arguments": "must be an object of names and values"})
        return check_arguments(self._tools[tool], arguments)

    def late(self, tool: str, context: CallContext) -> CallResult:
        """The end of a call whose time was over before it had one. A write that was sent may have happened."""
        sent = context.budget.sent
        if sent:
            text = message("unknown", context.language, title=title_of(self._tools[sent], context.language))
        else:
            text = message("out_of_time", context.language)
        status = "unknown" if sent else "failed"
        envelope = error_envelope(status, ErrorInfo("deadline_exceeded", text, retryable=not sent))
        return _result(replace(self._nothing(context), tool=sent or tool), status, envelope)

    def _nothing(self, context: CallContext) -> CallRequest:
        return CallRequest("", {}, {}, context.caller, context.session, context.turn, self._new_id("call"))

    def _hide(self, tool: str, arguments: Arguments | Mapping[str, Any], trace: Trace) -> None:
        """Keep values of what the tool masks in its results out of the trace too."""
        values = arguments.values if isinstance(arguments, Arguments) else arguments
        if isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  -- hosts pass anything
            masked = {path.split(".")[0].removesuffix("[]") for path in self._tools[tool].result.redact}
            trace.hide(values[name] for name in masked & values.keys())

    def _request(self, tool: str, arguments: Arguments, context: CallContext, idempotency_key: str) -> CallRequest:
        return CallRequest(
            tool=tool,
            values=dict(arguments.values),
            provenance=dict(arguments.provenance),
            caller=context.caller,
            session=context.session,
            turn=context.turn,
            call_id=self._new_id("call"),
            idempotency_key=idempotency_key,
        )

    async def _ask_for_yes(
        self, request: CallRequest, decision: Decision, context: CallContext, *, dry_run: bool
    ) -> CallResult:
        confirmation = None if dry_run else await self._confirmations.keep(request)
        text = confirmation_text(self._tools[request.tool], request, context.language)
        envelope = confirm_envelope(confirmation.id if confirmation else "", request.tool, request.values, text)
        result = _result(request, "confirm", envelope, decision=decision, text=text)
        if confirmation is None:
            return result
        return replace(result, confirmation_id=confirmation.id, expires_at=confirmation.expires_at)

    async def _returned(
        self, request: CallRequest, decision: Decision, execution: Execution, context: CallContext
    ) -> CallResult:
        error = execution.error
        context.trace.note(
            "execute",
            call=request.call_id,
            tool=request.tool,
            status=execution.status,
            attempts=execution.attempts,
            replayed=execution.replayed,
            cached=execution.cached,
            duration_ms=round(execution.duration_ms, 3),
            error={"code": error.code, "message": error.message} if error else None,
        )
        if error is not None:
            said = localized(error.text, context.language) if isinstance(error, BackendRejected) else ""
            info = ErrorInfo(error.code, said or error.message, error.retryable, error.hint)
            envelope = error_envelope("unknown" if execution.status == "unknown" else "failed", info)
        else:
            envelope = await self._reducer.reduce(
                self._tools[request.tool],
                execution.payload or Payload(),
                caller=request.caller,
                session=request.session,
                language=context.language,
                deadline=context.deadline,
            )
            if execution.replayed:
                envelope = replayed(envelope)
            context.trace.note("return", call=request.call_id, **_reduction_facts(envelope))
        return _result(
            request,
            execution.status,
            envelope,
            decision=decision,
            attempts=execution.attempts,
            duration_ms=execution.duration_ms,
        )

    def _denied(self, request: CallRequest, decision: Decision, context: CallContext) -> CallResult:
        text = message("denied", context.language, reason=decision.reason)
        envelope = error_envelope("denied", ErrorInfo("denied", text))
        return _result(request, "denied", envelope, decision=decision, text=text)

    def _invalid(self, request: CallRequest, arguments: Arguments, context: CallContext) -> CallResult:
        text = _invalid_text(arguments)
        context.trace.note("fill", tool=request.tool, missing=arguments.missing, invalid=arguments.invalid)
        return _result(request, "invalid", error_envelope("invalid", ErrorInfo("invalid_arguments", text)))

    def _unknown_tool(self, request: CallRequest, context: CallContext) -> CallResult:
        context.trace.note("permit", tool=request.tool, effect="deny", rule="unknown_tool")
        return _result(
            request, "invalid", error_envelope("invalid", ErrorInfo("unknown_tool", _unknown_text(request.tool)))
        )

    def _dry(self, request: CallRequest, decision: Decision) -> CallResult:
        facts = {"dry_run": True, "effect": decision.effect, "rule": decision.rule}
        envelope = Envelope(json.dumps(facts), Structured("succeeded", data=facts))
        return _result(request, "succeeded", envelope, decision=decision)


def confirmation_text(tool: ToolSpec, request: CallRequest, language: str) -> str:
    """What a yes would run, value by value with where each came from, in the user's language."""
    lines = argument_lines(tool, request.values, request.provenance, language)
    return message("confirm", language, title=title_of(tool, language), arguments="\n".join(lines))


def _result(
    request: CallRequest,
    status: CallStatus,
    envelope: Envelope,
    *,
    decision: Decision | None = None,
    text: str = "",
    attempts: int = 0,
    duration_ms: float = 0.0,
) -> CallResult:
    return CallResult(
        status=status,
        tool=request.tool,
        envelope=envelope,
        call_id=request.call_id,
        turn=request.turn,
        text=text,
        arguments=request.values,
        provenance=request.provenance,
        decision=decision,
        attempts=attempts,
        duration_ms=duration_ms,
    )


def _failed(request: CallRequest, error: CallError | StateError) -> CallResult:
    info = ErrorInfo(error.code, error.message, error.retryable, error.hint)
    if isinstance(error, StateError):  # its words are for the operator: they name files
        info = ErrorInfo(error.code, "The state store is not available.", error.retryable)
    return _result(request, "failed", error_envelope("failed", info))


def _decision_facts(decision: Decision) -> dict[str, Any]:
    return {
        "effect": decision.effect,
        "rule": decision.rule,
        "reason": decision.reason,
        "policy_version": decision.policy_version,
        "facts": decision.facts,
    }


def _reduction_facts(envelope: Envelope) -> dict[str, Any]:
    structured = envelope.structured
    return {
        "completeness": structured.completeness,
        "shown": structured.shown,
        "total": structured.total,
        "sizes": structured.sizes,
        "artifact_ref": structured.artifact_ref,
    }


def _unknown_text(tool: str) -> str:
    return f"There is no tool '{tool}' that you may use."


def _invalid_text(arguments: Arguments) -> str:
    parts = [f"missing: {name}" for name in arguments.missing]
    parts += [f"{name}: {problem}" for name, problem in arguments.invalid.items()]
    parts += [f"{name}: several readings" for name in arguments.ambiguous]
    return "; ".join(parts)
