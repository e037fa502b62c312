"""Files as models, and files that can't be read."""

import pytest

from reach.errors import ConfigError
from reach.registry import load_file, parse
from reach.registry.document import format_path
from reach.registry.load import validate
from reach.spec import CallersFile, EvalFile, ToolsFile
from tests.registry.small_agent import TOOLS


def told(path, model):
    with pytest.raises(ConfigError) as caught:
        load_file(path, model)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_becomes_its_model(tmp_path):
    path = tmp_path / "callers.yaml"
    path.write_text("version: 1\ncallers:\n  emma: {roles: [customer], claims: {phone_tails: ['0042']}}\n")
    callers = load_file(path, CallersFile).callers
    assert callers["emma"].roles == ["customer"]
    assert callers["emma"].claims == {"phone_tails": ["0042"]}


def test_all_problems_of_a_file_come_at_once_in_the_order_of_the_file(tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text("version: 1\ncases:\n  - {id: a, caller: x, id: b}\n  - {id: 3, query: hi, expct: {}}\nnow: 5\n")
    assert told(path, EvalFile) == [
        f"{path}:3:5: cases[0]: a case has 'query' and 'expect', or 'turns'",
        f"{path}:3:24: the key 'id' is here a second time; the first is at line 3, column 6",
        f"{path}:4:5: cases[1].caller: the key 'caller' is missing (expected text)",
        f'{path}:4:10: cases[1].id: expected text, got the number 3 (quote it: "3")',
        f"{path}:4:24: cases[1].expct: unknown key 'expct' (did you mean 'expect'?)",
        f'{path}:5:6: now: expected text, got the number 5 (quote it: "5")',
    ]


def test_all_inconsistencies_of_one_tool_come_at_once():
    text = TOOLS.replace("id = :order_id AND", "id = :order AND").replace(" AND day > :since", " AND 1 = :one")
    _, problems = validate(parse(text, "tools.yaml"), ToolsFile)
    assert [(p.path, p.message.partition(",")[0]) for p in problems] == [
        ("tools[0].parameters.since", "the statement does not use the parameter ':since'"),
        ("tools[0].adapter.statement", "the statement uses ':order'"),
        ("tools[0].adapter.statement", "the statement uses ':one'"),
    ]


def test_a_union_is_told_once_and_its_tags_are_no_part_of_the_path():
    text = TOOLS.replace("{fields: [status]", "{fields: [1]").replace('"sqlite:///shop.db"', "3")
    _, problems = validate(parse(text, "tools.yaml"), ToolsFile)
    assert [(p.path, p.message) for p in problems] == [
        ("backends.shop.url", "expected text, got the number 3"),
        ("tools[0].result.fields[0]", "expected text, got the number 1"),
    ]


def test_a_key_that_is_called_like_a_tag_does_not_mislead():
    text = TOOLS.replace("adapter: {backend: shop,", "adapter: {sql: {returns: 1}, returns: 2, backend: shop,")
    _, problems = validate(parse(text, "tools.yaml"), ToolsFile)
    assert [(p.line, p.column, p.path) for p in problems] == [
        (20, 15, "tools[0].adapter.sql"),
        (20, 43, "tools[0].adapter.returns"),
    ]


def test_parameters_as_a_json_schema_object_have_places_too():
    shorthand = TOOLS[TOOLS.index("      topic:") : TOOLS.index("    adapter: {function")]
    schema = "      type: object\n      properties: {topic: {type: string, patern: x}, amount: {type: int}}\n"
    _, problems = validate(parse(TOOLS.replace(shorthand, schema), "tools.yaml"), ToolsFile)
    assert [(p.line, p.column, p.path) for p in problems] == [
        (33, 42, "tools[1].parameters.properties.topic.patern"),
        (33, 69, "tools[1].parameters.properties.amount.type"),
    ]


@pytest.mark.parametrize(
    ("required", "words"),
    [
        ("[topics]", "'required' names 'topics'"),
        ("true", "a list of parameter names"),
        ("[[1]]", "a list of parameter"),
    ],
)
def test_required_of_a_json_schema_object_names_its_properties(required, words):
    shorthand = TOOLS[TOOLS.index("      topic:") : TOOLS.index("    adapter: {function")]
    schema = f"      type: object\n      properties: {{topic: {{type: string}}}}\n      required: {required}\n"
    _, problems = validate(parse(TOOLS.replace(shorthand, schema), "tools.yaml"), ToolsFile)
    assert [p.path for p in problems] == ["tools[1].parameters.required"]
    assert words in problems[0].message


@pytest.mark.parametrize(("text", "words"), [("", "the file is empty"), ("# nothing\n", "the file is empty")])
def test_an_empty_file_says_how_to_begin(text, words):
    _, problems = validate(parse(text, "tools.yaml"), ToolsFile)
    assert str(problems[0]) == f"tools.yaml:1:1: {words} (begin with: version: 1)"


@pytest.mark.parametrize("text", ["- a", "text", "7"])
def test_a_file_that_is_no_mapping_is_told(text):
    _, problems = validate(parse(text, "tools.yaml"), ToolsFile)
    assert "expected a mapping" in problems[0].message


def test_a_file_that_can_not_be_read_is_told(tmp_path):
    assert told(tmp_path / "none.yaml", ToolsFile) == [f"{tmp_path}/none.yaml: there is no such file"]
    assert told(tmp_path, ToolsFile) == [f"{tmp_path}: is a folder, not a file"]
    assert told("/dev/null", ToolsFile) == ["/dev/null: is not a file"]
    assert "could not be read" in told("a\0b", ToolsFile)[0]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("tools", 2, "parameters", "order_id"), "tools[2].parameters.order_id"),
        (("synonyms", "已 发货", 0), 'synonyms["已 发货"][0]'),
        (("synonyms", "发货"), "synonyms.发货"),
    ],
)
def test_a_path_is_written_as_people_do(path, text):
    assert format_path(path) == text
