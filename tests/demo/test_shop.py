"""The database: the same for the same day, free of contradictions, and made whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from reach.demo import create_shop
from reach.messages import language_of
from tests.demo.project import DAY, ROOT, dump_hash


def test_same_day_gives_the_same_database_in_another_process(shop, tmp_path):
    path = tmp_path / "other.db"
    code = (
        f"from datetime import date; from reach.demo import create_shop; create_shop({str(path)!r}, date(2024, 6, 15))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "77"}, cwd=ROOT)
    assert dump_hash(path) == dump_hash(shop)


def test_another_day_moves_the_dates_and_nothing_else(shop, tmp_path):
    path = tmp_path / "later.db"
    create_shop(str(path), date(2031, 1, 2))
    statements = (
        "SELECT id, customer_id, status, amount_fen, receiver_phone FROM orders",
        "SELECT order_id, kind, resolved_on IS NULL FROM order_exceptions",
        "SELECT id, order_id, issue_type, status, assignee_id FROM tickets",
        "SELECT waybill, sequence, step, city, substr(at, 11) FROM parcel_events",
        "SELECT * FROM products",
    )
    with closing(sqlite3.connect(path)) as later, closing(sqlite3.connect(shop)) as earlier:
        for statement in statements:
            assert later.execute(statement).fetchall() == earlier.execute(statement).fetchall()
        assert later.execute(
            "SELECT max(placed_at) < '2031-01-02' AND max(placed_at) > '2031-01-01' FROM orders"
        ).fetchone() == (1,)


def test_database_is_made_in_under_two_seconds(tmp_path):
    started = time.process_time()
    create_shop(str(tmp_path / "demo.db"), DAY)
    assert time.process_time() - started < 2


def test_without_a_day_the_newest_order_is_of_yesterday(tmp_path):
    path = tmp_path / "demo.db"
    create_shop(str(path))
    with closing(sqlite3.connect(path)) as connection:
        newest = connection.execute("SELECT substr(max(placed_at), 1, 10) FROM orders").fetchone()[0]
    assert 0 <= (datetime.now(UTC).date() - date.fromisoformat(newest)).days <= 2


def test_foreign_keys_hold_and_the_file_is_sound(db):
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


@pytest.mark.parametrize(
    ("table", "least"),
    [("customers", 300), ("orders", 2000), ("order_items", 4000), ("parcels", 2000), ("parcel_events", 8000),
     ("products", 100), ("warranty_policies", 8), ("tickets", 300), ("staff", 8), ("order_exceptions", 2000)],
)  # fmt: skip
def test_there_are_rows_enough(db, table, least):
    assert db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] >= least


CONTRADICTIONS = {
    "an amount that is not the sum of its lines": """
        SELECT id FROM orders
        WHERE amount_fen <> (SELECT sum(quantity * price_fen) FROM order_items WHERE order_id = id)""",
    "sent without a parcel, or a parcel that was not sent": """
        SELECT id FROM orders WHERE (shipped_at IS NOT NULL) <> EXISTS (SELECT 1 FROM parcels WHERE order_id = id)""",
    "delivered without a moment": """
        SELECT id FROM orders WHERE (status IN ('delivered', 'returned')) <> (delivered_at IS NOT NULL)""",
    "delivered before it was sent": """
        SELECT id FROM orders WHERE shipped_at < placed_at OR delivered_at < shipped_at""",
    "done in the future": """
        SELECT id FROM orders
        WHERE max(placed_at, coalesce(shipped_at, ''), coalesce(delivered_at, '')) >= '2024-06-15'""",
    "an event in the future": "SELECT waybill FROM parcel_events WHERE at >= '2024-06-15'",
    "delivered without a scan": """
        SELECT waybill FROM parcels AS p WHERE (status = 'delivered')
          <> EXISTS (SELECT 1 FROM parcel_events AS e WHERE e.waybill = p.waybill AND e.step = 'delivered')""",
    "events out of order": """
        SELECT a.waybill FROM parcel_events AS a
        JOIN parcel_events AS b ON b.waybill = a.waybill AND b.sequence = a.sequence + 1 WHERE b.at <= a.at""",
    "a ticket on somebody else's order, or changed before it was opened": """
        SELECT t.id FROM tickets AS t JOIN orders AS o ON o.id = t.order_id
        WHERE t.customer_id <> o.customer_id OR t.updated_at < t.opened_at OR t.updated_at >= '2024-06-15'""",
    "resolved before it went wrong": """
        SELECT order_id FROM order_exceptions WHERE resolved_on < opened_on OR opened_on >= '2024-06-15'""",
    "a tail that is not the phone's": "SELECT id FROM customers WHERE phone_tail <> substr(phone, -4)",
    "a code without words": """
        SELECT status FROM orders WHERE status NOT IN (SELECT code FROM labels WHERE kind = 'order_status')
        UNION SELECT kind FROM order_exceptions WHERE kind NOT IN (SELECT code FROM labels WHERE kind = 'exception')""",
}


@pytest.mark.parametrize("contradiction", CONTRADICTIONS)
def test_no_row_contradicts_another(db, contradiction):
    assert db.execute(CONTRADICTIONS[contradiction]).fetchall() == []


def test_names_are_chinese_and_english(db):
    names = [row[0] for row in db.execute("SELECT name FROM customers")]
    languages = Counter(language_of(name) for name in names)
    assert min(languages["zh"], languages["en"]) >= 80


def test_well_known_rows_are_there(db):
    orders = dict(
        db.execute("SELECT id, customer_id || ' ' || status FROM orders WHERE id < 'SO-2024-00100'").fetchall()
    )
    assert orders == {
        "SO-2024-00017": "u_1001 shipped", "SO-2024-00018": "u_1001 delivered", "SO-2024-00019": "u_1001 processing",
        "SO-2024-00020": "u_1001 cancelled", "SO-2024-00021": "u_1001 delivered", "SO-2024-00031": "u_1002 shipped",
        "SO-2024-00032": "u_1002 delivered", "SO-2024-00033": "u_1002 processing", "SO-2024-00034": "u_1002 delivered",
        "SO-2024-00041": "u_1003 shipped", "SO-2024-00042": "u_1003 delivered", "SO-2024-00051": "u_1004 delivered",
    }  # fmt: skip
    tickets = dict(db.execute("SELECT id, customer_id || ' ' || status FROM tickets WHERE id < 'TK-000200'").fetchall())
    assert tickets == {
        "TK-000101": "u_1001 open", "TK-000102": "u_1001 resolved", "TK-000103": "u_1001 open",
        "TK-000111": "u_1002 in_progress", "TK-000112": "u_1002 open", "TK-000121": "u_1003 open",
    }  # fmt: skip
    people = dict(db.execute("SELECT id, name || ' ' || phone_tail FROM customers WHERE id < 'u_1100'").fetchall())
    assert people == {
        "u_1001": "李明 8816",
        "u_1002": "Emma Hughes 2046",
        "u_1003": "王芳 8816",
        "u_1004": "Noah Patel 2046",
    }


def test_two_processes_at_once_make_one_database(tmp_path, shop):
    path = tmp_path / "state" / "demo.db"
    code = (
        f"from datetime import date; from reach.demo import create_shop; create_shop({str(path)!r}, date(2024, 6, 15))"
    )
    racers = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(2)]
    assert [racer.wait(timeout=60) for racer in racers] == [0, 0]
    assert [file.name for file in path.parent.iterdir()] == ["demo.db"]
    assert dump_hash(path) == dump_hash(shop)


def test_a_database_that_is_there_is_left_as_it_is(tmp_path):
    path = tmp_path / "demo.db"
    path.write_text("mine")
    create_shop(str(path), DAY)
    assert path.read_text() == "mine"


def test_a_database_that_appears_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "demo.db"
    monkeypatch.setattr("reach.demo.shop._fill", lambda *_: path.write_text("the other's"))
    create_shop(str(path), DAY)
    assert path.read_text() == "the other's"
    assert [file.name for file in tmp_path.iterdir()] == ["demo.db"]


def test_a_failure_leaves_no_file_behind(tmp_path, monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("disk full")

    monkeypatch.setattr("reach.demo.shop._fill", fail)
    with pytest.raises(RuntimeError, match="disk full"):
        create_shop(str(tmp_path / "demo.db"), DAY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_hard_links_gets_the_database_too(tmp_path, shop, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    create_shop(str(tmp_path / "demo.db"), DAY)
    assert dump_hash(tmp_path / "demo.db") == dump_hash(shop)
