"""A tiny shop in the form of db.json, and random things that its customers may try there.

All ids are made up. Every status, every kind of payment method, an item ordered twice, an unavailable variant, a gift
card that covers little and one that covers all are there, so that every rule can be met and broken.
"""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]

ANN, BOB = "ann_doe_0001", "bob_roe_0002"
STATUSES = ("pending", "delivered", "processed", "cancelled", "pending (item modified)")
LAMP, SHIRT = "1000000000", "2000000000"
ADDRESS = {
    "address1": "1 First Street",
    "address2": "",
    "city": "Springfield",
    "country": "USA",
    "state": "CA",
    "zip": "00001",
}
METHODS: dict[str, Json] = {
    ANN: {
        "gift_card_0000001": {"source": "gift_card", "id": "gift_card_0000001", "balance": 12.0},
        "gift_card_0000002": {"source": "gift_card", "id": "gift_card_0000002", "balance": 500.5},
        "credit_card_0000001": {
            "source": "credit_card",
            "id": "credit_card_0000001",
            "brand": "visa",
            "last_four": "0001",
        },
        "paypal_0000001": {"source": "paypal", "id": "paypal_0000001"},
    },
    BOB: {
        "gift_card_0000009": {"source": "gift_card", "id": "gift_card_0000009", "balance": 30.1},
        "paypal_0000009": {"source": "paypal", "id": "paypal_0000009"},
    },
}
PRICES = {"1000000001": 10.1, "1000000002": 30.33, "1000000003": 7.07, "1000000004": 22.22, "1000000005": 10.1}
SHIRT_PRICES = {"2000000001": 19.99, "2000000002": 25.0, "2000000003": 32.05}
UNAVAILABLE = ("1000000004", "2000000003")


def _product(product_id: str, name: str, prices: dict[str, float]) -> Json:
    variants = {
        item_id: {
            "item_id": item_id,
            "options": {"color": f"colour {number}", "尺寸": "大"},
            "available": item_id not in UNAVAILABLE,
            "price": price,
        }
        for number, (item_id, price) in enumerate(prices.items())
    }
    return {"name": name, "product_id": product_id, "variants": variants}


def make_db() -> Json:
    """A new database: each customer has one order per status and payment method."""
    products = {LAMP: _product(LAMP, "Lamp", PRICES), SHIRT: _product(SHIRT, "Shirt", SHIRT_PRICES)}
    names = {ANN: ("Ann", "Doe"), BOB: ("Bob", "Roe")}
    users: Json = {}
    orders: Json = {}
    baskets = (("1000000001", "1000000001", "2000000001"), ("1000000002", "2000000002"), ("1000000004",))
    for user_id, (first, last) in names.items():
        own: list[str] = []
        for status in STATUSES:
            for method_id in METHODS[user_id]:
                order_id = f"#W{len(orders):07d}"
                own.append(order_id)
                orders[order_id] = _order(
                    order_id=order_id,
                    user_id=user_id,
                    status=status,
                    method_id=method_id,
                    basket=baskets[len(orders) % 3],
                    products=products,
                )
        users[user_id] = {
            "user_id": user_id,
            "name": {"first_name": first, "last_name": last},
            "address": dict(ADDRESS),
            "email": f"{first.lower()}@example.com",
            "payment_methods": {key: dict(method) for key, method in METHODS[user_id].items()},
            "orders": own,
        }
    return {"products": products, "users": users, "orders": orders}


def _order(
    *, order_id: str, user_id: str, status: str, method_id: str, basket: tuple[str, ...], products: Json
) -> Json:
    items: list[Json] = []
    for item_id in basket:
        product = products[item_id[0] + "000000000"]
        variant = product["variants"][item_id]
        items.append(
            {
                "name": product["name"],
                "product_id": product["product_id"],
                "item_id": item_id,
                "price": variant["price"],
                "options": dict(variant["options"]),
            }
        )
    paid = {
        "transaction_type": "payment",
        "amount": round(sum(item["price"] for item in items), 2),
        "payment_method_id": method_id,
    }
    order: Json = {
        "order_id": order_id,
        "user_id": user_id,
        "address": dict(ADDRESS),
        "items": items,
        "status": status,
        "fulfillments": [],
        "payment_history": [paid],
    }
    if status == "delivered":
        order["fulfillments"] = [{"tracking_id": ["000000000001"], "item_ids": list(basket)}]
    if status == "cancelled":
        order["payment_history"].append({**paid, "transaction_type": "refund"})
        order["cancel_reason"] = "no longer needed"
    return order


