"""Functions as tools: what they get, what they give, and what their failures say."""

import asyncio
import contextvars
import threading
import time
from datetime import UTC, datetime

import pytest

from reach.errors import BackendFailure, BackendTimeout, BackendUnavailable, LimitExceeded

from .conftest import call_of, tool, until

CONTEXT: contextvars.ContextVar[str] = contextvars.ContextVar("CONTEXT", default="none")


def spec(module: str, name: str, *, write: bool = False, **parameters: str):
    return tool({"function": f"{module}:{name}", "backend": "python"}, write=write, **parameters)


async def test_parameters_go_by_keyword_and_an_absent_one_is_its_default_or_none(functions):
    adapter, module = functions(
        "def sync(a, b, c=3, *, d='d'): return [a, b, c, d]\nasync def later(**values): return values\n"
    )
    names = {"a": "integer", "b": "integer", "c": "integer", "d": "string"}
    assert (await adapter.call(call_of(spec(module, "sync", **names), {"a": 1}))).data == [1, None, 3, "d"]
    assert (await adapter.call(call_of(spec(module, "sync", **names), {"a": 1, "d": "王"}))).data == [1, None, 3, "王"]
    assert (await adapter.call(call_of(spec(module, "later", **names), {"c": 9}))).data == {"c": 9}


async def test_a_parameter_named_call_receives_the_call(functions):
    adapter, module = functions("def who(call, a): return [call.caller.id, call.idempotency_key, call.today, a]")
    call = call_of(spec(module, "who", write=True, a="string"), {"a": "x"}, idempotency_key="k-1")
    assert (await adapter.call(call)).data == ["u_1", "k-1", "2026-03-05", "x"]


async def test_sync_functions_run_in_a_thread_with_the_context_of_the_caller(functions):
    adapter, module = functions(
        "import threading\n"
        "from contextvars import copy_context\n"
        "def where():\n"
        "    return [threading.get_ident(), {v.name: copy_context()[v] for v in copy_context()}.get('CONTEXT')]\n"
    )
    CONTEXT.set("mine")
    thread, context = (await adapter.call(call_of(spec(module, "where")))).data
    assert thread != threading.get_ident()
    assert context == "mine"


@pytest.mark.parametrize(
    ("expression", "data", "body"),
    [
        ("Row(1, 'x')", {"a": 1, "b": "x"}, None),
        ("[date(2026, 3, 5)]", ["2026-03-05"], None),
        ("b'\\x00\\x01'", None, b"\x00\x01"),
        ("Payload({'a': 1}, partial=True)", {"a": 1}, None),
        ("None", None, None),
        ("later()", "late", None),
    ],
)
async def test_what_a_function_returns_becomes_a_payload(functions, expression, data, body):
    adapter, module = functions(
        "from collections import namedtuple\nfrom datetime import date\nfrom reach.types import Payload\n"
        "Row = namedtuple('Row', 'a b')\nasync def later(): return 'late'\n"
        f"def f(): return {expression}\n"
    )
    payload = await adapter.call(call_of(spec(module, "f")))
    assert (payload.data, payload.body) == (data, body)
    assert payload.media_type == ("application/octet-stream" if body else "application/json")
    assert payload.partial is ("partial" in expression)


@pytest.mark.parametrize("head", ["def", "async def"])
async def test_a_failure_names_its_type_and_keeps_its_value_to_itself(functions, head):
    adapter, module = functions(f"{head} f(): raise KeyError('s3cret')")
    for write, applied in ((True, "maybe"), (False, "no")):
        with pytest.raises(BackendFailure, match=r"f' failed: KeyError") as caught:
            await adapter.call(call_of(spec(module, "f", write=write)))
        assert "s3cret" not in str(caught.value)
        assert isinstance(caught.value.__cause__, KeyError)
        assert caught.value.applied == applied


@pytest.mark.parametrize("head", ["def", "async def"])
@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("raise LimitExceeded('slow down', retry_after_s=3)", LimitExceeded),
        ("raise TimeoutError('far away')", BackendTimeout),
        ("raise SystemExit(3)", BackendFailure),
        ("raise StopIteration", BackendFailure),
        ("raise asyncio.CancelledError", BackendFailure),
        ("return object()", BackendFailure),
    ],
)
async def test_what_becomes_of_an_error(functions, head, statement, error):
    adapter, module = functions(f"import asyncio\nfrom reach.errors import *\n{head} f():\n    {statement}")
    with pytest.raises(error):
        await adapter.call(call_of(spec(module, "f")))


async def test_an_async_function_is_cancelled_at_its_deadline(functions):
    adapter, module = functions(
        "import asyncio\nended = []\n"
        "async def f():\n    try:\n        await asyncio.Event().wait()\n    finally:\n        ended.append(1)\n"
        "def seen(): return ended\n"
    )
    with pytest.raises(BackendTimeout) as caught:
        await adapter.call(call_of(spec(module, "f", write=True), ms=50))
    assert caught.value.applied == "maybe"
    assert (await adapter.call(call_of(spec(module, "seen")))).data == [1]


