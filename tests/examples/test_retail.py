"""The retail example: the loader loses nothing, and the agent does what the reference says, no more and no less."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RETAIL = ROOT / "examples" / "retail"
sys.path[:0] = [str(RETAIL), str(Path(__file__).parent)]

import calculator  # noqa: E402
import check_ownership  # noqa: E402
import db_form  # noqa: E402
import load_db  # noqa: E402
import reference  # noqa: E402
import replay  # noqa: E402
import retail_world as world  # noqa: E402
import shop as retail_shop  # noqa: E402

from reach.adapters import build_adapter  # noqa: E402
from reach.clock import SystemClock  # noqa: E402
from reach.errors import BackendRejected  # noqa: E402
from reach.ports import AdapterCall, Deadline  # noqa: E402
from reach.registry import load_registry  # noqa: E402

TAU2 = Path(os.environ.get("REACH_DATA") or ROOT.parent / "shared" / "data") / "tau2"
needs_data = [
    pytest.mark.data,
    pytest.mark.skipif(not (TAU2 / "retail" / "db.json").is_file(), reason=f"the tau2 data is not in {TAU2}"),
]
ANN, BOB = world.ANN, world.BOB
Json = dict[str, Any]


@pytest.fixture(scope="module")
def tau2_db() -> Json:
    return db_form.read_source(TAU2 / "retail" / "db.json")


def order_of(db: Json, user_id: str, status: str, method_id: str, item_id: str | None = None) -> str:
    """The id of the order of this user in this status, paid with this method."""
    return next(
        key
        for key, order in db["orders"].items()
        if (order["user_id"], order["status"]) == (user_id, status)
        and order["payment_history"][0]["payment_method_id"] == method_id
        and item_id in (None, *(item["item_id"] for item in order["items"]))
    )


def order_with(db: Json, status: str, item_id: str) -> str:
    """The id of an order of Ann's in this status that holds this item."""
    return next(
        key
        for key, order in db["orders"].items()
        if (order["user_id"], order["status"]) == (ANN, status)
        and item_id in [item["item_id"] for item in order["items"]]
    )


# ------------------------------------------------------------------------------------------------ the loader


def test_what_is_loaded_and_dumped_is_the_source_again(tmp_path: Path) -> None:
    db = world.make_db()
    delivered, other = order_with(db, "delivered", "1000000001"), order_with(db, "delivered", "1000000002")
    db["orders"][delivered].update(
        exchange_items=["1000000001"],
        exchange_new_items=["1000000003"],
        exchange_payment_method_id="paypal_0000001",
        exchange_price_difference=-3.03,
    )
    db["orders"][other].update(return_items=["1000000002"], return_payment_method_id="gift_card_0000001")
    load_db.load_data(db, tmp_path / "shop.db")
    assert load_db.dump(tmp_path / "shop.db") == db


def test_loading_again_replaces_what_was_there(tmp_path: Path) -> None:
    db = world.make_db()
    load_db.load_data(db, tmp_path / "shop.db")
    smaller = {**db, "orders": {}}
    load_db.load_data(smaller, tmp_path / "shop.db")
    assert load_db.dump(tmp_path / "shop.db")["orders"] == {}


@pytest.mark.parametrize("amount", [1.005, float("nan"), float("inf"), "1.00", True, None])
def test_an_amount_that_is_not_whole_cents_is_refused_with_its_place(tmp_path: Path, amount: Any) -> None:
    db = world.make_db()
    db["products"][world.LAMP]["variants"]["1000000001"]["price"] = amount
    place = rf"products\.{world.LAMP}\.variants\.1000000001\.price: .*whole cents"
    with pytest.raises(db_form.BadData, match=place):
        load_db.load_data(db, tmp_path / "shop.db")


