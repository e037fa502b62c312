"""Turn the retail data of tau2-bench (its db.json) into a SQLite file, and back.

Rule: nothing is lost or invented: `dump` of what `load` wrote is the source again, value for value. Money is kept as
whole cents, so that sums are exact.

    python examples/retail/load_db.py PATH/TO/db.json examples/retail/.reach/retail.db
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from db_form import Address, BadData, Database, Json, Order, Product, User, parse, read_source

SCHEMA = """
CREATE TABLE users (
    user_id TEXT PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT NOT NULL,
    address1 TEXT NOT NULL, address2 TEXT NOT NULL, city TEXT NOT NULL, state TEXT NOT NULL,
    country TEXT NOT NULL, zip TEXT NOT NULL);
CREATE TABLE payment_methods (
    payment_method_id TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users, position INTEGER NOT NULL,
    source TEXT NOT NULL, brand TEXT, last_four TEXT, balance_cents INTEGER,
    PRIMARY KEY (user_id, payment_method_id));
CREATE INDEX payment_methods_by_id ON payment_methods (payment_method_id);
CREATE TABLE user_orders (
    user_id TEXT NOT NULL REFERENCES users, position INTEGER NOT NULL, order_id TEXT NOT NULL,
    PRIMARY KEY (user_id, position));
