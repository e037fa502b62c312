"""The reducer: one payload in, one envelope out.

Rule: reducing never fails a call that succeeded. What can't be read or saved is said in the envelope; the tool is never
run again because of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, cast

from reach.messages import message
from reach.ports import Deadline, Warehouse
from reach.reducer.draft import Draft, Plan, compile_plan, draft_of, storable_of, unreadable
from reach.reducer.envelope import render
from reach.spec import ToolSpec
from reach.types import Caller, Completeness, Envelope, Payload, Structured

SAVE_SHARE = 0.5
"""The part of the remaining time that saving an artifact may take: the rest belongs to the answer."""

_THREAD_BYTES = 1 << 20
_THREAD_ROWS = 5000


class Reducer:
    """Reduces results. `warehouse` keeps what is cut; None: nothing is kept."""

    def __init__(self, warehouse: Warehouse | None) -> None:
        self._warehouse = warehouse
        self._plans: dict[str, Plan] = {}

    def prepare(self, tools: Iterable[ToolSpec]) -> None:
        """Compile the whitelists of `tools`. Raises ConfigError for a path that is none: call it while loading."""
        for tool in tools:
            self._plan(tool)

    async def reduce(
        self,
        tool: ToolSpec,
        payload: Payload,
        *,
        caller: Caller,
        session: str,
        language: str,
        deadline: Deadline,
    ) -> Envelope:
        """The envelope of a call that succeeded. `language` is that of the hints."""
        plan = self._plan(tool)
        draft = await (asyncio.to_thread(_draft, plan, payload) if _heavy(payload) else _now(plan, payload))
        wanted = draft.body is not None and _worth_keeping(plan, draft) and self._warehouse is not None
        ref = None
        if wanted:
            ref = await self._save(draft, caller=caller, session=session, tool=tool.name, deadline=deadline)
        failed = draft.error is not None or (wanted and ref is None and draft.cut)
        partial = draft.cut or payload.partial
        completeness: Completeness = "partial_failed" if failed else "truncated" if partial else "complete"
        structured = Structured(
            status="succeeded",
            completeness=completeness,
            data=draft.data,
            shown=draft.shown,
            total=draft.total,
            result_summary=draft.summary or None,
            artifact_ref=ref,
            fetch_hint=_hint(draft, ref, wanted=wanted, partial=payload.partial, language=language),
            error=draft.error,
            sizes={"raw": draft.raw},
        )
        return render(structured, plain_text=draft.plain_text)

    async def storable(self, tool: ToolSpec, payload: Payload) -> Payload:
        """What of a payload may be kept outside of an artifact: only fields that may be seen, masked.

        Raises ValueError, TypeError or RecursionError where the payload is not JSON data.
        """
        plan = self._plan(tool)
        if _heavy(payload):
            return await asyncio.to_thread(storable_of, plan, payload)
        return storable_of(plan, payload)

    def _plan(self, tool: ToolSpec) -> Plan:
        plan = self._plans.get(tool.name)
        if plan is None or plan.result is not tool.result:
            plan = self._plans[tool.name] = compile_plan(tool.result)
        return plan

    async def _save(self, draft: Draft, *, caller: Caller, session: str, tool: str, deadline: Deadline) -> str | None:
        """The ref, or None where it could not be saved in this call's share of the time."""
        share_s = deadline.remaining_s() * SAVE_SHARE
        if share_s <= 0 or self._warehouse is None or draft.body is None:
            return None
        try:
            async with asyncio.timeout(share_s):
                return await self._warehouse.save(
                    draft.body,
                    media_type=draft.media_type,
                    caller=caller,
                    session=session,
                    tool=tool,
                    summary=draft.summary,
                    deadline=deadline.at_most_ms(share_s * 1000),
                )
        except Exception:  # noqa: BLE001 -- whatever a warehouse raises, the call itself has succeeded
            return None


async def _now(plan: Plan, payload: Payload) -> Draft:
    return _draft(plan, payload)


def _draft(plan: Plan, payload: Payload) -> Draft:
    try:
        return draft_of(plan, payload)
    except Exception:  # noqa: BLE001 -- whatever a backend returned, the call itself has succeeded
        return unreadable(payload)


def _heavy(payload: Payload) -> bool:
    """True where the work is long enough to leave the event loop alone meanwhile."""
    if payload.body is not None:
        return len(payload.body) > _THREAD_BYTES
    return isinstance(payload.data, (list, tuple)) and len(cast("Sequence[Any]", payload.data)) > _THREAD_ROWS


def _worth_keeping(plan: Plan, draft: Draft) -> bool:
    mode = plan.result.artifact
    return mode == "always" or (mode == "auto" and (draft.cut or draft.large))


def _hint(draft: Draft, ref: str | None, *, wanted: bool, partial: bool, language: str) -> str | None:
    hints: list[str] = []
    if ref is not None:
        hints.append(message("export_hint" if draft.summary.get("binary") else "fetch_hint", language, ref=ref))
    elif wanted:
        hints.append(message("not_saved", language))
    elif draft.cut:
        hints.append(message("not_kept", language))
    if partial:
        hints.append(message("source_partial", language))
    return " ".join(hints) or None
