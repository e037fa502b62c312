"""How the demo database comes to be: tables, catalogue, the well-known rows, and a year and more of ordinary trade.

Rule: a reader never sees half a database, and of two processes that make it at once both end up with the same file.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing, suppress
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from reach.demo.catalogue import CATEGORIES, MODELS, STAFF
from reach.demo.known import add_known
from reach.demo.rows import Days, Row, Rows
from reach.demo.schema import LABELS, TABLES
from reach.demo.trade import add_trade

SHOP_ZONE = ZoneInfo("Asia/Shanghai")


def create_shop(path: str, day: date | None = None) -> None:
    """Create the shop's SQLite database at `path`, with `day` (default: the shop's today) as its present.

    Every date lies so many days before `day`, so that "last week" finds orders whenever the database is made; all else
    is the same each time. A file that is already there is left as it is. Raises OSError where it can't be written.
    """
    target = Path(path)
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        _fill(temporary, day or datetime.now(SHOP_ZONE).date())
        _publish(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _publish(temporary: Path, target: Path) -> None:
    """Give the finished file its name. A file of that name may be in use by now, so it is never replaced."""
    try:
        with suppress(FileExistsError):
            target.hardlink_to(temporary)
    except OSError:  # a file system without hard links
        if not target.exists():
            temporary.replace(target)


def _fill(path: Path, day: date) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = MEMORY")  # nobody else sees this file until it is finished
        connection.execute("BEGIN")
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        for table, rows in _all_rows(day):
            if rows:
                places = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608  -- names of this file
        connection.execute("COMMIT")


def _all_rows(day: date) -> list[tuple[str, list[Row]]]:
    products = _products()
    prices = {str(row[0]): int(row[6]) for row in products}
    rows = Rows(Days(day))
    add_known(rows, prices)
    add_trade(rows, prices)
    labels: list[Row] = [(kind, code, en, zh) for kind, codes in LABELS.items() for code, (en, zh) in codes.items()]
    terms: list[Row] = [
        (c.code, c.en, c.zh, c.warranty_months, c.return_days, c.exchange_days, *c.covers, *c.excludes)
        for c in CATEGORIES
    ]
    return [
        ("labels", labels),
        ("staff", list[Row](STAFF)),
        ("warranty_policies", terms),
        ("products", products),
        *rows.tables(),
    ]


def _products() -> list[Row]:
    """Four models of every kind; a SKU such as KIT-01-PRO is category, kind and model."""
    return [
        (
            f"{category.code[:3].upper()}-{number:02d}-{model_en.upper()}",
            category.code,
            en,
            zh,
            f"{en[0].upper()}{en[1:]} {model_en}",
            f"{zh}{model_zh}",
            price * percent,
            (number * 37 + percent * 7) % 90,
        )
        for category in CATEGORIES
        for number, (en, zh, price) in enumerate(category.kinds, 1)
        for model_en, model_zh, percent in MODELS
    ]
