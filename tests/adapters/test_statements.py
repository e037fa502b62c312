"""A statement's parameters, and what Reach refuses to run."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql, sqlite

from reach.adapters import build_adapter
from reach.adapters.statements import StatementError, compile_statement, statement_problems
from reach.errors import ConfigError, MissingExtra
from reach.spec import PythonBackend, SqlBackend, sql_binds

from .conftest import steps, tool

SQLITE = sqlite.dialect()


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT ':not' AS a, :b AS b -- :not this\n", ("b",)),
        ("SELECT /* :no */ :a || ':' || :b", ("a", "b")),
        ('SELECT ":no" FROM t WHERE x=:a AND y=:a', ("a", "a")),
        ("SELECT '12:30:00', strftime('%H:%M', :a)", ("a",)),
        (r"SELECT 'C:\:x', '\:y', :a", ("a",)),
    ],
)
def test_only_real_parameters_are_bound(sql, names):
    assert compile_statement(sql, SQLITE, read_only=True).names == names


def test_casts_percent_signs_and_json_operators_reach_postgresql_as_written():
    sql = "SELECT :a::text, data->>'a:b', x LIKE '%:c%' FROM t WHERE data ? 'k' AND n = :n"
    statement = compile_statement(sql, postgresql.psycopg.dialect(), read_only=True)
    expected = "SELECT %(a)s ::text, data->>'a:b', x LIKE '%%:c%%' FROM t WHERE data ? 'k' AND n = %(n)s"
    assert " ".join(statement.sql.split()) == expected
    assert statement.bound({"a": [1, {"b": "中"}]}) == {"a": '[1, {"b": "中"}]', "n": None}


@given(text=st.text(st.sampled_from("a:\\ %?'-/*[]`\"中\n"), max_size=30))
def test_a_literal_comes_out_of_the_database_as_it_was_written(text):
    literal = "'" + text.replace("'", "''") + "'"
    statement = compile_statement(f"SELECT {literal} AS a, :b AS b", SQLITE, read_only=True)
    assert sqlite3.connect(":memory:").execute(statement.sql, statement.bound({"b": text})).fetchone() == (text, text)


@given(sql=st.text(st.sampled_from("a:\\ %?'-/*[]`\";SELECT中\n"), max_size=40))
def test_sqlalchemy_agrees_on_the_names_or_the_statement_is_refused(sql):
    try:
        statement = compile_statement(sql, SQLITE, read_only=False)
    except StatementError:
        return
    assert frozenset(statement.names) == sql_binds(sql)


@pytest.mark.parametrize(
    ("sql", "read_only", "message"),
    [
        ("SELECT 1; DELETE FROM t", False, "more than one statement"),
        (" ; -- nothing", False, "empty"),
        ("-- x\ncommit", False, "COMMIT is not allowed"),
        ("ATTACH 'x' AS y", False, "ATTACH is not allowed"),
        ("SET TRANSACTION READ WRITE", True, "SET is not allowed"),
        ("DELETE FROM t", True, "side_effect: write"),
    ],
)
def test_what_is_refused_and_why(sql, read_only, message):
    (problem,) = statement_problems(sql, read_only=read_only)
    assert message in problem


@pytest.mark.parametrize(
    "sql", ["SELECT ';' AS a;", "SELECT 1 -- ; DELETE\n;", "(SELECT 1)", "WITH x AS (SELECT 1) SELECT * FROM x"]
)
def test_what_is_fine(sql):
    assert list(statement_problems(sql, read_only=True)) == []


async def test_a_tool_lists_the_problems_of_all_its_statements(sql):
    spec = tool(steps("BEGIN", "SELECT 1", "SELECT 1; SELECT 2"), write=True)
    assert len(sql.problems(spec)) == 2
    assert sql.problems(tool("SELECT 1")) == []
    assert "holds no statement" in sql.problems(tool({"function": "a:b"}))[0]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///x.db?mode=ro", "names no file"),
        ("mysql://u:s3cret@h/d", "'mysql' is not a database"),
        ("postgresql://u:s3cret@h:port/d", "port"),
    ],
)
def test_an_address_that_can_not_be_used_is_a_load_error_without_its_password(tmp_path, url, message):
    with pytest.raises(ConfigError, match=message) as caught:
        build_adapter("shop", SqlBackend(kind="sql", url=url), tmp_path)
    assert "s3cret" not in str(caught.value)


def test_postgresql_without_its_driver_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr("reach.adapters.sql.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"reach-runtime\[postgres\]"):
        build_adapter("shop", SqlBackend(kind="sql", url="postgresql://u@h/d"), tmp_path)


def test_each_kind_of_backend_has_its_adapter(tmp_path):
    assert type(build_adapter("s", SqlBackend(kind="sql", url="sqlite:///x.db"), tmp_path)).__name__ == "SqlAdapter"
    assert type(build_adapter("p", PythonBackend(kind="python"), tmp_path)).__name__ == "PythonAdapter"
