"""The read cache.

Rule: only a whole result of a read is kept, for one caller unless the tool says `shared`, and a write to the same
backend makes everything older unreachable.
"""

from __future__ import annotations

import asyncio

from reach.errors import CallError, StateError
from reach.executor.bookkeeping import recorded
from reach.executor.running import Proceed, Running, Storable, pack_payload, unpack_payload
from reach.ports import KeyValue
from reach.types import Payload, digest_of

_EPOCH_TTL_S = 2 * 86_400
"""Longer than the longest `cache.ttl_s`, so that an epoch outlives every entry made under it."""


class CacheGuard:
    """Keeps reads of tools with a `cache`. The key holds tool, arguments, caller, policy version and write epoch."""

    def __init__(
        self, keyvalue: KeyValue, registry_version: str, cached_backends: frozenset[str], storable: Storable
    ) -> None:
        self._keyvalue = keyvalue
        self._storable = storable
        self._registry_version = registry_version
        self._cached_backends = cached_backends

    async def __call__(self, running: Running, proceed: Proceed) -> Payload:
        """A kept payload, or that of `proceed`."""
        if not running.tool.read_only:
            return await self._write(running, proceed)
        spec = running.tool.cache
        if spec is None:
            return await proceed()
        try:
            key = await self._key(running, shared=spec.shared)
            kept = await self._keyvalue.get(key)
        except (StateError, TypeError, ValueError, RecursionError):  # the store, or a claim that has no one spelling
            return await proceed()
        if kept is not None:
            running.cached = True
            return unpack_payload(kept)
        payload = await proceed()
        if not payload.partial:
            await self._keep(running, key, payload, spec.ttl_s)
        return payload

    async def _write(self, running: Running, proceed: Proceed) -> Payload:
        """A write, or one that may have happened, makes older reads unreachable."""
        try:
            payload = await proceed()
        except CallError as error:
            if error.applied == "maybe":
                await self._new_epoch(running)
            raise
        except asyncio.CancelledError:
            if running.attempts:
                await self._new_epoch(running)
            raise
        await self._new_epoch(running)
        return payload

    async def _keep(self, running: Running, key: str, payload: Payload, ttl_s: float) -> None:
        try:
            packed = await pack_payload(payload, running.tool, self._storable)
        except Exception:  # noqa: BLE001  # what can't be stored is read again next time
            return
        await recorded(self._keyvalue.set(key, packed, ttl_s=ttl_s), running.deadline)

    async def _key(self, running: Running, *, shared: bool) -> str:
        caller = running.request.caller
        epoch = await self._keyvalue.get(f"epoch:{running.backend}") or b""
        who = [] if shared else [caller.identity, sorted(caller.roles), dict(caller.claims)]
        parts = [self._registry_version, running.policy_version, epoch.decode(), who, running.fingerprint]
        return f"cache:{digest_of(parts)}"

    async def _new_epoch(self, running: Running) -> None:
        if running.backend in self._cached_backends:
            epoch = digest_of([running.request.call_id, running.request.turn]).encode()
            await recorded(self._keyvalue.set(f"epoch:{running.backend}", epoch, ttl_s=_EPOCH_TTL_S), running.deadline)
