from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reach.demo import create_shop
from tests.demo.project import DAY


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "demo.db"
    create_shop(str(path), DAY)
    return path


@pytest.fixture
def db(shop):
    """A connection whose changes are undone."""
    with closing(sqlite3.connect(shop, isolation_level=None)) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN")
        yield connection
        connection.execute("ROLLBACK")
