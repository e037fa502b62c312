"""The demo agent at the top level: its database, its tools' SQL, its policies and its labelled cases fit together."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import jsonschema
import pytest
import yaml

from reach.clock import SystemClock
from reach.demo import create_shop, date_info
from reach.messages import language_of
from reach.ports import AdapterCall, Deadline
from reach.spec import CallersFile, EvalFile, PoliciesFile, PythonBinding, SqlBinding, ToolsFile, sql_binds
from reach.types import Caller

ROOT = Path(__file__).parent.parent
DAY = date(2024, 6, 15)
NOW = "2024-06-15T02:00:00.123456+00:00"

TOOLS_FILE = ToolsFile.model_validate(yaml.safe_load((ROOT / "tools.yaml").read_text("utf-8")))
POLICIES = PoliciesFile.model_validate(yaml.safe_load((ROOT / "policies/after_sales.yaml").read_text("utf-8")))
CALLERS = CallersFile.model_validate(yaml.safe_load((ROOT / "evals/callers.yaml").read_text("utf-8"))).callers
CASES = EvalFile.model_validate(yaml.safe_load((ROOT / "evals/after_sales.yaml").read_text("utf-8"))).cases
TOOLS = {tool.name: tool for tool in TOOLS_FILE.tools}
SQL_TOOLS = [name for name, tool in TOOLS.items() if isinstance(tool.adapter, SqlBinding)]


def dump_hash(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "demo.db"
    create_shop(str(path), DAY)
    return path


@pytest.fixture
def db(shop):
    """A connection whose changes are undone."""
    with closing(sqlite3.connect(shop, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN")
        yield connection
        connection.execute("ROLLBACK")


def run(db, name: str, caller: str, key: str = "key-1", **values) -> list[dict]:
    """The rows of the tool's last statement; every statement must change as many rows as it expects."""
    tool = TOOLS[name]
    rows: list[dict] = []
    for step in tool.adapter.steps:
        binds = {
            **dict.fromkeys(tool.parameters), **values,
            "caller_id": caller, "caller_tenant": "", "now": NOW, "today": DAY.isoformat(), "idempotency_key": key,
        }  # fmt: skip
        cursor = db.execute(step.sql, {bind: binds[bind] for bind in sql_binds(step.sql)})
        rows = [dict(row) for row in cursor.fetchall()]
        if step.expect_rows is not None:
            assert cursor.rowcount == step.expect_rows
    return rows


# ------------------------------------------------------------------------------------------------ the database


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


@pytest.mark.parametrize(
    "contradiction",
    [
        "SELECT id FROM orders WHERE amount_fen <> (SELECT sum(quantity * price_fen) FROM order_items WHERE order_id = id)",
        "SELECT id FROM orders WHERE (shipped_at IS NOT NULL) <> EXISTS (SELECT 1 FROM parcels WHERE order_id = id)",
        "SELECT id FROM orders WHERE (status IN ('delivered', 'returned')) <> (delivered_at IS NOT NULL)",
        "SELECT id FROM orders WHERE shipped_at < placed_at OR delivered_at < shipped_at",
        "SELECT id FROM orders WHERE max(placed_at, coalesce(shipped_at, ''), coalesce(delivered_at, '')) >= '2024-06-15'",
        "SELECT waybill FROM parcels p WHERE status = 'delivered' AND 'delivered' NOT IN (SELECT step FROM parcel_events e WHERE e.waybill = p.waybill)",
        "SELECT a.waybill FROM parcel_events a JOIN parcel_events b ON b.waybill = a.waybill AND b.sequence = a.sequence + 1 WHERE b.at <= a.at",
        "SELECT t.id FROM tickets t JOIN orders o ON o.id = t.order_id WHERE t.customer_id <> o.customer_id OR t.updated_at < t.opened_at",
        "SELECT order_id FROM order_exceptions WHERE resolved_on < opened_on OR opened_on >= '2024-06-15'",
        "SELECT id FROM customers WHERE phone_tail <> substr(phone, -4)",
        "SELECT status FROM orders WHERE status NOT IN (SELECT code FROM labels WHERE kind = 'order_status')",
    ],
)
def test_no_row_contradicts_another(db, contradiction):
    assert db.execute(contradiction).fetchall() == []


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


