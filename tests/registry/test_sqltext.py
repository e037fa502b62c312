"""What a statement's text alone gives away."""

import pytest

from reach.registry.sqltext import holds_several, write_word


@pytest.mark.parametrize(
    ("statement", "word"),
    [
        ("SELECT 1", None),
        ("  -- a remark\n /* and more */ insert INTO a VALUES (1)", "INSERT"),
        ("UPDATE a SET b = 1", "UPDATE"),
        ("replace into a values (1)", "REPLACE"),
        ("(SELECT 1)", None),
        ("SELECT 'DELETE FROM a'", None),
        ("SELECT replace(a, 'x', 'y') FROM b FOR UPDATE", None),
        ("WITH a AS (SELECT 1) SELECT * FROM a", None),
        ("WITH a AS (DELETE FROM b RETURNING c) SELECT * FROM a", "DELETE"),
        ("WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", "INSERT"),
        ("WITH a AS (SELECT (insert('abc', 1, 1, 'x'))) SELECT * FROM a", None),
        ("EXPLAIN SELECT 1", None),
        ("", None),
    ],
)
def test_a_write_is_told_by_its_keyword(statement, word):
    assert write_word(statement) == word


@pytest.mark.parametrize(
    ("statement", "several"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", False),
        ("SELECT 1 ; -- the end", False),
        ("SELECT ';' FROM a", False),
        ("SELECT 1; DROP TABLE a", True),
        ("SELECT 1;\n;SELECT 2", True),
    ],
)
def test_a_second_statement_is_seen_outside_of_texts(statement, several):
    assert holds_several(statement) is several
