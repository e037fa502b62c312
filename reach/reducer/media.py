"""What kind of thing a payload is: JSON text, decoded data, text, or something that is not text.

Rule: nothing is guessed from the bytes except whether they are UTF-8; the media type that the adapter gave decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from reach.types import Payload

_TEXT = frozenset({
    "application/xml", "application/yaml", "application/x-yaml", "application/javascript", "application/x-ndjson",
    "application/sql", "application/x-www-form-urlencoded",
})  # fmt: skip
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Opened:
    """A payload by kind.

    `value` is text for `text`, text or UTF-8 bytes for `json`, bytes for `binary`, data for `object`; `raw` is the size
    in bytes of what the backend returned.
    """

    kind: Literal["json", "object", "text", "binary"]
    value: Any
    raw: int
    media_type: str


def open_payload(payload: Payload) -> Opened:
    """The payload by kind."""
    declared = payload.media_type or "application/octet-stream"
    essence, _, parameters = declared.partition(";")
    essence = essence.strip().lower()
    body = payload.body
    if body is None and isinstance(payload.data, (bytes, bytearray, memoryview)):
        body = bytes(payload.data)
        essence = "application/octet-stream" if is_json(essence) else essence
    if body is not None:
        return _open_bytes(body, essence, parameters)
    if isinstance(payload.data, str) and is_text(essence):
        return Opened("text", payload.data, len(payload.data.encode("utf-8", "replace")), essence)
    return Opened("object", payload.data, _json_size(payload.data), "application/json")


def is_json(essence: str) -> bool:
    """True for JSON and its `+json` relatives."""
    return essence in {"application/json", "text/json"} or essence.endswith("+json")


def is_text(essence: str) -> bool:
    """True for media types that are text and not JSON."""
    return not is_json(essence) and (essence.startswith("text/") or essence in _TEXT or essence.endswith("+xml"))


def _open_bytes(body: bytes, essence: str, parameters: str) -> Opened:
    if not is_json(essence) and not is_text(essence):
        return Opened("binary", body, len(body), essence)
    charset = _charset(parameters)
    try:
        if charset in {"utf-8", "utf8", "us-ascii", "ascii"}:
            text: Any = body.removeprefix(_BOM)
            text = text if is_json(essence) else text.decode()
        else:
            text = body.decode(charset)
    except (UnicodeDecodeError, LookupError):
        return Opened("binary", body, len(body), "application/octet-stream")
    return Opened("json" if is_json(essence) else "text", text, len(body), essence)


def _charset(parameters: str) -> str:
    for parameter in parameters.split(";"):
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return "utf-8"


def _json_size(data: Any) -> int:
    """The size of decoded data as JSON, 0 where it has none."""
    try:
        return len(msgspec.json.encode(data, enc_hook=str))
    except (TypeError, ValueError, RecursionError):
        return 0
