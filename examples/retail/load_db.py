"""Turn the retail data of tau2-bench (its db.json) into a SQLite file, and back.

Rule: nothing is lost or invented: `dump` of what `load` wrote is the source again, value for value. Money is kept as
whole cents, so that sums are exact; a price with a fraction of a cent is refused, never rounded.

    python examples/retail/load_db.py ../shared/data/tau2/retail/db.json examples/retail/.reach/retail.db
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any

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

Json = dict[str, Any]


class BadData(ValueError):
    """The source is not the retail data in the form that this loader knows; the message says where it differs."""


def cents(amount: Any, where: str) -> int:
    """An amount of money in whole cents. Raises BadData for what is not a number or has a fraction of a cent."""
    try:
        exact = Decimal(str(amount)).scaleb(2)
        whole = int(exact)
    except (InvalidOperation, ValueError, OverflowError):
        raise BadData(f"{where}: {amount!r} is not an amount of money.") from None
    if isinstance(amount, bool) or whole != exact:
        raise BadData(f"{where}: {amount!r} is not an amount in whole cents.")
    return whole


def _keys(record: Any, where: str, required: Sequence[str], optional: Sequence[str] = ()) -> Json:
    if not isinstance(record, dict):
        raise BadData(f"{where}: expected an object, found {type(record).__name__}.")
    if missing := sorted(set(required) - set(record)):
        raise BadData(f"{where}: '{missing[0]}' is missing.")
    if unknown := sorted(set(record) - set(required) - set(optional)):
        raise BadData(f"{where}: '{unknown[0]}' is not a field that this loader knows.")
    return record


def _address(record: Any, where: str) -> tuple[str, ...]:
    address = _keys(record, where, ADDRESS)
    return tuple(address[key] for key in ADDRESS)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ------------------------------------------------------------------------------------------------ load

Row = tuple[str, tuple[Any, ...]]


def _user_rows(user_id: str, source: Any) -> Iterator[Row]:
    where = f"users.{user_id}"
    user = _keys(source, where, ("user_id", "name", "address", "email", "payment_methods", "orders"))
    name = _keys(user["name"], f"{where}.name", ("first_name", "last_name"))
    address = _address(user["address"], f"{where}.address")
    yield "users", (user["user_id"], name["first_name"], name["last_name"], user["email"], *address)
    for position, (method_id, given) in enumerate(user["payment_methods"].items()):
        at = f"{where}.payment_methods.{method_id}"
        method = _keys(given, at, ("id", "source"), ("brand", "last_four", "balance"))
        if (method["source"] == "gift_card") != ("balance" in method):
            raise BadData(f"{at}: a gift card has a balance, and nothing else has.")
        balance = cents(method["balance"], f"{at}.balance") if "balance" in method else None
        card = (method.get("brand"), method.get("last_four"))
        yield "payment_methods", (method["id"], user_id, position, method["source"], *card, balance)
    for position, order_id in enumerate(user["orders"]):
        yield "user_orders", (user_id, position, order_id)


def _product_rows(product_id: str, source: Any) -> Iterator[Row]:
    where = f"products.{product_id}"
    product = _keys(source, where, ("product_id", "name", "variants"))
    yield "products", (product["product_id"], product["name"])
    for item_id, given in product["variants"].items():
        at = f"{where}.variants.{item_id}"
        variant = _keys(given, at, ("item_id", "options", "available", "price"))
        price = cents(variant["price"], f"{at}.price")
        yield "variants", (variant["item_id"], product_id, _json(variant["options"]), int(variant["available"]), price)


def _order_rows(order_id: str, source: Any) -> Iterator[Row]:
    where = f"orders.{order_id}"
    required = ("order_id", "user_id", "address", "items", "status", "fulfillments", "payment_history")
    order = _keys(source, where, required, (*PLAIN_MARKS, *LIST_MARKS, "exchange_price_difference"))
    difference = order.get("exchange_price_difference")
    yield (
        "orders",
        (
            order["order_id"],
            order["user_id"],
            order["status"],
            *_address(order["address"], f"{where}.address"),
            order.get("cancel_reason"),
            _json(order.get("exchange_items")),
            _json(order.get("exchange_new_items")),
            order.get("exchange_payment_method_id"),
            None if difference is None else cents(difference, f"{where}.exchange_price_difference"),
            _json(order.get("return_items")),
            order.get("return_payment_method_id"),
        ),
    )
    for position, given in enumerate(order["items"]):
        at = f"{where}.items[{position}]"
        item = _keys(given, at, ("name", "product_id", "item_id", "price", "options"))
        price = cents(item["price"], f"{at}.price")
        known = (item["name"], item["product_id"], item["item_id"])
        yield "order_items", (order_id, position, *known, price, _json(item["options"]))
    for position, given in enumerate(order["fulfillments"]):
        sent = _keys(given, f"{where}.fulfillments[{position}]", ("tracking_id", "item_ids"))
        yield "fulfillments", (order_id, position, _json(sent["tracking_id"]), _json(sent["item_ids"]))
    for position, given in enumerate(order["payment_history"]):
        at = f"{where}.payment_history[{position}]"
        paid = _keys(given, at, ("transaction_type", "amount", "payment_method_id"))
        amount = cents(paid["amount"], f"{at}.amount")
        yield "payment_history", (order_id, position, paid["transaction_type"], amount, paid["payment_method_id"])


def _rows(db: Mapping[str, Any]) -> Iterator[Row]:
    for user_id, user in db["users"].items():
        yield from _user_rows(user_id, user)
    for product_id, product in db["products"].items():
        yield from _product_rows(product_id, product)
    for order_id, order in db["orders"].items():
        yield from _order_rows(order_id, order)


def read_source(path: Path) -> Json:
    """The content of a db.json. Raises BadData, naming the file, where it can't be read or has another form."""
    try:
        return _keys(json.loads(path.read_text("utf-8")), str(path), ("products", "users", "orders"))
    except OSError as error:
        raise BadData(f"{path} can't be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadData(f"{path} is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise BadData(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}.") from None


def load_data(db: Mapping[str, Any], sqlite: Path) -> None:
    """Write the data `db` (the form of db.json) to a new SQLite file; one that is there is replaced. Raises BadData."""
    rows = list(_rows(db))
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
        epilog="Example: python examples/retail/load_db.py ../shared/data/tau2/retail/db.json",
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
