"""Tools that the tests of filling share."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from reach.router.fill import fill
from reach.spec import ToolSpec
from reach.types import Arguments, Caller

NOW = datetime(2026, 11, 30, 15, 0, tzinfo=ZoneInfo("Asia/Shanghai"))
"""A Monday."""
CALLER = Caller("u1", ["customer"], claims={"email": "me@example.com", "tails": ["1234", "8888"], "level": 3})


def make_tool(parameters: dict[str, Any], **more: Any) -> ToolSpec:
    """A read tool with these parameters."""
    return ToolSpec.model_validate(
        {
            "name": "tool",
            "description": "A tool.",
            "side_effect": "read_only",
            "adapter": {"function": "none:none"},
            "result": {"fields": "*"},
            "parameters": parameters,
            **more,
        }
    )


ORDER = make_tool(
    {
        "order_id": {
            "required": False,
            "pattern": r"^SO-\d{4}-\d{5}$",
            "description": {"en": "Order number", "zh": "订单号"},
        },
        "phone_tail": {
            "required": False,
            "pattern": r"^\d{4}$",
            "description": {"en": "Last four digits of the phone", "zh": "手机尾号"},
        },
    },
    require_one_of=[["order_id", "phone_tail"]],
)
PERIOD = make_tool(
    {
        "from_date": {"format": "date", "period": "start"},
        "to_date": {"format": "date", "period": "end"},
        "kind": {
            "required": False,
            "enum": ["late", "lost", "damaged"],
            "synonyms": {"late": ["延误", "迟到"], "lost": ["丢件"], "damaged": ["破损"]},
        },
        "limit": {"type": "integer", "default": 20, "minimum": 1, "maximum": 100},
    }
)
TICKET = make_tool(
    {
        "subject": {"description": {"en": "subject", "zh": "标题"}},
        "reason": {"required": False, "description": {"en": "why", "zh": "原因"}},
        "quantity": {"type": "integer", "minimum": 1, "maximum": 10, "unit": "件"},
        "duration": {"type": "integer", "required": False, "unit": "minutes"},
        "urgent": {"type": "boolean", "required": False, "description": {"en": "Urgent", "zh": "是否加急"}},
        "email": {"format": "email", "claim": "email"},
        "assignee": {"required": False, "values": {"list": ["张伟", "李娜", "Alex Chen", "Alex Wong"]}},
        "when": {"format": "date-time", "required": False},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["vip", "fragile"]}, "required": False},
    }
)


def read(tool: ToolSpec, query: str, **more: Any) -> Arguments:
    """`fill` at NOW for CALLER."""
    return fill(tool, query, now=NOW, caller=CALLER, **more)


def values(tool: ToolSpec, query: str, **more: Any) -> dict[str, Any]:
    """What the user's words gave."""
    found = read(tool, query, **more)
    return {n: v for n, v in found.values.items() if found.provenance[n].source == "user"}
