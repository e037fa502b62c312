"""A seeded SQLite file is made once, by whoever needs it first."""

import asyncio
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reach.adapters.sql import SqlAdapter
from reach.errors import BackendUnavailable
from reach.spec import SqlBackend

from .conftest import call_of, tool

SEED = """
import os, sqlite3, threading
from pathlib import Path

def make(path):
    with open(Path(__file__).with_name("seeded.log"), "a") as log:
        log.write("x")
    new = f"{path}.{os.getpid()}.new"
    raw = sqlite3.connect(new)
    raw.executescript("CREATE TABLE t (v); INSERT INTO t VALUES ('王')")
    raw.close()
    os.replace(new, path)

def broken(path):
    raise RuntimeError("s3cret")

def lazy(path):
    pass
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    monkeypatch.setattr("sys.path", sys.path[:])
    module = f"seed_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{module}.py").write_text(SEED, encoding="utf-8")
    return tmp_path, module


def _adapter(project, function):
    root, module = project
    return SqlAdapter("s", SqlBackend(kind="sql", url="sqlite:///.reach/demo.db", seed=f"{module}:{function}"), root)


async def test_the_first_calls_make_it_once_and_all_are_answered(project):
    adapter = _adapter(project, "make")
    payloads = await asyncio.gather(*(adapter.call(call_of(tool("SELECT v FROM t"))) for _ in range(20)))
    assert [p.data for p in payloads] == [[{"v": "王"}]] * 20
    assert (project[0] / "seeded.log").read_text() == "x"
    assert {p.name for p in (project[0] / ".reach").iterdir()} == {"demo.db", "demo.db.seed-lock"}
    await adapter.close()


async def test_a_file_that_is_there_is_left_alone_and_one_that_was_removed_is_made_again(project):
    for _ in range(2):
        adapter = _adapter(project, "make")
        await adapter.call(call_of(tool("SELECT v FROM t")))
        await adapter.close()
    assert (project[0] / "seeded.log").read_text() == "x"
    adapter = _adapter(project, "make")
    await adapter.call(call_of(tool("SELECT v FROM t")))
    (project[0] / ".reach" / "demo.db").unlink()
    assert (await adapter.call(call_of(tool("SELECT v FROM t")))).data == [{"v": "王"}]
    assert (project[0] / "seeded.log").read_text() == "xx"
    await adapter.close()


def test_several_processes_make_it_once(project):
    root, module = project
    script = f"""
        import threading
        from pathlib import Path
        from reach.adapters.seed import Seeder
        from reach.adapters.workers import Attempt
        from reach.clock import SystemClock
        from reach.ports import Deadline
        Seeder("s", Path({str(root / "demo.db")!r}), "{module}:make", Path({str(root)!r})).ensure(
            Attempt(Deadline.after_ms(SystemClock(), 20000)))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert (root / "seeded.log").read_text() == "x"


@pytest.mark.parametrize(
    ("function", "message"),
    [("broken", "could not be made by .*: RuntimeError"), ("lazy", "left no file"), ("none", "has no 'none'")],
)
async def test_a_seed_that_does_not_work_is_said_without_its_values(project, function, message):
    adapter = _adapter(project, function)
    with pytest.raises(BackendUnavailable, match=message) as caught:
        await adapter.call(call_of(tool("SELECT v FROM t")))
    assert "s3cret" not in str(caught.value)
    assert caught.value.applied == "no"
    await adapter.close()
