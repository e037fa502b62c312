"""From a payload to everything that is known of its result before anything is saved.

Rule: the order is fixed: whitelist, redact, aggregate, tier. What is kept in an artifact and what is shown are both
made after the first two, so neither can hold a field that they removed.

How aggregation and tiers meet. The size that decides is that of the reduced data: all rows, as JSON, after whitelist
and redaction. A list of at most `list.over` rows and `INLINE_BYTES` is shown whole. Any other list is aggregated:
statistics over all rows, then the first `list.sample` rows, as many as fit in `INLINE_BYTES`. A record, a text or a
value above `INLINE_BYTES` is cut to fit. Whatever was cut is worth an artifact, unless the tool says `artifact: never`,
so that the rest can always be fetched; so is a list of more than `ARTIFACT_ROWS` rows that the tool wants shown whole.
`result_summary.tier` says which tier the size fell in: `inline`, `preview` (to `PREVIEW_BYTES`) or `artifact`.

Text passes whole only where the tool has no whitelist and no redaction: neither can be applied to text, so otherwise it
is withheld. Binary content is described by type and size and never shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import msgspec

from reach.reducer.aggregate import MAX_FIELDS, inferred_columns, statistics_of
from reach.reducer.media import Opened, open_payload
from reach.reducer.paths import Keys, Projection, Tree, compile_projection, parse_path
from reach.reducer.preview import Cutter, encode, first, settle
from reach.reducer.redact import compile_redaction, mask
from reach.spec import ResultSpec
from reach.types import ErrorInfo, Payload

INLINE_BYTES = 4 * 1024
PREVIEW_BYTES = 50 * 1024
ARTIFACT_ROWS = 1000
SUMMARY_BYTES = 4 * 1024


@dataclass(frozen=True, slots=True)
class Plan:
    """What a tool's `result` says, compiled. `statistics` is None where the columns are inferred."""

    result: ResultSpec
    projection: Projection
    redaction: Tree
    statistics: Mapping[str, Keys] | None

    @property
    def open(self) -> bool:
        """True where nothing is filtered, so that a result without fields may pass."""
        return self.projection.tree is None and self.redaction == {}


def compile_plan(result: ResultSpec) -> Plan:
    """The plan of one tool. Raises ConfigError for a path that is none."""
    stats = result.rows.stats
    return Plan(
        result,
        compile_projection(["*"] if isinstance(result.fields, str) else result.fields),
        compile_redaction(result.redact),
        None if stats is None else {name: parse_path(name) for name in stats},
    )


@dataclass(frozen=True, slots=True)
class Draft:
    """A reduced result.

    `body` is what an artifact would hold, None where nothing may be kept; `cut` says that `data` is not everything.
    """

    data: Any
    raw: int
    body: bytes | None = None
    media_type: str = "application/json"
    shown: int | None = None
    total: int | None = None
    cut: bool = False
    summary: dict[str, Any] = field(default_factory=dict[str, Any])
    error: ErrorInfo | None = None

    @property
    def plain_text(self) -> bool:
        """True where `data` is a whole text, which a model reads best as it is."""
        return isinstance(self.data, str) and not self.cut and self.media_type != "application/json"

    @property
    def large(self) -> bool:
        """True above the sizes that deserve an artifact whatever was shown."""
        return (self.total or 0) > ARTIFACT_ROWS or len(self.body or b"") > PREVIEW_BYTES


def draft_of(plan: Plan, payload: Payload) -> Draft:
    """The reduced result. Raises ValueError, TypeError or RecursionError where the payload is not JSON data."""
    opened = open_payload(payload)
    if opened.kind in {"text", "binary"}:
        return _opaque(plan, opened)
    value = _seen(plan, payload, opened)
    if isinstance(value, list):
        return _rows(plan, cast("list[Any]", value), opened.raw, payload.partial)
    return _record(plan, value, opened.raw)


def storable_of(plan: Plan, payload: Payload) -> Payload:
    """The payload without what may not be seen, as JSON text; it reduces to the same envelope. Raises as `draft_of`."""
    opened = open_payload(payload)
    if opened.kind in {"text", "binary"}:
        return payload if plan.open else replace(payload, data=None, body=b"")
    _, body = settle(_seen(plan, payload, opened))
    return Payload(body=body, partial=payload.partial, masked=True)


def _seen(plan: Plan, payload: Payload, opened: Opened) -> Any:
    """What the whitelist lets through, masked."""
    projection = plan.projection
    projected = projection.of_bytes(opened.value) if opened.kind == "json" else projection.of_object(opened.value)
    return projected if payload.masked else mask(projected, plan.redaction)


