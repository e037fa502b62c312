"""YAML and JSON text as plain data with places."""

import json

import pytest

from reach.errors import ConfigError
from reach.registry import parse
from reach.registry.construct import MAX_DEPTH
from reach.registry.yamlfile import MAX_BYTES


def told(text, file="a.yaml"):
    with pytest.raises(ConfigError) as caught:
        parse(text, file)
    return [(p.line, p.column, p.message) for p in caught.value.problems]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True), ("False", False), ("null", None), ("~", None), ("", None),
        ("7", 7), ("-7", -7), ("+7", 7), ("0", 0), ("1.5", 1.5), ("-.5", -0.5), ("1e3", 1000.0), ("1.", 1.0),
        ("on", "on"), ("Off", "Off"), ("yes", "yes"), ("n", "n"),
        ("12:30:00", "12:30:00"), ("2026-03-05", "2026-03-05"), ("1_000", "1_000"),
        ("0755", "0755"), ("0o17", "0o17"), ("0x1F", "0x1F"), (".inf", ".inf"), (".nan", ".nan"), ("00.5", "00.5"),
        ("'7'", "7"), ('"true"', "true"), ("=", "="), ("坏了", "坏了"), ("٣", "٣"),
    ],
)  # fmt: skip
def test_only_true_false_null_and_plain_decimals_are_not_text(written, value):
    data = parse(f"a: {written}", "a.yaml").data["a"]
    assert data == value
    assert type(data) is type(value)


def test_keys_are_text_as_it_is_written():
    assert parse("on: 1\n404: 2\n1.0: 3\ntrue: 4", "a.yaml").data == {"on": 1, "404": 2, "1.0": 3, "true": 4}


def test_every_node_has_its_place():
    document = parse('first: 1\n表: {键: "值",\n  列: [a, {b: c}]}\r\nlast: |\n  text\n', "a.yaml")
    assert document.mark(()) == (1, 1)
    assert document.mark(("first",)) == (1, 8)
    assert document.mark(("表", "键")) == (2, 8)
    assert document.mark(("表", "键"), key=True) == (2, 5)
    assert document.mark(("表", "列", 1, "b")) == (3, 14)
    assert document.mark(("last",), key=True) == (4, 1)


def test_a_line_separator_in_a_text_does_not_shift_the_lines_below():
    assert parse('a: "x\u2028y"\nb: 2', "a.yaml").mark(("b",)) == (2, 4)


def test_a_place_that_is_not_there_is_that_of_its_nearest_parent():
    assert parse("a:\n  b: 1", "a.yaml").mark(("a", "c", 3)) == (2, 3)


def test_all_duplicate_keys_are_told_with_both_places():
    assert told("a: 1\nb: {c: 1, c: 2}\na: 2") == [
        (2, 11, "the key 'c' is here a second time; the first is at line 2, column 5"),
        (3, 1, "the key 'a' is here a second time; the first is at line 1, column 1"),
    ]


def test_aliases_are_expanded():
    assert parse("a: &x {k: [1]}\nb: *x", "a.yaml").data == {"a": {"k": [1]}, "b": {"k": [1]}}


def test_merge_keys_give_way_to_own_keys_and_to_earlier_mappings():
    text = "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\nall: {<<: [*one, *two], a: 3}"
    document = parse(text, "a.yaml")
    assert document.data["all"] == {"a": 3, "b": 1, "c": 2}
    assert document.mark(("all", "c")) == (2, 21)


