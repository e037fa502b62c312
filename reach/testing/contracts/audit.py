"""The suite of `reach.ports.AuditSink`.

Rule: what is promised is tested through the port alone.
"""
# ruff: noqa: D102, S101  -- a test's name is its claim, and these are pytest's asserts

from __future__ import annotations

import asyncio
from typing import Any

from reach.ports import AuditSink
from reach.testing.contracts.base import Contract


class AuditContract(Contract[AuditSink]):
    """`reach.ports.AuditSink`."""

    async def test_records_come_back_newest_first(self) -> None:
        async with self.made() as audit:
            assert list(await audit.recent()) == []
            for number in range(5):
                await audit.append({"number": number})
            assert [record["number"] for record in await audit.recent()] == [4, 3, 2, 1, 0]
            assert [record["number"] for record in await audit.recent(2)] == [4, 3]
            assert list(await audit.recent(0)) == []

    async def test_json_data_comes_back_equal(self) -> None:
        async with self.made() as audit:
            record = {"who": "张三 🙂", "nested": {"list": [1, 2.5, None, True, '\n"\\']}, "lone": "\ud83d", "": ""}
            await audit.append(record)
            assert list(await audit.recent()) == [record]

    async def test_a_record_does_not_change_with_the_object_it_came_from(self) -> None:
        async with self.made() as audit:
            record: dict[str, Any] = {"values": [1]}
            await audit.append(record)
            record["values"].append(2)
            assert list(await audit.recent()) == [{"values": [1]}]

    async def test_concurrent_records_are_all_kept(self) -> None:
        async with self.made() as audit:
            await asyncio.gather(*(audit.append({"number": number}) for number in range(100)))
            assert {record["number"] for record in await audit.recent(1000)} == set(range(100))
