"""What an eval may touch."""

from __future__ import annotations

from pathlib import Path

from reach.evals import load_cases, run_cases
from reach.evals.sandbox import unmade_writes
from reach.registry import load_registry
from tests.agent import TOOLS, make_agent, tickets_of

PYTHON_WRITE = """
  - name: ring_bell
    description: Ring the bell at the door.
    examples: [ring the bell please]
    side_effect: write
    adapter: {function: "tests.evals.bell:ring"}
    result: {fields: "*"}
"""
POLICIES = """
version: 1
rules:
  - {id: ring, allow: {roles: [customer], tools: [ring_bell]}}
ownership:
  order: {backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND customer_id = :caller_id"}
"""
CASES = """
version: 1
cases:
  - {id: a, caller: li, query: ring the bell please, expect: {outcome: fallback, tool: ring_bell}}
"""


async def test_a_write_to_what_can_not_be_copied_is_not_made(tmp_path: Path) -> None:
    registry = load_registry(make_agent(tmp_path, tools=TOOLS + PYTHON_WRITE, policies=POLICIES))
    assert unmade_writes(registry) == ["ring_bell=error"]
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "callers.yaml").write_text("version: 1\ncallers:\n  li: {id: u1, roles: [customer]}\n")
    (tmp_path / "evals" / "cases.yaml").write_text(CASES)
    from tests.evals import bell

    results = await run_cases(registry, load_cases(tmp_path / "evals", registry.tools))
    assert results[0].passed
    assert bell.RUNG == []
    assert tickets_of(tmp_path) == []
