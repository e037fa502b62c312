"""The rows that documentation, evals and tests call by name.

Rule: their ids never change, and the people here have no other orders than these.
"""

from __future__ import annotations

from collections.abc import Mapping

from reach.demo.rows import Order, OrderStatus, Rows

_PEOPLE: dict[str, tuple[str, str, str, str]] = {
    "u_1001": ("李明", "zh", "13800008816", "杭州"),
    "u_1002": ("Emma Hughes", "en", "13900002046", "Singapore"),
    "u_1003": ("王芳", "zh", "13700008816", "成都"),
    "u_1004": ("Noah Patel", "en", "13600002046", "Hong Kong"),
}
"""Name, language, phone, city. Li Ming and Wang Fang share the last four digits; so do Emma and Noah."""

_Line = tuple[int, str, OrderStatus, int, int | None, int | None, int | None, int, tuple[str, ...]]

# number, customer, status, days ago it was placed, shipped, delivered, expected; minute of the day; SKUs
_ORDERS: tuple[_Line, ...] = (
    (17, "u_1001", "shipped", 4, 2, None, -2, 1215, ("KIT-01-PRO", "LIG-03-MINI")),
    (18, "u_1001", "delivered", 9, 8, 5, 5, 560, ("AUD-01-PLUS",)),
    (19, "u_1001", "processing", 1, None, None, -4, 1330, ("COM-01-LITE", "COM-02-LITE")),
    (20, "u_1001", "cancelled", 30, None, None, None, 705, ("OUT-01-LITE",)),
    (21, "u_1001", "delivered", 66, 65, 61, 62, 960, ("CLE-02-LITE",)),
    (31, "u_1002", "shipped", 3, 1, None, -3, 485, ("PER-01-PRO",)),
    (32, "u_1002", "delivered", 12, 11, 7, 6, 1100, ("LIG-01-PRO",)),
    (33, "u_1002", "processing", 1, None, None, -5, 1290, ("SMA-03-PLUS",)),
    (34, "u_1002", "delivered", 6, 5, 2, 2, 830, ("KIT-03-LITE",)),
    (41, "u_1003", "shipped", 8, 7, None, 3, 655, ("CLE-01-PRO",)),
    (42, "u_1003", "delivered", 15, 14, 11, 11, 910, ("KIT-02-PLUS",)),
    (51, "u_1004", "delivered", 20, 18, 14, 13, 770, ("OUT-03-PLUS",)),
)

# id, order, customer, issue, description, status, assignee, days ago it was opened, days ago it last changed
_TICKETS: tuple[tuple[str, str, str, str, str | None, str, str | None, int, int], ...] = (
    ("TK-000101", "SO-2024-00018", "u_1001", "defective", "左耳没有声音", "open", None, 2, 2),
    ("TK-000102", "SO-2024-00021", "u_1001", "missing_item", None, "resolved", "u_2007", 55, 52),
    ("TK-000103", "SO-2024-00021", "u_1001", "refund", None, "open", None, 1, 1),
    ("TK-000111", "SO-2024-00032", "u_1002", "damaged", "The shade is cracked.", "in_progress", "u_2005", 6, 3),
    ("TK-000112", "SO-2024-00034", "u_1002", "wrong_item", "I ordered the Mini.", "open", None, 1, 1),
    ("TK-000121", "SO-2024-00042", "u_1003", "refund", None, "open", None, 4, 4),
)
_OPENED_MINUTE, _CHANGED_MINUTE = 615, 990


def add_known(rows: Rows, prices: Mapping[str, int]) -> None:
    """Add the well-known customers with their orders, exception and tickets. `prices` are in fen, by SKU."""
    days = rows.days
    for customer_id, (name, language, phone, city) in _PEOPLE.items():
        rows.customers.append((customer_id, name, language, phone, phone[-4:], city, days.ago(500)))
    for number, customer_id, status, placed, shipped, delivered, expected, minute, skus in _ORDERS:
        _name, _language, phone, city = _PEOPLE[customer_id]
        lines = tuple((sku, 1, prices[sku]) for sku in skus)
        rows.add_order(
            Order(number, customer_id, phone, city, status, placed, lines, shipped, delivered, expected, minute)
        )
    rows.order_exceptions.append(("SO-2024-00041", "stuck_in_transit", days.ago(1), None))
    for *ticket, opened, changed in _TICKETS:
        rows.tickets.append(
            (*ticket, days.at(opened, _OPENED_MINUTE), days.at(changed, _CHANGED_MINUTE), None, None),
        )