def test_a_quoted_merge_key_is_a_key():
    assert parse("'<<': 1", "a.yaml").data == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: &x [*x]", 1, 4, "an alias refers to the value that it is a part of"),
        ("a: &x {<<: *x}", 1, 4, "merges itself"),
        ("a: {<<: 1}", 1, 9, "merges a mapping"),
        ("a: !shop 1", 1, 4, "the tag '!shop' is not supported"),
        ("a: !!python/name:os.system x", 1, 4, "is not supported"),
        ("a: 1\n--- \nb: 2", 2, 1, "a second document begins here"),
        ("[a]: 1", 1, 1, "a key must be plain text"),
        ("'': 1", 1, 1, "a key is empty"),
        ("a: 1e999", 1, 4, "too large"),
        ("a: " + "9" * 301, 1, 4, "too long"),
        ('a: "\\0"', 1, 4, "a NUL character"),
        ("ab\0c", 1, 3, "U+0000 is not allowed"),
        ("a: b\n\x07", 2, 1, "U+0007 is not allowed"),
        (b"a: 1\nb: \xff", 2, 4, "not UTF-8: byte 0xff"),
        (b"a: \xe5\x9d", 1, 4, "not UTF-8: byte 0xe5"),
        ("a: 1".encode("utf-16"), 1, 1, "save it as UTF-8"),
        ("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2), 1, MAX_DEPTH + 1, "levels of nesting"),
        ("[" * 100_000, 1, 1001, "levels of nesting"),
        ("- " * 100_000 + "a", 1, 1999, "levels of nesting"),
    ],
)
def test_what_is_refused_is_placed(text, line, column, words):
    (problem,) = told(text)
    assert problem[:2] == (line, column)
    assert words in problem[2]


def test_a_billion_laughs_end_early():
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 12))
    assert "expands to more than 500,000 values" in told(f"l0: &l0 x\n{levels}")[0][2]


def test_merge_keys_can_not_laugh_either():
    levels = "".join(f"l{n}: &l{n} {{<<: [{', '.join([f'*l{n - 1}'] * 9)}], k{n}: 1}}\n" for n in range(1, 60))
    keys = ", ".join(f"a{n}: 1" for n in range(2_000))
    assert "expands to more than 500,000 values" in told(f"l0: &l0 {{{keys}}}\n{levels}")[0][2]


def test_a_file_of_more_than_ten_megabytes_is_refused():
    assert told(b"#" * (MAX_BYTES + 1)) == [(0, 0, "the file is larger than 10 MB")]


def test_a_byte_order_mark_is_no_part_of_the_text():
    document = parse(b"\xef\xbb\xbfa: 1", "a.yaml")
    assert document.data == {"a": 1}
    assert document.mark(("a",)) == (1, 4)


def test_json_has_the_same_places_and_exact_texts():
    text = '{"a":\t1,\n\t"b": ["\\u574f\\ud83d\\ude00\\/\\n", -0.5e1, true, null]}'
    document = parse(text, "a.json")
    assert document.data == {"a": 1, "b": ["坏\U0001f600/\n", -5.0, True, None]} == json.loads(text)
    assert document.mark(("b",), key=True) == (2, 2)
    assert document.mark(("b", 2)) == (2, 42)


def test_json_words_are_text_in_quotes():
    assert parse('{"<<": "true", "1": "7"}', "a.json").data == {"<<": "true", "1": "7"}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ('{"a": 1,\n "a": 2}', 2, 2, "the first is at line 1, column 2"),
        ('{"a": 01}', 1, 7, "a value is expected here"),
        ('{"a": 1,}', 1, 9, "a key in double quotes"),
        ("{a: 1}", 1, 2, "a key in double quotes"),
        ("[1 2]", 1, 4, "',' is expected here"),
        ("[1", 1, 3, "',' is expected here"),
        ("[", 1, 2, "found the end of the file"),
        ("[1] []", 1, 5, "nothing may follow"),
        ('["a\tb"]', 1, 4, "invalid control character"),
        ('["a', 1, 2, "unterminated string"),
        ('["\\ud800"]', 1, 2, "half of a surrogate pair"),
        ("[NaN]", 1, 2, "a value is expected here"),
        ("# no\n{}", 1, 1, "a value is expected here"),
        ("[" * 200, 1, MAX_DEPTH + 2, "levels of nesting"),
    ],
)
def test_what_is_no_json_is_placed(text, line, column, words):
    (problem,) = told(text, "a.json")
    assert problem[:2] == (line, column)
    assert words in problem[2]