CREATE TABLE products (product_id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE variants (
    item_id TEXT PRIMARY KEY, product_id TEXT NOT NULL REFERENCES products, options TEXT NOT NULL,
    available INTEGER NOT NULL, price_cents INTEGER NOT NULL);
CREATE INDEX variants_by_product ON variants (product_id);
CREATE TABLE orders (
    order_id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users, status TEXT NOT NULL,
    address1 TEXT NOT NULL, address2 TEXT NOT NULL, city TEXT NOT NULL, state TEXT NOT NULL,
    country TEXT NOT NULL, zip TEXT NOT NULL,
    cancel_reason TEXT, exchange_items TEXT, exchange_new_items TEXT, exchange_payment_method_id TEXT,
    exchange_price_difference_cents INTEGER, return_items TEXT, return_payment_method_id TEXT);
CREATE INDEX orders_by_user ON orders (user_id);
CREATE TABLE order_items (
    order_id TEXT NOT NULL REFERENCES orders, position INTEGER NOT NULL, name TEXT NOT NULL,
    product_id TEXT NOT NULL, item_id TEXT NOT NULL, price_cents INTEGER NOT NULL, options TEXT NOT NULL,
    PRIMARY KEY (order_id, position));
-- The first, second ... row of an order with the same item: what a list with duplicates counts by.
CREATE VIEW numbered_items AS
    SELECT *, row_number() OVER (PARTITION BY order_id, item_id ORDER BY position) AS nth FROM order_items;
CREATE TABLE fulfillments (
    order_id TEXT NOT NULL REFERENCES orders, position INTEGER NOT NULL, tracking_id TEXT NOT NULL,
    item_ids TEXT NOT NULL, PRIMARY KEY (order_id, position));
CREATE TABLE payment_history (
    order_id TEXT NOT NULL REFERENCES orders, position INTEGER NOT NULL, transaction_type TEXT NOT NULL,
    amount_cents INTEGER NOT NULL, payment_method_id TEXT NOT NULL, PRIMARY KEY (order_id, position));
-- What each payment method has paid for an order, less what it got back.
CREATE VIEW paid AS
    SELECT order_id, payment_method_id, min(position) AS first_position,
        sum(CASE transaction_type WHEN 'payment' THEN amount_cents ELSE -amount_cents END) AS held_cents
    FROM payment_history GROUP BY order_id, payment_method_id;
"""

ADDRESS = ("address1", "address2", "city", "state", "country", "zip")
PLAIN_MARKS = ("cancel_reason", "exchange_payment_method_id", "return_payment_method_id")
LIST_MARKS = ("exchange_items", "exchange_new_items", "return_items")


# ------------------------------------------------------------------------------------------------ load

Row = tuple[str, tuple[Any, ...]]


def _address(address: Address) -> tuple[str, ...]:
    return tuple(getattr(address, key) for key in ADDRESS)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _user_rows(user: User) -> Iterator[Row]:
    yield "users", (user.user_id, user.name.first_name, user.name.last_name, user.email, *_address(user.address))
    for position, method in enumerate(user.payment_methods.values()):
        what = (method.source, method.brand, method.last_four, method.balance)
        yield "payment_methods", (method.id, user.user_id, position, *what)
    for position, order_id in enumerate(user.orders):
        yield "user_orders", (user.user_id, position, order_id)


def _product_rows(product: Product) -> Iterator[Row]:
    yield "products", (product.product_id, product.name)
    for variant in product.variants.values():
        what = (_json(variant.options), int(variant.available), variant.price)
        yield "variants", (variant.item_id, product.product_id, *what)


def _order_rows(order: Order) -> Iterator[Row]:
    marks = (
        order.cancel_reason,
        _json(order.exchange_items),
        _json(order.exchange_new_items),
        order.exchange_payment_method_id,
        order.exchange_price_difference,
        _json(order.return_items),
        order.return_payment_method_id,
    )
    yield "orders", (order.order_id, order.user_id, order.status, *_address(order.address), *marks)
    for position, item in enumerate(order.items):
        what = (item.name, item.product_id, item.item_id, item.price, _json(item.options))
        yield "order_items", (order.order_id, position, *what)
    for position, sent in enumerate(order.fulfillments):
        yield "fulfillments", (order.order_id, position, _json(sent.tracking_id), _json(sent.item_ids))
    for position, paid in enumerate(order.payment_history):
        what = (paid.transaction_type, paid.amount, paid.payment_method_id)
        yield "payment_history", (order.order_id, position, *what)


def _rows(database: Database) -> Iterator[Row]:
    for user in database.users.values():
        yield from _user_rows(user)
    for product in database.products.values():
        yield from _product_rows(product)
    for order in database.orders.values():
        yield from _order_rows(order)


def load_data(db: Mapping[str, Any], sqlite: Path) -> None:
    """Write the data `db` (the form of db.json) to a new SQLite file; one that is there is replaced. Raises BadData."""
    rows = list(_rows(parse(db)))
    sqlite.parent.mkdir(parents=True, exist_ok=True)
    for suffix in ("", "-wal", "-shm", "-journal"):
        sqlite.with_name(sqlite.name + suffix).unlink(missing_ok=True)
    with closing(sqlite3.connect(sqlite)) as connection, connection:
        connection.executescript(SCHEMA)
        for table, values in rows:
            marks = ",".join("?" * len(values))
            connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)  # noqa: S608 -- table names are ours


def load(db_json: Path, sqlite: Path) -> None:
    """Write the data of the file `db_json` to a new SQLite file; one that is there is replaced. Raises BadData."""
    load_data(read_source(db_json), sqlite)


# ------------------------------------------------------------------------------------------------ dump


@lru_cache(maxsize=16_384)
def _parsed(text: str) -> Any:
    return json.loads(text)


def _record(text: str) -> Json:
    """A flat JSON object. The same texts come again and again, so they are parsed once and copied."""
    return dict(_parsed(text))


def _list(text: str) -> list[str]:
    return list(_parsed(text))


def _grouped(rows: Iterator[sqlite3.Row], key: str) -> dict[str, list[sqlite3.Row]]:
    groups: dict[str, list[sqlite3.Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups


def _dump_user(row: sqlite3.Row, methods: Sequence[sqlite3.Row], orders: Sequence[sqlite3.Row]) -> Json:
    payment_methods: Json = {}
    for method in methods:
        entry: Json = {"source": method["source"], "id": method["payment_method_id"]}
        entry.update({key: method[key] for key in ("brand", "last_four") if method[key] is not None})
        if method["balance_cents"] is not None:
            entry["balance"] = method["balance_cents"] / 100
        payment_methods[method["payment_method_id"]] = entry
    return {
        "user_id": row["user_id"],
        "name": {"first_name": row["first_name"], "last_name": row["last_name"]},
        "address": {key: row[key] for key in ADDRESS},
        "email": row["email"],
        "payment_methods": payment_methods,
        "orders": [order["order_id"] for order in orders],
    }


def _dump_order(
    row: sqlite3.Row, items: Sequence[sqlite3.Row], sent: Sequence[sqlite3.Row], paid: Sequence[sqlite3.Row]
) -> Json:
    order: Json = {
        "order_id": row["order_id"],
        "user_id": row["user_id"],
        "address": {key: row[key] for key in ADDRESS},
        "items": [
            {
                **{key: item[key] for key in ("name", "product_id", "item_id")},
                "price": item["price_cents"] / 100,
                "options": _record(item["options"]),
            }
            for item in items
        ],
        "status": row["status"],
        "fulfillments": [{key: _list(each[key]) for key in ("tracking_id", "item_ids")} for each in sent],
        "payment_history": [
            {
                "transaction_type": each["transaction_type"],
                "amount": each["amount_cents"] / 100,
                "payment_method_id": each["payment_method_id"],
            }
            for each in paid
        ],
    }
    order.update({key: row[key] for key in PLAIN_MARKS if row[key] is not None})
    order.update({key: _list(row[key]) for key in LIST_MARKS if row[key] is not None})
    if row["exchange_price_difference_cents"] is not None:
        order["exchange_price_difference"] = row["exchange_price_difference_cents"] / 100
    return order


def dump(sqlite: Path) -> Json:
    """The database in the form of db.json; marks that an order does not have (`cancel_reason` ...) are left out."""
    with closing(sqlite3.connect(f"{sqlite.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row

        def grouped(table: str, key: str) -> dict[str, list[sqlite3.Row]]:
            order = "rowid" if table == "variants" else "position"
            return _grouped(connection.execute(f"SELECT * FROM {table} ORDER BY {order}"), key)  # noqa: S608 -- ours

        variants = grouped("variants", "product_id")
        methods, orders_of = grouped("payment_methods", "user_id"), grouped("user_orders", "user_id")
        items, sent = grouped("order_items", "order_id"), grouped("fulfillments", "order_id")
        paid = grouped("payment_history", "order_id")
        products = {
            row["product_id"]: {
                "name": row["name"],
                "product_id": row["product_id"],
                "variants": {
                    each["item_id"]: {
                        "item_id": each["item_id"],
                        "options": _record(each["options"]),
                        "available": bool(each["available"]),
                        "price": each["price_cents"] / 100,
                    }
                    for each in variants.get(row["product_id"], ())
                },
            }
            for row in connection.execute("SELECT * FROM products ORDER BY rowid")
        }
        users = {
            row["user_id"]: _dump_user(row, methods.get(row["user_id"], ()), orders_of.get(row["user_id"], ()))
            for row in connection.execute("SELECT * FROM users ORDER BY rowid")
        }
        orders = {
            key: _dump_order(row, items.get(key, ()), sent.get(key, ()), paid.get(key, ()))
            for row in connection.execute("SELECT * FROM orders ORDER BY rowid")
            for key in [row["order_id"]]
        }
    return {"products": products, "users": users, "orders": orders}


def main() -> int:
    """The command: 0 where the database was made, 2 where the source could not be used."""
    parser = argparse.ArgumentParser(
        description="Make the retail database of the example from tau2-bench's db.json.",
        epilog="Example: python examples/retail/load_db.py PATH/TO/db.json",
    )
    parser.add_argument("db_json", type=Path, metavar="DB.json", help="the retail data of tau2-bench")
    parser.add_argument(
        "sqlite",
        type=Path,
        nargs="?",
        default=Path(__file__).parent / ".reach" / "retail.db",
        help="the SQLite file to make (default: the one that tools.yaml names)",
    )
    arguments = parser.parse_args()
    try:
        load(arguments.db_json, arguments.sqlite)
    except (BadData, OSError, sqlite3.Error) as error:
        print(f"load_db.py: {error}", file=sys.stderr)
        return 2
    print(f"Made {arguments.sqlite}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