BROKEN: list[tuple[list[str], Any, str]] = [
    (["orders", "#W0000000", "gift_wrap"], True, "orders.#W0000000.gift_wrap: Extra"),
    (["orders", "#W0000000", "user_id"], "nobody", "order #W0000000 is of a user that is not there"),
    (["orders", "#W0000000", "order_id"], "#W0000001", "listed as #W0000000 calls itself #W0000001"),
    (["orders", "#W0000000", "payment_history"], [], "orders.#W0000000.payment_history"),
    (["orders", "#W0000000", "items"], {}, "orders.#W0000000.items"),
    (["users", ANN, "payment_methods", "paypal_0000001", "balance"], 5, "a gift card has a balance"),
    (["users", ANN, "payment_methods", "gift_card_0000001", "balance"], None, "a gift card has a balance"),
    (["users", BOB, "payment_methods"], {}, "payment method that its user does not have"),
    (["users", ANN, "address", "zip"], 1, f"users.{ANN}.address.zip"),
    (["users"], [], "users: "),
]


@pytest.mark.parametrize(("path", "value", "said"), BROKEN)
def test_data_of_another_form_is_refused_with_its_place(tmp_path: Path, path: list[str], value: Any, said: str) -> None:
    db = world.make_db()
    node: Any = db
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    with pytest.raises(db_form.BadData, match=re.escape(said)):
        load_db.load_data(db, tmp_path / "shop.db")
    assert not (tmp_path / "shop.db").exists()


@pytest.mark.parametrize(
    ("content", "said"), [(None, "can't be read"), (b"{", "not JSON"), (b"\xff", "not UTF-8"), (b"[]", "object")]
)
def test_a_bad_source_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "db.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(db_form.BadData, match=f"{path}.*{said}"):
        db_form.read_source(path)


# ------------------------------------------------------------------------------------------------ agent and reference


def rule_of(result: Any) -> str | None:
    """The id of the rule that refused a call, in the reference's words; None where it was carried out."""
    if result.status == "succeeded":
        return None
    if result.status == "invalid":
        return "invalid"
    assert result.status == "denied", result.envelope.structured.error
    return result.decision.rule.partition(":")[2]


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
                assert rule_of(result) == (refused and refused.rule), (tool, arguments, user_id)
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
    order_id = order_with(db, "pending", "1000000001")
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
    delivered = order_with(db, "delivered", "1000000001")
    async with retail_shop.open_shop(db) as shop:
        foreign = await shop.reach.ask(f"what is in order {delivered}?", caller=retail_shop.customer(BOB), session="b")
        text = f"cancel order {delivered}, it was ordered by mistake"
        late = await shop.reach.ask(text, caller=retail_shop.customer(ANN), session="a")
    assert (foreign.kind, late.kind) == ("denied", "denied")
    assert "not one of yours" in foreign.text
    assert "not pending any more" in late.text


async def test_two_rows_of_the_same_item_are_two_items() -> None:
    db = world.make_db()
    order_id = order_with(db, "pending", "1000000001")
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
    order_id = order_with(db, "pending", "1000000001")
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
    order_id = order_of(db, ANN, "pending", "gift_card_0000002")
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
            arguments = {"order_id": order_with(db, status, "1000000002"), **SWAP, **change}
            result = await shop.write(tool, arguments, ANN, session="s", turn=str(number))
            assert result.status in ("denied", "invalid"), (tool, status, change)
            assert said in result.envelope.structured.error.message
            assert reference.refusal(db, tool, arguments, ANN) is not None
        assert load_db.dump(shop.database) == db


async def test_a_gift_card_that_is_too_small_is_refused_and_one_that_suffices_to_the_cent_is_taken() -> None:
    db = world.make_db()
    order_id = order_with(db, "delivered", "1000000001")
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
    arguments = {"order_id": order_with(db, "pending", "1000000001"), "reason": "ordered by mistake"}
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


# ------------------------------------------------------------------------------------------------ the calculator


@pytest.mark.parametrize(
    ("expression", "value"),
    [("2 + 2", 4.0), ("0.1+0.2", 0.3), ("-(3 - 5) * 4 / 3", 2.67), ("+1.", 1.0), (" 7 ", 7.0), ("100 - 58.5", 41.5)],
)
def test_arithmetic_is_worked_out_to_two_decimals(expression: str, value: float) -> None:
    assert calculator.calculate(expression)["value"] == value


