"""The retail example's loader loses nothing, and its calculator is only a calculator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import calculator
import db_form
import load_db
import pytest
import retail_world as world

from reach.errors import BackendRejected

ANN, BOB = world.ANN, world.BOB
Json = dict[str, Any]


def test_what_is_loaded_and_dumped_is_the_source_again(tmp_path: Path) -> None:
    db = world.make_db()
    delivered, other = world.order_with(db, "delivered", "1000000001"), world.order_with(db, "delivered", "1000000002")
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
