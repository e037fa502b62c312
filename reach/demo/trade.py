"""Some hundred customers and thousands of ordinary orders, with the exceptions and tickets that come with them.

Rule: only `Random.random()` is drawn from, because its sequence for a seed is the same in every version of Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from reach.demo.catalogue import CITIES, GIVEN_EN, GIVEN_ZH, STAFF, SURNAMES_EN, SURNAMES_ZH
from reach.demo.rows import Order, OrderStatus, Rows
from reach.demo.schema import LABELS

CUSTOMERS = 320
ORDERS = 10_000
SPAN_DAYS = 400
"""The orders spread evenly over this many days, up to the day before the database's: nothing lies in the future."""

_FIRST_NUMBER = 101
_FIRST_TICKET = 1001
_EXCEPTION_SHARE = 0.25
_TICKET_SHARE = 0.04
_SETTLED_AFTER_DAYS = 14

T = TypeVar("T")


def add_trade(rows: Rows, prices: Mapping[str, int]) -> None:
    """Add ordinary customers, orders, exceptions and tickets. `prices` are in fen, by SKU."""
    rng = Random(20240615)  # noqa: S311  -- invented data, no secret
    people = _customers(rng, rows)
    catalogue = list(prices.items())
    for index in range(ORDERS):
        placed_ago = SPAN_DAYS - index * SPAN_DAYS // ORDERS
        order = _order(rng, _FIRST_NUMBER + index, placed_ago, _pick(rng, people), catalogue)
        rows.add_order(order)
        _exception(rng, rows, order)
        _ticket(rng, rows, order)


def _pick(rng: Random, choices: Sequence[T]) -> T:
    return choices[int(rng.random() * len(choices))]


def _customers(rng: Random, rows: Rows) -> list[tuple[str, str, str]]:
    """Add the customers; returns (id, phone, city) of each."""
    people: list[tuple[str, str, str]] = []
    for index in range(CUSTOMERS):
        _id = f"u_{1101 + index}"
        chinese = rng.random() < 0.6
        name = (
            _pick(rng, SURNAMES_ZH) + _pick(rng, GIVEN_ZH)
            if chinese
            else f"{_pick(rng, GIVEN_EN)} {_pick(rng, SURNAMES_EN)}"
        )
        tail = f"{int(rng.random() * 10_000):04d}"
        phone = f"1{300 + index}000{tail}"
        city = _pick(rng, CITIES)
        joined = rows.days.ago(SPAN_DAYS + int(rng.random() * 300))
        rows.customers.append((_id, name, "zh" if chinese else "en", phone, tail, city, joined))
        people.append((_id, phone, city))
    return people


def _order(
    rng: Random, number: int, placed_ago: int, person: tuple[str, str, str], catalogue: Sequence[tuple[str, int]]
) -> Order:
    customer_id, phone, city = person
    minute = 480 + int(rng.random() * 840)
    lines = tuple((sku, 1, price) for sku, price in (_pick(rng, catalogue) for _ in range(1 + int(rng.random() * 2.6))))
    shipped: int | None = placed_ago - 1 - int(rng.random() * 2)
    delivered: int | None = shipped - 2 - int(rng.random() * 3)
    expected: int | None = placed_ago - 5
    status: OrderStatus
    luck = rng.random()
    if luck < 0.05:
        status, shipped, delivered, expected = "cancelled", None, None, None
    elif shipped < 1:
        status, shipped, delivered = "processing", None, None
    elif delivered < 1:
        status, delivered = "shipped", None
    else:
        status = "returned" if luck > 0.96 and delivered > _SETTLED_AFTER_DAYS else "delivered"
    return Order(
        number, customer_id, phone, city, status, placed_ago, _merged(lines), shipped, delivered, expected, minute
    )


def _merged(lines: Sequence[tuple[str, int, int]]) -> tuple[tuple[str, int, int], ...]:
    """The same product twice is one line of quantity two."""
    merged: dict[str, tuple[str, int, int]] = {}
    for sku, quantity, price in lines:
        merged[sku] = (sku, merged[sku][1] + quantity if sku in merged else quantity, price)
    return tuple(merged.values())


def _exception(rng: Random, rows: Rows, order: Order) -> None:
    luck, delay, kind = rng.random(), int(rng.random() * 4), _pick(rng, tuple(LABELS["exception"]))
    opened_ago = order.placed_ago - delay
    if luck >= _EXCEPTION_SHARE or opened_ago < 1 or order.status == "cancelled":
        return
    resolved_ago = opened_ago - 2 - delay
    settled = resolved_ago >= 1 and (luck < _EXCEPTION_SHARE * 0.9 or opened_ago > 60)
    rows.order_exceptions.append((
        order.id, kind, rows.days.ago(opened_ago), rows.days.ago(resolved_ago) if settled else None,
    ))  # fmt: skip


def _ticket(rng: Random, rows: Rows, order: Order) -> None:
    luck, issue, staff = rng.random(), _pick(rng, tuple(LABELS["issue_type"])), _pick(rng, STAFF)
    if luck >= _TICKET_SHARE or order.delivered_ago is None:
        return
    number = f"TK-{_FIRST_TICKET + len(rows.tickets):06d}"
    opened_ago = max(1, order.delivered_ago - 1)
    updated_ago = max(1, opened_ago - 3)
    status = "resolved" if opened_ago > _SETTLED_AFTER_DAYS else "in_progress" if luck < _TICKET_SHARE / 2 else "open"
    rows.tickets.append((
        number, order.id, order.customer_id, issue, None, status, None if status == "open" else staff[0],
        rows.days.at(opened_ago, 570), rows.days.at(updated_ago, 660), None, None,
    ))  # fmt: skip
