"""The state file: made private, migrated by itself, and refused where it is not surely ours."""

import sqlite3
import stat
from pathlib import Path

import pytest

from reach.errors import StateError
from reach.stores import sqlite_file
from reach.stores.sqlite import SqliteState


def pragma(path, statement):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {statement}").fetchone()
    finally:
        connection.commit()
        connection.close()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


async def test_the_file_and_its_companions_are_readable_by_their_owner_alone(tmp_path):
    path = tmp_path / "new" / "folder" / "state.db"
    state = SqliteState(path)
    await state.keyvalue.set("confirmation", b"secret", ttl_s=60)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["state.db", "state.db-shm", "state.db-wal"]
    assert {mode(file) for file in files} == {0o600}
    assert mode(path.parent) == 0o700
    await state.close()


async def test_a_file_that_others_could_read_is_made_private(tmp_path):
    path = tmp_path / "state.db"
    path.touch(mode=0o644)
    await SqliteState(path).close()
    assert mode(path) == 0o600


async def test_what_was_stored_is_there_when_the_file_is_opened_again(tmp_path):
    for expected in (None, b"kept"):
        state = SqliteState(tmp_path / "state.db")
        assert await state.keyvalue.get("a") == expected
        await state.keyvalue.set("a", b"kept", ttl_s=3600)
        await state.close()


async def test_the_file_is_marked_as_ours_with_its_schema_version(tmp_path):
    path = tmp_path / "state.db"
    await SqliteState(path).close()
    assert pragma(path, "application_id") == (sqlite_file.APPLICATION_ID,)
    assert pragma(path, "user_version") == (len(sqlite_file.MIGRATIONS),)
    assert pragma(path, "journal_mode") == ("wal",)


async def test_an_older_file_is_migrated_and_keeps_what_it_holds(tmp_path, monkeypatch):
    path = tmp_path / "state.db"
    state = SqliteState(path)
    await state.keyvalue.set("a", b"kept", ttl_s=3600)
    await state.close()
    step = "ALTER TABLE keyvalue ADD COLUMN note TEXT NOT NULL DEFAULT '';"
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*sqlite_file.MIGRATIONS, step))
    state = SqliteState(path)
    assert await state.keyvalue.get("a") == b"kept"
    assert await state.reader.submit(lambda c: c.execute("SELECT note FROM keyvalue").fetchone()) == ("",)
    await state.close()
    assert pragma(path, "user_version") == (2,)


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "state.db"
    SqliteState(path)
    steps = "CREATE TABLE half (a); CREATE TABLE ledger (a);"
    monkeypatch.setattr(sqlite_file, "MIGRATIONS", (*sqlite_file.MIGRATIONS, steps))
    with pytest.raises(StateError, match="ledger"):
        SqliteState(path)
    assert pragma(path, "user_version") == (1,)
    assert pragma(path, "table_info(half)") is None


def test_a_file_of_a_newer_version_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "state.db"
    SqliteState(path)
    pragma(path, "user_version = 99")
    before = path.read_bytes()
    with pytest.raises(StateError, match=r"has version 99; this Reach knows up to 1.*Install the newer") as caught:
        SqliteState(path)
    assert not caught.value.retryable
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is no database, whatever its name says" * 100, bytes(range(256)) * 16])
def test_a_file_that_is_no_database_is_refused_and_not_changed(tmp_path, content):
    path = tmp_path / "state.db"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"damaged or is no SQLite database.*Move it away") as caught:
        SqliteState(path)
    assert not caught.value.retryable
    assert path.read_bytes() == content


async def test_a_file_damaged_behind_its_first_page_is_a_state_error_that_names_the_damage(tmp_path):
    path = tmp_path / "state.db"
    state = SqliteState(path)
    for number in range(200):
        await state.keyvalue.set(f"key-{number}", b"x" * 500, ttl_s=3600)
    await state.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    state = SqliteState(path)
    with pytest.raises(StateError, match="damaged"):
        await state.keyvalue.get("key-7")
    await state.close()


def test_a_database_of_another_program_is_refused_and_not_changed(tmp_path):
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE orders (id TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StateError, match="is the database of another program"):
        SqliteState(path)
    assert path.read_bytes() == before


async def test_a_file_that_vanished_is_an_error_and_not_a_fresh_start(tmp_path):
    path = tmp_path / "state.db"
    state = SqliteState(path)
    path.unlink()
    with pytest.raises(StateError, match="cannot be opened"):
        await state.keyvalue.set("a", b"1", ttl_s=60)
    await state.close()


def test_a_folder_in_place_of_the_file_is_a_state_error(tmp_path):
    with pytest.raises(StateError, match=r"cannot be opened|could not be used"):
        SqliteState(tmp_path)


def test_a_folder_that_cannot_be_made_is_a_state_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError, match="could not be used"):
        SqliteState(tmp_path / "file" / "state.db")


async def test_a_path_with_special_characters_is_one_file(tmp_path):
    path = tmp_path / "状态 ?#%20&mode=memory.db"
    state = SqliteState(path)
    await state.keyvalue.set("a", b"1", ttl_s=60)
    assert await state.keyvalue.get("a") == b"1"
    await state.close()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


async def test_the_file_stays_the_same_when_the_working_directory_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = SqliteState(Path("state.db"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    await state.keyvalue.set("a", b"1", ttl_s=60)
    await state.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []
