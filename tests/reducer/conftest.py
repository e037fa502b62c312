"""What the reducer's tests share: a tool by its `result`, a warehouse that remembers, one call of the reducer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from reach.errors import StateError
from reach.ports import Deadline
from reach.reducer import Reducer
from reach.spec import ToolSpec
from reach.testing.clock import FakeClock
from reach.types import Caller, Envelope, Payload


class Shelf:
    """A warehouse in a dict. `broken` makes it raise, `hanging` never return."""

    def __init__(self, *, broken: Exception | None = None, hanging: bool = False) -> None:
        self.saved: dict[str, dict[str, Any]] = {}
        self.broken = broken
        self.hanging = hanging

    async def save(self, body: bytes, **how: Any) -> str:
        if self.hanging:
            await asyncio.Event().wait()
        if self.broken is not None:
            raise self.broken
        ref = f"art_{len(self.saved)}"
        self.saved[ref] = {"body": body, **how}
        return ref


def tool_of(**result: Any) -> ToolSpec:
    changes = result.pop("tool", {})
    return ToolSpec.model_validate(
        {
            "name": "list_orders",
            "description": "Orders.",
            "side_effect": "read_only",
            "adapter": {"function": "shop:orders"},
            "result": {"fields": "*", **result},
            **changes,
        }
    )


async def reduce_with(
    warehouse: Shelf | None, tool: ToolSpec, payload: Payload, *, budget_ms: float = 8000, language: str = "en"
) -> Envelope:
    deadline = Deadline.after_ms(FakeClock(), budget_ms)
    return await Reducer(warehouse).reduce(
        tool, payload, caller=Caller("u_1"), session="s_1", language=language, deadline=deadline
    )


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def broken_shelf() -> Shelf:
    return Shelf(broken=StateError("The disk is away."))


@pytest.fixture
def hanging_shelf() -> Shelf:
    return Shelf(hanging=True)


@pytest.fixture
def make_tool() -> Callable[..., ToolSpec]:
    return tool_of


@pytest.fixture
def reduce() -> Callable[..., Awaitable[Envelope]]:
    return reduce_with
