"""The suite of `reach.ports.Ledger`.

Rule: what is promised is tested through the port alone.
"""
# ruff: noqa: D102, S101  -- a test's name is its claim, and these are pytest's asserts

from __future__ import annotations

import asyncio

from reach.ports import Ledger, LedgerRow
from reach.testing.contracts.base import Contract

_WINDOW_S = 10.0
_LEASE_S = 30.0


class LedgerContract(Contract[Ledger]):
    """`reach.ports.Ledger`."""

    async def test_a_new_key_is_claimed(self) -> None:
        async with self.made() as ledger:
            row, mine = await _begin(ledger, "k1")
            assert mine
            assert row == LedgerRow("k1", "scope", "print", "begun", "fence-k1", 1000.0, 1000.0 + _LEASE_S, b"")

    async def test_the_same_key_is_claimed_once(self) -> None:
        async with self.made() as ledger:
            first, _ = await _begin(ledger, "k1")
            standing, mine = await _begin(ledger, "k1", fence="other", now=1001.0)
            assert (standing, mine) == (first, False)

    async def test_of_many_at_once_one_claims(self) -> None:
        async with self.made() as ledger:
            claims = await asyncio.gather(*(_begin(ledger, "k1", fence=f"fence-{i}") for i in range(50)))
            winners = [row.fence for row, mine in claims if mine]
            assert len(winners) == 1
            assert {row.fence for row, _ in claims} == set(winners)

    async def test_of_many_keys_of_one_scope_at_once_one_claims(self) -> None:
        async with self.made() as ledger:
            claims = await asyncio.gather(*(_begin(ledger, f"k{i}") for i in range(50)))
            assert sum(mine for _, mine in claims) == 1

    async def test_finish_stores_how_it_ended(self) -> None:
        async with self.made() as ledger:
            for status in ("succeeded", "failed", "unknown"):
                await _begin(ledger, status, scope=status)
                assert await ledger.finish(
                    status, fence=f"fence-{status}", status=status, result=b"\x00\xff" + status.encode()
                )
                row = await ledger.find(status, "elsewhere", now=1001.0, dedupe_window_s=0)
                assert row is not None
                assert (row.status, row.result) == (status, b"\x00\xff" + status.encode())

    async def test_only_the_holder_of_the_fence_finishes(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            assert not await ledger.finish("k1", fence="fence-other", status="succeeded", result=b"forged")
            assert await _status(ledger, "k1") == "begun"
            assert not await ledger.finish("k2", fence="fence-k1", status="succeeded", result=b"")

    async def test_what_has_ended_stays_as_it_is(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            assert await ledger.finish("k1", fence="fence-k1", status="failed", result=b"first")
            assert not await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"second")
            row = await ledger.find("k1", "scope", now=1001.0, dedupe_window_s=_WINDOW_S)
            assert row is not None
            assert (row.status, row.result) == ("failed", b"first")

    async def test_a_claim_becomes_unknown_when_its_lease_has_passed(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            assert await _status(ledger, "k1", now=1000.0 + _LEASE_S - 1) == "begun"
            row, mine = await _begin(ledger, "k1", fence="other", now=1000.0 + _LEASE_S)
            assert (row.status, row.fence, mine) == ("unknown", "fence-k1", False)
            assert not await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"late")

    async def test_find_makes_a_passed_lease_unknown_for_good(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            assert await _status(ledger, "k1", now=1000.0 + _LEASE_S) == "unknown"
            assert await _status(ledger, "k1", now=1000.0) == "unknown"
            assert not await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"late")

    async def test_a_late_finish_counts_where_nobody_has_looked(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            assert await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"late")
            assert await _status(ledger, "k1", now=1000.0 + 2 * _LEASE_S) == "succeeded"

    async def test_a_begun_row_of_the_scope_stands_in_the_way(self) -> None:
        async with self.made() as ledger:
            first, _ = await _begin(ledger, "k1")
            assert await _begin(ledger, "k2", now=1000.0 + _WINDOW_S + 1) == (first, False)

    async def test_an_unknown_row_of_the_scope_always_stands_in_the_way(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            await ledger.finish("k1", fence="fence-k1", status="unknown", result=b"")
            row, mine = await _begin(ledger, "k2", now=1000.0 + 1e6)
            assert (row.key, row.status, mine) == ("k1", "unknown", False)

    async def test_a_lease_that_passed_in_the_scope_stands_in_the_way_as_unknown(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            row, mine = await _begin(ledger, "k2", now=1000.0 + 1e6)
            assert (row.key, row.status, mine) == ("k1", "unknown", False)

    async def test_a_succeeded_row_of_the_scope_stands_in_the_way_within_the_window_only(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"done")
            row, mine = await _begin(ledger, "k2", now=1000.0 + _WINDOW_S - 0.5)
            assert (row.key, row.result, mine) == ("k1", b"done", False)
            _, mine = await _begin(ledger, "k3", now=1000.0 + _WINDOW_S)
            assert mine

    async def test_a_succeeded_row_answers_for_its_own_key_after_the_window(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            await ledger.finish("k1", fence="fence-k1", status="succeeded", result=b"done")
            row, mine = await _begin(ledger, "k1", fence="other", now=1000.0 + 100 * _WINDOW_S)
            assert (row.result, mine) == (b"done", False)

    async def test_a_failed_row_stands_in_the_way_of_its_own_key_only(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1")
            await ledger.finish("k1", fence="fence-k1", status="failed", result=b"no")
            row, mine = await _begin(ledger, "k1", fence="other", now=1001.0)
            assert (row.status, mine) == ("failed", False)
            _, mine = await _begin(ledger, "k2", now=1001.0)
            assert mine

    async def test_scopes_do_not_touch_each_other(self) -> None:
        async with self.made() as ledger:
            await _begin(ledger, "k1", scope="一")
            _, mine = await _begin(ledger, "k2", scope="二")
            assert mine

    async def test_find_names_what_begin_would_meet_and_claims_nothing(self) -> None:
        async with self.made() as ledger:
            assert await ledger.find("k1", "scope", now=1000.0, dedupe_window_s=_WINDOW_S) is None
            first, mine = await _begin(ledger, "k1")
            assert mine
            assert await ledger.find("k2", "scope", now=1001.0, dedupe_window_s=_WINDOW_S) == first
            assert await ledger.find("k2", "other", now=1001.0, dedupe_window_s=_WINDOW_S) is None


async def _begin(
    ledger: Ledger, key: str, *, scope: str = "scope", fence: str = "", now: float = 1000.0
) -> tuple[LedgerRow, bool]:
    fence = fence or f"fence-{key}"
    return await ledger.begin(key, scope, "print", fence=fence, now=now, lease_s=_LEASE_S, dedupe_window_s=_WINDOW_S)


async def _status(ledger: Ledger, key: str, *, now: float = 1001.0) -> str:
    row = await ledger.find(key, "scope", now=now, dedupe_window_s=_WINDOW_S)
    assert row is not None
    return row.status
