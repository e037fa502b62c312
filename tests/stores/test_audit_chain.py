"""The audit chain: whatever is done to the file behind Reach's back, `verify` names the first row that it touched."""

import asyncio
import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.errors import StateError
from reach.stores import rules
from reach.stores.sqlite import SqliteState
from reach.stores.sqlite_audit import BrokenRow

ROWS = 8
COLUMNS = ("seq", "at", "record", "previous", "hash")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("audit") / "state.db"

    async def record():
        state = SqliteState(path)
        for number in range(ROWS):
            await state.audit.append({"number": number, "who": "张三", "text": "e\u0301 \n\u0301"})
        assert await state.audit.verify() is None
        await state.close()

    asyncio.run(record())
    return path


def verify_after(recorded, *statements):
    """What verify says once `statements` (SQL, binds) have been run on a copy of the recorded file."""

    async def verify(path):
        state = SqliteState(path)
        try:
            return await state.audit.verify()
        finally:
            await state.close()

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        shutil.copy(recorded, path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement, binds in statements:
                assert connection.execute(statement, binds).rowcount > 0
        return asyncio.run(verify(path))


values = st.one_of(
    st.integers(min_value=-(2**31), max_value=2**31),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.binary(max_size=40),
)


@settings(max_examples=150, deadline=None)
@given(row=st.integers(1, ROWS), column=st.sampled_from(COLUMNS[1:]), value=values)
def test_any_change_of_any_field_is_found_at_its_row(recorded, row, column, value):
    with closing(sqlite3.connect(recorded)) as connection:
        connection.execute("CREATE TEMP TABLE probe AS SELECT * FROM audit")
        connection.execute(f"UPDATE probe SET {column} = ? WHERE seq = ?", (value, row))
        before = connection.execute(f"SELECT {column} FROM audit WHERE seq = ?", (row,)).fetchone()
        after = connection.execute(f"SELECT {column} FROM probe WHERE seq = ?", (row,)).fetchone()
    expected = None if before == after else BrokenRow(row, "changed")
    assert verify_after(recorded, (f"UPDATE audit SET {column} = ? WHERE seq = ?", (value, row))) == expected


@settings(max_examples=60, deadline=None)
@given(row=st.integers(1, ROWS), data=st.data())
def test_one_flipped_character_of_any_text_field_is_found(recorded, row, data):
    column = data.draw(st.sampled_from(["record", "previous", "hash"]))
    with closing(sqlite3.connect(recorded)) as connection:
        (text,) = connection.execute(f"SELECT {column} FROM audit WHERE seq = ?", (row,)).fetchone()
    place = data.draw(st.integers(0, len(text) - 1))
    changed = text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]
    assert verify_after(recorded, (f"UPDATE audit SET {column} = ? WHERE seq = ?", (changed, row))) == BrokenRow(
        row, "changed"
    )


@pytest.mark.parametrize("row", range(1, ROWS + 1))
def test_a_removed_row_is_found_wherever_it_was(recorded, row):
    assert verify_after(recorded, ("DELETE FROM audit WHERE seq = ?", (row,))) == BrokenRow(row, "missing")


def test_a_removed_row_is_found_when_the_rest_is_renumbered(recorded):
    broken = verify_after(
        recorded,
        ("DELETE FROM audit WHERE seq = 3", ()),
        ("UPDATE audit SET seq = -seq WHERE seq > 3", ()),
        ("UPDATE audit SET seq = -seq - 1 WHERE seq < 0", ()),
    )
    assert broken == BrokenRow(3, "changed")


def test_a_row_moved_behind_the_end_is_found(recorded):
    assert verify_after(recorded, ("UPDATE audit SET seq = 99 WHERE seq = 5", ())) == BrokenRow(5, "missing")


def test_two_rows_changed_places_are_found(recorded):
    broken = verify_after(
        recorded,
        ("UPDATE audit SET seq = -4 WHERE seq = 4", ()),
        ("UPDATE audit SET seq = 4 WHERE seq = 5", ()),
        ("UPDATE audit SET seq = 5 WHERE seq = -4", ()),
    )
    assert broken == BrokenRow(4, "changed")


def test_an_emptied_table_is_found(recorded):
    assert verify_after(recorded, ("DELETE FROM audit", ())) == BrokenRow(1, "missing")


async def test_a_removed_last_row_stays_found_after_more_was_recorded(recorded, tmp_path):
    path = shutil.copy(recorded, tmp_path / "state.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM audit WHERE seq = ?", (ROWS,))
    state = SqliteState(Path(path))
    await state.audit.append({"number": "more"})
    assert await state.audit.verify() == BrokenRow(ROWS, "missing")
    await state.close()


async def test_a_chain_longer_than_one_step_of_reading_is_verified_whole(tmp_path):
    state = SqliteState(tmp_path / "state.db")
    await asyncio.gather(*(state.audit.append({"number": number}) for number in range(1201)))
    assert await state.audit.verify() is None
    await state.writer.submit(lambda c: c.execute("UPDATE audit SET record = '{}' WHERE seq = 1100").rowcount)
    assert await state.audit.verify() == BrokenRow(1100, "changed")
    await state.close()


@pytest.mark.parametrize("record", [{"x": float("nan")}, {"x": object()}, {"x": b"bytes"}])
async def test_a_record_that_is_not_json_is_a_state_error_and_adds_nothing(tmp_path, record):
    state = SqliteState(tmp_path / "state.db")
    with pytest.raises(StateError, match="not JSON data"):
        await state.audit.append(record)
    assert list(await state.audit.recent()) == []
    await state.close()


json_data = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), json_data, max_size=4))
def test_the_text_of_a_record_is_utf8_and_reads_back_as_its_canonical_form(record):
    text = rules.audit_text(record)
    assert text.encode("utf-8").decode("utf-8") == text
    assert rules.audit_text(json.loads(text)) == text
