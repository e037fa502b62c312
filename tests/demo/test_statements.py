"""The SQL of tools.yaml and of the policies, run against the demo database."""

from __future__ import annotations

import json
import re

import pytest

from reach.spec import sql_binds
from tests.demo.project import NOW, POLICIES, SQL_TOOLS, TOOLS, run


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
    assert columns
    assert sorted(columns) == sorted(tool.result.fields)
    assert set(tool.result.redact) <= set(columns)
    assert set(tool.result.rows.stats or ()) <= set(columns)


@pytest.mark.parametrize("name", TOOLS)
def test_answers_use_only_whitelisted_fields_and_no_masked_one(name):
    result = TOOLS[name].result
    for language, template in result.say.items():
        used = set(re.findall(r"\{(\w+)\}", template))
        assert used
        assert used <= set(result.fields) - set(result.redact)
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
