"""A yes runs what was shown, once, for whom it was shown to."""

from __future__ import annotations

import pytest

from reach.policy import Confirmations
from reach.types import Caller
from tests.policy.desk import CUSTOMER, Desk


async def test_what_comes_back_is_what_was_kept(desk: Desk) -> None:
    request = desk.request("refund", {"order": "订单😀", "amount": 1.5})
    kept = await desk.confirmations.keep(request)
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") == request


async def test_it_is_used_once(desk: Desk) -> None:
    kept = await desk.confirmations.keep(desk.request("refund", {"order": "o1"}))
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") is not None
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") is None


@pytest.mark.parametrize(
    ("caller", "session"),
    [
        (Caller("u2", roles={"customer"}), "s"),
        (Caller("u1", roles={"customer"}, tenant="other"), "s"),
        (CUSTOMER, "other"),
    ],
)
async def test_a_foreign_yes_does_nothing_and_uses_nothing_up(desk: Desk, caller: Caller, session: str) -> None:
    kept = await desk.confirmations.keep(desk.request("refund", {"order": "o1"}))
    assert await desk.confirmations.take(kept.id, caller, session) is None
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") is not None


async def test_it_expires(desk: Desk) -> None:
    kept = await desk.confirmations.keep(desk.request("refund", {"order": "o1"}))
    desk.clock.advance(600)
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") is None


async def test_a_change_of_policy_or_tools_voids_it(desk: Desk) -> None:
    kept = await desk.confirmations.keep(desk.request("refund", {"order": "o1"}))
    changed = Confirmations(desk.state.keyvalue, desk.clock, ttl_s=600, version="v2", new_id=lambda: "c")
    assert await changed.take(kept.id, CUSTOMER, "s") is None


async def test_a_dropped_one_is_gone(desk: Desk) -> None:
    kept = await desk.confirmations.keep(desk.request("refund", {"order": "o1"}))
    await desk.confirmations.drop(kept.id, CUSTOMER, "s")
    assert await desk.confirmations.take(kept.id, CUSTOMER, "s") is None
