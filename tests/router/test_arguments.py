"""Arguments given by name: taken as they are, or refused with a message that a model can act on."""

from __future__ import annotations

import math
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.arguments import check_arguments
from reach.router.validation import pattern_of, validator_of
from reach.types import Provenance
from tests.router.fill_tools import ORDER, PERIOD, make_tool

TOOL = make_tool(
    {
        "days": {"type": "integer", "minimum": 1, "maximum": 31},
        "kind": {"required": False, "enum": ["late", "lost"]},
        "day": {"required": False, "format": "date"},
        "at": {"required": False, "format": "date-time"},
        "mail": {"required": False, "format": "email"},
        "key": {"required": False, "format": "uuid"},
        "clock": {"required": False, "format": "time"},
        "code": {"required": False, "pattern": r"\d{2}"},
        "items": {
            "type": "array",
            "required": False,
            "items": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
        "price": {"type": "number", "default": 1.5},
    }
)


def test_valid_values_are_unchanged_and_defaults_are_bound():
    found = check_arguments(TOOL, {"days": 3, "items": [{"n": 1}], "code": "x42y"})
    assert found.values == {"days": 3, "items": [{"n": 1}], "code": "x42y", "price": 1.5}
    assert found.provenance["days"] == Provenance("host")
    assert found.provenance["price"] == Provenance("default")
    assert found.complete


@pytest.mark.parametrize(
    ("given", "name", "message"),
    [
        ({"days": "abc"}, "days", '"days" must be an integer, got the string "abc"'),
        ({"days": True}, "days", '"days" must be an integer, got the boolean true'),
        ({"days": None}, "days", '"days" must be an integer, got null; leave it out instead'),
        ({"days": 1.5}, "days", '"days" must be an integer, got the number 1.5'),
        ({"days": 32}, "days", '"days" must be at most 31, got 32'),
        ({"price": math.nan}, "price", '"price" must be a finite number, got nan'),
        ({"price": math.inf}, "price", '"price" must be a finite number, got inf'),
        ({"kind": "lat"}, "kind", '"kind" must be one of "late", "lost", got "lat"; did you mean "late"?'),
        ({"day": "2024-02-30"}, "day", '"day" must be a valid date (YYYY-MM-DD), got "2024-02-30"'),
        (
            {"at": "2024-02-03 10:00"},
            "at",
            '"at" must be a valid date-time (YYYY-MM-DDThh:mm:ss+hh:mm), got "2024-02-03 10:00"',
        ),
        ({"mail": "nobody"}, "mail", '"mail" must be a valid email, got "nobody"'),
        ({"key": "123"}, "key", '"key" must be a valid uuid, got "123"'),
        ({"clock": "25:00"}, "clock", '"clock" must be a valid time (HH:MM), got "25:00"'),
        ({"code": "x"}, "code", '"code" must match \\d{2}, such as 00, got "x"'),
        ({"items": [{"n": "x"}]}, "items", '"items"[0].n must be an integer, got the string "x"'),
        ({"day": date(2024, 1, 1)}, "day", '"day" must be JSON data, got a Python date'),
        ({"kind": "\ud800"}, "kind", '"kind" must be valid Unicode text, got a lone surrogate'),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_what_was_expected_and_given(given, name, message):
    found = check_arguments(TOOL, {"days": 3} | given)
    assert found.invalid == {name: message}
    assert name not in found.values


def test_an_unknown_argument_is_refused_with_the_nearest_name():
    found = check_arguments(PERIOD, {"limits": 3})
    assert found.invalid == {
        "limits": '"limits" is not an argument; did you mean "limit"? this tool takes from_date, to_date, kind, limit'
    }


def test_absent_required_arguments_are_missing_but_invalid_ones_are_not():
    assert check_arguments(PERIOD, {}).missing == ("from_date", "to_date")
    assert check_arguments(PERIOD, {"from_date": 3}).missing == ("to_date",)
    assert check_arguments(ORDER, {}).missing == ("order_id",)
    assert check_arguments(ORDER, {"phone_tail": "1234"}).missing == ()


def test_strings_become_nfc():
    assert check_arguments(make_tool({"name": {}}), {"name": "e\u0301"}).values == {"name": "é"}


@pytest.mark.parametrize("pattern", [r"(?P<a>x)\Z", r"(?#note)a|x", r"^x{,2}$"])
def test_a_pattern_that_only_python_knows_still_validates(pattern):
    tool = make_tool({"code": {"pattern": pattern}})
    assert check_arguments(tool, {"code": "x"}).complete
    assert check_arguments(tool, {"code": "zzz"}).invalid


def test_a_trailing_newline_and_other_digits_never_pass_a_pattern():
    for tool in (ORDER, make_tool({"phone_tail": {"pattern": r"(?#python)^\d{4}$"}})):
        assert "phone_tail" in check_arguments(tool, {"phone_tail": "1234\n"}).invalid
        assert "phone_tail" in check_arguments(tool, {"phone_tail": "١٢٣٤"}).invalid
    assert pattern_of(r"^[$]\$$").search("$$")


def test_validators_are_compiled_once_a_tool_and_dropped_with_it():
    tool = make_tool({"name": {}})
    assert validator_of(tool) is validator_of(tool)
    assert validator_of(tool) is not validator_of(make_tool({"name": {}}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(list(TOOL.parameters)) | st.text(max_size=4), JSON, max_size=4))
def test_any_values_are_sorted_into_valid_and_invalid(given_values):
    found = check_arguments(TOOL, given_values)
    assert set(given_values) <= {*found.values, *found.invalid}
    assert not {*found.values} & {*found.invalid}
    again = check_arguments(TOOL, found.values)
    assert not again.invalid
    assert {name: again.values[name] for name in found.values} == found.values


def test_a_value_nested_without_end_is_refused():
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    assert "64 levels" in check_arguments(TOOL, {"days": 1, "items": deep}).invalid["items"]
