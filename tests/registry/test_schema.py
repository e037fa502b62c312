"""The JSON Schemas for editors."""

import copy
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from reach.registry import json_schema, parse
from reach.registry.schema import schema_text
from tests.registry.small_agent import POLICIES, TOOLS

KINDS = ["tools", "policies", "evals", "callers"]
CALLERS = "version: 1\ncallers: {emma: {roles: [customer], claims: {age: 3}}}\n"
CASES = "version: 1\ncases:\n  - {id: a, caller: emma, query: hi, expect: {outcome: no_tool}}\n"


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_in_docs_are_up_to_date(kind):
    """`reach.registry.write_schemas(Path("docs/schemas"))` renews them."""
    file = Path(__file__).parents[2] / "docs" / "schemas" / f"{kind}.schema.json"
    assert file.read_text(encoding="utf-8") == schema_text(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_a_valid_schema_that_names_its_dialect(kind):
    schema = json_schema(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "$id" not in schema


@pytest.mark.parametrize(
    ("kind", "text"), [("tools", TOOLS), ("policies", POLICIES), ("callers", CALLERS), ("evals", CASES)]
)
def test_a_valid_file_is_valid_and_an_unknown_key_is_not(kind, text):
    validator = Draft202012Validator(json_schema(kind))
    data = parse(text, "a.yaml").data
    assert list(validator.iter_errors(data)) == []
    assert [e.validator for e in validator.iter_errors({**data, "tolls": 1})] == ["additionalProperties"]


def test_parameters_may_be_a_json_schema_object():
    validator = Draft202012Validator(json_schema("tools"))
    data = copy.deepcopy(parse(TOOLS, "a.yaml").data)
    data["tools"][1]["parameters"] = {
        "type": "object",
        "properties": {"topic": {"type": "string", "minLength": 1}},
        "required": ["topic"],
    }
    assert validator.is_valid(data)
    data["tools"][1]["parameters"]["properties"]["topic"]["patern"] = "x"
    assert [list(e.absolute_path)[-1] for e in validator.iter_errors(data)] == ["topic"]
    data["tools"][1]["parameters"] = {"topic": {"type": "strin"}}
    assert [list(e.absolute_path)[-2:] for e in validator.iter_errors(data)] == [["topic", "type"]]
