"""Permit: may this caller make this call with these values, now?

Rule: nothing reaches the executor but through `Policy.permit`, and every decision is in the audit before it takes
effect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reach.errors import CallError, PermissionDenied
from reach.messages import message
from reach.policy.ownership import Ownership, Resolver
from reach.policy.rules import DEFAULT_DENY, RuleBook
from reach.ports import AuditSink, Clock, Deadline, Queries
from reach.spec import PoliciesFile, ToolSpec, localized, own_binds, sql_binds
from reach.types import Caller, CallRequest, Decision, PermittedCall

_MASK = "***"


@dataclass(frozen=True, slots=True)
class _Permitted(PermittedCall):
    _request: CallRequest
    _decision: Decision

    @property
    def request(self) -> CallRequest:
        return self._request

    @property
    def decision(self) -> Decision:
        return self._decision


class Policy:
    """The rules, proofs and preconditions of one registry version."""

    def __init__(
        self,
        policies: PoliciesFile,
        tools: Mapping[str, ToolSpec],
        *,
        version: str,
        queries: Mapping[str, Queries],
        resolvers: Mapping[str, Resolver],
        audit: AuditSink,
        clock: Clock,
        today_of: Callable[[Caller], str],
    ) -> None:
        self._today_of = today_of
        self.version = version
        self._tools = tools
        self._rules = RuleBook(policies, tools)
        self._ownership = Ownership(policies.ownership, queries, resolvers, clock, today_of)
        self._queries = queries
        self._audit = audit
        self._clock = clock

    def visible(self, caller: Caller) -> frozenset[str]:
        """Names of the tools that this caller may be able to use; the others do not exist for them."""
        return self._rules.visible(caller)

    async def decide(self, request: CallRequest, deadline: Deadline, language: str = "en") -> Decision:
        """The decision of rules and ownership, audited. Preconditions are judged apart, by `precondition`."""
        decision = await self._decide(request, deadline, language)
        await self._record(request, decision)
        return decision

    async def precondition(self, request: CallRequest, deadline: Deadline, language: str = "en") -> Decision | None:
        """The denial of the first precondition that does not hold, audited; None where all hold."""
        tool = self._tools[request.tool]
        for check in tool.preconditions:
            try:
                deadline.check("a precondition")
                binds = self._precondition_binds(check.sql, request)
                if await self._queries[check.backend].rows(check.sql, binds, deadline):
                    continue
                reason, facts = localized(check.reason, language), {}
            except CallError as error:
                reason = message("precondition_unproved", language)
                facts = {"error": error.message}
            decision = Decision("deny", f"precondition:{check.id}", reason, self.version, facts)
            await self._record(request, decision)
            return decision
        return None

    def permit(self, request: CallRequest, decision: Decision, *, confirmed: bool = False) -> PermittedCall:
        """The call as something the executor accepts. Raises PermissionDenied unless the decision lets it through."""
        if decision.effect == "allow" or (decision.effect == "confirm" and confirmed):
            return _Permitted(request, decision)
        raise PermissionDenied(decision.reason or "This call was not permitted.")

    async def _decide(self, request: CallRequest, deadline: Deadline, language: str) -> Decision:
        match = self._rules.decide(request, self._clock.now())
        facts: dict[str, Any] = {"roles": sorted(request.caller.roles), "tenant": request.caller.tenant}
        if match.error:
            facts["error"] = match.error
            return Decision("deny", match.rule, message("denied_condition", language), self.version, facts)
        if match.effect == "deny":
            given = localized(match.spec.reason, language) if match.spec else ""
            key = "denied_default" if match.rule == DEFAULT_DENY else "denied_rule"
            return Decision("deny", match.rule, given or message(key, language), self.version, facts)
        unproved = await self._ownership.first_unproved(request, self._tools[request.tool], deadline)
        if unproved is not None:
            facts |= {"parameter": unproved.parameter, "resource": unproved.resource}
            if unproved.error:
                facts["error"] = unproved.error
                reason = message("denied_unproved", language)
            else:
                reason = localized(unproved.spec.reason, language) or message(
                    "denied_ownership", language, value=unproved.value
                )
            return Decision("deny", f"ownership:{unproved.resource}", reason, self.version, facts)
        reason = localized(match.spec.reason, language) if match.spec else ""
        return Decision(match.effect, match.rule, reason, self.version, facts)

    def _precondition_binds(self, statement: str, request: CallRequest) -> dict[str, Any]:
        names = sql_binds(statement)
        own = own_binds(names, request.caller, now=self._clock.now(), today=self._today_of(request.caller))
        return {name: request.values.get(name) for name in names} | own

    async def _record(self, request: CallRequest, decision: Decision) -> None:
        hidden = {path.split(".")[0].removesuffix("[]") for path in self._tools[request.tool].result.redact}
        await self._audit.append(
            {
                "kind": "decision",
                "at": self._clock.now().isoformat(),
                "call": request.call_id,
                "turn": request.turn,
                "session": request.session,
                "caller": request.caller.id,
                "tenant": request.caller.tenant,
                "tool": request.tool,
                "arguments": {name: _MASK if name in hidden else value for name, value in request.values.items()},
                "provenance": {name: origin.source for name, origin in request.provenance.items()},
                "effect": decision.effect,
                "rule": decision.rule,
                "reason": _without(decision.reason, [request.values.get(name) for name in hidden]),
                "policy_version": decision.policy_version,
            }
        )


def _without(text: str, hidden: Iterable[Any]) -> str:
    for value in hidden:
        if isinstance(value, str) and value:
            text = text.replace(value, _MASK)
    return text
