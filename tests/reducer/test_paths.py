"""Field paths: what a whitelist lets through, for bytes and objects alike."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from reach.errors import ConfigError
from reach.reducer.paths import compile_projection, parse_path, plain


def both(paths: list[str], data: Any) -> Any:
    """The projection of `data` as bytes, after checking that objects give the same."""
    projection = compile_projection(paths)
    of_bytes = msgspec.to_builtins(projection.of_bytes(json.dumps(data).encode()))
    assert projection.of_object(data) == of_bytes
    return of_bytes


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("order_id", ("order_id",)),
        ("items[].name", ("items", "name")),
        ("a.b[].c", ("a", "b", "c")),
        ("*", ()),
        ("items.*", ("items",)),
        ("[].name", ("name",)),
        ("订单.状态", ("订单", "状态")),
        ("first name", ("first name",)),
    ],
)
def test_a_path_is_its_keys(text: str, keys: tuple[str, ...]) -> None:
    assert parse_path(text) == keys


@pytest.mark.parametrize(
    "text", ["", " ", ".", "a.", ".a", "a..b", "items[0]", "items[", "a]b", "*.name", "{a}", "a[]b"]
)
def test_what_is_no_path_is_a_configuration_error(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_path(text)


def test_only_what_is_named_passes_and_lists_keep_their_shape() -> None:
    data = [{"id": 1, "x": 2, "items": [{"name": "a", "price": 3}, {"price": 4}], "last": {"time": "t", "who": "w"}}]
    assert both(["id", "items[].name", "last.time"], data) == [
        {"id": 1, "items": [{"name": "a"}, {}], "last": {"time": "t"}}
    ]


def test_a_whole_value_wins_over_the_paths_inside_it() -> None:
    data = {"items": [{"name": "a", "price": 3}]}
    assert both(["items[].name", "items"], data) == data
    assert both(["items", "items[].name"], data) == data


def test_null_stays_null_and_absent_stays_absent() -> None:
    assert both(["a", "b.c", "d"], [{"a": None, "b": None}, {}]) == [{"a": None, "b": None}, {}]


@pytest.mark.parametrize(
    "data", [{"last": "a string"}, {"last": 3}, {"last": [1, None, {"time": 1, "x": 2}]}, "text", 5]
)
def test_a_scalar_where_an_object_is_expected_is_dropped(data: Any) -> None:
    text = json.dumps(both(["last.time"], data))
    assert "string" not in text
    assert "5" not in text
    assert "3" not in text
    assert "x" not in text


def test_lists_of_lists_are_entered() -> None:
    assert both(["m.v"], {"m": [[{"v": 1, "w": 2}], [{"v": 3}]]}) == {"m": [[{"v": 1}], [{"v": 3}]]}


def test_a_key_that_no_struct_can_have_is_projected_all_the_same() -> None:
    assert both(['say "hi"'], {'say "hi"': 1, "x": 2}) == {'say "hi"': 1}


def test_absent_fields_are_those_that_no_row_has() -> None:
    projection = compile_projection(["id", "note", "items[].name", "items[].sku", "last.time", "gone.deep"])
    rows = [{"id": 1, "items": [{"name": "a"}]}, {"note": None, "items": [], "last": None}]
    for value in (projection.of_object(rows), projection.of_bytes(json.dumps(rows).encode())):
        assert projection.absent(value) == ["gone.deep"]
    rows[1]["items"] = [{"name": "b"}]
    assert projection.absent(projection.of_object(rows)) == ["items[].sku", "gone.deep"]
    assert projection.absent([]) == []


def test_objects_of_python_become_plain_data() -> None:
    class Colour(Enum):
        RED = "red"

    @dataclass
    class Line:
        name: str
        secret: str

    class Order(BaseModel):
        id: int
        lines: list[Any]

    order = Order(id=1, lines=[Line("a", "s"), (1, 2)])
    assert compile_projection(["id", "lines[].name"]).of_object(order) == {"id": 1, "lines": [{"name": "a"}, [{}, {}]]}
    assert plain({1: Decimal("1.50"), "d": date(2026, 1, 2), "c": Colour.RED}) == {
        "1": 1.5,
        "d": "2026-01-02",
        "c": "red",
    }
    assert plain([float("nan"), Decimal("NaN"), {2, 1}]) == [None, None, [1, 2]]
    assert plain(datetime(2026, 1, 2, tzinfo=UTC)) == "2026-01-02T00:00:00+00:00"


def test_what_the_host_returned_is_never_changed_or_shared() -> None:
    data = [{"a": {"b": [1]}}]
    result = compile_projection(["a"]).of_object(data)
    result[0]["a"]["b"].append(2)
    assert data == [{"a": {"b": [1]}}]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcx"), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(data=JSON, paths=st.lists(st.sampled_from(["a", "b", "a.b", "b[].c", "a.b.c", "c[].a[].b"]), min_size=1))
def test_bytes_and_objects_are_projected_alike_for_any_data(data: Any, paths: list[str]) -> None:
    projection = compile_projection(paths)
    of_bytes = projection.of_bytes(json.dumps(data).encode("utf-8", "surrogatepass"))
    of_object = projection.of_object(data)
    assert msgspec.to_builtins(of_bytes) == of_object
    assert projection.absent(of_bytes) == projection.absent(of_object)