# ------------------------------------------------------------------------------------------------ the tools' SQL


def statements():
    for name in SQL_TOOLS:
        tool = TOOLS[name]
        yield from ((f"{name}[{i}]", step.sql) for i, step in enumerate(tool.adapter.steps))
        yield from ((f"{name}.{check.id}", check.sql) for check in tool.preconditions)
        for parameter, spec in tool.parameters.items():
            if spec.known_values is not None and spec.known_values.sql is not None:
                yield f"{name}.{parameter}.values", spec.known_values.sql
    for resource, proof in POLICIES.ownership.items():
        yield f"ownership.{resource}", proof.sql


@pytest.mark.parametrize(("place", "sql"), list(statements()))
def test_every_statement_prepares_against_the_schema(db, place, sql):
    assert db.execute(f"EXPLAIN {sql}", dict.fromkeys(sql_binds(sql))).fetchall(), place


@pytest.mark.parametrize("name", SQL_TOOLS)
def test_whitelist_names_every_column_and_nothing_else(db, name):
    tool = TOOLS[name]
    last = tool.adapter.steps[-1].sql
    columns = [column[0] for column in db.execute(last, dict.fromkeys(sql_binds(last))).description]
    assert columns and sorted(columns) == sorted(tool.result.fields)
    assert set(tool.result.redact) <= set(columns)
    assert set(tool.result.rows.stats or ()) <= set(columns)


@pytest.mark.parametrize("name", TOOLS)
def test_answers_use_only_whitelisted_fields_and_no_masked_one(name):
    result = TOOLS[name].result
    for language, template in result.say.items():
        used = set(re.findall(r"\{(\w+)\}", template))
        assert used and used <= set(result.fields) - set(result.redact)
        other = "zh" if language == "en" else "en"
        assert not [field for field in used if field.endswith(f"_{other}")]


@pytest.mark.parametrize("name", SQL_TOOLS)
def test_every_statement_over_what_belongs_to_customers_looks_at_the_caller(name):
    owned = re.compile(r"\b(orders|tickets|parcels|notifications|order_exceptions)\b")
    for step in TOOLS[name].adapter.steps:
        if owned.search(step.sql):
            assert "caller_id" in sql_binds(step.sql)


def test_a_customer_sees_nothing_of_another_by_sql_alone(db):
    assert run(db, "query_order_status", "u_1001", order_id="SO-2024-00041") == []
    assert run(db, "track_parcel", "u_1001", waybill="LL2024000041") == []
    assert run(db, "check_exchange_eligibility", "u_1001", order_id="SO-2024-00042") == []
    assert run(db, "get_ticket_status", "u_1001", ticket_id="TK-000121") == []
    assert run(db, "list_abnormal_orders", "u_1001", since="2024-01-01", until="2024-06-15") == []


def test_a_shared_phone_tail_gives_each_customer_their_own_orders(db):
    li_ming = {row["order_id"] for row in run(db, "query_order_status", "u_1001", phone_tail="8816")}
    wang_fang = {row["order_id"] for row in run(db, "query_order_status", "u_1003", phone_tail="8816")}
    assert "SO-2024-00017" in li_ming
    assert wang_fang == {"SO-2024-00041", "SO-2024-00042"}
    assert not li_ming & wang_fang


def test_staff_see_what_belongs_to_customers(db):
    assert run(db, "query_order_status", "u_2001", order_id="SO-2024-00041")[0]["status"] == "shipped"
    assert run(db, "get_ticket_status", "u_2001", ticket_id="TK-000111")[0]["assignee_en"] == "Hal Sun"


