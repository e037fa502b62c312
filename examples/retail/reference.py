"""What the retail rules say, in plain Python over the data of db.json: the yardstick that the agent is measured with.

Rule: it shares nothing with tools.yaml and its SQL. It was written from the shop's policy text, so that where the two
disagree, one of them has misread the policy.

- `refusal(db, tool, arguments, user_id)`: why this customer may not do this now, or None.
- `perform(db, tool, arguments)`: the change itself.
- `end_state(db, writes, user_id)`: both, write after write.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

Json = dict[str, Any]

ADDRESS = ("address1", "address2", "city", "state", "country", "zip")
CANCEL_REASONS = ("no longer needed", "ordered by mistake")
WRITES: dict[str, tuple[str, ...]] = {
    "cancel_pending_order": ("order_id", "reason"),
    "exchange_delivered_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    "modify_pending_order_address": ("order_id", *ADDRESS),
    "modify_pending_order_items": ("order_id", "item_ids", "new_item_ids", "payment_method_id"),
    "modify_pending_order_payment": ("order_id", "payment_method_id"),
    "modify_user_address": ("user_id", *ADDRESS),
    "return_delivered_order_items": ("order_id", "item_ids", "payment_method_id"),
}
READS: dict[str, tuple[str, ...]] = {
    "calculate": ("expression",),
    "find_user_id_by_email": ("email",),
    "find_user_id_by_name_zip": ("first_name", "last_name", "zip"),
    "get_item_details": ("item_id",),
    "get_order_details": ("order_id",),
    "get_product_details": ("product_id",),
    "get_user_details": ("user_id",),
    "list_all_product_types": (),
    "transfer_to_human_agents": ("summary",),
}
TOOLS = {**WRITES, **READS}


@dataclass(frozen=True)
class Refusal:
    """Why an action is forbidden. `rule` is a short id (`pending`, `available`, `order` ...), `reason` a sentence."""

    rule: str
    reason: str


def plain_name(tool: str) -> str:
    """`retail.cancel_pending_order` as `cancel_pending_order`: the data puts the domain before the name."""
    return tool.removeprefix("retail.")


# ------------------------------------------------------------------------------------------------ looking things up


def _money(amount: float) -> Decimal:
    return Decimal(str(amount))


def _price_of(amount: Decimal) -> float:
    return float(round(amount, 2))


def _variants(db: Mapping[str, Any]) -> dict[str, tuple[str, Json]]:
    """Every variant of the shop by its item id, with its product's id."""
    return {
        item_id: (product_id, variant)
        for product_id, product in db["products"].items()
        for item_id, variant in product["variants"].items()
    }


def _methods(db: Mapping[str, Any], order: Mapping[str, Any]) -> Json:
    return db["users"][order["user_id"]]["payment_methods"]


