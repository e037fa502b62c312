"""A small valid agent that the tests break in one place at a time."""

from pathlib import Path

import pytest

from reach.errors import ConfigError
from reach.registry import load_registry

TOOLS = """\
version: 1
runtime: {threshold: 0.5}
credentials:
  token: {kind: password, env: SHOP_TOKEN}
backends:
  shop: {kind: sql, url: "sqlite:///shop.db", credential: token}
  python: {kind: python}
tools:
  - name: order_status
    description: Status of one order.
    when_to_use: The user asks how an order is going.
    when_not_to_use: Complaints.
    examples: [where is my order]
    tags: [order]
    side_effect: read_only
    timeout_ms: 3000
    parameters:
      order_id: {type: string, pattern: '^SO-.*$', resource: order, description: Order number, ask: Which order is it}
      since: {type: string, required: false, format: date, period: start, description: First day}
    adapter: {backend: shop, statement: "SELECT status FROM orders WHERE id = :order_id AND day > :since"}
    rate_limit: {per_caller: 30/minute}
    preconditions:
      - {id: open, backend: shop, sql: "SELECT 1 FROM orders WHERE id = :order_id", reason: Closed.}
    result: {fields: [status], say: "{status}"}
  - name: create_ticket
    description: {en: Open a ticket., zh: 创建工单。}
    when_to_use: The user complains.
    when_not_to_use: Questions.
    examples: [it is broken]
    side_effect: write
    parameters:
      topic: {enum: [broken, late], synonyms: {broken: [坏了]}, description: Topic, ask: What is it about}
      amount: {type: integer, required: false, minimum: 1, description: Amount}
    adapter: {function: "shop.tools:create"}
    result: {fields: [ticket]}
"""

POLICIES = """\
version: 1
ownership:
  order: {backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND owner = :caller_id"}
rules:
  - id: see
    allow: {roles: [customer], tools: [order_status]}
  - id: ask
    confirm: {roles: [customer], tools: [create_ticket], when: "args.topic == 'late' || has(args.amount)"}
  - id: no-plants
    deny: {tags: [order], when: "provenance.order_id == 'result'"}
"""


class Agent:
    """A folder with tools.yaml and policies/."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tools = root / "tools.yaml"
        self.policies = root / "policies"

    def write(self, tools: str = TOOLS, **policies: str):
        self.tools.write_text(tools, encoding="utf-8")
        self.policies.mkdir(exist_ok=True)
        for name, text in (policies or {"main": POLICIES}).items():
            (self.policies / f"{name}.yaml").write_text(text, encoding="utf-8")
        return self

    def load(self, **environ: str):
        return load_registry(self.tools, environ=environ)

    def problems(self, **environ: str):
        with pytest.raises(ConfigError) as caught:
            self.load(**environ)
        return caught.value.problems
