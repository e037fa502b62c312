"""A write happens whole or not at all, and its error says which."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from reach.adapters.sqlite import SqliteDatabase
from reach.errors import BackendFailure, BackendRejected, BackendUnavailable

from .conftest import call_of, query, steps, tool, until

PAY = "UPDATE orders SET status = 'paid' WHERE id = :id"
NOTE = "INSERT INTO notes (order_id, body) VALUES (:id, :body)"


async def test_a_write_without_rows_reports_how_many_it_changed(sql, shop):
    assert (await sql.call(call_of(tool("UPDATE orders SET amount = 1", write=True)))).data == {"changed": 3}
    assert query(shop, "SELECT DISTINCT amount FROM orders") == [(1,)]


async def test_changed_counts_all_steps_and_changes_behind_a_with(sql):
    spec = tool(
        steps(
            "UPDATE orders SET amount = 1 WHERE id = 'SO-1'",
            "WITH x AS (SELECT 'u_1' AS c) UPDATE orders SET amount = 2 WHERE customer = (SELECT c FROM x)",
            "WITH x AS (SELECT 'u_9' AS c) UPDATE orders SET amount = 2 WHERE customer = (SELECT c FROM x)",
            "-- a comment\nCREATE TABLE more (a)",
        ),
        write=True,
    )
    assert (await sql.call(call_of(spec))).data == {"changed": 3}


async def test_the_last_step_that_returns_rows_gives_the_result(sql, shop):
    spec = tool(
        steps(
            "INSERT INTO notes (order_id, body) VALUES (:id, :body) RETURNING id, body",
            {"sql": "UPDATE orders SET status = 'noted' WHERE id = :id", "expect_rows": 1},
            returns="row",
        ),
        write=True,
        id="string",
        body="string",
    )
    payload = await sql.call(call_of(spec, {"id": "SO-1", "body": "急！🚚"}))
    assert payload.data == {"id": 1, "body": "急！🚚"}
    assert query(shop, "SELECT order_id, body FROM notes") == [("SO-1", "急！🚚")]
    assert query(shop, "SELECT status FROM orders WHERE id = 'SO-1'") == [("noted",)]


async def test_rows_returned_by_a_change_are_counted_and_all_applied(sql, shop):
    statement = "UPDATE orders SET amount = 5 RETURNING id"
    spec = tool(steps({"sql": statement, "expect_rows": 3}, max_rows=2), write=True)
    payload = await sql.call(call_of(spec))
    assert (len(payload.data), payload.partial) == (2, True)
    assert query(shop, "SELECT count(*) FROM orders WHERE amount = 5") == [(3,)]


async def test_another_number_of_rows_rolls_everything_back_with_the_reason(sql, shop):
    reason = {"en": "Only a paid order can be cancelled.", "zh": "只有已付款的订单可以取消。"}
    step = {
        "sql": "UPDATE orders SET status = 'off' WHERE id = :id AND status = 'paid'",
        "expect_rows": 1,
        "reason": reason,
    }
    spec = tool(steps("INSERT INTO notes (order_id) VALUES (:id)", step), write=True, id="string")
    with pytest.raises(BackendRejected) as caught:
        await sql.call(call_of(spec, {"id": "SO-2"}))
    assert caught.value.message == "Only a paid order can be cancelled."
    assert caught.value.text == reason
    assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM notes") == [(0,)]
    assert (await sql.call(call_of(spec, {"id": "SO-1"}))).data == {"changed": 2}


async def test_a_refusal_without_a_reason_names_the_numbers(sql):
    spec = tool(steps({"sql": "DELETE FROM orders", "expect_rows": 1}), write=True)
    with pytest.raises(BackendRejected, match="3 rows where 1 were expected") as caught:
        await sql.call(call_of(spec))
    assert caught.value.text is None


@pytest.mark.parametrize(
    ("statement", "values", "message"),
    [
        ("INSERT INTO orders VALUES (:v, 'u', 's', 1)", {"v": "SO-1"}, "UNIQUE constraint failed: orders.id"),
        ("INSERT INTO orders VALUES ('n', :v, 's', 1)", {}, "NOT NULL constraint failed: orders.customer"),
        ("UPDATE orders SET amount = :v", {"v": -4711}, "CHECK constraint failed"),
        ("INSERT INTO notes (order_id) VALUES (:v)", {"v": "s3cret"}, "FOREIGN KEY constraint failed"),
    ],
)
async def test_a_broken_constraint_is_a_refusal_that_names_it_and_no_value(sql, shop, statement, values, message):
    before = query(shop, "SELECT * FROM orders")
    with pytest.raises(BackendRejected, match=message) as caught:
        await sql.call(call_of(tool(statement, write=True, v="string"), values))
    assert caught.value.applied == "no"
    assert "4711" not in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert query(shop, "SELECT * FROM orders") == before


async def test_an_error_in_a_later_step_undoes_the_earlier_ones(sql, shop):
    with pytest.raises(BackendFailure, match="no such table") as caught:
        await sql.call(call_of(tool(steps("DELETE FROM orders", "DELETE FROM nowhere"), write=True)))
    assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM orders") == [(3,)]


async def test_a_result_that_can_not_be_written_undoes_the_change(sql, shop):
    spec = tool("UPDATE orders SET status = 'not json' RETURNING status AS status__json", write=True)
    with pytest.raises(BackendFailure, match="not JSON") as caught:
        await sql.call(call_of(spec))
    assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM orders WHERE status = 'not json'") == [(0,)]


async def test_fifty_writes_at_once_lose_nothing(sql, shop):
    spec = tool("UPDATE orders SET amount = amount + 1 WHERE id = 'SO-1'", write=True)
    read = tool("SELECT amount FROM orders WHERE id = 'SO-1'")
    payloads = await asyncio.gather(*(sql.call(call_of(s)) for _ in range(50) for s in (spec, read)))
    assert [p.data for p in payloads[::2]] == [{"changed": 1}] * 50
    assert query(shop, "SELECT amount FROM orders WHERE id = 'SO-1'") == [(150,)]


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
async def test_a_lock_that_another_process_holds_is_unavailable_and_nothing_is_applied(sql, shop, mode):
    query(shop, f"PRAGMA journal_mode = {mode}")
    with closing(sqlite3.connect(shop, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BackendUnavailable, match="locked") as caught:
            await sql.call(call_of(tool("DELETE FROM notes", write=True), ms=200))
        assert (caught.value.applied, caught.value.retryable) == ("no", True)
        other.execute("ROLLBACK")
    assert (await sql.call(call_of(tool("DELETE FROM notes", write=True)))).data == {"changed": 0}


async def test_a_lock_that_is_given_up_in_time_is_waited_for(sql, shop):
    with closing(sqlite3.connect(shop, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(sql.call(call_of(tool("DELETE FROM notes", write=True))))
        await until(lambda: sql._writers.busy)
        other.execute("ROLLBACK")
        assert (await waiting).data == {"changed": 0}


async def test_a_reader_in_the_way_of_commit_leaves_nothing_applied(sql, shop):
    query(shop, "PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(shop, isolation_level=None)) as other:
        reading = other.execute("SELECT * FROM orders")
        reading.fetchone()
        with pytest.raises(BackendUnavailable, match="locked") as caught:
            await sql.call(call_of(tool("DELETE FROM orders", write=True), ms=200))
        assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM orders") == [(3,)]


async def test_a_commit_that_breaks_without_an_answer_may_have_been_applied(sql, monkeypatch):
    def broken(*_):
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorname, error.sqlite_errorcode = "SQLITE_IOERR_FSYNC", 1034
        raise error

    monkeypatch.setattr(SqliteDatabase, "commit", broken)
    with pytest.raises(BackendFailure, match="SQLITE_IOERR_FSYNC") as caught:
        await sql.call(call_of(tool("DELETE FROM notes", write=True)))
    assert caught.value.applied == "maybe"


async def test_a_deferred_constraint_at_commit_is_a_refusal(sql, shop):
    query(shop, "CREATE TABLE late (o TEXT REFERENCES orders(id) DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(BackendRejected, match="FOREIGN KEY") as caught:
        await sql.call(call_of(tool("INSERT INTO late VALUES ('none')", write=True)))
    assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM late") == [(0,)]


async def test_a_full_disk_is_unavailable_and_leaves_nothing_applied(sql, shop, monkeypatch):
    opened = SqliteDatabase._open

    def small(self, read_only):
        raw = opened(self, read_only)
        raw.set_authorizer(None)
        raw.execute("PRAGMA max_page_count = 6")
        return raw

    monkeypatch.setattr(SqliteDatabase, "_open", small)
    spec = tool("INSERT INTO notes (order_id, body) VALUES ('SO-1', hex(zeroblob(100000)))", write=True)
    with pytest.raises(BackendUnavailable, match="no disk space") as caught:
        await sql.call(call_of(spec))
    assert caught.value.applied == "no"
    assert query(shop, "SELECT count(*) FROM notes") == [(0,)]


async def test_reads_go_on_after_a_process_died_in_the_middle_of_a_commit(sql, shop):
    """A hot journal is rolled back, which a read-only connection alone could never do."""
    query(shop, "PRAGMA journal_mode = DELETE")
    spec = tool("SELECT amount FROM orders WHERE id = 'SO-1'")
    assert (await sql.call(call_of(spec))).data == [{"amount": 100}]
    with closing(sqlite3.connect(shop, isolation_level=None)) as dying:
        dying.execute("PRAGMA cache_size = 1")
        dying.execute("PRAGMA cache_spill = 1")
        dying.execute("BEGIN IMMEDIATE")
        dying.execute("UPDATE orders SET amount = 999")
        dying.execute(
            "INSERT INTO notes (order_id, body) SELECT 'SO-1', hex(zeroblob(2000)) FROM json_each(json('["
            + "1," * 200
            + "1]'))"
        )
        journal, changed = shop.with_name("shop.db-journal").read_bytes(), shop.read_bytes()
        dying.execute("ROLLBACK")
    # As the crash leaves it: the pages that were written, and the journal that undoes them.
    shop.write_bytes(changed)
    shop.with_name("shop.db-journal").write_bytes(journal)
    with pytest.raises(BackendUnavailable):
        await sql.call(call_of(spec))
    assert (await sql.call(call_of(spec))).data == [{"amount": 100}]