def test_exchange_check_follows_the_terms_and_the_callers_day(db):
    def verdict(order: str) -> tuple[int, str | None]:
        row = run(db, "check_exchange_eligibility", "u_2001", order_id=order)[0]
        return row["eligible"], row["last_day"]

    assert verdict("SO-2024-00018") == (1, "2024-07-10")  # audio: 30 days from 2024-06-10
    assert verdict("SO-2024-00021") == (0, "2024-04-30")  # cleaning: 15 days from 2024-04-15
    assert verdict("SO-2024-00017") == (0, None)  # shipped, not delivered


@pytest.mark.parametrize("product", ["rice cooker", "Rice Cooker", "电饭煲", "Rice cooker Pro", "电饭煲旗舰款"])
def test_terms_are_found_by_kind_and_by_name_in_both_languages(db, product):
    assert [row["category"] for row in run(db, "get_warranty_policy", "u_1001", product=product)] == ["kitchen"]


def test_search_keeps_to_kind_and_price(db):
    rows = run(db, "search_products", "u_1001", product="电热水壶", max_price=200)
    assert [(row["name_en"], row["price"]) for row in rows] == [
        ("Electric kettle Mini", 90.3), ("Electric kettle Lite", 129.0), ("Electric kettle Plus", 180.6),
    ]  # fmt: skip


def test_abnormal_orders_of_a_year_are_too_many_for_a_message(db):
    rows = run(db, "list_abnormal_orders", "u_2001", since="2023-06-16", until="2024-06-15")
    assert len(rows) > 2000
    assert len(json.dumps(rows, ensure_ascii=False).encode()) > 500_000


def test_the_same_key_opens_one_ticket(db):
    first = run(db, "create_ticket", "u_1001", order_id="SO-2024-00018", issue_type="exchange")
    again = run(db, "create_ticket", "u_1001", order_id="SO-2024-00018", issue_type="exchange")
    other = run(db, "create_ticket", "u_1001", key="key-2", order_id="SO-2024-00018", issue_type="exchange")
    assert first == again
    assert first[0]["status"] == "open"
    assert first[0]["opened_at"] == "2024-06-15 10:00"
    assert int(other[0]["ticket_id"][3:]) == int(first[0]["ticket_id"][3:]) + 1


@pytest.mark.parametrize("order", ["SO-2024-00019", "SO-2024-00020", "SO-2024-00041"])
def test_no_ticket_for_an_order_that_was_never_sent_or_is_foreign(db, order):
    insert = TOOLS["create_ticket"].adapter.steps[0]
    binds = {
        "order_id": order,
        "issue_type": "refund",
        "description": None,
        "now": NOW,
        "idempotency_key": "k",
        "caller_id": "u_1001",
    }
    assert db.execute(insert.sql, binds).rowcount == 0
    check = TOOLS["create_ticket"].preconditions[0]
    assert db.execute(check.sql, {"order_id": order, "caller_id": "u_1001"}).fetchall() == []


def test_withdrawing_twice_with_one_key_is_one_withdrawal_and_with_another_is_refused(db):
    assert run(db, "cancel_ticket", "u_1001", ticket_id="TK-000101")[0]["status"] == "cancelled"
    assert run(db, "cancel_ticket", "u_1001", ticket_id="TK-000101")[0]["status"] == "cancelled"
    with pytest.raises(AssertionError):
        run(db, "cancel_ticket", "u_1001", key="key-2", ticket_id="TK-000101")


@pytest.mark.parametrize("assignee", ["孙浩", "Hal Sun"])
def test_a_colleague_is_notified_by_either_name_once(db, assignee):
    values = {"ticket_id": "TK-000111", "assignee": assignee, "message": "please call"}
    first = run(db, "notify_assignee", "u_2001", **values)
    assert first == run(db, "notify_assignee", "u_2001", **values)
    assert (first[0]["assignee_zh"], first[0]["message"]) == ("孙浩", "please call")


# ------------------------------------------------------------------------------------------------ the description


def texts_of(tool):
    yield from ((field, getattr(tool, field)) for field in ("title", "description", "when_to_use", "when_not_to_use"))
    yield "result.say", tool.result.say
    yield from ((f"{check.id}.reason", check.reason) for check in tool.preconditions)
    for name, parameter in tool.parameters.items():
        yield f"{name}.title", parameter.title
        yield f"{name}.description", parameter.description
        if parameter.ask is not None:
            yield f"{name}.ask", parameter.ask


