"""Who may do what with which values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.errors import PermissionDenied
from reach.ports import Deadline
from reach.types import Caller, PermittedCall
from tests.policy.desk import CUSTOMER, POLICIES, TIME_OUT, Desk

AGENT = Caller("a1", roles={"support"}, claims={"desk": "a"})


async def test_what_no_rule_covers_is_denied(desk: Desk) -> None:
    decision = await desk.decide("staff_only", {"x": "1"})
    assert (decision.effect, decision.rule) == ("deny", "default-deny")


async def test_the_owner_may_and_the_rule_is_reported(desk: Desk) -> None:
    decision = await desk.decide("status", {"order": "o1"})
    assert (decision.effect, decision.rule, decision.policy_version) == ("allow", "see", "p1")


@pytest.mark.parametrize("order", ["o9", "nope", "O1", "o1 ", "ｏ1", "o1' or '1'='1"])
async def test_a_value_that_is_not_proved_is_denied(desk: Desk, order: str) -> None:
    decision = await desk.decide("status", {"order": order})
    assert (decision.effect, decision.rule) == ("deny", "ownership:order")


async def test_every_value_of_a_list_must_be_proved(desk: Desk) -> None:
    assert (await desk.decide("several", {"orders": ["o1", "o2"]})).effect == "allow"
    assert (await desk.decide("several", {"orders": ["o1", "o9"]})).effect == "deny"


async def test_a_time_out_while_proving_is_a_denial_with_its_own_reason(desk: Desk) -> None:
    desk.queries.error = TIME_OUT
    decision = await desk.decide("status", {"order": "o1"})
    assert (decision.effect, decision.facts["error"]) == ("deny", "slow")
    assert "could not be checked" in decision.reason


async def test_any_other_error_while_proving_is_a_denial(desk: Desk) -> None:
    desk.queries.error = RuntimeError("broken")
    assert (await desk.decide("status", {"order": "o1"})).effect == "deny"


async def test_no_time_left_is_no_proof(desk: Desk) -> None:
    request = desk.request("status", {"order": "o1"})
    assert (await desk.policy.decide(request, Deadline.after_ms(desk.clock, 0))).effect == "deny"


@pytest.mark.parametrize(("tail", "effect"), [("8816", "allow"), ("2046", "deny"), ("816", "deny")])
async def test_a_claim_proves_what_it_holds(desk: Desk, tail: str, effect: str) -> None:
    assert (await desk.decide("tail", {"tail": tail})).effect == effect


async def test_a_missing_claim_proves_nothing(desk: Desk) -> None:
    nobody = Caller("u1", roles={"customer"})
    assert (await desk.decide("tail", {"tail": "8816"}, nobody)).effect == "deny"


async def test_a_claim_is_never_equal_to_a_value_of_another_type(desk: Desk) -> None:
    caller = Caller("u1", roles={"customer"}, claims={"tails": [1, True, None]})
    assert (await desk.decide("tail", {"tail": "1"}, caller)).effect == "deny"


async def test_a_deny_beats_a_confirm(desk: Desk) -> None:
    small = await desk.decide("refund", {"order": "o1", "amount": 10.0})
    big = await desk.decide("refund", {"order": "o1", "amount": 501.0})
    assert (small.effect, big.effect, big.rule, big.reason) == ("confirm", "deny", "big", "Too much.")


@pytest.mark.parametrize("amount", ["5,000", None, [1], {"a": 1}, True])
async def test_a_condition_that_can_not_be_evaluated_denies(desk: Desk, amount: Any) -> None:
    assert (await desk.decide("refund", {"order": "o1", "amount": amount})).effect == "deny"


async def test_a_value_planted_in_a_result_is_denied(desk: Desk) -> None:
    assert (await desk.decide("notify", {"assignee": "x"}, source="user")).effect == "confirm"
    planted = await desk.decide("notify", {"assignee": "x"}, source="result")
    assert (planted.effect, planted.rule) == ("deny", "planted")


async def test_a_rule_with_claims_needs_one_of_them(desk: Desk) -> None:
    assert (await desk.decide("status", {"order": "o1"}, AGENT)).effect == "allow"
    other = Caller("a2", roles={"support"}, claims={"desk": "z"})
    assert (await desk.decide("status", {"order": "o1"}, other)).effect == "deny"


async def test_only_the_roles_of_an_ownership_must_prove(desk: Desk) -> None:
    assert (await desk.decide("status", {"order": "o9"}, AGENT)).effect == "allow"


def test_a_tool_that_no_rule_lets_the_caller_use_does_not_exist_for_them(desk: Desk) -> None:
    assert desk.policy.visible(CUSTOMER) == {"status", "several", "tail", "refund", "notify"}
    assert desk.policy.visible(Caller("u1")) == frozenset()
    assert "staff_only" in desk.policy.visible(AGENT)


async def test_a_precondition_refuses_with_its_reason(desk: Desk) -> None:
    request = desk.request("refund", {"order": "o1", "amount": 1})
    deadline = Deadline.after_ms(desk.clock, 1000)
    assert await desk.policy.precondition(request, deadline) is None
    desk.queries.closed.add("o1")
    refusal = await desk.policy.precondition(request, deadline)
    assert refusal is not None
    assert (refusal.effect, refusal.rule, refusal.reason) == ("deny", "precondition:open", "Closed.")


async def test_a_precondition_that_can_not_be_checked_refuses(desk: Desk) -> None:
    desk.queries.error = TIME_OUT
    request = desk.request("refund", {"order": "o1", "amount": 1})
    refusal = await desk.policy.precondition(request, Deadline.after_ms(desk.clock, 1000))
    assert refusal is not None
    assert refusal.effect == "deny"


async def test_only_an_allowed_or_confirmed_call_is_permitted(desk: Desk) -> None:
    request = desk.request("refund", {"order": "o1", "amount": 1})
    confirm = await desk.decide("refund", {"order": "o1", "amount": 1.0})
    with pytest.raises(PermissionDenied):
        desk.policy.permit(request, confirm)
    assert desk.policy.permit(request, confirm, confirmed=True).request is request
    denied = await desk.decide("status", {"order": "o9"})
    with pytest.raises(PermissionDenied):
        desk.policy.permit(request, denied, confirmed=True)


def test_nobody_else_can_make_a_permitted_call() -> None:
    with pytest.raises(TypeError):
        PermittedCall()  # type: ignore[abstract]


async def test_every_decision_is_audited(desk: Desk) -> None:
    await desk.decide("status", {"order": "o1"})
    await desk.decide("status", {"order": "o9"})
    records = await desk.state.audit.recent()
    assert [(r["effect"], r["rule"], r["arguments"]) for r in records] == [
        ("deny", "ownership:order", {"order": "o9"}),
        ("allow", "see", {"order": "o1"}),
    ]


@given(
    order=st.permutations(POLICIES["rules"]),
    amount=st.sampled_from([1.0, 501.0]),
    source=st.sampled_from(["user", "result"]),
)
async def test_the_order_of_rules_never_matters(order: list[Any], amount: float, source: str) -> None:
    shuffled = Desk({**POLICIES, "rules": order})
    for tool, values in (
        ("refund", {"order": "o1", "amount": amount}),
        ("notify", {"assignee": "x"}),
        ("status", {"order": "o1"}),
    ):
        one = await shuffled.decide(tool, values, source=source)
        other = await Desk().decide(tool, values, source=source)
        assert (one.effect, one.rule) == (other.effect, other.rule)


@given(denied=st.sampled_from(["status", "several", "tail", "refund", "notify"]))
async def test_another_deny_never_allows_more(denied: str) -> None:
    rules = [*POLICIES["rules"], {"id": "more", "deny": {"tools": [denied]}}]
    stricter = Desk({**POLICIES, "rules": rules})
    assert stricter.policy.visible(CUSTOMER) == Desk().policy.visible(CUSTOMER) - {denied}
