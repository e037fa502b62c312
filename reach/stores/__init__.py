"""Where Reach keeps what it must remember: state by URL, and the bytes of artifacts by URL.

Rule: a store is named by its URL alone, and loaded only when it is opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from reach.errors import ConfigError
from reach.ports import ArtifactIndex, AuditSink, BlobStore, Clock, Counter, KeyValue, Ledger

__all__ = ["StateStore", "open_blobs", "open_state"]


class StateStore(Protocol):
    """Everything that Reach remembers, behind one address."""

    @property
    def ledger(self) -> Ledger:
        """Which writes were begun and how they ended."""
        ...

    @property
    def keyvalue(self) -> KeyValue:
        """Sessions, confirmations, cached reads."""
        ...

    @property
    def counter(self) -> Counter:
        """Shared limits."""
        ...

    @property
    def audit(self) -> AuditSink:
        """Decisions and outcomes."""
        ...

    @property
    def artifacts(self) -> ArtifactIndex:
        """Where artifacts are and whose."""
        ...

    async def close(self) -> None:
        """Finish what is under way and give back threads and connections."""
        ...


def open_state(url: str, root: Path, clock: Clock | None = None) -> StateStore:
    """Open the state store that `url` names.

    - `memory://`: in this process, forgotten with it.
    - `sqlite:///PATH`: one file. PATH is relative to `root`; four slashes make it absolute: `sqlite:////var/lib/reach/state.db`.

    Raises ConfigError for any other URL, StateError where the file cannot be used.
    """
    scheme, rest = _split(url)
    if scheme == "memory" and not rest:
        from reach.stores.memory import MemoryState

        return MemoryState(clock)
    if scheme == "sqlite":
        from reach.stores.sqlite import SqliteState

        return SqliteState(root / _sqlite_path(rest), clock=clock)
    raise _unknown("state", scheme, "memory://, sqlite:///PATH")


def open_blobs(url: str, root: Path) -> BlobStore:
    """Open the blob store that `url` names.

    - `memory://`: in this process, forgotten with it.
    - `file://PATH`: a folder. PATH is relative to `root`; three slashes make it absolute: `file:///var/lib/reach/artifacts`.

    Raises ConfigError for any other URL.
    """
    scheme, rest = _split(url)
    if scheme == "memory" and not rest:
        from reach.stores.blobs_memory import MemoryBlobs

        return MemoryBlobs()
    if scheme == "file" and rest.strip("/"):
        from reach.stores.files import FileBlobs

        return FileBlobs(root / rest)
    raise _unknown("artifact blobs", scheme, "memory://, file://PATH")


def _split(url: str) -> tuple[str, str]:
    scheme, separator, rest = url.partition("://")
    return (scheme.lower(), rest) if separator else ("", url)


def _sqlite_path(rest: str) -> str:
    path = rest[1:]
    if not rest.startswith("/") or not path.strip("/") or path == ":memory:":
        raise ConfigError(
            "A SQLite state needs a file.",
            hint="Write sqlite:///PATH (three slashes; PATH is relative to tools.yaml), or memory://.",
        )
    return path


def _unknown(what: str, scheme: str, known: str) -> ConfigError:
    # Only the scheme is shown: the rest of a URL may hold a password.
    named = f"'{scheme}://...'" if scheme else "a value without a scheme"
    return ConfigError(f"There is no store for {what} behind {named}.", hint=f"Known: {known}.")