def unreadable(payload: Payload) -> Draft:
    """The draft of a result that is not what its media type says."""
    return Draft(
        None,
        raw=len(payload.body or b""),
        error=ErrorInfo("unreadable_result", f"The backend's result is not valid {payload.media_type[:64] or 'data'}."),
    )


def _rows(plan: Plan, reduced: Sequence[Any], raw: int, partial: bool) -> Draft:
    spec = plan.result.rows
    rows, body = settle(reduced)
    total = len(rows)
    aggregated = total > spec.over or len(body) > INLINE_BYTES
    cutter = Cutter()
    data = cutter.rows(first(rows, spec.sample if aggregated else total), INLINE_BYTES)
    summary: dict[str, Any] = {"rows": total, "bytes": len(body), "tier": _tier(len(body), total)}
    if partial:
        summary["total_is_lower_bound"] = True
    if absent := plan.projection.absent(rows):
        summary["absent_fields"] = absent
    if rows and (aggregated or plan.statistics is not None):
        summary |= _statistics(plan, rows)
    if cutter.cuts:
        summary["cut"] = cutter.cuts
    cut = len(data) < total or bool(cutter.cuts)
    return Draft(data, raw, body, shown=len(data), total=total, cut=cut, summary=_bounded(summary))


def _statistics(plan: Plan, rows: Sequence[Any]) -> dict[str, Any]:
    columns = plan.statistics
    if columns is None:
        columns = inferred_columns(rows, plan.projection.names)
    chosen = dict(list(columns.items())[:MAX_FIELDS])
    result: dict[str, Any] = {"fields": statistics_of(rows, chosen, plan.redaction)}
    if len(columns) > len(chosen):
        result["fields_left_out"] = len(columns) - len(chosen)
    return result


def _record(plan: Plan, reduced: Any, raw: int) -> Draft:
    value, body = settle(reduced)
    summary: dict[str, Any] = {}
    if absent := plan.projection.absent(value):
        summary["absent_fields"] = absent
    data = msgspec.to_builtins(value)
    if len(body) <= INLINE_BYTES:
        return Draft(data, raw, body, summary=_bounded(summary))
    cutter = Cutter()
    data = cutter.fit(data, INLINE_BYTES)
    summary |= {"bytes": len(body), "tier": _tier(len(body)), "cut": cutter.cuts}
    if plan.statistics:
        summary |= _statistics(plan, [value])
    return Draft(data, raw, body, cut=True, summary=_bounded(summary))


def _opaque(plan: Plan, opened: Opened) -> Draft:
    described = {"media_type": opened.media_type[:64], "bytes": opened.raw}
    if not plan.open:
        return Draft(
            None,
            opened.raw,
            media_type=opened.media_type,
            summary=described,
            error=ErrorInfo(
                "result_withheld",
                f"The result is {opened.media_type[:64]}, and this tool lets only named fields through.",
                hint="Let the backend return JSON, or declare fields: '*' without redact.",
            ),
        )
    if opened.kind == "binary":
        summary = {**described, "binary": True}
        return Draft(None, opened.raw, opened.value, opened.media_type, cut=True, summary=summary)
    text: str = opened.value
    body = text.encode("utf-8", "replace")
    if len(body) <= INLINE_BYTES:
        return Draft(body.decode(), opened.raw, body, opened.media_type)
    cutter = Cutter()
    kept = cutter.fit(body.decode(), INLINE_BYTES)
    summary = {**described, "lines": text.count("\n") + 1, "tier": _tier(len(body)), "cut": cutter.cuts}
    return Draft(kept, opened.raw, body, opened.media_type, cut=True, summary=summary)


def _tier(size: int, rows: int = 0) -> str:
    if size > PREVIEW_BYTES or rows > ARTIFACT_ROWS:
        return "artifact"
    return "preview" if size > INLINE_BYTES else "inline"


def _bounded(summary: dict[str, Any]) -> dict[str, Any]:
    """The summary in at most `SUMMARY_BYTES`: the last statistics, then the last absent fields, give way."""
    for name, left_out in (("fields", "fields_left_out"), ("absent_fields", "absent_fields_left_out")):
        while len(encode(summary)) > SUMMARY_BYTES and summary.get(name):
            if name == "fields":
                summary[name].popitem()
            else:
                summary[name].pop()
            summary[left_out] = summary.get(left_out, 0) + 1
    return summary