@pytest.mark.parametrize("name", TOOLS)
def test_every_text_is_there_in_both_languages(name):
    for place, text in texts_of(TOOLS[name]):
        assert set(text) == {"en", "zh"}, place
        assert language_of(text["zh"]) == "zh", place
        assert language_of(text["en"]) == "en", place


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_examples_and_counter_examples_in_both_languages(name):
    tool = TOOLS[name]
    assert 4 <= len(tool.examples) <= 8
    assert len(tool.counter_examples) >= 3
    for lines in (tool.examples, tool.counter_examples):
        assert {language_of(line) for line in lines} == {"en", "zh"}


def test_no_example_stands_under_two_tools():
    counted = Counter(example for tool in TOOLS.values() for example in tool.examples)
    assert [example for example, count in counted.items() if count > 1] == []


def test_no_counter_example_is_an_example_of_the_same_tool():
    assert [name for name, tool in TOOLS.items() if set(tool.examples) & set(tool.counter_examples)] == []


@pytest.mark.parametrize("name", TOOLS)
def test_what_must_be_given_has_a_question(name):
    tool = TOOLS[name]
    needed = {n for n, p in tool.parameters.items() if p.required} | {n for group in tool.require_one_of for n in group}
    assert [n for n in needed if tool.parameters[n].ask is None] == []


@pytest.mark.parametrize("name", TOOLS)
def test_every_enum_value_has_words_in_both_languages_and_no_word_means_two(name):
    for parameter in TOOLS[name].parameters.values():
        if parameter.enum is None:
            continue
        synonyms = parameter.synonyms or {}
        for value in parameter.enum:
            assert {language_of(word) for word in (value, *synonyms[value])} == {"en", "zh"}
        words = Counter(word for value in parameter.enum for word in (value, *synonyms[value]))
        assert [word for word, count in words.items() if count > 1] == []


def test_ids_in_examples_fit_a_pattern_of_their_tool():
    for tool in TOOLS.values():
        patterns = [p.pattern.strip("^$") for p in tool.parameters.values() if p.pattern]
        for example in tool.examples:
            for found in re.findall(r"\b(?:SO|TK|LL)[-\d]+", example, re.ASCII):
                assert any(re.fullmatch(pattern, found) for pattern in patterns), (tool.name, example)


def test_every_resource_is_covered_and_only_customers_must_prove_it():
    resources = {p.resource for tool in TOOLS.values() for p in tool.parameters.values() if p.resource}
    assert resources == set(POLICIES.ownership) == {"order", "parcel", "phone_tail", "ticket"}
    assert {tuple(proof.roles or ()) for proof in POLICIES.ownership.values()} == {("customer",)}


def test_every_write_waits_for_a_yes_and_every_tool_is_somebodys():
    named: dict[str, set[str]] = {name: set() for name in TOOLS}
    for rule in POLICIES.rules:
        for name, tool in TOOLS.items():
            if name in (rule.body.tools or ()) or set(rule.body.tags or ()) & set(tool.tags):
                named[name].add(rule.effect)
    for name, tool in TOOLS.items():
        wanted = "confirm" if tool.side_effect == "write" else "allow"
        assert named[name] - {"deny"} == {wanted}, name


@pytest.mark.parametrize("name", ["list_abnormal_orders", "notify_assignee"])
def test_staff_tools_are_for_staff_alone(name):
    roles = {
        role
        for rule in POLICIES.rules
        if name in (rule.body.tools or ()) and rule.effect != "deny"
        for role in rule.body.roles
    }
    assert roles == {"support", "supervisor"}


# ------------------------------------------------------------------------------------------------ the labelled cases


def test_there_are_cases_enough_in_both_languages():
    assert len(CASES) >= 120
    spoken = Counter(tag for case in CASES for tag in case.tags if tag in ("zh", "en"))
    assert min(spoken["zh"], spoken["en"]) >= 50
    assert len({case.id for case in CASES}) == len(CASES)


