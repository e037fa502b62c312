"""The registry: all files together, their versions, and what the environment overrides."""

import hashlib

import pytest

from reach.errors import ConfigError
from reach.registry import load_registry
from tests.registry.small_agent import POLICIES, TOOLS

MORE = """\
version: 1
rules:
  - {id: staff, allow: {roles: [support], tools: [order_status]}}
"""


def test_a_valid_agent_loads(agent):
    registry = agent.write().load()
    assert list(registry.tools) == ["order_status", "create_ticket"]
    assert registry.spec.runtime.threshold == 0.5
    assert [rule.id for rule in registry.policies.rules] == ["see", "ask", "no-plants"]
    assert set(registry.policies.ownership) == {"order"}
    assert registry.root == agent.root


def test_a_card_speaks_english_and_has_every_example(agent):
    card = agent.write().load().cards["create_ticket"]
    assert card.description == "Open a ticket."
    assert card.examples == ("it is broken",)
    assert card.side_effect == "write"
    assert card.parameters["properties"]["topic"] == {
        "type": "string",
        "description": "Topic",
        "enum": ["broken", "late"],
    }
    assert card.as_openai()["function"]["name"] == "create_ticket"


def test_the_version_is_that_of_the_bytes(agent):
    first = agent.write().load()
    assert first.version == hashlib.sha256(TOOLS.encode()).hexdigest()[:12]
    assert first.policy_version == hashlib.sha256(POLICIES.encode()).hexdigest()[:12]
    second = agent.write(main=POLICIES + "# a remark\n").load()
    assert second.version == first.version
    assert second.policy_version != first.policy_version


def test_policy_files_are_merged_in_the_order_of_their_names(agent):
    registry = agent.write(main=POLICIES, extra=MORE).load()
    assert [rule.id for rule in registry.policies.rules] == ["staff", "see", "ask", "no-plants"]


def test_one_policy_file_may_be_named(agent, tmp_path):
    agent.write()
    other = tmp_path / "other.yaml"
    other.write_text(POLICIES.replace("id: see", "id: other"))
    registry = load_registry(agent.tools, other, environ={})
    assert registry.policies.rules[0].id == "other"


def test_tools_in_json_are_tools(agent, tmp_path):
    import json

    from reach.registry import parse

    agent.write()
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(parse(TOOLS, "t.yaml").data))
    assert list(load_registry(path, environ={}).tools) == ["order_status", "create_ticket"]


def test_problems_of_all_files_come_at_once(agent):
    tools = TOOLS.replace("resource: order", "resource: parcel").replace("Complaints.", "7")
    policies = POLICIES.replace("tools: [order_status]", "tools: [orders]").replace("id: ask", "idd: ask")
    problems = agent.write(tools, main=policies).problems()
    assert [(p.file.rpartition("/")[2], p.line, p.message) for p in problems] == [
        ("tools.yaml", 12, "expected text or a mapping with en and zh, got the number 7"),
        ("main.yaml", 6, "unknown tool 'orders'"),
        ("main.yaml", 7, "the key 'id' is missing"),
        ("main.yaml", 7, "unknown key 'idd'"),
    ]


def test_a_broken_tool_does_not_hide_another_ones_missing_proof(agent):
    tools = TOOLS.replace("resource: order", "resource: parcel").replace("Open a ticket.", "7")
    messages = [p.message for p in agent.write(tools).problems()]
    assert messages == ["no policy says how a 'parcel' is proved to be the caller's", "expected text, got the number 7"]


def test_a_policy_file_that_can_not_be_read_raises_no_false_alarm(agent):
    problems = agent.write(main="a: [").problems()
    assert [p.file.rpartition("/")[2] for p in problems] == ["main.yaml"]


def test_a_resource_is_uncovered_without_policies(agent, tmp_path):
    agent.write()
    for file in agent.policies.iterdir():
        file.unlink()
    agent.policies.rmdir()
    assert [(p.line, p.path) for p in agent.problems()] == [(18, "tools[0].parameters.order_id.resource")]


def test_a_policy_folder_that_is_named_must_be_there(agent, tmp_path):
    agent.write()
    with pytest.raises(ConfigError, match="there is no such file"):
        load_registry(agent.tools, tmp_path / "none", environ={})


def test_an_ownership_entry_in_two_files_names_both_places(agent):
    extra = "version: 1\nownership:\n  order: {claim: orders}\n"
    (problem,) = agent.write(main=POLICIES, second=extra).problems()
    assert (problem.file, problem.line, problem.column) == (str(agent.policies / "second.yaml"), 3, 3)
    assert (
        problem.message
        == f"the ownership of 'order' is here a second time; the first is at {agent.policies}/main.yaml:3:3"
    )


def test_files_that_are_no_policies_are_left_alone(agent):
    agent.write()
    (agent.policies / "README.md").write_text("# not yaml: [")
    (agent.policies / ".hidden.yaml").write_text("x: [")
    assert len(agent.load().policies.rules) == 3


@pytest.mark.parametrize(
    ("variable", "text", "setting", "value"),
    [
        ("REACH_THRESHOLD", "0.6", "threshold", 0.6),
        ("REACH_THRESHOLD", "1", "threshold", 1.0),
        ("REACH_DEADLINE_MS", "1500", "deadline_ms", 1500),
        ("REACH_MODEL", "openai:gpt", "model", "openai:gpt"),
        ("REACH_MODEL", "null", "model", None),
        ("REACH_STATE", "memory://", "state", "memory://"),
        ("REACH_TIMEZONE", "Asia/Shanghai", "timezone", "Asia/Shanghai"),
        ("REACH_LANGUAGE", "zh", "language", "zh"),
        ("REACH_THRESHOLD", "", "threshold", 0.5),
    ],
)
def test_the_environment_overrides_a_setting(agent, variable, text, setting, value):
    assert getattr(agent.write().load(**{variable: text}).spec.runtime, setting) == value


def test_the_environment_reaches_nested_settings(agent):
    artifacts = agent.write().load(REACH_ARTIFACTS_TTL_S="60", REACH_ARTIFACTS_BLOBS="memory://").spec.runtime.artifacts
    assert (artifacts.ttl_s, artifacts.blobs) == (60, "memory://")


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("REACH_THRESHOLD", "5", "environment: REACH_THRESHOLD: must be at most 1, got 5"),
        ("REACH_THRESHOLD", "high", "environment: REACH_THRESHOLD: expected a number, got 'high'"),
        ("REACH_DEADLINE_MS", "1.5", "environment: REACH_DEADLINE_MS: expected a whole number, got the number 1.5"),
        ("REACH_LANGUAGE", "fr", "environment: REACH_LANGUAGE: expected one of en, zh, got 'fr'"),
        (
            "REACH_TIMEZONE",
            "Mars",
            "environment: REACH_TIMEZONE: 'Mars' is not an IANA time zone",
        ),
        ("REACH_DEADLINE_MS", "1e999", "environment: REACH_DEADLINE_MS: the number is too large"),
    ],
)
def test_a_bad_variable_is_named(agent, variable, text, words):
    (problem,) = agent.write().problems(**{variable: text})
    assert str(problem).startswith(words)