def owner_of(db: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """The user whose order or profile the arguments name, or None where they name none that exists."""
    order_id, user_id = arguments.get("order_id"), arguments.get("user_id")
    if isinstance(order_id, str) and order_id in db["orders"]:
        return db["orders"][order_id]["user_id"]
    return user_id if isinstance(user_id, str) and user_id in db["users"] else None


def _matched_rows(order: Mapping[str, Any], item_ids: Sequence[str]) -> list[int]:
    """The place in the order of each item id: the first of two equal ids means the first such row, and so on."""
    free = list(range(len(order["items"])))
    matched: list[int] = []
    for item_id in item_ids:
        place = next(index for index in free if order["items"][index]["item_id"] == item_id)
        free.remove(place)
        matched.append(place)
    return matched


def _difference(db: Mapping[str, Any], order: Mapping[str, Any], old: Sequence[str], new: Sequence[str]) -> Decimal:
    """What the customer still has to pay for the change; negative where money goes back."""
    variants = _variants(db)
    before = sum((_money(order["items"][place]["price"]) for place in _matched_rows(order, old)), Decimal(0))
    return sum((_money(variants[item_id][1]["price"]) for item_id in new), Decimal(0)) - before


# ------------------------------------------------------------------------------------------------ may it be done


def _form(tool: str, arguments: Mapping[str, Any]) -> Refusal | None:
    if tool not in TOOLS:
        return Refusal("invalid", f"There is no tool named {tool}.")
    if set(arguments) != set(TOOLS[tool]):
        return Refusal("invalid", f"{tool} takes exactly these arguments: {', '.join(TOOLS[tool]) or 'none'}.")
    for name, value in arguments.items():
        if name in ("item_ids", "new_item_ids"):
            if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
                return Refusal("invalid", f"'{name}' is a list of at least one item id.")
        elif not isinstance(value, str):
            return Refusal("invalid", f"'{name}' is a text.")
    if tool == "cancel_pending_order" and arguments["reason"] not in CANCEL_REASONS:
        return Refusal("invalid", f"The reason of a cancellation is one of: {', '.join(CANCEL_REASONS)}.")
    return None


def _identity(db: Mapping[str, Any], tool: str, arguments: Mapping[str, Any], user_id: str) -> Refusal | None:
    """Customers act on what is theirs, and are found only by what is theirs."""
    user = db["users"].get(user_id)
    if "user_id" in arguments and arguments["user_id"] != user_id:
        return Refusal("user", "That profile belongs to another user.")
    if "order_id" in arguments and db["orders"].get(arguments["order_id"], {}).get("user_id") != user_id:
        return Refusal("order", "That order is not one of this user's.")
    method = arguments.get("payment_method_id")
    if method is not None and (user is None or method not in user["payment_methods"]):
        return Refusal("payment_method", "That payment method is not one of this user's.")
    if tool.startswith("find_user_id_by_"):
        known: Json = {}
        if user is not None:
            known = {"email": user["email"], **user["name"], "zip": user["address"]["zip"]}
        if any(str(known.get(name, "")).lower() != str(value).lower() for name, value in arguments.items()):
            return Refusal("identity", "These details are not those of the user who is asking.")
    return None


def _status(tool: str, order: Mapping[str, Any]) -> Refusal | None:
    needed = "delivered" if tool in ("exchange_delivered_order_items", "return_delivered_order_items") else "pending"
    if order["status"] != needed:
        return Refusal(needed, f"The order is {order['status']!r}; this can only be done while it is {needed!r}.")
    return None


def _items_held(order: Mapping[str, Any], item_ids: Sequence[str]) -> Refusal | None:
    held = Counter(item["item_id"] for item in order["items"])
    if Counter(item_ids) - held:
        return Refusal("items-in-order", "Not all of these items are in the order that many times.")
    return None


def _swap(db: Mapping[str, Any], order: Mapping[str, Any], arguments: Mapping[str, Any]) -> Refusal | None:
    """The rules that exchanging and modifying items share."""
    old, new = arguments["item_ids"], arguments["new_item_ids"]
    if len(old) != len(new):
        return Refusal("same-length", "Each item needs exactly one new item.")
    if refused := _items_held(order, old):
        return refused
    pairs, variants = list(zip(old, new, strict=True)), _variants(db)
    product_of = {item["item_id"]: item["product_id"] for item in order["items"]}
    if any(item_id == new_item_id for item_id, new_item_id in pairs):
        return Refusal("different-item", "A new item must be a different option than the old one.")
    if any(new_item not in variants or variants[new_item][0] != product_of[item] for item, new_item in pairs):
        return Refusal("same-product", "A new item must be a variant of the same product.")
    if not all(variants[new_item_id][1]["available"] for new_item_id in new):
        return Refusal("available", "A new item is not available.")
    due, method = _difference(db, order, old, new), _methods(db, order)[arguments["payment_method_id"]]
    if method["source"] == "gift_card" and _money(method["balance"]) < due:
        return Refusal("gift-card-covers", "The balance of the gift card does not cover the price difference.")
    return None


def _payment_change(db: Mapping[str, Any], order: Mapping[str, Any], method_id: str) -> Refusal | None:
    history = order["payment_history"]
    if [record["transaction_type"] for record in history] != ["payment"]:
        return Refusal("single-payment", "The payment of this order has been changed already.")
    if history[0]["payment_method_id"] == method_id:
        return Refusal("another-method", "The new payment method must differ from the present one.")
    method = _methods(db, order)[method_id]
    if method["source"] == "gift_card" and _money(method["balance"]) < _money(history[0]["amount"]):
        return Refusal("gift-card-covers", "The balance of the gift card does not cover the order.")
    return None


def _refund_target(db: Mapping[str, Any], order: Mapping[str, Any], method_id: str) -> Refusal | None:
    original = [record["payment_method_id"] for record in order["payment_history"]][:1]
    if method_id not in original and _methods(db, order)[method_id]["source"] != "gift_card":
        return Refusal("refundable-method", "A refund goes to the original payment method or to a gift card.")
    return None


def refusal(db: Mapping[str, Any], tool: str, arguments: Mapping[str, Any], user_id: str) -> Refusal | None:
    """Why the rules forbid `user_id` this action on the database as it is now; None where they allow it."""
    if refused := _form(tool, arguments) or _identity(db, tool, arguments, user_id):
        return refused
    if tool not in WRITES or tool == "modify_user_address":
        return None
    order = db["orders"][arguments["order_id"]]
    if refused := _status(tool, order):
        return refused
    if "new_item_ids" in arguments:
        return _swap(db, order, arguments)
    if tool == "return_delivered_order_items":
        held = _items_held(order, arguments["item_ids"])
        return held or _refund_target(db, order, arguments["payment_method_id"])
    if tool == "modify_pending_order_payment":
        return _payment_change(db, order, arguments["payment_method_id"])
    return None


# ------------------------------------------------------------------------------------------------ doing it


def _move(db: Mapping[str, Any], order: Json, kind: str, amount: Decimal, method_id: str) -> None:
    """Record a payment or a refund; a gift card's balance follows at once."""
    record = {"transaction_type": kind, "amount": _price_of(amount), "payment_method_id": method_id}
    order["payment_history"].append(record)
    method = _methods(db, order)[method_id]
    if method["source"] == "gift_card":
        change = -amount if kind == "payment" else amount
        method["balance"] = _price_of(_money(method["balance"]) + change)


def _cancel(db: Mapping[str, Any], order: Json, arguments: Mapping[str, Any]) -> None:
    """Everything that a payment method has paid, less what it got back already, is refunded to it."""
    paid: dict[str, Decimal] = {}
    for record in order["payment_history"]:
        sign = 1 if record["transaction_type"] == "payment" else -1
        before = paid.get(record["payment_method_id"], Decimal(0))
        paid[record["payment_method_id"]] = before + sign * _money(record["amount"])
    for method_id, amount in paid.items():
        if amount > 0:
            _move(db, order, "refund", amount, method_id)
    order.update(status="cancelled", cancel_reason=arguments["reason"])


def _modify_items(db: Mapping[str, Any], order: Json, arguments: Mapping[str, Any]) -> None:
    """Each item takes the id, price and options of its new variant; all at once, so that swaps do not interfere."""
    old, new, variants = arguments["item_ids"], arguments["new_item_ids"], _variants(db)
    due = _difference(db, order, old, new)
    _move(db, order, "payment" if due > 0 else "refund", abs(due), arguments["payment_method_id"])
    for place, new_item_id in zip(_matched_rows(order, old), new, strict=True):
        variant = variants[new_item_id][1]
        order["items"][place].update(item_id=new_item_id, price=variant["price"], options=dict(variant["options"]))
    order["status"] = "pending (item modified)"


def _exchange(db: Mapping[str, Any], order: Json, arguments: Mapping[str, Any]) -> None:
    """Only a request is recorded: nothing is paid and nothing changes hands yet."""
    due = _difference(db, order, arguments["item_ids"], arguments["new_item_ids"])
    order.update(
        status="exchange requested",
        exchange_items=sorted(arguments["item_ids"]),
        exchange_new_items=sorted(arguments["new_item_ids"]),
        exchange_payment_method_id=arguments["payment_method_id"],
        exchange_price_difference=_price_of(due),
    )


def perform(db: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]) -> None:
    """Change `db` as an allowed action changes it. What `refusal` forbids must not be given."""
    if tool == "modify_user_address":
        db["users"][arguments["user_id"]]["address"] = {name: arguments[name] for name in ADDRESS}
    if tool not in WRITES or "order_id" not in arguments:
        return
    order = db["orders"][arguments["order_id"]]
    match tool:
        case "cancel_pending_order":
            _cancel(db, order, arguments)
        case "modify_pending_order_address":
            order["address"] = {name: arguments[name] for name in ADDRESS}
        case "modify_pending_order_items":
            _modify_items(db, order, arguments)
        case "modify_pending_order_payment":
            first = dict(order["payment_history"][0])
            _move(db, order, "payment", _money(first["amount"]), arguments["payment_method_id"])
            _move(db, order, "refund", _money(first["amount"]), first["payment_method_id"])
        case "exchange_delivered_order_items":
            _exchange(db, order, arguments)
        case _:
            order.update(
                status="return requested",
                return_items=sorted(arguments["item_ids"]),
                return_payment_method_id=arguments["payment_method_id"],
            )


def end_state(
    db: Mapping[str, Any], writes: Sequence[tuple[str, Mapping[str, Any]]], user_id: str
) -> tuple[Json, list[Refusal | None]]:
    """The database after `writes` of one user, and for each write why it is refused (None: it is carried out).

    `db` is left as it is; of the result only what the user owns is a copy.
    """
    state: Json = {**db, "users": dict(db["users"]), "orders": dict(db["orders"])}
    if user_id in state["users"]:
        state["users"][user_id] = copy.deepcopy(state["users"][user_id])
    for order_id, order in db["orders"].items():
        if order["user_id"] == user_id:
            state["orders"][order_id] = copy.deepcopy(order)
    verdicts: list[Refusal | None] = []
    for tool, arguments in writes:
        refused = refusal(state, tool, arguments, user_id)
        if refused is None:
            perform(state, tool, arguments)
        verdicts.append(refused)
    return state, verdicts
