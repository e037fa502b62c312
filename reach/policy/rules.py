"""Which rule decides, for one caller, one tool and one set of values.

Rule: deny by default; a deny beats a confirm, a confirm beats an allow; the order of rules never matters; a condition
that can't be evaluated denies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from reach.conditions import Condition
from reach.spec import PoliciesFile, RuleBody, RuleSpec, ToolSpec
from reach.types import Caller, CallRequest, Effect

_STRICTEST_FIRST: tuple[Effect, ...] = ("deny", "confirm", "allow")

DEFAULT_DENY = "default-deny"
"""The rule that is reported where no other one covers the call."""


@dataclass(frozen=True, slots=True)
class RuleMatch:
    """The rule that decided. `error` says why its condition could not be evaluated, which denies."""

    effect: Effect
    rule: str
    spec: RuleSpec | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Rule:
    spec: RuleSpec
    condition: Condition | None

    def covers(self, caller: Caller) -> bool:
        """True where everything but the condition matches."""
        body = self.spec.body
        if body.roles is not None and caller.roles.isdisjoint(body.roles):
            return False
        if body.tenants is not None and caller.tenant not in body.tenants:
            return False
        return all(_claim_matches(caller, name, wanted) for name, wanted in (body.claims or {}).items())


class RuleBook:
    """All rules, indexed by tool, strictest effect first and by id within one effect."""

    def __init__(self, policies: PoliciesFile, tools: Mapping[str, ToolSpec]) -> None:
        rules = [_Rule(spec, Condition(spec.body.when) if spec.body.when else None) for spec in policies.rules]
        rules.sort(key=lambda rule: (_STRICTEST_FIRST.index(rule.spec.effect), rule.spec.id))
        self._by_tool: dict[str, tuple[_Rule, ...]] = {
            name: tuple(rule for rule in rules if names_tool(rule.spec.body, tool)) for name, tool in tools.items()
        }
        self._tools = tools

    def visible(self, caller: Caller) -> frozenset[str]:
        """The tools that some rule may let this caller use, whatever the values are."""
        return frozenset(name for name, rules in self._by_tool.items() if _may_be_used(rules, caller))

    def decide(self, request: CallRequest, now: datetime) -> RuleMatch:
        """The strictest rule that matches the call."""
        namespace: dict[str, Any] | None = None
        for rule in self._by_tool.get(request.tool, ()):
            if not rule.covers(request.caller):
                continue
            if rule.condition is None:
                return RuleMatch(rule.spec.effect, rule.spec.id, rule.spec)
            if namespace is None:
                namespace = namespace_of(request, self._tools[request.tool], now)
            try:
                holds = rule.condition.evaluate(namespace)
            except ValueError as error:
                return RuleMatch("deny", rule.spec.id, rule.spec, error=str(error))
            if holds:
                return RuleMatch(rule.spec.effect, rule.spec.id, rule.spec)
        return RuleMatch("deny", DEFAULT_DENY)


def names_tool(body: RuleBody, tool: ToolSpec) -> bool:
    """True where a rule's `tools` or `tags` cover the tool."""
    return tool.name in (body.tools or ()) or not set(body.tags or ()).isdisjoint(tool.tags)


def namespace_of(request: CallRequest, tool: ToolSpec, now: datetime) -> dict[str, Any]:
    """What a condition sees. `args` holds the given values; `provenance` has every parameter, "" where absent."""
    caller = request.caller
    return {
        "args": dict(request.values),
        "provenance": {
            name: request.provenance[name].source if name in request.provenance else "" for name in tool.parameters
        },
        "caller": {
            "id": caller.id,
            "roles": sorted(caller.roles),
            "tenant": caller.tenant,
            "claims": dict(caller.claims),
        },
        "tool": {"name": tool.name, "side_effect": tool.side_effect, "tags": list(tool.tags)},
        "now": now,
    }


def _may_be_used(rules: Sequence[_Rule], caller: Caller) -> bool:
    covering = [rule for rule in rules if rule.covers(caller)]
    if any(rule.spec.effect == "deny" and rule.condition is None for rule in covering):
        return False
    return any(rule.spec.effect != "deny" for rule in covering)


def _claim_matches(caller: Caller, name: str, wanted: Any) -> bool:
    if name not in caller.claims:
        return False
    have = caller.claims[name]
    accepted = wanted if isinstance(wanted, list) else [wanted]
    held = have if isinstance(have, (list, tuple, set, frozenset)) else [have]
    return any(_same(mine, theirs) for mine in held for theirs in accepted)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other
