"""The SQL adapter on a real PostgreSQL server."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reach.adapters.sql import SqlAdapter
from reach.errors import BackendFailure, BackendRejected, BackendTimeout, BackendUnavailable, CallError
from reach.spec import SqlBackend

from .conftest import SHOP, call_of, steps, tool, until
from .postgres_server import postgres_url


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_url() as address:
        yield address


def query(url, sql):
    import psycopg

    with psycopg.connect(url, autocommit=True) as raw:
        found = raw.execute(sql)
        return found.fetchall() if found.description else []


@pytest.fixture
async def sql(url):
    query(url, "DROP TABLE IF EXISTS notes; DROP TABLE IF EXISTS orders")
    query(url, SHOP.replace("INTEGER PRIMARY KEY", "SERIAL PRIMARY KEY"))
    adapter = SqlAdapter("shop", SqlBackend(kind="sql", url=url, max_concurrency=4), Path())
    yield adapter
    await adapter.close()


async def test_reading_binds_and_returns_values(sql):
    spec = tool(
        "SELECT :caller_id AS who, :v AS text, CAST(:n AS integer) + 1 AS n, CAST(:gone AS text) AS gone, :yes AS yes, "
        "1.50::numeric AS price, date '2026-03-05' AS day, '{\"a\": 1}'::jsonb AS box, ARRAY(SELECT 1) AS list, "
        "'[1]' AS parsed__json, '%d:x' AS sign",
        v="string",
        n="integer",
        gone="string",
        yes="boolean",
    )
    payload = await sql.call(call_of(spec, {"v": "王's 🚚 %s", "n": 41, "yes": True}))
    assert payload.data == [
        {
            "who": "u_1",
            "text": "王's 🚚 %s",
            "n": 42,
            "gone": None,
            "yes": True,
            "price": 1.5,
            "day": "2026-03-05",
            "box": {"a": 1},
            "list": [1],
            "parsed": [1],
            "sign": "%d:x",
        }
    ]


async def test_lists_are_found_through_their_json_text(sql):
    statement = "SELECT id FROM orders WHERE id IN (SELECT jsonb_array_elements_text(CAST(:ids AS jsonb))) ORDER BY id"
    payload = await sql.call(call_of(tool(statement, ids="array"), {"ids": ["SO-3", "SO-1"]}))
    assert payload.data == [{"id": "SO-1"}, {"id": "SO-3"}]


async def test_an_endless_result_is_cut_without_being_read_to_the_end(sql):
    binding = {"backend": "shop", "statement": "SELECT generate_series(1, 2000000000) AS x", "max_rows": 3}
    payload = await sql.call(call_of(tool(binding)))
    assert (payload.data, payload.partial) == ([{"x": 1}, {"x": 2}, {"x": 3}], True)


@pytest.mark.parametrize(
    "statement",
    [
        "WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
        "EXPLAIN ANALYZE DELETE FROM orders",
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SET TRANSACTION READ WRITE",
        "DELETE FROM orders",
        "SELECT 1; DELETE FROM orders",
        "SELECT nextval('notes_id_seq')",
    ],
)
async def test_a_read_only_tool_can_not_write(sql, url, statement):
    with pytest.raises(CallError) as caught:
        await sql.call(call_of(tool(steps(statement, "WITH x AS (DELETE FROM orders RETURNING 1) SELECT 1 AS one"))))
    assert caught.value.applied == "no"
    assert query(url, "SELECT count(*) FROM orders") == [(3,)]


async def test_a_write_is_whole_or_not_at_all(sql, url):
    insert = "INSERT INTO notes (order_id, body) VALUES (:id, 'x') RETURNING id"
    step = {"sql": "UPDATE orders SET status = 'off' WHERE id = :id AND status = 'paid'", "expect_rows": 1}
    spec = tool(steps(insert, step), write=True, id="string")
    assert len((await sql.call(call_of(spec, {"id": "SO-1"}))).data) == 1
    with pytest.raises(BackendRejected, match="0 rows where 1"):
        await sql.call(call_of(spec, {"id": "SO-2"}))
    assert query(url, "SELECT order_id FROM notes") == [("SO-1",)]


@pytest.mark.parametrize(
    ("statement", "error", "message"),
    [
        ("INSERT INTO orders VALUES (:v, 'u', 's', 1)", BackendRejected, "orders_pkey"),
        ("INSERT INTO orders VALUES (:v || 'x', 'u', 's', -1)", BackendRejected, "orders_amount_check"),
        ("UPDATE orders SET amount = CAST(:v AS integer)", BackendRejected, "22P02"),
        ("SELECT * FROM nowhere WHERE x = :v", BackendFailure, "nowhere"),
        ("SELECT 1 WHERE :v IS NULL", BackendFailure, "CAST"),
    ],
)
async def test_an_error_says_what_it_is_and_no_value(sql, statement, error, message):
    query_tool = tool(statement, write=not statement.startswith("SELECT"), v="string")
    with pytest.raises(error, match=message) as caught:
        await sql.call(call_of(query_tool, {"v": "SO-1"}))
    assert "SO-1" not in str(caught.value)
    assert caught.value.applied == "no"
    assert caught.value.__cause__ is None


async def test_a_slow_statement_ends_at_its_deadline_and_so_does_its_session(sql, url):
    started = time.monotonic()
    with pytest.raises(BackendTimeout) as caught:
        await sql.call(call_of(tool("SELECT pg_sleep(60) AS s", write=True), ms=200))
    assert time.monotonic() - started < 2
    assert caught.value.applied == "no"
    await until(lambda: not sql._readers.busy)
    assert query(url, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%'"
                      " AND pid <> pg_backend_pid()") == [(0,)]  # fmt: skip


async def test_cancelling_stops_the_statement_at_the_server_and_undoes_the_write(sql, url):
    spec = tool(steps("DELETE FROM orders", "SELECT pg_sleep(60) AS s"), write=True)
    task = asyncio.create_task(sql.call(call_of(spec, ms=60_000)))
    active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(60) %' AND state = 'active'"
    await until(lambda: query(url, active) == [(1,)])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: not sql._readers.busy)
    assert query(url, active) == [(0,)]
    assert query(url, "SELECT count(*) FROM orders") == [(3,)]
    assert (await sql.call(call_of(tool("SELECT 1 AS one")))).data == [{"one": 1}]


async def test_fifty_reads_and_writes_at_once_lose_nothing(sql, url):
    write = tool("UPDATE orders SET amount = amount + 1 WHERE id = 'SO-1'", write=True)
    read = tool("SELECT CAST(:n AS integer) AS n", n="integer")
    calls = [call_of(s, {"n": n} if s is read else {}, ms=20_000) for n in range(50) for s in (write, read)]
    payloads = await asyncio.gather(*(sql.call(c) for c in calls))
    assert [p.data for p in payloads[1::2]] == [[{"n": n}] for n in range(50)]
    assert query(url, "SELECT amount FROM orders WHERE id = 'SO-1'") == [(150,)]
    assert query(url, "SELECT count(*) <= 9 FROM pg_stat_activity WHERE datname = current_database()") == [(True,)]


async def test_a_session_that_the_server_ended_is_unavailable_once_and_replaced(sql, url):
    await sql.call(call_of(tool("SELECT 1 AS one")))
    query(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
               " AND datname = current_database()")  # fmt: skip
    with pytest.raises(BackendUnavailable) as caught:
        await sql.call(call_of(tool("SELECT 1 AS one")))
    assert (caught.value.applied, caught.value.retryable) == ("no", True)
    assert (await sql.call(call_of(tool("SELECT 2 AS two")))).data == [{"two": 2}]


async def test_a_server_that_is_not_there_is_unavailable_without_its_address(sql):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    gone = SqlAdapter("shop", SqlBackend(kind="sql", url=f"postgresql://u:s3cret@127.0.0.1:{port}/d"), Path())
    with pytest.raises(BackendUnavailable, match="could not be reached") as caught:
        await gone.call(call_of(tool("SELECT 1 AS one")))
    assert "s3cret" not in str(caught.value)
    assert str(port) not in str(caught.value)
    await gone.close()


class _Proxy:
    """Passes bytes on to the server. Once a COMMIT was passed on, its answer is lost: the client sees a closed socket,
    or, with `silent`, nothing at all."""

    def __init__(self, target: tuple[str, int], *, silent: bool) -> None:
        self._target = target
        self._silent = silent
        self._committed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(self._target)
            threading.Thread(target=self._up, args=(client, server), daemon=True).start()
            threading.Thread(target=self._down, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(client):
            if b"COMMIT" in data:
                self._committed.set()
            server.sendall(data)
        server.close()

    def _down(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(server):
            if not self._committed.is_set():
                client.sendall(data)
            elif not self._silent:
                client.shutdown(socket.SHUT_RDWR)
                return

    def close(self) -> None:
        self._listener.close()


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(65536)
    except OSError:
        return b""


@contextmanager
def behind_proxy(url: str, *, silent: bool) -> Iterator[SqlAdapter]:
    parts = urlsplit(url)
    proxy = _Proxy((parts.hostname or "127.0.0.1", parts.port or 5432), silent=silent)
    address = parts._replace(netloc=f"{parts.username}@127.0.0.1:{proxy.port}").geturl() + "?sslmode=disable"
    try:
        yield SqlAdapter("shop", SqlBackend(kind="sql", url=address), Path())
    finally:
        proxy.close()


async def test_a_commit_whose_answer_is_lost_may_have_been_applied(sql, url):
    if urlsplit(url).hostname is None:
        pytest.skip("the server listens on a Unix socket only")
    with behind_proxy(url, silent=False) as lossy:
        with pytest.raises(BackendFailure) as caught:
            await lossy.call(call_of(tool("DELETE FROM orders", write=True)))
        assert caught.value.applied == "maybe"
        await until(lambda: query(url, "SELECT count(*) FROM orders") == [(0,)])
        await lossy.close()


async def test_a_commit_that_is_never_answered_ends_at_the_deadline_as_maybe_and_frees_its_thread(
    sql, url, monkeypatch
):
    if urlsplit(url).hostname is None:
        pytest.skip("the server listens on a Unix socket only")
    monkeypatch.setattr("reach.adapters.postgres._COMMIT_S", 0.1)
    with behind_proxy(url, silent=True) as lossy:
        with pytest.raises(BackendTimeout) as caught:
            await lossy.call(call_of(tool("DELETE FROM orders", write=True), ms=500))
        assert caught.value.applied == "maybe"
        await until(lambda: not lossy._readers.busy)
        await lossy.close()