@pytest.mark.parametrize(
    "expression",
    ["1/0", "0/0", "2**9999", "2//3", "", "()", "1 2", "(1", "1,2", "a", "__import__('os')", "(" * 299, "1" * 301],
)
def test_what_is_not_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(BackendRejected):
        calculator.calculate(expression)


# ------------------------------------------------------------------------------------------------ the two scripts


def ownership_rows(db: Json) -> list[Json]:
    """For each tool that names a resource: its owner, a stranger, and the owner with a foreign payment method."""
    samples = {
        "order_id": "#W0000000",
        "user_id": ANN,
        "payment_method_id": "paypal_0000001",
        "reason": "no longer needed",
    }
    lists = {"item_ids": ["1000000001"], "new_item_ids": ["1000000003"]}
    rows: list[Json] = []
    for tool, names in reference.TOOLS.items():
        if not {"order_id", "user_id"} & set(names):
            continue
        arguments = {name: (samples | lists).get(name, "x") for name in names}
        rows += [
            {"id": f"{tool}/own", "principal": ANN, "tool": f"retail.{tool}", "arguments": arguments, "allow": True},
            {"id": f"{tool}/else", "principal": BOB, "tool": f"retail.{tool}", "arguments": arguments, "allow": False},
        ]
        if "payment_method_id" in names:
            foreign = {**arguments, "payment_method_id": "paypal_0000009"}
            rows.append({"id": f"{tool}/pay", "principal": ANN, "tool": tool, "arguments": foreign, "allow": False})
    assert db["orders"]["#W0000000"]["user_id"] == ANN
    return rows


def task_rows(db: Json) -> list[Json]:
    """Tasks that write: one that goes through, and one whose second action is forbidden."""
    cancel = {"order_id": order_with(db, "pending", "1000000001"), "reason": "no longer needed"}
    back = {
        "order_id": order_with(db, "delivered", "1000000002"),
        "item_ids": ["1000000002"],
        "payment_method_id": "gift_card_0000001",
    }
    move = {"user_id": ANN, **dict.fromkeys(world.ADDRESS, "here")}
    return [
        {"id": "reads-only", "writes": [], "domain": "retail"},
        {"id": "other-shop", "writes": [{"tool": "fly", "arguments": {}}], "domain": "airline"},
        {
            "id": "fine",
            "domain": "retail",
            "writes": [
                {"tool": "retail.cancel_pending_order", "arguments": cancel},
                {"tool": "retail.return_delivered_order_items", "arguments": back},
                {"tool": "retail.modify_user_address", "arguments": move},
            ],
        },
        {"id": "twice", "domain": "retail", "writes": [{"tool": "cancel_pending_order", "arguments": cancel}] * 2},
        {"id": "foreign", "principal": BOB, "writes": [{"tool": "cancel_pending_order", "arguments": cancel}]},
        {
            "id": "nowhere",
            "writes": [{"tool": "cancel_pending_order", "arguments": {**cancel, "order_id": "#W9999999"}}],
        },
        {"id": "no-tool", "principal": ANN, "writes": [{"tool": "retail.drop_everything", "arguments": {}}]},
    ]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Json, Path, Path]:
    """The tiny database, its file, and a path for rows."""
    db = world.make_db()
    path = tmp_path / "db.json"
    path.write_text(json.dumps(db), "utf-8")
    return db, path, tmp_path / "rows.jsonl"


def run_script(monkeypatch: pytest.MonkeyPatch, module: Any, *arguments: Any) -> int:
    monkeypatch.setattr(sys, "argv", [f"{module.__name__}.py", *map(str, arguments)])
    return module.main()


