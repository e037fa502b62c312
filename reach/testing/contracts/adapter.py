"""The suite of `reach.ports.Adapter`.

Rule: what is promised is tested through the port alone.
"""
# ruff: noqa: D102, S101  -- a test's name is its claim, and these are pytest's asserts

from __future__ import annotations

import asyncio
from abc import abstractmethod
from dataclasses import replace

from reach.errors import CallError
from reach.ports import Adapter, AdapterCall, Deadline
from reach.testing.contracts.base import Contract, raised_by


class AdapterContract(Contract[Adapter]):
    """`reach.ports.Adapter`. Besides `make`, say what a call that works and one that fails look like."""

    @abstractmethod
    def working_call(self) -> AdapterCall:
        """A call that the backend answers, with time left."""

    @abstractmethod
    def failing_call(self) -> AdapterCall:
        """A call that the backend refuses, breaks on, or cannot be reached for."""

    def hanging_call(self) -> AdapterCall | None:
        """A call that would not be answered for long; None where there is none to be had."""
        return None

    async def test_a_working_call_returns_data_or_body(self) -> None:
        async with self.made() as adapter:
            payload = await adapter.call(self.working_call())
            assert payload.data is not None or payload.body is not None

    async def test_every_failure_is_a_call_error(self) -> None:
        async with self.made() as adapter:
            raised = await raised_by(adapter.call(self.failing_call()))
            assert raised is not None
            assert issubclass(raised, CallError)

    async def test_a_call_without_time_left_is_a_call_error(self) -> None:
        async with self.made() as adapter:
            call = self.working_call()
            over = Deadline(call.deadline.clock.monotonic(), call.deadline.clock)
            raised = await raised_by(adapter.call(replace(call, deadline=over)))
            assert raised is not None
            assert issubclass(raised, CallError)

    async def test_a_failure_leaves_the_adapter_usable(self) -> None:
        async with self.made() as adapter:
            await raised_by(adapter.call(self.failing_call()))
            payload = await adapter.call(self.working_call())
            assert payload.data is not None or payload.body is not None

    async def test_a_cancelled_call_ends_as_cancelled(self) -> None:
        call = self.hanging_call()
        if call is None:
            return
        async with self.made() as adapter:
            task = asyncio.ensure_future(adapter.call(call))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()

    async def test_closing_twice_is_harmless(self) -> None:
        async with self.made() as adapter:
            await adapter.call(self.working_call())
            await adapter.close()
            await adapter.close()
