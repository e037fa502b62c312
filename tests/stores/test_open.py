"""A store is named by its URL alone."""

import subprocess
import sys

import pytest

from reach.errors import ConfigError
from reach.stores import open_blobs, open_state
from reach.stores.memory import MemoryState
from reach.testing import FakeClock


async def test_memory_is_a_store_of_this_process(tmp_path):
    state = open_state("memory://", tmp_path)
    assert isinstance(state, MemoryState)
    await state.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_sqlite_path_is_relative_to_the_root(tmp_path):
    state = open_state("sqlite:///.reach/state.db", tmp_path)
    await state.close()
    assert (tmp_path / ".reach" / "state.db").is_file()


async def test_four_slashes_make_a_sqlite_path_absolute(tmp_path):
    path = tmp_path / "elsewhere" / "state.db"
    state = open_state(f"sqlite:///{path}", tmp_path / "root")
    await state.close()
    assert path.is_file()
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize("url", ["memory://", "sqlite:///state.db"])
async def test_times_to_live_count_on_the_clock_that_is_given(tmp_path, url):
    clock = FakeClock()
    state = open_state(url, tmp_path, clock)
    await state.keyvalue.set("a", b"1", ttl_s=60)
    clock.advance(61)
    assert await state.keyvalue.get("a") is None
    await state.close()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://state.db", "sqlite:///:memory:"])
def test_a_sqlite_url_without_a_file_says_how_to_write_one(tmp_path, url):
    with pytest.raises(ConfigError, match=r"needs a file.*sqlite:///PATH"):
        open_state(url, tmp_path)


@pytest.mark.parametrize(
    "url", ["redis-cluster://:hunter2@host", "mysql://u:hunter2@host/db", "state.db", "", "memory://x"]
)
def test_another_state_url_names_what_is_known_and_shows_no_password(tmp_path, url):
    with pytest.raises(ConfigError, match=r"Known: memory://, sqlite:///PATH") as caught:
        open_state(url, tmp_path)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://u:hunter2@host/x", "artifacts", "", "file://", "memory://x"])
def test_another_blob_url_names_what_is_known_and_shows_no_password(tmp_path, url):
    with pytest.raises(ConfigError, match=r"Known: memory://, file://PATH") as caught:
        open_blobs(url, tmp_path)
    assert "hunter2" not in str(caught.value)


async def test_a_blob_folder_is_relative_to_the_root_or_absolute(tmp_path):
    for url, folder in (
        ("file://.reach/artifacts", tmp_path / "root" / ".reach" / "artifacts"),
        (f"file://{tmp_path}/absolute", tmp_path / "absolute"),
    ):
        blobs = open_blobs(url, tmp_path / "root")
        await blobs.put("a", b"1")
        assert await blobs.read("a", 0, 1) == b"1"
        assert folder.is_dir()


async def test_memory_blobs_touch_no_disk(tmp_path):
    blobs = open_blobs("memory://", tmp_path)
    await blobs.put("a", b"1")
    assert list(tmp_path.iterdir()) == []


def test_importing_the_room_loads_no_store():
    code = (
        "import sys, reach.stores; print([n for n in sys.modules if n.startswith('reach.stores.') or n == 'sqlite3'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
