"""The demo agent at the top level: its tools, its policies and its labelled cases fit together."""

from __future__ import annotations

import re
from collections import Counter

import jsonschema
import pytest

from reach.messages import language_of
from reach.registry import load_registry
from tests.demo.project import CALLERS, CASES, POLICIES, ROOT, TOOLS

# ------------------------------------------------------------------------------------------------ the description


def test_the_project_loads_without_a_problem():
    registry = load_registry(ROOT / "tools.yaml")
    assert list(registry.tools) == list(TOOLS)
    assert registry.policies == POLICIES


def texts_of(tool):
    yield from ((field, getattr(tool, field)) for field in ("title", "description", "when_to_use", "when_not_to_use"))
    yield "result.say", tool.result.say
    yield from ((f"{check.id}.reason", check.reason) for check in tool.preconditions)
    for name, parameter in tool.parameters.items():
        yield f"{name}.title", parameter.title
        yield f"{name}.description", parameter.description
        if parameter.ask is not None:
            yield f"{name}.ask", parameter.ask


@pytest.mark.parametrize("name", TOOLS)
def test_every_text_is_there_in_both_languages(name):
    for place, text in texts_of(TOOLS[name]):
        assert set(text) == {"en", "zh"}, place
        for language, words in text.items():
            assert language_of(re.sub(r"\{\w+\}", "", words), default=language) == language, place


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_examples_and_counter_examples_in_both_languages(name):
    tool = TOOLS[name]
    assert 4 <= len(tool.examples) <= 12
    assert len(tool.counter_examples) >= 3
    for lines in (tool.examples, tool.counter_examples):
        assert {language_of(line) for line in lines} == {"en", "zh"}


def test_no_example_stands_under_two_tools():
    counted = Counter(example for tool in TOOLS.values() for example in tool.examples)
    assert [example for example, count in counted.items() if count > 1] == []


def test_no_counter_example_is_an_example_of_the_same_tool():
    assert [name for name, tool in TOOLS.items() if set(tool.examples) & set(tool.counter_examples)] == []


@pytest.mark.parametrize("name", TOOLS)
def test_what_must_be_given_has_a_question(name):
    tool = TOOLS[name]
    needed = {n for n, p in tool.parameters.items() if p.required} | {n for group in tool.require_one_of for n in group}
    assert [n for n in needed if tool.parameters[n].ask is None] == []


@pytest.mark.parametrize("name", TOOLS)
def test_every_enum_value_has_words_in_both_languages_and_no_word_means_two(name):
    for parameter in TOOLS[name].parameters.values():
        if parameter.enum is None:
            continue
        synonyms = parameter.synonyms or {}
        for value in parameter.enum:
            assert {language_of(word) for word in (value, *synonyms[value])} == {"en", "zh"}
        words = Counter(word for value in parameter.enum for word in (value, *synonyms[value]))
        assert [word for word, count in words.items() if count > 1] == []


def test_ids_in_examples_fit_a_pattern_of_their_tool():
    for tool in TOOLS.values():
        patterns = [p.pattern.strip("^$") for p in tool.parameters.values() if p.pattern]
        for example in tool.examples:
            for found in re.findall(r"\b(?:SO|TK|LL)[-\d]+", example, re.ASCII):
                assert any(re.fullmatch(pattern, found) for pattern in patterns), (tool.name, example)


def test_every_resource_is_covered_and_only_customers_must_prove_it():
    resources = {p.resource for tool in TOOLS.values() for p in tool.parameters.values() if p.resource}
    assert resources == set(POLICIES.ownership) == {"order", "parcel", "phone_tail", "ticket"}
    assert {tuple(proof.roles or ()) for proof in POLICIES.ownership.values()} == {("customer",)}


def test_every_write_waits_for_a_yes_and_every_tool_is_somebodys():
    named: dict[str, set[str]] = {name: set() for name in TOOLS}
    for rule in POLICIES.rules:
        for name, tool in TOOLS.items():
            if name in (rule.body.tools or ()) or set(rule.body.tags or ()) & set(tool.tags):
                named[name].add(rule.effect)
    for name, tool in TOOLS.items():
        wanted = "confirm" if tool.side_effect == "write" else "allow"
        assert named[name] - {"deny"} == {wanted}, name


@pytest.mark.parametrize("name", ["list_abnormal_orders", "notify_assignee"])
def test_staff_tools_are_for_staff_alone(name):
    roles = {
        role
        for rule in POLICIES.rules
        if name in (rule.body.tools or ()) and rule.effect != "deny"
        for role in rule.body.roles
    }
    assert roles == {"support", "supervisor"}


# ------------------------------------------------------------------------------------------------ the labelled cases


def test_there_are_cases_enough_in_both_languages():
    assert len(CASES) >= 120
    spoken = Counter(tag for case in CASES for tag in case.tags if tag in ("zh", "en"))
    assert min(spoken["zh"], spoken["en"]) >= 50
    assert len({case.id for case in CASES}) == len(CASES)


def test_cases_speak_of_callers_tools_and_parameters_that_exist():
    for case in CASES:
        assert case.caller in CALLERS
        for step in case.steps:
            assert set(step.expect.never) <= set(TOOLS)
            assert step.expect.tool is None or step.expect.tool in TOOLS
            assert step.expect.tool not in step.expect.never
            assert set(step.expect.args or {}) <= set(TOOLS[step.expect.tool].parameters if step.expect.tool else ())


def test_expected_arguments_are_valid_for_their_tool():
    for case in CASES:
        for step in case.steps:
            schema = TOOLS[step.expect.tool].schema_object() if step.expect.tool else {}
            partial = {**schema, "required": [], "allOf": []} if schema else {}
            jsonschema.Draft202012Validator({k: v for k, v in partial.items() if v != []}).validate(
                step.expect.args or {}
            )


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_three_cases_that_must_not_call_it_and_one_that_must(name):
    assert sum(name in step.expect.never for case in CASES for step in case.steps) >= 3
    assert any(step.expect.tool == name for case in CASES for step in case.steps)


def test_a_case_that_must_not_call_a_tool_comes_before_the_one_that_must():
    first_wanted = next(i for i, case in enumerate(CASES) if "never" not in case.tags)
    assert all(name in {n for c in CASES[:first_wanted] for s in c.steps for n in s.expect.never} for name in TOOLS)


def test_a_write_is_never_expected_to_run_without_a_yes():
    for case in CASES:
        asked: set[str] = set()
        for step in case.steps:
            tool = TOOLS.get(step.expect.tool or "")
            if tool is not None and tool.side_effect == "write" and step.expect.outcome == "answer":
                assert tool.name in asked, case.id
            if step.expect.outcome == "confirm":
                asked.add(step.expect.tool)


def test_no_case_is_copied_from_the_tools():
    written = {line for tool in TOOLS.values() for line in (*tool.examples, *tool.counter_examples)}
    assert [step.query for case in CASES for step in case.steps if step.query in written] == []