def write_rows(path: Path, rows: list[Json]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_ownership_of_every_tool_is_decided_right(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    write_rows(path, ownership_rows(db))
    assert run_script(monkeypatch, check_ownership, path, "--db", source, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report == {
        "rows": 22,
        "right_allow": 9,
        "right_deny": 13,
        "wrong_allow": 0,
        "wrong_deny": 0,
        "wrong": [],
    }


def test_a_wrong_decision_is_counted_named_and_ends_with_1(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    rows = ownership_rows(db)[:2]
    write_rows(path, [{**row, "allow": not row["allow"]} for row in rows])
    assert run_script(monkeypatch, check_ownership, path, "--db", source) == 1
    printed = capsys.readouterr().out
    assert "right allow: 0  right deny: 0  wrong allow: 1  wrong deny: 1" in printed
    assert "wrong deny: cancel_pending_order/else" in printed
    assert "That order is not one of yours." in printed


def test_tasks_pass_and_what_the_rules_forbid_is_listed(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    write_rows(path, task_rows(db))
    assert run_script(monkeypatch, replay, path, "--db", source, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert {key: report[key] for key in ("tasks", "passed", "failed", "writes")} == {
        "tasks": 5,
        "passed": 5,
        "failed": 0,
        "writes": 8,
    }
    assert [(each["id"], each["rule"]) for each in report["forbidden"]] == [
        ("twice", "pending"),
        ("foreign", "order"),
        ("nowhere", "order"),
        ("no-tool", "invalid"),
    ]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("perform", "after the writes: .orders.#W0000000.cancel_reason is 'no longer needed', expected nothing there"),
        ("refusal", "write 1 (cancel_pending_order) ended as succeeded, but the rules forbid it: a full moon"),
    ],
)
def test_a_difference_from_the_reference_fails_the_task(
    files: tuple[Json, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
    said: str,
) -> None:
    db, source, path = files
    write_rows(path, [row for row in task_rows(db) if row["id"] == "fine"])

    def perform(state: Json, _: str, __: Json) -> None:
        state["orders"]["#W0000000"]["status"] = "pending"

    replacement = {"perform": perform, "refusal": lambda *_: reference.Refusal("moon", "a full moon")}[broken]
    monkeypatch.setattr(reference, broken, replacement)
    assert run_script(monkeypatch, replay, path, "--db", source) == 1
    printed = capsys.readouterr().out
    assert "tasks passed: 0  failed: 1  writes: 3" in printed
    assert f"failed: fine: {said}" in printed


async def test_the_same_writes_again_change_nothing_and_say_so() -> None:
    db = world.make_db()
    arguments = {"order_id": order_with(db, "pending", "1000000001"), "reason": "no longer needed"}
    async with retail_shop.open_shop(db) as shop:
        first = await shop.write("cancel_pending_order", arguments, ANN, session="s", turn="1")
        once = load_db.dump(shop.database), shop.image()
        again = await shop.write("cancel_pending_order", arguments, ANN, session="s", turn="1")
        assert (load_db.dump(shop.database), shop.image()) == once
        shop.reset()
        assert shop.image() != once[1]
    assert (first.envelope.structured.replayed, again.envelope.structured.replayed) == (False, True)
    assert again.envelope.structured.data == first.envelope.structured.data


@pytest.mark.parametrize("module", [check_ownership, replay])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "can't be read"),
        ("", "no row of the retail domain"),
        ('{"domain": "airline"}\n', "no row of the retail domain"),
        ('{"id": \n', ":1: not JSON"),
        ('{"domain": "retail"}\n', ":1: 'id' is missing"),
        ("[]\n", ":1: expected an object"),
        ('{"id": 1, "principal": "", "tool": "x", "arguments": {}, "allow": true}', ":1: 'principal' is ''"),
        ('{"id": 1, "principal": "a", "tool": "x", "arguments": [], "allow": true}', ":1: 'arguments' is []"),
    ],
)
def test_a_file_that_cannot_be_used_ends_with_2_and_says_why(
    files: tuple[Json, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    module: Any,
    content: str | None,
    said: str,
) -> None:
    _, source, path = files
    if content is not None:
        path.write_text(content, "utf-8")
    assert run_script(monkeypatch, module, path, "--db", source) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("module", [check_ownership, replay])
def test_a_database_of_another_form_ends_with_2_and_says_where(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: Any
) -> None:
    db, source, path = files
    write_rows(path, ownership_rows(db) if module is check_ownership else task_rows(db))
    del db["orders"]["#W0000000"]["status"]
    source.write_text(json.dumps(db), "utf-8")
    assert run_script(monkeypatch, module, path, "--db", source) == 2
    assert f"{source}: orders.#W0000000.status" in capsys.readouterr().err


async def test_a_backend_that_breaks_is_not_taken_for_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forbidden write on a database that has lost its tables fails the task, although nothing was written."""
    db = world.make_db()
    task = replay.task_of(db, task_rows(db)[3])
    async with retail_shop.open_shop(db) as shop:
        monkeypatch.setattr(retail_shop.Shop, "reset", lambda _: None)
        with closing(sqlite3.connect(shop.database)) as connection, connection:
            connection.execute("DROP TABLE orders")
        only_forbidden = replay.Task(task.id, ANN, task.writes[1:], task.end, task.verdicts[1:])
        wrong = await replay.run(shop, only_forbidden, session="s")
    assert wrong is not None
    assert "ended as denied, but the rules forbid it" in wrong


@pytest.mark.parametrize("module", [check_ownership, replay, load_db])
def test_help_has_an_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        run_script(monkeypatch, module, "--help")
    assert ended.value.code == 0
    assert f"Example: python examples/retail/{module.__name__}.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ".a[1].b is 2, expected 3"),
        ({"a": [1]}, {"a": [1, 2]}, ".a is [1], expected [1, 2]"),
        ({}, {"a": 1}, ".a is missing, expected 1"),
        ({"a": None}, {}, ".a is None, expected nothing there"),
    ],
)
def test_the_first_difference_is_named_by_its_path(found: Json, wanted: Json, said: str | None) -> None:
    assert replay.first_difference(found, wanted) == said


# ------------------------------------------------------------------------------------------------ the real data


@pytest.mark.data
class TestRealData:
    pytestmark = needs_data

    def test_the_real_database_comes_back_unchanged(self, tau2_db: Json, tmp_path: Path) -> None:
        load_db.load(TAU2 / "retail" / "db.json", tmp_path / "shop.db")
        assert load_db.dump(tmp_path / "shop.db") == tau2_db

    async def test_every_ownership_row_is_decided_right(self, tau2_db: Json) -> None:
        rows = retail_shop.retail_rows(TAU2 / "ownership_dev.jsonl", check_ownership.KEYS)
        report = await check_ownership.check(tau2_db, rows)
        assert (report["wrong_allow"], report["wrong_deny"], report["wrong"]) == (0, 0, [])
        assert report["right_allow"] == sum(row["allow"] for row in rows)
        assert report["right_deny"] == sum(not row["allow"] for row in rows)

    async def test_every_task_leaves_the_database_as_its_actions_say_and_once_only(self, tau2_db: Json) -> None:
        before = copy.deepcopy(tau2_db)
        report = await replay.replay(tau2_db, retail_shop.retail_rows(TAU2 / "dev.jsonl", ("id",)))
        assert report["failures"] == []
        assert report["passed"] == report["tasks"] > 50
        assert tau2_db == before

    async def test_random_actions_on_the_real_database_end_as_the_reference_says(
        self, tau2_db: Json, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        variants = [each for product in tau2_db["products"].values() for each in product["variants"].values()]
        monkeypatch.setattr(world, "UNAVAILABLE", tuple(v["item_id"] for v in variants if not v["available"]))
        rng = random.Random(3)  # noqa: S311 -- seeded, so that a failure repeats
        async with retail_shop.open_shop(tau2_db) as shop:
            for user_id in rng.sample(sorted(tau2_db["users"]), 20):
                shop.reset()
                writes: list[tuple[str, Json]] = []
                state, rules = tau2_db, []
                for number in range(8):
                    writes.append(world.random_action(rng, state, user_id))
                    state, verdicts = reference.end_state(tau2_db, writes, user_id)
                    result = await shop.write(*writes[-1], user_id, session=user_id, turn=str(number))
                    rules.append(rule_of(result))
                assert rules == [verdict and verdict.rule for verdict in verdicts], (user_id, writes)
                assert replay.first_difference(load_db.dump(shop.database), state) is None
