"""The rows of the demo database while it is being made, and how one order becomes rows of several tables.

Rule: an order's rows agree with each other: its amount is the sum of its lines, and its parcel has the events that its
status needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Literal

from reach.demo.catalogue import CARRIERS

Row = tuple[Any, ...]
OrderStatus = Literal["processing", "shipped", "delivered", "cancelled", "returned"]
_HORIZON_DAYS = 800
_AHEAD_DAYS = 30


class Days:
    """Dates as text, by how many days before the day of the database they lie (negative: after it)."""

    def __init__(self, day: date) -> None:
        self._texts = [(day - timedelta(days=ago)).isoformat() for ago in range(-_AHEAD_DAYS, _HORIZON_DAYS)]

    def ago(self, days: int) -> str:
        """The date `days` before, as YYYY-MM-DD."""
        return self._texts[days + _AHEAD_DAYS]

    def at(self, days: int, minute: int) -> str:
        """The moment `minute` minutes into the day `days` before, as `YYYY-MM-DD HH:MM`."""
        return f"{self._texts[days + _AHEAD_DAYS]} {minute // 60:02d}:{minute % 60:02d}"


@dataclass(frozen=True, slots=True)
class Order:
    """One order in outline. The `_ago` fields count days before the database's day; `minute` is when in that day."""

    number: int
    customer_id: str
    phone: str
    city: str
    status: OrderStatus
    placed_ago: int
    lines: tuple[tuple[str, int, int], ...]
    """Each line as (sku, quantity, price in fen)."""
    shipped_ago: int | None = None
    delivered_ago: int | None = None
    expected_ago: int | None = None
    minute: int = 600

    @property
    def id(self) -> str:
        """The order number. 2024 is the series that the shop counts in, not the year of the order."""
        return f"SO-2024-{self.number:05d}"

    @property
    def waybill(self) -> str:
        """The number that the carrier knows the parcel by."""
        return f"LL2024{self.number:06d}"


@dataclass(slots=True)
class Rows:
    """Rows to insert, by table, in an order that satisfies the foreign keys."""

    days: Days
    customers: list[Row] = field(default_factory=list[Row])
    orders: list[Row] = field(default_factory=list[Row])
    order_items: list[Row] = field(default_factory=list[Row])
    parcels: list[Row] = field(default_factory=list[Row])
    parcel_events: list[Row] = field(default_factory=list[Row])
    order_exceptions: list[Row] = field(default_factory=list[Row])
    tickets: list[Row] = field(default_factory=list[Row])

    def tables(self) -> Sequence[tuple[str, list[Row]]]:
        """Each table's name with its rows."""
        names = (
            "customers", "orders", "order_items", "parcels", "parcel_events", "order_exceptions", "tickets",
        )  # fmt: skip
        return [(name, getattr(self, name)) for name in names]

    def add_order(self, order: Order) -> None:
        """Add the order, its lines, and its parcel with events where it has been shipped."""
        amount = sum(quantity * price for _, quantity, price in order.lines)
        days = self.days
        self.orders.append((
            order.id, order.customer_id, order.status, days.at(order.placed_ago, order.minute),
            None if order.shipped_ago is None else days.at(order.shipped_ago, _SHIPPED_MINUTE),
            None if order.delivered_ago is None else days.at(order.delivered_ago, _DELIVERED_MINUTE),
            None if order.expected_ago is None else days.ago(order.expected_ago),
            amount, order.phone,
        ))  # fmt: skip
        self.order_items.extend(
            (order.id, line, sku, quantity, price) for line, (sku, quantity, price) in enumerate(order.lines, 1)
        )
        if order.shipped_ago is not None:
            self._add_parcel(order, order.shipped_ago)

    def _add_parcel(self, order: Order, shipped_ago: int) -> None:
        arrived = order.delivered_ago is not None
        carrier = CARRIERS[order.number % len(CARRIERS)]
        self.parcels.append((order.waybill, order.id, *carrier, "delivered" if arrived else "in_transit"))
        steps = [(shipped_ago, _SHIPPED_MINUTE, "picked_up", "上海")]
        if order.delivered_ago is not None:
            steps += [
                (max(shipped_ago - 1, order.delivered_ago), 390, "sorting", order.city),
                (order.delivered_ago, 510, "out", order.city),
                (order.delivered_ago, _DELIVERED_MINUTE, "delivered", order.city),
            ]
        elif shipped_ago >= 2:
            steps += [(shipped_ago - 1, 390, "sorting", "杭州"), (shipped_ago - 1, 560, "left", "杭州")]
        self.parcel_events.extend(
            (order.waybill, sequence, self.days.at(ago, minute), step, city)
            for sequence, (ago, minute, step, city) in enumerate(steps, 1)
        )


_SHIPPED_MINUTE = 17 * 60 + 20
_DELIVERED_MINUTE = 18 * 60 + 5
