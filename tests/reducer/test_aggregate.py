"""Statistics: over all rows, with the right values."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.reducer.aggregate import column, describe, inferred_columns, statistics_of
from reach.reducer.paths import compile_projection
from reach.reducer.redact import compile_redaction


def test_numbers_have_their_bounds_mean_and_exact_sum() -> None:
    assert describe([3, None, 1, 2]) == {
        "type": "number", "count": 3, "nulls": 1, "min": 1, "max": 3, "mean": 2.0, "sum": 6,
    }  # fmt: skip
    assert describe([0.1] * 10)["sum"] == 1.0
    assert describe([2**70, 1])["sum"] == 2**70 + 1


def test_numbers_beyond_a_float_have_no_sum() -> None:
    assert describe([1e308, 1e308])["sum"] is None
    assert describe([10**400, 1.5])["mean"] is None


def test_few_distinct_strings_are_counted_most_common_first() -> None:
    result = describe(["a", "b", "b", "c", "b", "a"])
    assert result == {
        "type": "string", "count": 6, "nulls": 0, "distinct": 3,
        "top": [{"value": "b", "count": 3}, {"value": "a", "count": 2}, {"value": "c", "count": 1}],
    }  # fmt: skip


def test_names_that_all_differ_are_only_counted() -> None:
    assert describe([f"SO-{n}" for n in range(100)]) == {"type": "string", "count": 100, "nulls": 0, "distinct": 100}


def test_dates_have_an_earliest_and_a_latest_as_instants() -> None:
    assert describe(["2026-03-01", "2025-12-31", None])["min"] == "2025-12-31"
    result = describe(["2026-01-01T01:00:00+08:00", "2025-12-31T20:00:00Z"])
    assert (result["type"], result["min"], result["max"]) == (
        "date",
        "2026-01-01T01:00:00+08:00",
        "2025-12-31T20:00:00Z",
    )


@pytest.mark.parametrize("values", [["2026-01-01", "soon"], ["2026-13-01"], ["2026-01-01T99:00", "2026-01-01"]])
def test_what_only_looks_like_a_date_is_a_string(values: list[str]) -> None:
    assert describe(values)["type"] == "string"


def test_truth_values_are_not_numbers_and_mixtures_are_named() -> None:
    assert describe([True, False, True]) == {"type": "boolean", "count": 3, "nulls": 0, "true": 2, "false": 1}
    assert describe([1, "1"]) == {"type": "mixed", "count": 2, "nulls": 0}
    assert describe([{"a": 1}, None]) == {"type": "object", "count": 1, "nulls": 1}
    assert describe([[1]]) == {"type": "list", "count": 1, "nulls": 0}
    assert describe([None, None]) == {"type": "null", "count": 0, "nulls": 2}


@pytest.mark.parametrize("as_bytes", [True, False])
def test_a_column_reaches_through_objects_and_lists(as_bytes: bool) -> None:
    rows = [
        {"items": [{"price": 1}, {"price": 2}], "last": {"time": "t"}},
        {"items": [{"price": 3}, {}]},
        {"last": None},
    ]
    projection = compile_projection(["items[].price", "last.time"])
    projected = projection.of_bytes(json.dumps(rows)) if as_bytes else projection.of_object(rows)
    result = statistics_of(projected, projection.names, compile_redaction([]))
    assert result["items[].price"]["sum"] == 6
    assert result["last.time"] == {
        "type": "string",
        "count": 1,
        "nulls": 2,
        "distinct": 1,
        "top": [{"value": "t", "count": 1}],
    }


def test_columns_are_inferred_from_every_row() -> None:
    assert inferred_columns([{"a": 1}, {"b": 2}, 3], {}) == {"a": ("a",), "b": ("b",)}
    assert inferred_columns([1, 2], {}) == {"value": ()}
    assert column([1, 2], ()) == [1, 2]


NUMBERS = st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9, allow_subnormal=False)


@settings(max_examples=200, deadline=None)
@given(values=st.lists(st.none() | NUMBERS, min_size=1).filter(any))
def test_statistics_agree_with_exact_arithmetic_for_any_numbers(values: list[Any]) -> None:
    given_values = [Fraction(value) for value in values if value is not None]
    result = describe(values)
    assert result["count"] + result["nulls"] == len(values)
    assert result["min"] == min(given_values)
    assert result["max"] == max(given_values)
    total = sum(given_values, Fraction(0))
    scale = max(abs(value) for value in given_values)
    assert math.isclose(result["sum"], total, rel_tol=1e-12, abs_tol=float(scale) * 1e-12)
    assert math.isclose(result["mean"], total / len(given_values), rel_tol=1e-12, abs_tol=float(scale) * 1e-12)
