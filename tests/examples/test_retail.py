"""The retail agent does what the reference says, no more and no less, and says why where it refuses."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import load_db
import pytest
import reference
import replay
import retail_world as world
import shop as retail_shop

from reach.adapters import build_adapter
from reach.clock import SystemClock
from reach.errors import BackendRejected
from reach.ports import AdapterCall, Deadline
from reach.registry import load_registry

RETAIL = Path(retail_shop.__file__).parent
ANN, BOB = world.ANN, world.BOB
Json = dict[str, Any]


RULES = {
    "invalid",
    "order",
    "payment_method",
    "user",
    "pending",
    "delivered",
    "same-length",
    "items-in-order",
    "different-item",
    "same-product",
    "available",
    "gift-card-covers",
    "single-payment",
    "another-method",
    "refundable-method",
}


async def test_the_agent_and_the_reference_agree_on_random_actions() -> None:
    """Over some hundred actions: the same are refused, by the same rule, and the databases stay equal."""
    rng = random.Random(20)  # noqa: S311 -- seeded, so that a failure repeats
    seen: Counter[str | None] = Counter()
    async with retail_shop.open_shop(world.make_db()) as shop:
        for sequence in range(16):
            shop.reset()
            state = world.make_db()
            for number in range(25):
                user_id = rng.choice([ANN, BOB])
                tool, arguments = world.random_action(rng, state, user_id)
                refused = reference.refusal(state, tool, arguments, user_id)
                if refused is None:
                    reference.perform(state, tool, arguments)
                result = await shop.write(tool, arguments, user_id, session=str(sequence), turn=str(number))
                assert world.rule_of(result) == (refused and refused.rule), (tool, arguments, user_id)
                seen[refused and refused.rule] += 1
            assert replay.first_difference(load_db.dump(shop.database), state) is None
    assert seen.keys() >= RULES, f"not tried: {RULES - seen.keys()}"
    assert seen[None] > 100


async def test_the_transaction_alone_refuses_what_the_rules_forbid_and_leaves_no_trace() -> None:
    """Preconditions are checked before the yes; what has changed since then is caught by the change itself."""
    rng = random.Random(5)  # noqa: S311 -- seeded, so that a failure repeats
    registry = load_registry(RETAIL / "tools.yaml")
    refused: Counter[str] = Counter()
    db = world.make_db()
    async with retail_shop.open_shop(db) as shop:
        adapter = build_adapter("shop", registry.spec.backends["shop"], shop.database.parent.parent)
        for _ in range(300):
            user_id = rng.choice([ANN, BOB])
            tool, arguments = world.random_action(rng, db, user_id)
            verdict = reference.refusal(db, tool, arguments, user_id)
            if verdict is None or verdict.rule == "invalid":
                continue
            clock = SystemClock()
            call = AdapterCall(
                tool=registry.tools[tool],
                values=arguments,
                caller=retail_shop.customer(user_id),
                deadline=Deadline.after_ms(clock, 5000),
                now=clock.now(),
                today="2026-01-01",
                idempotency_key="key",
            )
            with pytest.raises(BackendRejected):
                await adapter.call(call)
            refused[verdict.rule] += 1
        await adapter.close()
        assert load_db.dump(shop.database) == db
    # An untouched order has one payment only.
    assert refused.keys() == RULES - {"invalid", "single-payment"}


async def test_a_conversation_cancels_an_order_after_a_yes_in_chinese() -> None:
    db = world.make_db()
    order_id = world.order_with(db, "pending", "1000000001")
    async with retail_shop.open_shop(db) as shop:
        caller = retail_shop.customer(ANN)
        asked = await shop.reach.ask(f"取消订单 {order_id}，不需要了", caller=caller, session="s")
        assert (asked.kind, asked.tool) == ("confirm", "cancel_pending_order")
        assert asked.arguments == {"order_id": order_id, "reason": "no longer needed"}
        done = await shop.reach.ask("好的", caller=caller, session="s")
        assert (done.kind, done.text) == ("answer", f"订单 {order_id} 现为 cancelled。")
        assert load_db.dump(shop.database)["orders"][order_id]["status"] == "cancelled"


async def test_a_conversation_refuses_a_foreign_order_and_a_delivered_one_with_their_reasons() -> None:
    db = world.make_db()
    delivered = world.order_with(db, "delivered", "1000000001")
    async with retail_shop.open_shop(db) as shop:
        foreign = await shop.reach.ask(f"what is in order {delivered}?", caller=retail_shop.customer(BOB), session="b")
        text = f"cancel order {delivered}, it was ordered by mistake"
        late = await shop.reach.ask(text, caller=retail_shop.customer(ANN), session="a")
    assert (foreign.kind, late.kind) == ("denied", "denied")
    assert "not one of yours" in foreign.text
    assert "not pending any more" in late.text


async def test_two_rows_of_the_same_item_are_two_items() -> None:
    db = world.make_db()
    order_id = world.order_with(db, "pending", "1000000001")
    arguments = {
        "order_id": order_id,
        "item_ids": ["1000000001", "1000000001"],
        "new_item_ids": ["1000000003", "1000000002"],
        "payment_method_id": "paypal_0000001",
    }
    async with retail_shop.open_shop(db) as shop:
        result = await shop.write("modify_pending_order_items", arguments, ANN, session="s", turn="1")
        order = load_db.dump(shop.database)["orders"][order_id]
    assert result.status == "succeeded"
    assert [(item["item_id"], item["price"]) for item in order["items"][:2]] == [
        ("1000000003", 7.07),
        ("1000000002", 30.33),
    ]
    assert order["status"] == "pending (item modified)"
    assert order["payment_history"][-1] == {
        "transaction_type": "payment",
        "amount": 17.2,
        "payment_method_id": "paypal_0000001",
    }


async def test_items_that_trade_places_do_not_interfere() -> None:
    """One item becomes what the other was: each row still gets its own new variant."""
    db = world.make_db()
    order_id = world.order_with(db, "pending", "1000000001")
    db["orders"][order_id]["items"][1].update(item_id="1000000003", price=7.07)
    arguments = {
        "order_id": order_id,
        "item_ids": ["1000000001", "1000000003"],
        "new_item_ids": ["1000000003", "1000000002"],
        "payment_method_id": "gift_card_0000002",
    }
    async with retail_shop.open_shop(db) as shop:
        await shop.write("modify_pending_order_items", arguments, ANN, session="s", turn="1")
        end = load_db.dump(shop.database)
    assert [item["item_id"] for item in end["orders"][order_id]["items"][:2]] == ["1000000003", "1000000002"]
    assert end["users"][ANN]["payment_methods"]["gift_card_0000002"]["balance"] == 480.27


async def test_a_cancelled_order_refunds_only_what_is_still_held() -> None:
    """Paid by gift card, moved to a card, then cancelled: the gift card got its money back once."""
    db = world.make_db()
    order_id = world.order_of(db, ANN, "pending", "gift_card_0000002")
    paid = db["orders"][order_id]["payment_history"][0]["amount"]
    move = {"order_id": order_id, "payment_method_id": "credit_card_0000001"}
    async with retail_shop.open_shop(db) as shop:
        await shop.write("modify_pending_order_payment", move, ANN, session="s", turn="1")
        cancel = {"order_id": order_id, "reason": "no longer needed"}
        await shop.write("cancel_pending_order", cancel, ANN, session="s", turn="2")
        end = load_db.dump(shop.database)
    history = [(p["transaction_type"], p["payment_method_id"]) for p in end["orders"][order_id]["payment_history"]]
    assert history == [
        ("payment", "gift_card_0000002"),
        ("payment", "credit_card_0000001"),
        ("refund", "gift_card_0000002"),
        ("refund", "credit_card_0000001"),
    ]
    assert end["users"][ANN]["payment_methods"]["gift_card_0000002"]["balance"] == round(500.5 + paid, 2)


SWAP = {
    "item_ids": ["1000000002"],
    "new_item_ids": ["1000000003"],
    "payment_method_id": "paypal_0000001",
}
FORBIDDEN: list[tuple[str, str, Json, str]] = [
    ("exchange_delivered_order_items", "delivered", {"payment_method_id": "paypal_0000009"}, "not one of yours"),
    ("exchange_delivered_order_items", "delivered", {"new_item_ids": ["1000000004"]}, "not available"),
    ("exchange_delivered_order_items", "delivered", {"new_item_ids": ["2000000001"]}, "same product"),
    ("exchange_delivered_order_items", "delivered", {"new_item_ids": ["1000000002"]}, "different variant"),
    ("exchange_delivered_order_items", "delivered", {"new_item_ids": ["9999999999"]}, "same product"),
    ("exchange_delivered_order_items", "delivered", {"item_ids": ["1000000005"]}, "in the order"),
    (
        "exchange_delivered_order_items",
        "delivered",
        {"item_ids": ["1000000002"] * 2, "new_item_ids": ["1000000003"] * 2},
        "that many times",
    ),
    ("exchange_delivered_order_items", "delivered", {"new_item_ids": ["1000000003"] * 2}, "exactly one new item"),
    ("exchange_delivered_order_items", "delivered", {"item_ids": [], "new_item_ids": []}, "item"),
    ("exchange_delivered_order_items", "pending", {}, "not delivered"),
    ("modify_pending_order_items", "delivered", {}, "not pending"),
    ("modify_pending_order_items", "processed", {}, "not pending"),
    ("modify_pending_order_items", "pending (item modified)", {}, "already modified"),
    ("modify_pending_order_items", "pending", {"new_item_ids": ["1000000004"]}, "not available"),
]


async def test_a_forbidden_change_of_items_is_refused_with_its_reason() -> None:
    db = world.make_db()
    async with retail_shop.open_shop(db) as shop:
        for number, (tool, status, change, said) in enumerate(FORBIDDEN):
            arguments = {"order_id": world.order_with(db, status, "1000000002"), **SWAP, **change}
            result = await shop.write(tool, arguments, ANN, session="s", turn=str(number))
            assert result.status in ("denied", "invalid"), (tool, status, change)
            assert said in result.envelope.structured.error.message
            assert reference.refusal(db, tool, arguments, ANN) is not None
        assert load_db.dump(shop.database) == db


async def test_a_gift_card_that_is_too_small_is_refused_and_one_that_suffices_to_the_cent_is_taken() -> None:
    db = world.make_db()
    order_id = world.order_with(db, "delivered", "1000000001")
    arguments = {
        "order_id": order_id,
        "item_ids": ["1000000001"],
        "new_item_ids": ["1000000002"],
        "payment_method_id": "gift_card_0000001",
    }
    card = db["users"][ANN]["payment_methods"]["gift_card_0000001"]
    for balance, status in ((20.22, "denied"), (20.23, "succeeded")):
        card["balance"] = balance
        async with retail_shop.open_shop(db) as shop:
            result = await shop.write("exchange_delivered_order_items", arguments, ANN, session="s", turn="1")
            end = load_db.dump(shop.database)
        assert result.status == status
        assert end["users"] == db["users"]
    assert end["orders"][order_id]["exchange_price_difference"] == 20.23


async def test_nothing_is_changed_before_the_yes() -> None:
    db = world.make_db()
    arguments = {"order_id": world.order_with(db, "pending", "1000000001"), "reason": "ordered by mistake"}
    async with retail_shop.open_shop(db) as shop:
        caller = retail_shop.customer(ANN)
        result = await shop.reach.call("cancel_pending_order", arguments, caller=caller, session="s", turn="1")
        assert result.status == "confirm"
        assert load_db.dump(shop.database) == db


@pytest.mark.parametrize(
    ("tool", "mine", "theirs"),
    [
        ("get_user_details", {"user_id": ANN}, {"user_id": BOB}),
        ("find_user_id_by_email", {"email": "Ann@example.com"}, {"email": "bob@example.com"}),
        (
            "find_user_id_by_name_zip",
            {"first_name": "ann", "last_name": "DOE", "zip": "00001"},
            {"first_name": "Bob", "last_name": "Roe", "zip": "00001"},
        ),
    ],
)
async def test_a_customer_finds_nobody_but_themselves(tool: str, mine: Json, theirs: Json) -> None:
    async with retail_shop.open_shop(world.make_db()) as shop:
        own = await shop.write(tool, mine, ANN, session="s", turn="1")
        foreign = await shop.write(tool, theirs, ANN, session="s", turn="2")
        missing = {name: "x@example.com" if name == "email" else "nobody_here_0000" for name in mine}
        unknown = await shop.write(tool, missing, ANN, session="s", turn="3")
    assert own.status == "succeeded"
    assert own.envelope.structured.data["user_id"] == ANN
    assert (foreign.status, unknown.status) == ("denied", "denied")
    assert foreign.decision.reason == unknown.decision.reason


READS: list[tuple[str, Json, str]] = [
    ("get_order_details", {"order_id": "#W0000000"}, "10.1"),
    ("get_product_details", {"product_id": world.LAMP}, "30.33"),
    ("get_item_details", {"item_id": "1000000004"}, "22.22"),
    ("list_all_product_types", {}, "Shirt"),
    ("calculate", {"expression": "(1.5 + 2) * 3"}, "10.5"),
    ("transfer_to_human_agents", {"summary": "a broken lamp"}, "Transfer"),
]


async def test_every_read_answers_a_customer() -> None:
    async with retail_shop.open_shop(world.make_db()) as shop:
        for tool, arguments, said in READS:
            result = await shop.write(tool, arguments, ANN, session="s", turn="1")
            assert result.status == "succeeded", (tool, result.envelope.structured.error)
            assert said in result.envelope.content, tool


def test_the_agent_has_the_tools_of_the_reference_and_speaks_both_languages() -> None:
    registry = load_registry(RETAIL / "tools.yaml")
    assert set(registry.tools) == set(reference.TOOLS)
    for name, tool in registry.tools.items():
        assert tuple(tool.parameters) == reference.TOOLS[name]
        assert tool.read_only is (name in reference.READS)
        texts = [tool.title, tool.description, tool.when_to_use, tool.when_not_to_use]
        texts += [check.reason for check in tool.preconditions]
        assert all(isinstance(text, dict) and set(text) == {"en", "zh"} for text in texts), name
