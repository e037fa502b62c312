"""FaultyAdapter does exactly what its script says."""

import asyncio
import subprocess
import sys

import pytest

from reach.errors import BackendFailure, BackendTimeout, DeadlineExceeded
from reach.ports import AdapterCall, Deadline
from reach.spec import ToolSpec
from reach.testing import FakeClock, FaultyAdapter, Slow, Step
from reach.testing.contracts import AdapterContract
from reach.types import Caller, Payload


def a_call(clock, tool=None):
    return AdapterCall(
        tool=tool or ToolSpec.model_construct(name="probe"),
        values={},
        caller=Caller("u_1001"),
        deadline=Deadline.after_ms(clock, 1000),
        now=clock.now(),
        today="2026-01-05",
    )


async def test_steps_are_done_in_order_then_the_wrapped_adapter_answers():
    clock = FakeClock()
    inner = FaultyAdapter(script=["inner 1", "inner 2"])
    refusal = BackendTimeout("too slow")
    adapter = FaultyAdapter(inner, [refusal, Step.PASS, Payload(body=b"x"), {"a": 1}, BackendFailure("broken")])
    call = a_call(clock)
    with pytest.raises(BackendTimeout) as caught:
        await adapter.call(call)
    assert caught.value is refusal
    assert await adapter.call(call) == Payload(data="inner 1")
    assert await adapter.call(call) == Payload(body=b"x")
    assert await adapter.call(call) == Payload(data={"a": 1})
    with pytest.raises(BackendFailure):
        await adapter.call(call)
    assert await adapter.call(call) == Payload(data="inner 2")
    assert (len(adapter.calls), len(inner.calls)) == (6, 2)


async def test_one_call_more_than_the_script_is_an_assertion_error():
    with pytest.raises(AssertionError, match="no step for call 1"):
        await FaultyAdapter().call(a_call(FakeClock()))


async def test_a_hang_ends_only_by_cancellation_and_is_counted():
    adapter = FaultyAdapter(script=[Step.HANG])
    task = asyncio.ensure_future(adapter.call(a_call(FakeClock())))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    await asyncio.wait({task})
    assert (task.cancelled(), adapter.cancelled) == (True, 1)


async def test_a_slow_step_takes_its_time_on_the_calls_clock():
    clock = FakeClock(auto_advance=True)
    adapter = FaultyAdapter(script=[Slow(5, "late"), Slow(1, BackendFailure("late and broken"))])
    assert await adapter.call(a_call(clock)) == Payload(data="late")
    assert clock.monotonic() == 5
    with pytest.raises(BackendFailure):
        await adapter.call(a_call(clock))


async def test_close_reaches_the_wrapped_adapter():
    inner = FaultyAdapter()
    adapter = FaultyAdapter(inner)
    await adapter.close()
    assert (adapter.closed, inner.closed) == (1, 1)


class Careful(FaultyAdapter):
    """What an adapter must be: it answers by the call's tool and heeds the deadline."""

    async def call(self, call):
        if call.deadline.remaining_s() <= 0:
            raise DeadlineExceeded("No time was left.")
        return await super().call(call)

    async def _do(self, step, call):
        steps = {"works": Payload(data=1), "fails": BackendFailure("broken"), "hangs": Step.HANG}
        return await super()._do(steps[call.tool.name], call)


class TestAdapterContractOnAFake(AdapterContract):
    async def make(self):
        return Careful()

    def named(self, name):
        return a_call(self.clock, ToolSpec.model_construct(name=name))

    def working_call(self):
        return self.named("works")

    def failing_call(self):
        return self.named("fails")

    def hanging_call(self):
        return self.named("hangs")


def test_the_contracts_and_fakes_are_imported_without_pytest():
    code = "import sys, reach.testing, reach.testing.contracts; print('pytest' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
