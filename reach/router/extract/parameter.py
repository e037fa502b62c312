"""What the recognisers need to know of a parameter: its kind, its cue words, its role in a pair.

Rule: cues come from the tool file (name, title, description); a small table of everyday labels only adds the other
language's word for the same thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from reach.router.extract.utterance import CJK, word_set
from reach.router.extract.vocabulary import LABELS
from reach.spec import ParameterSpec, Text, ToolSpec

Kind = Literal[
    "pattern",
    "email",
    "uuid",
    "uri",
    "phone",
    "date",
    "date-time",
    "time",
    "enum",
    "boolean",
    "number",
    "text",
    "object",
]
Role = Literal["", "start", "end"]

_STOP = word_set(
    "a an the of for to in on at by is are be or and with from this that which if whether it its as should can "
    "may will param parameter value given specified default optional required e g such string integer boolean "
    "float number list"
)
_START = word_set("start from since begin beginning after departure depart leave leaving pickup checkin")
_END = word_set("end to until till before return returning dropoff checkout")
_STRICT_START = word_set("start from since begin beginning")
_STRICT_END = word_set("end to until till")
_DUE = word_set("due deadline before by until expire expiry expiration end 截止 到期")
_DATE_TEMPLATE = re.compile(
    r"\b(?:YYYY|yyyy)[-/.](?:MM|mm)[-/.](?:DD|dd)\b|\b(?:MM|DD|mm|dd)[-/.](?:DD|MM|dd|mm)[-/.](?:YYYY|yyyy)\b"
)
_TIME_TEMPLATE = re.compile(r"\b(?:HH|hh):(?:MM|mm)(?::(?:SS|ss))?\b")
ISO_DAY = "%Y-%m-%d"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, read once for each tool.

    `names` are the words of its name and title, `hints` those of its description; both lower case, Chinese whole.
    `item` is the schema of one element where it is an array. `layout` is the strftime layout of its dates or times.
    """

    name: str
    spec: ParameterSpec
    kind: Kind
    many: bool
    names: tuple[str, ...]
    hints: tuple[str, ...]
    role: Role
    strict_role: bool
    layout: str
    schema: dict[str, Any]

    @property
    def due(self) -> bool:
        """True where the date is a limit: "by Friday" names it."""
        return bool(_DUE.intersection(self.names)) or any(
            word in name for word in ("截止", "到期") for name in self.names
        )

    @property
    def numeric(self) -> bool:
        """True where it takes numbers, also as a closed list of numbers or of digits."""
        values = self.schema.get("enum")
        if not values:
            return self.kind == "number"
        if all(isinstance(v, str) for v in values):
            return all(v.isascii() and v.isdigit() for v in values)
        return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)

    @property
    def integral(self) -> bool:
        """True where only whole numbers fit."""
        return self.schema.get("type") == "integer"


def parameters_of(tool: ToolSpec) -> tuple[Parameter, ...]:
    """The parameters of `tool`, in its order."""
    return tuple(_parameter(name, spec) for name, spec in tool.parameters.items())


def split_name(name: str) -> list[str]:
    """`orderId`, `order_id` and `order-id` as ["order", "id"]."""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def texts_of(text: Text | None) -> list[str]:
    """A text in every language that it has."""
    if not text:
        return []
    return [text] if isinstance(text, str) else list(text.values())


def _words(text: str, limit: int) -> list[str]:
    english = [w for w in re.findall(r"[a-z]+", text.lower()) if len(w) > 1 and w not in _STOP]
    chinese = [w for w in re.split(r"[的或和与、/]", "".join(re.findall(rf"[{CJK}的]+", text))) if 1 < len(w) <= 8]
    return [*english[:limit], *chinese[:limit]]


def _parameter(name: str, spec: ParameterSpec) -> Parameter:
    own = split_name(name)
    names: list[str] = [w for w in own if len(w) > 1 or len(own) == 1]
    for title in texts_of(spec.title):
        names += _words(title, 6)
    hints: list[str] = []
    for text in texts_of(spec.description):
        for part in re.findall(rf"[{CJK}]+", text)[:2]:
            if len(part) <= 6:
                names.append(part.removeprefix("是否"))
        hints += _words(re.split(r"[.;。；(（]", text)[0], 8)
    for word in own:
        hints += LABELS.get(word, "").split()
    if spec.unit:
        hints.append(spec.unit.lower())
    schema = spec.json_schema() if spec.type != "array" else dict(spec.items or {})
    text = " ".join(texts_of(spec.description))
    kind = _kind(own, spec, schema, text)
    roles = set(own)
    role: Role = spec.period or (
        "start" if roles & _START or {"check", "in"} <= roles or {"pick", "up"} <= roles else ""
    )
    if not role and (roles & _END or {"check", "out"} <= roles or {"drop", "off"} <= roles):
        role = "end"
    return Parameter(
        name=name,
        spec=spec,
        kind=kind,
        many=spec.type == "array",
        names=tuple(dict.fromkeys(names)),
        hints=tuple(w for w in dict.fromkeys(hints) if w not in names),
        role=role,
        strict_role=bool(spec.period or roles & (_STRICT_START | _STRICT_END)),
        layout=_layout(kind, text),
        schema=schema,
    )


def _kind(own: list[str], spec: ParameterSpec, schema: dict[str, Any], text: str) -> Kind:
    if schema.get("enum"):
        return "enum"
    match schema.get("type"):
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "string":
            return _string_kind(own, spec.format or schema.get("format"), schema.get("pattern"), text)
        case _:
            return "object"


def _string_kind(own: list[str], format_: str | None, pattern: str | None, text: str) -> Kind:
    if format_ in {"email", "uuid", "uri", "phone", "date", "date-time", "time"}:
        return format_  # pyright: ignore[reportReturnType]
    if pattern:
        is_date = re.search(pattern, "2024-01-31") and not re.search(pattern, "abcd-ef-gh")
        return "date" if is_date else "pattern"
    has_date, has_time = bool(_DATE_TEMPLATE.search(text)), bool(_TIME_TEMPLATE.search(text))
    if has_date != has_time:
        return "date" if has_date else "time"
    last = own[-1] if own else ""
    if last == "date" and not has_time:
        return "date"
    return "email" if last == "email" else "text"


def _layout(kind: Kind, text: str) -> str:
    if kind == "time":
        return "%H:%M:%S" if re.search(r"\b(?:HH|hh):(?:MM|mm):(?:SS|ss)\b", text) else "%H:%M"
    match = _DATE_TEMPLATE.search(text)
    if kind != "date" or match is None:
        return ISO_DAY
    layout = match.group()
    for word, code in (("yyyy", "%Y"), ("mm", "%m"), ("dd", "%d")):
        layout = re.sub(word, code, layout, flags=re.IGNORECASE)
    return layout
