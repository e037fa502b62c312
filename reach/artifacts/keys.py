"""The master key under which artifacts are encrypted.

Rule: the key comes from REACH_ARTIFACT_KEY, or from a file that only its owner can read and that is made at first use.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from reach.errors import ConfigError

KEY_BYTES = 32
VARIABLE = "REACH_ARTIFACT_KEY"


def master_key(folder: Path, environment: Mapping[str, str]) -> bytes:
    """The 32-byte key. Raises ConfigError for a key of another length or an unreadable file."""
    given = environment.get(VARIABLE)
    if given:
        return _decoded(given, VARIABLE)
    path = folder / "artifact.key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _create(path)
        return _decoded(path.read_text("ascii"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"The artifact key file {path} can't be read or made: {error}.", hint=f"Or set {VARIABLE}."
        ) from error


def _create(path: Path) -> None:
    # Written aside and linked into place: of two processes that start at once, both read the key of the first.
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(aside, path)
    except FileExistsError:
        pass
    finally:
        aside.unlink()


def _decoded(text: str, where: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(f"{where} is not {KEY_BYTES} bytes in base64.", hint="Make one: openssl rand -base64 32")
    return key
