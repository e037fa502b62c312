"""The form of db.json, the retail data of tau2-bench, as models.

Rule: a value that is missing, unknown, of another type or at odds with the rest is refused with its place, so that the
loader can't lose it and the rules can rely on it. Money becomes whole cents here; a fraction of a cent is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

Json = dict[str, Any]


class BadData(ValueError):
    """The source is not the retail data in the known form; the message says where it differs."""


def cents(amount: Any) -> int:
    """An amount of money in whole cents. Raises ValueError for what is not one."""
    if isinstance(amount, (int, float)) and not isinstance(amount, bool):
        try:
            exact = Decimal(str(amount)).scaleb(2)
            if (whole := int(exact)) == exact:
                return whole
        except (InvalidOperation, ValueError, OverflowError):
            pass
    raise ValueError(f"{amount!r} is not an amount in whole cents")


Cents = Annotated[int, BeforeValidator(cents)]


class Form(BaseModel):
    """Base of the models: unknown fields and converted types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Address(Form):
    """A postal address."""

    address1: str
    address2: str
    city: str
    state: str
    country: str
    zip: str


class Name(Form):
    """A person's name."""

    first_name: str
    last_name: str


class PaymentMethod(Form):
    """A gift card, which has a balance, or a credit card or PayPal account, which has none."""

    id: str
    source: str
    brand: str | None = None
    last_four: str | None = None
    balance: Cents | None = None

    @model_validator(mode="after")
    def _balanced(self) -> Self:
        if (self.source == "gift_card") != (self.balance is not None):
            raise ValueError("a gift card has a balance, and nothing else has")
        return self


class User(Form):
    """A customer."""

    user_id: str
    name: Name
    address: Address
    email: str
    payment_methods: dict[str, PaymentMethod]
    orders: list[str]


class Variant(Form):
    """One variant of a product: what is ordered."""

    item_id: str
    options: dict[str, str]
    available: bool
    price: Cents


class Product(Form):
    """A kind of product with its variants."""

    name: str
    product_id: str
    variants: dict[str, Variant]


class Item(Form):
    """One row of an order."""

    name: str
    product_id: str
    item_id: str
    price: Cents
    options: dict[str, str]


class Fulfillment(Form):
    """A parcel."""

    tracking_id: list[str]
    item_ids: list[str]


class Payment(Form):
    """A payment or a refund."""

    transaction_type: str
    amount: Cents
    payment_method_id: str


class Order(Form):
    """An order; what comes after `payment_history` is there only once something was done."""

    order_id: str
    user_id: str
    address: Address
    items: list[Item]
    status: str
    fulfillments: list[Fulfillment]
    payment_history: Annotated[list[Payment], Field(min_length=1)]
    cancel_reason: str | None = None
    exchange_items: list[str] | None = None
    exchange_new_items: list[str] | None = None
    exchange_payment_method_id: str | None = None
    exchange_price_difference: Cents | None = None
    return_items: list[str] | None = None
    return_payment_method_id: str | None = None


class Database(Form):
    """The whole of db.json."""

    products: dict[str, Product]
    users: dict[str, User]
    orders: dict[str, Order]

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        seen: set[str] = set()
        for product_id, product in self.products.items():
            _same(product_id, product.product_id)
            for item_id, variant in product.variants.items():
                _same(item_id, variant.item_id)
                if item_id in seen:
                    raise ValueError(f"item {item_id} is a variant of two products")
                seen.add(item_id)
        for user_id, user in self.users.items():
            _same(user_id, user.user_id)
            for method_id, method in user.payment_methods.items():
                _same(method_id, method.id)
        for order_id, order in self.orders.items():
            _same(order_id, order.order_id)
            if order.user_id not in self.users:
                raise ValueError(f"order {order_id} is of a user that is not there, {order.user_id}")
            for payment in order.payment_history:
                if payment.payment_method_id not in self.users[order.user_id].payment_methods:
                    raise ValueError(f"order {order_id} was paid with a payment method that its user does not have")
        return self


def _same(key: str, own: str) -> None:
    if key != own:
        raise ValueError(f"what is listed as {key} calls itself {own}")


def parse(db: Mapping[str, Any]) -> Database:
    """The data as models. Raises BadData, which names the first place that is not in the known form."""
    try:
        return Database.model_validate(dict(db))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadData(f"{place}: {first['msg']}" if place else first["msg"]) from None


def read_source(path: Path) -> Json:
    """The content of a db.json, as it is written there. Raises BadData, naming the file, where it has another form."""
    try:
        source = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadData(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadData(f"{path} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise BadData(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}.") from None
    if not isinstance(source, dict):
        raise BadData(f"{path}: expected an object with products, users and orders.")
    try:
        parse(source)
    except BadData as error:
        raise BadData(f"{path}: {error}") from None
    return source