async def test_cancelling_goes_through_to_an_async_function(functions):
    adapter, module = functions("import asyncio\nasync def f(): await asyncio.Event().wait()")
    task = asyncio.create_task(adapter.call(call_of(spec(module, "f"))))
    for _ in range(200):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


STUCK = """
import threading
gate = threading.Event()
def stuck(): gate.wait(60)
async def free(): gate.set()
def quick(): return 1
"""


async def test_a_stuck_function_is_left_at_its_deadline_and_its_thread_stays_counted(functions):
    adapter, module = functions(STUCK, limit=2)
    started = time.monotonic()
    for _ in range(2):
        with pytest.raises(BackendTimeout) as caught:
            await adapter.call(call_of(spec(module, "stuck", write=True), ms=50))
        assert caught.value.applied == "maybe"
    assert time.monotonic() - started < 5
    assert adapter._workers.busy == 2
    with pytest.raises(BackendUnavailable, match=r"All 2 threads .* are stuck") as refused:
        await adapter.call(call_of(spec(module, "quick")))
    assert refused.value.applied == "no"
    await adapter.call(call_of(spec(module, "free")))
    await until(lambda: not adapter._workers.busy)
    assert (await adapter.call(call_of(spec(module, "quick")))).data == 1


async def test_a_call_that_never_got_a_thread_has_certainly_done_nothing(functions):
    adapter, module = functions(STUCK, limit=1)
    first = asyncio.create_task(adapter.call(call_of(spec(module, "stuck"))))
    await until(lambda: adapter._workers.busy)
    with pytest.raises(BackendTimeout, match="no free thread") as caught:
        await adapter.call(call_of(spec(module, "stuck", write=True), ms=50))
    assert caught.value.applied == "no"
    await adapter.call(call_of(spec(module, "free")))
    await first


async def test_cancelling_a_sync_function_returns_at_once(functions):
    adapter, module = functions(STUCK)
    task = asyncio.create_task(adapter.call(call_of(spec(module, "stuck"), ms=60_000)))
    await until(lambda: adapter._workers.busy)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await adapter.call(call_of(spec(module, "free")))


async def test_fifty_calls_share_the_threads(functions):
    adapter, module = functions("def double(n): return 2 * n", limit=4)
    s = spec(module, "double", n="integer")
    payloads = await asyncio.gather(*(adapter.call(call_of(s, {"n": n})) for n in range(50)))
    assert [p.data for p in payloads] == [2 * n for n in range(50)]
    assert len(adapter._workers._threads) == 4


@pytest.mark.parametrize(
    ("source", "name", "problem"),
    [
        ("def f(a, b=1): pass", "f", None),
        ("def f(**values): pass", "f", None),
        ("def f(a, b, call): pass", "f", None),
        ("class F:\n    def __call__(self, a, b): pass\nf = F()", "f", None),
        ("def f(a): pass", "f", "does not take the parameter 'b'"),
        ("def f(a, /, b): pass", "f", "does not take the parameter 'a'"),
        ("def f(a, b, c): pass", "f", "needs 'c', which is not a parameter of the tool"),
        ("def f(call, /, a, b): pass", "f", "must take 'call' by keyword"),
        ("f = 3", "f", "not a function"),
        ("def f(a, b): pass", "g", "has no 'g'"),
        ("import nowhere_to_be_found", "f", "nowhere_to_be_found"),
        ("1 / 0", "f", "ZeroDivisionError"),
        ("def f(:", "f", "SyntaxError"),
    ],
)
async def test_problems_are_found_without_a_call(functions, source, name, problem):
    adapter, module = functions(source)
    found = adapter.problems(spec(module, name, a="string", b="string"))
    if problem is None:
        assert found == []
    else:
        assert any(problem in text for text in found), found


async def test_other_problems_of_a_binding(functions):
    adapter, module = functions("def f(call): pass")
    assert "can't be named 'call'" in adapter.problems(spec(module, "f", call="string"))[0]
    assert "can't be imported" in adapter.problems(spec("no_such_module_anywhere", "f"))[0]
    assert "names none" in adapter.problems(tool("SELECT 1"))[0]


async def test_a_function_that_is_not_there_fails_the_call_with_nothing_done(functions):
    adapter, _ = functions("")
    with pytest.raises(BackendFailure, match="can't be imported") as caught:
        await adapter.call(call_of(spec("no_such_module_anywhere", "f", write=True)))
    assert caught.value.applied == "no"


async def test_a_projects_module_never_hides_an_installed_one(functions, tmp_path):
    (tmp_path / "colorsys.py").write_text("def rgb_to_hsv(r, g, b): return 'ours'")
    adapter, module = functions("def f(): return 1")
    await adapter.call(call_of(spec(module, "f")))
    numbers = dict.fromkeys("rgb", "number")
    data = (await adapter.call(call_of(spec("colorsys", "rgb_to_hsv", **numbers), {"r": 0, "g": 0, "b": 0}))).data
    assert data == [0.0, 0.0, 0]


async def test_now_reaches_the_function_as_it_is(functions):
    adapter, module = functions("async def f(call): return call.now")
    data = (await adapter.call(call_of(spec(module, "f")))).data
    assert datetime.fromisoformat(data) == datetime(2026, 3, 5, 1, 2, 3, tzinfo=UTC)
