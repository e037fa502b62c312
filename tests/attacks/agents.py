"""Agents for the attacks: the small shop on files, and tools that are functions of `hands`."""

from __future__ import annotations

from pathlib import Path

from tests.agent import POLICIES, TOOLS, make_agent

ON_FILES = TOOLS.replace('state: "memory://"', 'state: "sqlite:///state.db"').replace(
    'blobs: "memory://"', 'blobs: "file://blobs"'
)

HANDS_TOOLS = """
version: 1
runtime: {state: "sqlite:///state.db", artifacts: {blobs: "file://blobs"}, deadline_ms: 5000}
tools:
  - name: strike
    title: {en: Strike}
    description: Strike an order by its number.
    examples: [strike SO-0001, please strike order SO-0002]
    side_effect: write
    timeout_ms: 4000
    parameters:
      order_id: {type: string, pattern: '^SO-\\d{4}$'}
      how: {type: string, default: well, enum: [well, dies_before, dies_after, hangs, slow]}
    adapter: {function: "tests.attacks.hands:strike"}
    result: {fields: [done], say: "Struck {done}."}
  - name: deaf
    description: Waits.
    side_effect: read_only
    timeout_ms: 4000
    retry: {attempts: 1}
    parameters: {seconds: {type: number}}
    adapter: {function: "tests.attacks.hands:deaf"}
    result: {fields: "*"}
"""

HANDS_POLICIES = """
version: 1
rules:
  - {id: customers, allow: {roles: [customer], tools: [strike, deaf]}}
"""

HANDS_CONFIRMED = HANDS_POLICIES.replace("[strike, deaf]", "[deaf]") + (
    "  - {id: yes-first, confirm: {roles: [customer], tools: [strike]}}\n"
)


def shop(folder: Path, *, rows: int = 0, tools: str = ON_FILES, policies: str = POLICIES) -> Path:
    """The shop agent with its state and artifacts on files."""
    return make_agent(folder, rows=rows, tools=tools, policies=policies)


def hands(folder: Path, *, tools: str = HANDS_TOOLS, policies: str = HANDS_POLICIES) -> Path:
    """An agent whose tools are the functions of `hands`."""
    return make_agent(folder, tools=tools, policies=policies)
