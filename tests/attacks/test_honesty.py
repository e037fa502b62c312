"""What is said of a write is what is known of it, also where something else failed before or after."""

from __future__ import annotations

import pytest

from reach.errors import BackendRejected, BackendTimeout, BackendUnavailable, CallError, StateError
from tests.executor.conftest import Bench


@pytest.mark.parametrize("later", [BackendUnavailable("down"), BackendRejected("no")])
async def test_what_a_first_attempt_may_have_done_a_later_refusal_does_not_undo(later: CallError) -> None:
    bench = Bench([BackendTimeout("slow"), later, later])
    execution = await bench.run("honoured")
    assert (execution.status, bench.adapter.calls != []) == ("unknown", True)
    assert (await bench.run("honoured", turn="t2")).status == "unknown"


async def test_a_retried_write_that_was_never_applied_is_failed() -> None:
    bench = Bench([BackendUnavailable("down")] * 3)
    assert (await bench.run("honoured")).status == "failed"


@pytest.mark.parametrize(("end", "read_again"), [(BackendTimeout("slow"), True), (BackendUnavailable("down"), False)])
async def test_a_write_that_may_have_happened_makes_older_reads_unreachable(end: CallError, read_again: bool) -> None:
    bench = Bench([[1], end, [2]])
    assert (await bench.run("cached")).payload.data == [1]  # type: ignore[union-attr]
    await bench.run("write")
    execution = await bench.run("cached", turn="t3")
    assert execution.cached is not read_again
    assert execution.payload is not None
    assert execution.payload.data == ([2] if read_again else [1])


async def test_a_store_without_its_values_makes_reads_slower_and_no_write_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench([[1], {"done": 1}, [2]])

    async def refuse(*_args: object, **_options: object) -> None:
        raise StateError("The disk is full.")

    monkeypatch.setattr(bench.state.keyvalue, "get", refuse)
    monkeypatch.setattr(bench.state.keyvalue, "set", refuse)
    assert (await bench.run("cached")).status == "succeeded"
    assert (await bench.run("write")).status == "succeeded"
    assert (await bench.run("cached", turn="t2")).payload.data == [2]  # type: ignore[union-attr]
