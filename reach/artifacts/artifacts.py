"""Saving, paging, exporting and revoking artifacts.

Rule: blob first, then the index row `writing`, then `complete`; every read checks owner, expiry and permission *now*.

To anyone but its owner an artifact that exists and one that does not answer alike. A page costs what the page costs: it
reads only the frames that it touches. An offset inside a character moves to the character's start, and
`Page.offset` says where the page really begins; following `next_offset` from 0 gives the original bytes exactly.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from reach.artifacts.frames import FRAME_BYTES, HEADER_BYTES, Seals, corrupt
from reach.artifacts.pages import Span, character_bounds, check_range
from reach.errors import (
    ArtifactForbidden,
    ArtifactNotFound,
    ArtifactRequestInvalid,
    ArtifactRevoked,
    ArtifactUnreadable,
    DeadlineExceeded,
    StateError,
)
from reach.ports import ArtifactIndex, ArtifactRow, BlobStore, Clock, Deadline
from reach.types import Caller, Page

MAX_PAGE_BYTES = 1024 * 1024
"""A page holds at most this many bytes, whatever limit was asked for; `next_offset` goes on from there."""

WRITING_WAIT_S = 0.5
_WRITING_POLL_S = 0.05
_RETRY_S = 0.05
_CHARACTER_BYTES = 4
_REF_BYTES = 18
_STRIPES = 64
_BINARY = "application/octet-stream"

Permitted = Callable[[str], bool]
"""Whether the caller may use the tool of this name at this moment."""

_T = TypeVar("_T")


class Artifacts:
    """Large results of one runtime, encrypted under `key` (32 bytes) and kept for `ttl_s`.

    `token` gives random bytes. Implements `Warehouse`.
    """

    def __init__(
        self,
        index: ArtifactIndex,
        blobs: BlobStore,
        clock: Clock,
        *,
        key: bytes,
        ttl_s: float,
        token: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self._index = index
        self._blobs = blobs
        self._clock = clock
        self._ttl_s = ttl_s
        self._token = token
        self._seals = Seals(key, token)
        self._saving = tuple(asyncio.Lock() for _ in range(_STRIPES))

    async def save(
        self,
        body: bytes,
        *,
        media_type: str,
        caller: Caller,
        session: str,
        tool: str,
        summary: Mapping[str, Any],
        deadline: Deadline,
    ) -> str:
        """Store `body` (already redacted) and return its ref.

        The same content of the same tool, owner and session is stored once, while more than half of its life is left.
        Raises StateError or DeadlineExceeded.
        """
        deadline.check("saving the artifact")
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                kind, digest = await asyncio.to_thread(self._identity, body, media_type, tool)
                async with self._saving[int(digest[:8], 16) % _STRIPES]:
                    usable_at = self._now() + self._ttl_s / 2
                    known = await self._index.find(caller.tenant, caller.id, session, digest, usable_at)
                    if known is not None and await self._has_blob(known):
                        return known.ref
                    return await self._store(
                        body, kind, digest, caller=caller, session=session, tool=tool, summary=summary
                    )
        except TimeoutError:
            raise DeadlineExceeded("No time was left for saving the artifact.") from None

    def _identity(self, body: bytes, media_type: str, tool: str) -> tuple[str, str]:
        """The media type that the bytes deserve, and the digest of the content."""
        kind = media_type if _is_utf8(body) else _BINARY
        return kind, self._seals.digest(tool, kind, body)

    async def _has_blob(self, row: ArtifactRow) -> bool:
        """False where the index remembers an artifact whose bytes are gone."""
        try:
            return len(await self._blobs.read(row.blob_key, 0, HEADER_BYTES)) == HEADER_BYTES
        except KeyError:
            return False

    async def _store(
        self,
        body: bytes,
        media_type: str,
        digest: str,
        *,
        caller: Caller,
        session: str,
        tool: str,
        summary: Mapping[str, Any],
    ) -> str:
        ref = f"art_{self._name()}"
        sealed = await asyncio.to_thread(self._seals.seal, body, ref=ref, tenant=caller.tenant, owner=caller.id)
        now = self._now()
        row = ArtifactRow(
            ref=ref,
            owner=caller.id,
            tenant=caller.tenant,
            session=session,
            tool=tool,
            digest=digest,
            blob_key=f"artifact-{self._name()}",
            status="writing",
            media_type=media_type,
            total_bytes=len(body),
            frame_bytes=FRAME_BYTES,
            frames=sealed.frames,
            created_at=now,
            expires_at=now + self._ttl_s,
            summary=summary,
        )
        await self._blobs.put(row.blob_key, sealed.blob)
        await self._index.insert(row)
        await self._index.complete(ref)
        return ref

    async def fetch(
        self, ref: str, *, caller: Caller, offset: int = 0, limit: int = 16_384, permitted: Permitted
    ) -> Page:
        """One page of whole characters: about `limit` bytes from byte `offset`, never less than one character.

        Raises ArtifactRequestInvalid (an offset or limit that makes no sense, or content that is not text),
        ArtifactNotFound (missing, or another's), ArtifactRevoked (revoked or expired), ArtifactForbidden (final), or
        ArtifactUnreadable (being written, out of reach, or damaged).
        """
        check_range(offset, limit)
        row = await self._readable(ref, caller, permitted)
        if not _is_text(row.media_type):
            raise ArtifactRequestInvalid(
                f"The artifact is {row.media_type}, not text, so it can't be read page by page.",
                hint=f"Export it: reach artifacts export {ref} --as WHO",
            )
        if offset > row.total_bytes:
            raise ArtifactRequestInvalid(
                f"The offset {offset} lies behind the end.", hint=f"The artifact has {row.total_bytes} bytes."
            )
        begin = max(0, offset - _CHARACTER_BYTES + 1)
        end = min(row.total_bytes, offset + min(limit, MAX_PAGE_BYTES) + _CHARACTER_BYTES)
        around = await self._bytes(row, begin, end)
        start, stop = character_bounds(around, offset - begin, min(limit, MAX_PAGE_BYTES))
        return Page(
            ref=ref,
            text=around[start:stop].decode(),
            offset=begin + start,
            next_offset=begin + stop,
            total_bytes=row.total_bytes,
            has_more=begin + stop < row.total_bytes,
            media_type=row.media_type,
        )

    async def export(self, ref: str, *, caller: Caller, permitted: Permitted) -> AsyncIterator[bytes]:
        """The whole payload, in pieces of up to `MAX_PAGE_BYTES`, for handing it to the user as a file.

        Raises as `fetch` does, and takes content that is not text.
        """
        row = await self._readable(ref, caller, permitted)
        for begin in range(0, row.total_bytes, MAX_PAGE_BYTES):
            yield await self._bytes(row, begin, min(row.total_bytes, begin + MAX_PAGE_BYTES))

    async def revoke(self, ref: str, *, caller: Caller) -> None:
        """Make an artifact of the caller's own unreadable, and remove its bytes.

        Raises ArtifactNotFound, or StateError where the index could not be written.
        """
        row = await self._owned(ref, caller)
        await self._index.revoke(ref)
        with suppress(StateError):  # nobody can read it any more; garbage collection removes what this misses
            await self._blobs.delete(row.blob_key)

    # -------------------------------------------------------------------------------------------- reading

    async def _owned(self, ref: str, caller: Caller) -> ArtifactRow:
        try:
            row = await self._twice(lambda: self._index.get(ref))
        except StateError:
            raise ArtifactUnreadable("The artifact index is out of reach.", hint="Try again in a moment.") from None
        if row is None or (row.owner, row.tenant) != (caller.id, caller.tenant):
            raise ArtifactNotFound(f"There is no artifact {ref}.", hint="Use the artifact_ref of a result of your own.")
        return row

    async def _readable(self, ref: str, caller: Caller, permitted: Permitted) -> ArtifactRow:
        row = await self._owned(ref, caller)
        waited = 0.0
        while row.status == "writing" and waited < WRITING_WAIT_S:
            await self._clock.sleep(_WRITING_POLL_S)
            waited += _WRITING_POLL_S
            row = await self._owned(ref, caller)
        if row.status == "revoked":
            raise ArtifactRevoked("The artifact was revoked.", hint="Run the tool again for a new one.")
        if row.expires_at <= self._now():
            raise ArtifactRevoked("The artifact has expired.", hint="Run the tool again for a new one.")
        if not permitted(row.tool):
            raise ArtifactForbidden(f"You may no longer use {row.tool}, so its result can't be read.")
        if row.status == "writing":
            raise ArtifactUnreadable("The artifact is still being written.", hint="Try again in a moment.")
        return row

    async def _bytes(self, row: ArtifactRow, begin: int, end: int) -> bytes:
        """The payload's bytes from `begin` to `end`, from the frames that hold them."""
        span = Span.of(row, begin, end)
        try:
            header, stored = await self._stored(row, span)
        except KeyError:
            raise ArtifactUnreadable(
                "The stored artifact is gone.", hint="Run the tool again.", retryable=False, summary=row.summary
            ) from None
        except StateError:
            raise ArtifactUnreadable(
                "The artifact store is out of reach.", hint="Try again in a moment.", summary=row.summary
            ) from None
        opener = self._seals.opener(header, ref=row.ref, tenant=row.tenant, owner=row.owner)
        payload = b"".join(opener.open(stored, span.first, span.lengths))
        if len(payload) < end - span.payload_start:
            raise corrupt()
        return payload[begin - span.payload_start : end - span.payload_start]

    async def _stored(self, row: ArtifactRow, span: Span) -> tuple[bytes, bytes]:
        """The header and the frames of `span`: one read where they are neighbours, else two at once."""
        key = row.blob_key
        if span.blob_start == HEADER_BYTES:
            whole = await self._twice(lambda: self._blobs.read(key, 0, HEADER_BYTES + span.blob_bytes))
            return whole[:HEADER_BYTES], whole[HEADER_BYTES:]
        return await asyncio.gather(
            self._twice(lambda: self._blobs.read(key, 0, HEADER_BYTES)),
            self._twice(lambda: self._blobs.read(key, span.blob_start, span.blob_bytes)),
        )

    async def _twice(self, read: Callable[[], Awaitable[_T]]) -> _T:
        """The answer of a store, tried a second time where the first failed."""
        try:
            return await read()
        except StateError:
            await self._clock.sleep(_RETRY_S)
            return await read()

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _name(self) -> str:
        return base64.urlsafe_b64encode(self._token(_REF_BYTES)).decode()


def _is_text(media_type: str) -> bool:
    essence = media_type.partition(";")[0].strip().lower()
    return essence.startswith("text/") or essence.endswith(
        ("/json", "+json", "/xml", "+xml", "yaml", "/javascript", "x-ndjson", "/sql", "x-www-form-urlencoded")
    )


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
