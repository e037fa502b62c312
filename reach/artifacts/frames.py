r"""The stored form of a payload: independent frames, each compressed and then encrypted.

Rule: a frame can be opened alone, and only as the frame of that number of that artifact of that owner; any other byte
fails the check and is never returned as data.

    blob  = header frame*
    header = "RA1\n" nonce(12) AES-GCM(wrapping key, data key)          64 bytes
    frame  = AES-GCM(data key, zstd(64 KB of payload))                  nonce: the frame's number
    bound  = SHA-256 over ref, tenant and owner, then the frame's number (additional data of every seal)

Each artifact has a data key of its own, so frame numbers never repeat under one key. The master key wraps data keys and
makes content digests, through two keys derived from it (HKDF-SHA-256).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import zstandard
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from reach.errors import ArtifactUnreadable, ConfigError
from reach.types import digest_of

FRAME_BYTES = 64 * 1024
HEADER_BYTES = 64
KEY_BYTES = 32
_NONCE_BYTES = 12
_MAGIC = b"RA1\n"
_LEVEL = 3
_HEADER_NUMBER = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Sealed:
    """A payload in its stored form. `frames` are the byte lengths of the frames, in order, without the header."""

    blob: bytes
    frames: tuple[int, ...]


class Seals:
    """Seals and opens payloads under one 32-byte master key. `token` gives random bytes."""

    def __init__(self, key: bytes, token: Callable[[int], bytes]) -> None:
        if len(key) != KEY_BYTES:
            raise ConfigError(f"The artifact key has {len(key)} bytes.", hint="Give exactly 32 random bytes.")
        self._wrapping = AESGCM(_derived(key, b"reach artifacts: wrap data keys"))
        self._digesting = _derived(key, b"reach artifacts: digest contents")
        self._token = token

    def digest(self, tool: str, media_type: str, body: bytes) -> str:
        """A keyed digest of the content: equal for equal contents of one tool, meaningless without the key."""
        mac = hmac.new(self._digesting, digestmod="sha256")
        for part in (tool.encode(), media_type.encode(), body):
            mac.update(len(part).to_bytes(8, "big"))
            mac.update(part)
        return mac.hexdigest()

    def seal(self, body: bytes, *, ref: str, tenant: str, owner: str) -> Sealed:
        """The stored form of `body`."""
        bound = _bound(ref, tenant, owner)
        data_key, nonce = self._token(KEY_BYTES), self._token(_NONCE_BYTES)
        header = _MAGIC + nonce + self._wrapping.encrypt(nonce, data_key, _numbered(bound, _HEADER_NUMBER))
        cipher, compressor = AESGCM(data_key), zstandard.ZstdCompressor(level=_LEVEL)
        view = memoryview(body)
        frames = [
            cipher.encrypt(
                _nonce(number), compressor.compress(view[start : start + FRAME_BYTES]), _numbered(bound, number)
            )
            for number, start in enumerate(range(0, len(body), FRAME_BYTES))
        ]
        return Sealed(b"".join([header, *frames]), tuple(map(len, frames)))

    def opener(self, header: bytes, *, ref: str, tenant: str, owner: str) -> Opener:
        """What opens the frames behind `header`. Raises ArtifactUnreadable."""
        if len(header) != HEADER_BYTES or not header.startswith(_MAGIC):
            raise corrupt()
        bound = _bound(ref, tenant, owner)
        nonce, wrapped = header[4 : 4 + _NONCE_BYTES], header[4 + _NONCE_BYTES :]
        try:
            data_key = self._wrapping.decrypt(nonce, wrapped, _numbered(bound, _HEADER_NUMBER))
        except InvalidTag:
            raise corrupt() from None
        return Opener(AESGCM(data_key), bound)


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens frames of one artifact."""

    cipher: AESGCM
    bound: bytes

    def open(self, stored: bytes, first: int, lengths: tuple[int, ...]) -> Iterator[bytes]:
        """The payload of the frames that `stored` holds, from frame `first` on. Raises ArtifactUnreadable."""
        if len(stored) != sum(lengths):
            raise corrupt()
        decompressor = zstandard.ZstdDecompressor()
        start = 0
        for number, length in enumerate(lengths, first):
            frame = stored[start : start + length]
            start += length
            try:
                packed = self.cipher.decrypt(_nonce(number), frame, _numbered(self.bound, number))
                yield decompressor.decompress(packed, max_output_size=FRAME_BYTES)
            except (InvalidTag, zstandard.ZstdError):
                raise corrupt() from None


def corrupt() -> ArtifactUnreadable:
    """The error of stored bytes that are not what was stored, or were stored under another key."""
    return ArtifactUnreadable(
        "The stored artifact fails its check.",
        hint="Run the tool again.",
        retryable=False,
    )


def _derived(key: bytes, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose).derive(key)


def _bound(ref: str, tenant: str, owner: str) -> bytes:
    return bytes.fromhex(digest_of([ref, tenant, owner]))


def _numbered(bound: bytes, number: int) -> bytes:
    return bound + number.to_bytes(4, "big")


def _nonce(number: int) -> bytes:
    return number.to_bytes(_NONCE_BYTES, "big")
