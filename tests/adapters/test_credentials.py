"""Secrets by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from reach.adapters.credentials import secret_of
from reach.errors import ConfigError
from reach.spec import CredentialSpec


def spec(**where: str) -> CredentialSpec:
    return CredentialSpec(kind="password", **where)


def test_a_variable_holds_the_secret(tmp_path: Path) -> None:
    assert secret_of("db", spec(env="DB"), tmp_path, {"DB": "s3cret"}) == "s3cret"


def test_a_file_holds_the_secret_and_its_last_line_end_is_not_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "db.txt").write_text("s3cret\n", "utf-8")
    assert secret_of("db", spec(file="db.txt"), tmp_path, {}) == "s3cret"


@pytest.mark.parametrize("where", [{"env": "DB"}, {"file": "none.txt"}, {"file": "empty.txt"}])
def test_a_missing_secret_names_the_place(tmp_path: Path, where: dict[str, str]) -> None:
    (tmp_path / "empty.txt").write_text("", "utf-8")
    with pytest.raises(ConfigError, match=next(iter(where.values()))):
        secret_of("db", spec(**where), tmp_path, {"DB": ""})
