"""Values of databases and functions as JSON data."""

import json
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import NamedTuple
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from reach.adapters.jsonable import jsonable


class Colour(Enum):
    RED = "红"


class Model(BaseModel):
    when: date


@dataclass
class Data:
    price: Decimal
    tags: set[str]


class Pair(NamedTuple):
    a: int
    b: tuple[int, int]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal(12), 12),
        (Decimal("12.00"), 12.0),
        (Decimal("0.1"), 0.1),
        (Decimal("1E+3"), 1000),
        (Decimal("12345678901234.56789"), "12345678901234.56789"),
        (Decimal("NaN"), "NaN"),
        (Decimal("-Infinity"), "-Infinity"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (datetime(2026, 3, 5, 1, 2, 3, tzinfo=UTC), "2026-03-05T01:02:03+00:00"),
        (date(2026, 3, 5), "2026-03-05"),
        (time(1, 2), "01:02:00"),
        (timedelta(minutes=1, milliseconds=500), 60.5),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"\x00\xff", "AP8="),
        (memoryview(b"a"), "YQ=="),
        (Colour.RED, "红"),
        (Model(when=date(2026, 3, 5)), {"when": "2026-03-05"}),
        (Data(Decimal("1.5"), {"x"}), {"price": 1.5, "tags": ["x"]}),
        (Pair(1, (2, 3)), {"a": 1, "b": [2, 3]}),
        ({1: None, Colour.RED: True}, {"1": None, "红": True}),
    ],
)
def test_what_becomes_of_a_value(value, expected):
    assert jsonable(value) == expected
    assert type(jsonable(value)) is type(expected)


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_loses_nothing(value):
    assert Decimal(str(jsonable(value))) == value


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_the_result_is_always_strict_json(value):
    json.dumps(jsonable(value), allow_nan=False)


@pytest.mark.parametrize("value", [object(), {"a": print}, {(1, 2): 3}, 1j])
def test_a_type_that_has_no_json_is_refused(value):
    with pytest.raises(TypeError, match="can't be written as JSON"):
        jsonable(value)
