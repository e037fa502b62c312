"""A small agent over a small database, for tests of the whole runtime."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from textwrap import dedent

from reach.types import Caller

LI = Caller("u1", roles={"customer"}, claims={"locale": "zh-CN", "zoneinfo": "Asia/Shanghai"})
EMMA = Caller("u2", roles={"customer"})
STAFF = Caller("s1", roles={"support"})

TOOLS = r"""
version: 1
runtime: {state: "memory://", artifacts: {blobs: "memory://"}, deadline_ms: 5000, timezone: Asia/Shanghai}
backends:
  shop: {kind: sql, url: "sqlite:///shop.db"}
tools:
  - name: order_status
    title: {en: Order status, zh: 订单状态}
    description: {en: Status of one order by its order number., zh: 按订单号查询一个订单的状态。}
    when_to_use:
      en: The user asks how an order is going or whether it has shipped.
      zh: 用户问订单怎么样了、到哪了、发货了没有。
    when_not_to_use: The user wants to open a ticket about something broken.
    examples: [我的订单到哪了, 那个单子怎么样了, has my order shipped yet, where is order SO-0001]
    side_effect: read_only
    parameters:
      order_id:
        type: string
        pattern: '^SO-\d{4}$'
        resource: order
        title: {en: order number, zh: 订单号}
        ask: {en: "Which order number is it?", zh: "请问订单号是多少？"}
    adapter:
      backend: shop
      statement: SELECT id AS order_id, status, phone FROM orders WHERE id = :order_id AND customer_id = :caller_id
      returns: row
    result:
      fields: [order_id, status, phone]
      redact: [phone]
      say: {en: "Order {order_id} is {status}.", zh: "订单 {order_id}：{status}。"}
      empty: {en: "There is no such order.", zh: "没有这个订单。"}
  - name: order_archive
    title: {en: All orders, zh: 全部订单}
    description: {en: Every order of the shop for support staff., zh: 客服查看全店的订单。}
    examples: [list every order of the shop, 列出全店订单]
    side_effect: read_only
    parameters: {}
    adapter: {backend: shop, statement: "SELECT id AS order_id, status, amount, note FROM orders ORDER BY id"}
    result: {fields: [order_id, status, amount, note], list: {stats: [amount]}}
  - name: open_ticket
    title: {en: Open a ticket, zh: 新建工单}
    description: {en: Open a repair ticket about an order that has something broken., zh: 为有问题的订单新建报修工单。}
    when_to_use:
      en: Something of an order is broken and the user wants it repaired.
      zh: 商品坏了，用户要报修、开工单。
    examples: [我要报修, 帮我开个工单, open a ticket for my order please, it is broken]
    side_effect: write
    timeout_ms: 500
    parameters:
      order_id:
        type: string
        pattern: '^SO-\d{4}$'
        resource: order
        title: {en: order number, zh: 订单号}
        ask: {en: "Which order is it about?", zh: "是哪个订单号？"}
    preconditions:
      - id: shipped
        backend: shop
        sql: SELECT 1 FROM orders WHERE id = :order_id AND status = 'shipped'
        reason: {en: "the order has not shipped.", zh: "订单还没有发货。"}
    adapter:
      backend: shop
      statements:
        - sql: INSERT INTO tickets (order_id, key) VALUES (:order_id, :idempotency_key)
          expect_rows: 1
        - sql: SELECT id AS ticket, order_id FROM tickets WHERE key = :idempotency_key
      returns: row
    result: {fields: [ticket, order_id], say: {en: "Ticket {ticket} is open.", zh: "工单 {ticket} 已创建。"}}
"""

POLICIES = """
version: 1
ownership:
  order: {backend: shop, sql: "SELECT 1 FROM orders WHERE id = :value AND customer_id = :caller_id", roles: [customer]}
rules:
  - {id: customers-see, allow: {roles: [customer], tools: [order_status]}}
  - {id: customers-say-yes, confirm: {roles: [customer], tools: [open_ticket]}}
  - {id: staff-see, allow: {roles: [support], tools: [order_archive]}}
"""

ORDERS = [("SO-0001", "u1", "shipped"), ("SO-0002", "u1", "new"), ("SO-0009", "u2", "shipped")]


def make_agent(folder: Path, *, rows: int = 0, tools: str = TOOLS, policies: str = POLICIES) -> Path:
    """Write the agent and its database into `folder`, with `rows` more orders of nobody, and return tools.yaml."""
    (folder / "policies").mkdir(parents=True, exist_ok=True)
    (folder / "tools.yaml").write_text(dedent(tools), "utf-8")
    (folder / "policies" / "all.yaml").write_text(dedent(policies), "utf-8")
    with closing(sqlite3.connect(folder / "shop.db")) as db:
        db.executescript("""
            CREATE TABLE orders
                (id TEXT PRIMARY KEY, customer_id TEXT, status TEXT, phone TEXT, amount REAL, note TEXT);
            CREATE TABLE tickets (id INTEGER PRIMARY KEY, order_id TEXT, key TEXT UNIQUE);
        """)
        db.executemany("INSERT INTO orders VALUES (?, ?, ?, '13800008816', 1.5, '好😀')", ORDERS)
        many = [(f"SO-{i:05}", "nobody", "new", "", float(i), "说明😀" * 10) for i in range(rows)]
        db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", many)
        db.commit()
    return folder / "tools.yaml"


def tickets_of(folder: Path) -> list[str]:
    """The orders that have a ticket, one entry a ticket."""
    with closing(sqlite3.connect(folder / "shop.db")) as db:
        return [row[0] for row in db.execute("SELECT order_id FROM tickets ORDER BY id")]