def random_action(rng: random.Random, db: Json, user_id: str) -> tuple[str, Json]:
    """One write that `user_id` may try: mostly sensible, often wrong in one way or another."""

    def mostly(likely: list[Any], rest: list[Any]) -> Any:
        return rng.choice(likely) if likely and rng.random() < 0.85 else rng.choice(rest)

    tool = rng.choice(
        [
            "cancel_pending_order",
            "exchange_delivered_order_items",
            "exchange_delivered_order_items",
            "modify_pending_order_address",
            "modify_pending_order_items",
            "modify_pending_order_items",
            "modify_pending_order_payment",
            "modify_pending_order_payment",
            "modify_user_address",
            "return_delivered_order_items",
        ]
    )
    address = {key: f"{key} {rng.randint(1, 3)}" for key in ADDRESS} | {"address2": rng.choice(["", "Suite 1"])}
    if tool == "modify_user_address":
        return tool, {"user_id": mostly([user_id], list(db["users"])), **address}
    status = "delivered" if "delivered" in tool else "pending"
    own = [key for key, order in db["orders"].items() if order["user_id"] == user_id]
    fit = [key for key in own if db["orders"][key]["status"] == status]
    arguments: Json = {"order_id": mostly(mostly([fit], [own]), [*db["orders"], "#W9999999"])}
    if tool == "cancel_pending_order":
        return tool, {**arguments, "reason": mostly(["no longer needed", "ordered by mistake"], ["bored", ""])}
    if tool == "modify_pending_order_address":
        return tool, {**arguments, **address}
    everyones = [key for user in db["users"].values() for key in user["payment_methods"]]
    methods = db["users"][user_id]["payment_methods"]
    arguments["payment_method_id"] = mostly(list(methods), [*everyones, "paypal_9999999"])
    if tool == "modify_pending_order_payment":
        return tool, arguments
    order = db["orders"].get(arguments["order_id"]) or next(iter(db["orders"].values()))
    variants = {product_id: list(product["variants"]) for product_id, product in db["products"].items()}
    anything = [item_id for items in variants.values() for item_id in items] + ["9999999999"]
    rows = rng.sample(order["items"], min(len(order["items"]), rng.choice([1, 1, 2, 3])))
    old = [mostly([row["item_id"]], anything) if rng.random() < 0.3 else row["item_id"] for row in rows]
    arguments["item_ids"] = old if rng.random() < 0.95 else [*old, old[0]]
    if tool != "return_delivered_order_items":
        fitting = [
            [each for each in variants[row["product_id"]] if each not in (*UNAVAILABLE, row["item_id"])] for row in rows
        ]
        new = [
            mostly(choice, rng.choice([variants[row["product_id"]], anything]))
            for row, choice in zip(rows, fitting, strict=True)
        ]
        arguments["new_item_ids"] = new if rng.random() < 0.95 else new[1:]
    return tool, arguments


def order_of(db: Json, user_id: str, status: str, method_id: str) -> str:
    """The id of the order of this user in this status, paid with this method."""
    return next(
        key
        for key, order in db["orders"].items()
        if (order["user_id"], order["status"]) == (user_id, status)
        and order["payment_history"][0]["payment_method_id"] == method_id
    )


def order_with(db: Json, status: str, item_id: str) -> str:
    """The id of an order of Ann's in this status that holds this item."""
    return next(
        key
        for key, order in db["orders"].items()
        if (order["user_id"], order["status"]) == (ANN, status)
        and item_id in [item["item_id"] for item in order["items"]]
    )


def rule_of(result: Any) -> str | None:
    """The id of the rule that refused a call, in the reference's words; None where it was carried out."""
    if result.status == "succeeded":
        return None
    if result.status == "invalid":
        return "invalid"
    assert result.status == "denied", result.envelope.structured.error
    return result.decision.rule.partition(":")[2]