def test_cases_speak_of_callers_tools_and_parameters_that_exist():
    for case in CASES:
        assert case.caller in CALLERS
        for step in case.steps:
            assert set(step.expect.never) <= set(TOOLS)
            assert step.expect.tool is None or step.expect.tool in TOOLS
            assert step.expect.tool not in step.expect.never
            assert set(step.expect.args or {}) <= set(TOOLS[step.expect.tool].parameters if step.expect.tool else ())


def test_expected_arguments_are_valid_for_their_tool():
    for case in CASES:
        for step in case.steps:
            schema = TOOLS[step.expect.tool].schema_object() if step.expect.tool else {}
            partial = {**schema, "required": [], "allOf": []} if schema else {}
            jsonschema.Draft202012Validator({k: v for k, v in partial.items() if v != []}).validate(
                step.expect.args or {}
            )


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_three_cases_that_must_not_call_it_and_one_that_must(name):
    assert sum(name in step.expect.never for case in CASES for step in case.steps) >= 3
    assert any(step.expect.tool == name for case in CASES for step in case.steps)


def test_a_case_that_must_not_call_a_tool_comes_before_the_one_that_must():
    first_wanted = next(i for i, case in enumerate(CASES) if "never" not in case.tags)
    assert all(name in {n for c in CASES[:first_wanted] for s in c.steps for n in s.expect.never} for name in TOOLS)


def test_a_write_is_never_expected_to_run_without_a_yes():
    for case in CASES:
        asked: set[str] = set()
        for step in case.steps:
            tool = TOOLS.get(step.expect.tool or "")
            if tool is not None and tool.side_effect == "write" and step.expect.outcome == "answer":
                assert tool.name in asked, case.id
            if step.expect.outcome == "confirm":
                asked.add(step.expect.tool)


def test_no_case_is_copied_from_the_tools():
    written = {line for tool in TOOLS.values() for line in (*tool.examples, *tool.counter_examples)}
    assert [step.query for case in CASES for step in case.steps if step.query in written] == []


# ------------------------------------------------------------------------------------------------ the date helper


def call_on(today: str) -> AdapterCall:
    return AdapterCall(
        tool=TOOLS["date_info"],
        values={},
        caller=Caller("u_1001"),
        deadline=Deadline.after_ms(SystemClock(), 1000),
        now=datetime(2024, 6, 15, 2, tzinfo=UTC),
        today=today,
    )


def test_date_info_without_a_date_is_about_the_callers_today():
    assert date_info(call=call_on("2024-06-15")) == {
        "date": "2024-06-15", "weekday_en": "Saturday", "weekday_zh": "星期六", "iso_week": "2024-W24",
        "days_until": 0, "distance_en": "today", "distance_zh": "就是今天",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("day", "days", "week", "english", "chinese"),
    [
        ("2024-06-16", 1, "2024-W24", "in 1 day", "还有1天"),
        ("2024-10-01", 108, "2024-W40", "in 108 days", "还有108天"),
        ("2024-06-13", -2, "2024-W24", "2 days ago", "已过去2天"),
        ("2024-12-31", 199, "2025-W01", "in 199 days", "还有199天"),
    ],
)
def test_date_info_counts_days_and_iso_weeks(day, days, week, english, chinese):
    info = date_info(call=call_on("2024-06-15"), day=day)
    assert (info["days_until"], info["iso_week"]) == (days, week)
    assert (info["distance_en"], info["distance_zh"]) == (english, chinese)


def test_date_info_refuses_what_is_no_date():
    with pytest.raises(ValueError, match="2024-02-30|day is out of range"):
        date_info(call=call_on("2024-06-15"), day="2024-02-30")


def test_date_helper_is_bound_to_the_function_and_returns_its_whitelist():
    binding = TOOLS["date_info"].adapter
    assert isinstance(binding, PythonBinding)
    assert binding.function == "reach.demo:date_info"
    assert list(date_info(call=call_on("2024-06-15"))) == TOOLS["date_info"].result.fields
