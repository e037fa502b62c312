"""The one door for code without an event loop.

Rule: the same calls as `Reach`, each run to its end before it returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from reach.errors import ConfigError
from reach.types import Caller, CallResult, Outcome, Page

if TYPE_CHECKING:
    from reach.runtime import Reach

_Result = TypeVar("_Result")


class SyncReach:
    """`Reach` without `await`, on an event loop of its own. Use it as a context manager, or `close` it."""

    def __init__(self, load: Callable[[], Reach]) -> None:
        """Load the agent. Raises ConfigError, also where an event loop is running already."""
        _refuse_a_running_loop()
        self._runner = asyncio.Runner()
        try:
            self._reach = self._runner.run(_loaded(load))
        except BaseException:
            self._runner.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back backends and stores."""
        _refuse_a_running_loop()
        try:
            self._runner.run(self._reach.close())
        finally:
            self._runner.close()

    def ask(self, text: str, *, caller: Caller, session: str = "default") -> Outcome:
        """See `Reach.ask`."""
        return self._run(self._reach.ask(text, caller=caller, session=session))

    def call(self, tool: str, arguments: Mapping[str, Any], *, caller: Caller, session: str = "default") -> CallResult:
        """See `Reach.call`."""
        return self._run(self._reach.call(tool, arguments, caller=caller, session=session))

    def confirm(self, confirmation_id: str, *, caller: Caller, session: str = "default") -> CallResult:
        """See `Reach.confirm`."""
        return self._run(self._reach.confirm(confirmation_id, caller=caller, session=session))

    def fetch(self, ref: str, *, caller: Caller, offset: int = 0, limit: int = 16_384) -> Page:
        """See `Reach.fetch`."""
        return self._run(self._reach.fetch(ref, caller=caller, offset=offset, limit=limit))

    def _run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        try:
            _refuse_a_running_loop()
        except ConfigError:
            work.close()
            raise
        return self._runner.run(work)


def _refuse_a_running_loop() -> None:
    if asyncio._get_running_loop() is not None:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        raise ConfigError(
            "load_sync is for code without an event loop, and one is running here.",
            hint="Write: async with Reach.load(...) as reach",
        )


async def _loaded(load: Callable[[], Reach]) -> Reach:
    return load()
