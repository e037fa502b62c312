"""Conditions: true, false, or a ValueError."""

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.conditions import FUNCTIONS, Condition, ConditionError

NAMESPACE = {
    "args": {"amount": 5, "items": [{"price": 2}], "note": "a"},
    "provenance": {"amount": "user"},
    "caller": {"id": "u", "roles": ["customer"], "tenant": "", "claims": {}},
    "tool": {"name": "refund"},
    "now": datetime(2026, 3, 5, 9, 30, tzinfo=UTC),
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("args.amount > 3", True),
        ("args.amount > 5", False),
        ("provenance.amount == 'user'", True),
        ("has(args.nothing)", False),
        ("'customer' in caller.roles", True),
        ("now.getHours() < 10", True),
        ("args.items.exists(i, i.price > 1)", True),
        ("type(args.amount) == int", True),
    ],
)
def test_a_condition_is_true_or_false(source, expected):
    assert Condition(source).evaluate(NAMESPACE) is expected


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("args.amount", "gave int"),
        ("args.note", "gave str"),
        ("null", "gave NoneType"),
        ("args.nothing > 3", "there is no nothing"),
        ("nobody.id == 'x'", "nobody"),
        ("args.note > 3", "overload"),
        ("args.amount / 0 > 1", "division by zero"),
        ("true && args.amount", "overload"),
    ],
)
def test_whatever_is_not_true_or_false_is_a_value_error(source, reason):
    with pytest.raises(ValueError, match=reason):
        Condition(source).evaluate(NAMESPACE)


def test_a_syntax_error_says_where_it_is():
    with pytest.raises(ConditionError, match="not a valid CEL expression") as caught:
        Condition("args.amount\n + ")
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_an_unknown_function_is_refused_before_it_is_called():
    with pytest.raises(ConditionError, match="unknown function 'matchez'"):
        Condition("args.note.matchez('a')")


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_that_is_called_known_is_one(function):
    """No call of it ends as an unknown function, which is what the engine says of any other name."""
    calls = [f"{function}(1)", f"{function}('a')", f"'a'.{function}('a')", f"now.{function}()"]
    reasons = []
    for call in calls:
        try:
            Condition(f"{call} == {call}").evaluate(NAMESPACE)
        except ValueError as error:
            reasons.append(str(error))
    assert len(reasons) < len(calls) or not all("Undefined" in reason for reason in reasons)


def test_it_names_the_variables_and_members_that_it_reads():
    condition = Condition(
        """args.amount > 3 && provenance["amount"] == 'args.z' && args.items.exists(i, i.price > 1)"""
    )
    assert condition.variables == {"args", "provenance"}
    assert condition.references == {("args", "amount"), ("args", "items"), ("provenance", "amount")}


@pytest.mark.parametrize("source", ["args.size() > 0", "r'args.a\\' == 'b'", "true // args.a", "'''args.a''' == 'b'"])
def test_calls_strings_and_comments_are_no_members(source):
    assert Condition(source).references == frozenset()


def test_conditions_of_one_source_are_equal():
    assert Condition("true") == Condition("true")
    assert Condition("true") != Condition("false")


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["args", ".", "x", "(", ")", "'", "==", "&&", "1", "["])).map("".join)
)
def test_any_text_compiles_or_is_a_value_error(source):
    try:
        condition = Condition(source)
    except ValueError:
        return
    with contextlib.suppress(ValueError):
        assert condition.evaluate(NAMESPACE) in {True, False}
