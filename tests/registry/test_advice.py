"""Advice about valid files."""

import pytest

from reach.registry import lint
from reach.registry.advice import tokens
from tests.registry.small_agent import POLICIES, TOOLS

# ruff: noqa: E501, PLR0917  -- one mistake a line keeps the tables readable


def advice(agent, tools=TOOLS, policies=POLICIES):
    return [
        (a.file.rpartition("/")[2], a.line, a.column, a.path, a.message)
        for a in lint(agent.write(tools, main=policies).load())
    ]


def test_a_careful_agent_gets_no_advice(agent):
    assert advice(agent) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "path", "words"),
    [
        ("    when_not_to_use: Complaints.\n", "", 9, 11, "tools[0].name", "add 'when_not_to_use'"),
        ("    when_to_use: The user complains.\n", "", 25, 11, "tools[1].name", "add 'when_to_use'"),
        ("    examples: [where is my order]\n", "", 9, 11, "tools[0].name", "add 'examples'"),
        ("[it is broken]", "[a, Where is my order]", 29, 19, "tools[1].examples[1]", "'order_status' has the same"),
        (", ask: Which order is it", "", 18, 7, "tools[0].parameters.order_id", "add 'ask'"),
        (", description: Amount", "", 33, 7, "tools[1].parameters.amount", "add 'description'"),
        ("fields: [ticket]", 'fields: "*"', 35, 22, "tools[1].result.fields", "list the fields"),
        ("Status of one order.", "'" + "查询订单" * 200 + "'", 9, 11, "tools[0].name", "tokens"),
        ("  python: {kind: python}\n", "  python: {kind: python}\n  spare: {kind: python}\n", 8, 3, "backends.spare", "nothing uses"),
        (", credential: token", "", 4, 3, "credentials.token", "no backend uses"),
    ],
)  # fmt: skip
def test_advice_about_tools(agent, old, new, line, column, path, words):
    ((file, *place, found, message),) = advice(agent, TOOLS.replace(old, new))
    assert (file, place, found) == ("tools.yaml", [line, column], path)
    assert words in message


@pytest.mark.parametrize(
    ("old", "new", "file", "line", "path", "words"),
    [
        ("tools: [order_status]", "tools: [create_ticket]", "tools.yaml", 9, "tools[0].name", "no rule allows it"),
        ("confirm: {", "allow: {", "tools.yaml", 30, "tools[1].side_effect", "runs without a yes"),
        ("rules:", "  oder: {claim: orders}\nrules:", "main.yaml", 4, "ownership.oder", "is 'order' meant?"),
        ('has(args.amount)"', 'args.amount > 1", tags: [order]', "main.yaml", 8, "rules[1].confirm.when", "ask has(args.amount) first"),
    ],
)  # fmt: skip
def test_advice_about_policies(agent, old, new, file, line, path, words):
    found = [a for a in advice(agent, policies=POLICIES.replace(old, new)) if words in a[4]]
    assert [(a[0], a[1], a[3]) for a in found] == [(file, line, path)]


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abcd", 1), ("abcde", 2), ("订单", 2), ("订单 id", 3)])
def test_tokens_are_estimated_in_both_languages(text, count):
    assert tokens(text) == count
