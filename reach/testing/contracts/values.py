"""The suites of `reach.ports.KeyValue` and `reach.ports.Counter`.

Rule: what is promised is tested through the port alone.
"""
# ruff: noqa: D102, S101  -- a test's name is its claim, and these are pytest's asserts

from __future__ import annotations

import asyncio

from reach.ports import Counter, KeyValue
from reach.testing.contracts.base import Contract


class KeyValueContract(Contract[KeyValue]):
    """`reach.ports.KeyValue`."""

    async def test_what_was_set_is_read_back_exactly(self) -> None:
        async with self.made() as store:
            for key, value in (("a", b""), ("键:会话", bytes(range(256))), ("a b/c", b"x" * 100_000)):
                await store.set(key, value, ttl_s=60)
                assert await store.get(key) == value

    async def test_nothing_is_there_at_first(self) -> None:
        async with self.made() as store:
            assert await store.get("a") is None
            assert await store.take("a") is None
            await store.delete("a")

    async def test_a_value_ends_with_its_time_to_live(self) -> None:
        async with self.made() as store:
            await store.set("a", b"1", ttl_s=2)
            await store.set("b", b"2", ttl_s=2)
            await self.elapse(2 - 2 * self.tick_s)
            assert await store.get("a") == b"1"
            await self.elapse(3 * self.tick_s)
            assert await store.get("a") is None
            assert await store.take("b") is None

    async def test_setting_again_replaces_value_and_time_to_live(self) -> None:
        async with self.made() as store:
            await store.set("a", b"1", ttl_s=1)
            await store.set("a", b"2", ttl_s=3)
            await self.elapse(2)
            assert await store.get("a") == b"2"

    async def test_of_many_takers_one_gets_it(self) -> None:
        async with self.made() as store:
            await store.set("a", b"once", ttl_s=60)
            taken = await asyncio.gather(*(store.take("a") for _ in range(50)))
            assert sorted(taken, key=str) == sorted([b"once", *[None] * 49], key=str)
            assert await store.get("a") is None

    async def test_delete_removes_one_key(self) -> None:
        async with self.made() as store:
            await store.set("a", b"1", ttl_s=60)
            await store.set("b", b"2", ttl_s=60)
            await store.delete("a")
            assert (await store.get("a"), await store.get("b")) == (None, b"2")


class CounterContract(Contract[Counter]):
    """`reach.ports.Counter`."""

    async def test_the_limit_is_granted_and_no_more(self) -> None:
        async with self.made() as counter:
            waits = [await counter.acquire("a", limit=3, window_s=60) for _ in range(4)]
            assert waits[:3] == [0.0, 0.0, 0.0]
            assert 0 < waits[3] <= 20.01

    async def test_of_many_at_once_the_limit_is_granted(self) -> None:
        async with self.made() as counter:
            waits = await asyncio.gather(*(counter.acquire("a", limit=5, window_s=600) for _ in range(40)))
            assert waits.count(0.0) == 5

    async def test_waiting_as_long_as_it_says_is_enough(self) -> None:
        async with self.made() as counter:
            for limit, window_s in ((1, 0.5), (7, 1.0), (1000, 3.0)):
                key = f"a{limit}"
                while (wait_s := await counter.acquire(key, limit=limit, window_s=window_s)) == 0.0:
                    pass
                await self.elapse(wait_s)
                assert await counter.acquire(key, limit=limit, window_s=window_s) == 0.0

    async def test_a_refusal_takes_nothing(self) -> None:
        async with self.made() as counter:
            await counter.acquire("a", limit=1, window_s=1)
            for _ in range(20):
                assert await counter.acquire("a", limit=1, window_s=1) > 0.0
            await self.elapse(1.01)
            assert await counter.acquire("a", limit=1, window_s=1) == 0.0

    async def test_a_long_rest_saves_up_no_more_than_the_limit(self) -> None:
        async with self.made() as counter:
            await counter.acquire("a", limit=2, window_s=2)
            await self.elapse(5)
            waits = [await counter.acquire("a", limit=2, window_s=2) for _ in range(3)]
            assert [wait_s == 0.0 for wait_s in waits] == [True, True, False]

    async def test_keys_do_not_touch_each_other(self) -> None:
        async with self.made() as counter:
            assert await counter.acquire("张三", limit=1, window_s=60) == 0.0
            assert await counter.acquire("李四", limit=1, window_s=60) == 0.0
