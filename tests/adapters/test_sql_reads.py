"""What a read returns, and what it binds."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reach.adapters import build_adapter
from reach.adapters.sql import SqlAdapter
from reach.errors import BackendFailure, BackendRejected, BackendUnavailable, DeadlineExceeded
from reach.ports import Deadline, Queries
from reach.spec import SqlBackend
from reach.types import Caller

from .conftest import CLOCK, call_of, query, steps, tool


async def test_rows_are_objects_in_the_order_of_the_statement(sql):
    payload = await sql.call(call_of(tool("SELECT id, amount FROM orders ORDER BY amount")))
    assert payload.data == [{"id": "SO-3", "amount": 7}, {"id": "SO-1", "amount": 100}, {"id": "SO-2", "amount": 250}]
    assert payload.partial is False


@pytest.mark.parametrize(
    ("returns", "where", "expected"),
    [
        ("rows", "id = 'none'", []),
        ("row", "id = 'SO-1'", {"id": "SO-1", "amount": 100}),
        ("row", "id = 'none'", None),
        ("row", "1 = 1", {"id": "SO-1", "amount": 100}),
        ("value", "id = 'SO-2'", "SO-2"),
        ("value", "id = 'none'", None),
    ],
)
async def test_returns_says_the_shape(sql, returns, where, expected):
    statement = f"SELECT id, amount FROM orders WHERE {where} ORDER BY id"
    payload = await sql.call(call_of(tool({"backend": "shop", "statement": statement, "returns": returns})))
    assert payload.data == expected
    assert payload.partial is False


async def test_what_reach_binds_itself(sql):
    spec = tool(
        "SELECT :caller_id AS id, :caller_tenant AS tenant, :now AS now, :today AS today, :idempotency_key AS key, "
        ":claim_tails AS tails, :claim_gone AS gone, :claim_vip AS vip"
    )
    caller = Caller("u_1", tenant="t_1", claims={"tails": ["0017", "王"], "vip": True})
    payload = await sql.call(call_of(spec, caller=caller))
    assert payload.data == [
        {
            "id": "u_1",
            "tenant": "t_1",
            "now": "2026-03-05T01:02:03+00:00",
            "today": "2026-03-05",
            "key": None,
            "tails": '["0017", "王"]',
            "gone": None,
            "vip": 1,
        }
    ]


async def test_a_parameter_without_a_value_is_null(sql):
    spec = tool("SELECT id FROM orders WHERE :status IS NULL OR status = :status ORDER BY id", status="string")
    assert len((await sql.call(call_of(spec))).data) == 3
    assert (await sql.call(call_of(spec, {"status": "shipped"}))).data == [{"id": "SO-2"}]


async def test_lists_and_objects_are_bound_as_json_text(sql):
    spec = tool("SELECT id FROM orders WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id", ids="array")
    assert (await sql.call(call_of(spec, {"ids": ["SO-3", "SO-1", "x"]}))).data == [{"id": "SO-1"}, {"id": "SO-3"}]
    spec = tool("SELECT json_extract(:box, '$.a.b') AS b", box="object")
    assert (await sql.call(call_of(spec, {"box": {"a": {"b": "深"}}}))).data == [{"b": "深"}]


async def test_a_column_named_json_is_parsed_and_renamed(sql):
    spec = tool("""SELECT '{"a": [1, 2]}' AS box__json, '{"a": 1}' AS text, NULL AS none__json""")
    assert (await sql.call(call_of(spec))).data == [{"box": {"a": [1, 2]}, "text": '{"a": 1}', "none": None}]


@pytest.mark.parametrize("text", ["not json", "NaN", "[Infinity]"])
async def test_a_json_column_that_is_not_json_is_an_error_without_its_value(sql, text):
    with pytest.raises(BackendFailure, match="not JSON as 'box__json'") as caught:
        await sql.call(call_of(tool("SELECT :text AS box__json", text="string"), {"text": text}))
    assert text not in str(caught.value)
    assert caught.value.applied == "no"


@pytest.mark.parametrize("statement", ["SELECT 1 AS a, 2 AS a", "SELECT 1 AS a, '[]' AS a__json"])
async def test_two_columns_of_one_name_are_an_error(sql, statement):
    with pytest.raises(BackendFailure, match="more than one column 'a'"):
        await sql.call(call_of(tool(statement)))


async def test_values_are_json(sql):
    spec = tool("SELECT x'00ff' AS bytes, 9e999 AS inf, 1.5 AS real, 9007199254740993 AS big")
    assert (await sql.call(call_of(spec))).data == [
        {"bytes": "AP8=", "inf": "Infinity", "real": 1.5, "big": 9007199254740993}
    ]


async def test_more_rows_than_max_rows_make_it_partial(sql):
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {}) SELECT x FROM n"

    async def read(total: int, limit: int):
        binding = {"backend": "shop", "statement": numbers.format(total), "max_rows": limit}
        return await sql.call(call_of(tool(binding)))

    cut = await read(5000, 2500)
    assert (len(cut.data), cut.data[-1], cut.partial) == (2500, {"x": 2500}, True)
    whole = await read(2500, 2500)
    assert (len(whole.data), whole.partial) == (2500, False)


async def test_an_endless_result_is_cut_without_being_read_to_the_end(sql):
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    payload = await sql.call(call_of(tool({"backend": "shop", "statement": endless, "max_rows": 3})))
    assert payload.data == [{"x": 1}, {"x": 2}, {"x": 3}]
    assert payload.partial is True


async def test_several_reads_see_one_snapshot_and_the_last_gives_the_result(sql):
    spec = tool(steps("SELECT count(*) AS n FROM orders", "SELECT id FROM orders WHERE id = 'SO-1'"))
    assert (await sql.call(call_of(spec))).data == [{"id": "SO-1"}]


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
async def test_any_text_comes_back_as_it_was(sql, text):
    assert (await sql.call(call_of(tool("SELECT :v AS v", v="string"), {"v": text}))).data == [{"v": text}]


@pytest.mark.parametrize(
    "value",
    ["'; DROP TABLE orders; --", "' OR '1'='1", "SO-1' --", ":caller_id", "%s %(x)s ?", "王小明 👩‍👩‍👧 ", '"', "\\"],
)
async def test_sql_inside_a_value_stays_a_value(sql, shop, value):
    found = await sql.call(call_of(tool("SELECT id FROM orders WHERE id = :id", id="string"), {"id": value}))
    assert found.data == []
    assert (await sql.call(call_of(tool("SELECT :v AS v", v="string"), {"v": value}))).data == [{"v": value}]
    assert query(shop, "SELECT count(*) FROM orders") == [(3,)]


async def test_fifty_reads_at_once_each_get_their_own_answer(sql):
    spec = tool("SELECT :n AS n, (SELECT count(*) FROM orders) AS orders", n="integer")
    payloads = await asyncio.gather(*(sql.call(call_of(spec, {"n": n})) for n in range(50)))
    assert [p.data for p in payloads] == [[{"n": n, "orders": 3}] for n in range(50)]


async def test_reads_keep_their_connections(sql, monkeypatch):
    opened = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: opened.append(a) or connect(*a, **k))
    for _ in range(20):
        await sql.call(call_of(tool("SELECT 1 AS one")))
    assert len(opened) <= 2  # one to settle the file, one to read


async def test_rows_answers_a_statement_with_at_most_max_rows(sql):
    assert isinstance(sql, Queries)
    deadline = Deadline.after_ms(CLOCK, 5000)
    owned = "SELECT 1 AS one FROM orders WHERE id = :value AND customer = :caller_id"
    assert await sql.rows(owned, {"value": "SO-1", "caller_id": "u_1"}, deadline) == [{"one": 1}]
    assert await sql.rows(owned, {"value": "SO-3", "caller_id": "u_1"}, deadline) == []
    assert await sql.rows(owned, {"value": "SO-1"}, deadline) == []
    assert await sql.rows("SELECT id FROM orders ORDER BY id", {}, deadline, 2) == [{"id": "SO-1"}, {"id": "SO-2"}]


async def test_nothing_is_begun_without_time(sql):
    with pytest.raises(DeadlineExceeded):
        await sql.call(call_of(tool("SELECT 1 AS one"), ms=0))


async def test_a_missing_file_without_seed_is_said_and_not_created(tmp_path):
    adapter = build_adapter("shop", SqlBackend(kind="sql", url="sqlite:///none.db"), tmp_path)
    for spec in (tool("SELECT 1 AS one"), tool("DELETE FROM orders", write=True)):
        with pytest.raises(BackendUnavailable, match="does not exist") as caught:
            await adapter.call(call_of(spec))
        assert caught.value.applied == "no"
    await adapter.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_replaced_file_is_read_anew(sql, shop):
    spec = tool("SELECT count(*) AS n FROM orders")
    assert (await sql.call(call_of(spec))).data == [{"n": 3}]
    for part in shop.parent.glob("shop.db*"):
        part.unlink()
    with closing(sqlite3.connect(shop)) as raw:
        raw.executescript("CREATE TABLE orders (id); INSERT INTO orders VALUES (1)")
    assert (await sql.call(call_of(spec))).data == [{"n": 1}]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("SELEC 1", "syntax error"),
        ("SELECT nope", "no such column"),
    ],
)
async def test_a_wrong_statement_is_a_failure_that_says_why_and_is_not_retried(sql, statement, message):
    with pytest.raises(BackendFailure, match=message) as caught:
        await sql.call(call_of(tool(statement)))
    assert (caught.value.applied, caught.value.retryable) == ("no", False)


async def test_an_error_never_holds_a_value(sql):
    for statement in ("SELECT json_extract(:v, '$')", "SELECT abs(:v, 1)"):
        with pytest.raises(BackendFailure) as caught:
            await sql.call(call_of(tool(statement, v="string"), {"v": "s3cret-4711"}))
        assert "4711" not in f"{caught.value!r} {caught.value.__cause__!r}"


@pytest.mark.parametrize("value", [2**63, "\ud800"])
async def test_a_value_that_the_database_has_no_room_for_is_rejected(sql, value):
    with pytest.raises(BackendRejected, match="can't be stored"):
        await sql.call(call_of(tool("SELECT :v AS v", v="string"), {"v": value}))


async def test_a_closed_adapter_refuses(shop):
    adapter = SqlAdapter("shop", SqlBackend(kind="sql", url="sqlite:///shop.db"), shop.parent)
    await adapter.call(call_of(tool("SELECT 1 AS one")))
    await adapter.close()
    with pytest.raises(BackendUnavailable, match="closed"):
        await adapter.call(call_of(tool("SELECT 1 AS one")))
