"""A read-only tool changes nothing, whatever its statement says."""

import sqlite3

import pytest

from reach.adapters.sqlite import SqliteDatabase
from reach.errors import BackendRejected, CallError
from reach.ports import Deadline

from .conftest import CLOCK, call_of, query, steps, tool

WRITES = [
    "DELETE FROM orders",
    "UPDATE orders SET amount = 0",
    "INSERT INTO orders VALUES ('x', 'x', 'x', 1)",
    "WITH x AS (SELECT 1) DELETE FROM orders",
    "/* a comment */ DELETE FROM orders RETURNING id",
    "CREATE TABLE t (a)",
    "CREATE TEMP TABLE t (a)",
    "DROP TABLE orders",
    "VACUUM",
    "VACUUM INTO 'copy.db'",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = DELETE",
    "ATTACH 'other.db' AS other",
    "COMMIT",
    "SELECT 1; DELETE FROM orders",
]


@pytest.mark.parametrize("statement", WRITES)
async def test_a_read_only_tool_that_writes_is_refused_and_changes_nothing(sql, shop, statement):
    before = query(shop, "SELECT * FROM orders")
    with pytest.raises(BackendRejected) as caught:
        await sql.call(call_of(tool(statement)))
    assert (caught.value.applied, caught.value.retryable) == ("no", False)
    with pytest.raises(BackendRejected):
        await sql.rows(statement, {}, Deadline.after_ms(CLOCK, 5000))
    assert query(shop, "SELECT * FROM orders") == before
    assert {p.name.removeprefix("shop.db") for p in shop.parent.iterdir()} <= {"", "-wal", "-shm"}


@pytest.mark.parametrize("way_out", ["PRAGMA query_only = OFF", "ATTACH 'other.db' AS other", "DELETE FROM orders"])
async def test_a_second_step_can_not_lift_the_protection(sql, shop, way_out):
    with pytest.raises(BackendRejected):
        await sql.call(call_of(tool(steps("SELECT 1 AS one", way_out, "DELETE FROM orders"))))
    assert query(shop, "SELECT count(*) FROM orders") == [(3,)]


@pytest.mark.parametrize("function", ["load_extension('x')", "fts3_tokenizer('simple')"])
async def test_functions_that_reach_outside_are_refused(sql, function):
    with pytest.raises(CallError) as caught:
        await sql.call(call_of(tool(f"SELECT {function} AS x")))
    assert caught.value.applied == "no"


def _raw(shop, *, read_only):
    return SqliteDatabase("shop", shop, None, shop.parent)._open(read_only)


@pytest.mark.parametrize("statement", [*WRITES[:8], *WRITES[9:13], "REINDEX", "ANALYZE"])
def test_the_connection_itself_refuses_what_the_words_would_let_through(shop, statement):
    raw = _raw(shop, read_only=True)
    before = query(shop, "SELECT * FROM orders")
    with pytest.raises(sqlite3.DatabaseError):
        raw.execute(statement)
    raw.set_authorizer(None)
    with pytest.raises(sqlite3.DatabaseError, match="readonly"):
        raw.execute("DELETE FROM orders")
    raw.execute("PRAGMA query_only = OFF")
    with pytest.raises(sqlite3.DatabaseError, match="readonly"):
        raw.execute("DELETE FROM orders")  # the file is open for reading only
    raw.close()
    assert query(shop, "SELECT * FROM orders") == before


@pytest.mark.parametrize("statement", ["ATTACH 'other.db' AS other", "PRAGMA foreign_keys = OFF"])
def test_a_writing_connection_can_not_leave_its_file_or_its_settings(shop, statement):
    raw = _raw(shop, read_only=False)
    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        raw.execute(statement)
    raw.close()
    assert not (shop.parent / "other.db").exists()


async def test_reading_keeps_json_tables_full_text_and_schema_functions(sql, shop):
    query(shop, "CREATE VIRTUAL TABLE words USING fts5(body)")
    assert (await sql.call(call_of(tool("SELECT value FROM json_each('[1, 2]')")))).data == [{"value": 1}, {"value": 2}]
    assert (await sql.call(call_of(tool("SELECT count(*) AS n FROM words WHERE words MATCH 'a'")))).data == [{"n": 0}]
    assert (await sql.call(call_of(tool("SELECT name FROM pragma_table_info('notes')")))).data[0] == {"name": "id"}


async def test_a_search_word_stays_out_of_the_error(sql, shop):
    query(shop, "CREATE VIRTUAL TABLE words USING fts5(body)")
    spec = tool("SELECT body FROM words WHERE words MATCH :q", q="string")
    with pytest.raises(CallError) as caught:
        await sql.call(call_of(spec, {"q": '"s3cret'}))
    assert "s3cret" not in str(caught.value)
