"""What the recognisers need to know of a parameter: its kind, its cue words, its role in a pair.

Rule: cues come from the tool file (name, title, description); the small table of everyday labels below only adds the
other language's word for the same thing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from reach.router.extract.utterance import CJK
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

LABELS: dict[str, str] = {
    "reason": "原因 理由", "cause": "原因", "subject": "主题 标题", "title": "标题 题目", "description": "描述 说明 详情",
    "detail": "详情 细节", "content": "内容 正文", "message": "消息 留言 内容", "note": "备注 说明", "remark": "备注",
    "comment": "评论 备注", "body": "正文 内容", "quantity": "数量", "count": "数量 个数", "amount": "金额 数额", "price": "价格 售价",
    "cost": "费用 花费", "budget": "预算", "phone": "电话 手机号 手机", "tail": "尾号", "date": "日期", "day": "天", "priority": "优先级",
    "email": "邮箱 邮件地址", "address": "地址", "name": "名称 名字 姓名", "city": "城市", "size": "尺码 大小", "color": "颜色",
    "rating": "评分", "score": "分数 评分", "weight": "重量 体重", "height": "高度 身高", "length": "长度", "width": "宽度", "age": "年龄",
    "duration": "时长", "limit": "数量", "username": "用户名", "password": "密码", "keyword": "关键词 关键字", "query": "关键词",
    "id": "编号 ID", "number": "编号 号码", "code": "代码 编码", "order": "订单", "rate": "利率 比率 率", "percentage": "百分比", "distance": "距离",
    "speed": "速度", "temperature": "温度", "year": "年份", "month": "月份", "status": "状态", "type": "类型", "category": "类别 分类",
}  # fmt: skip
"""Everyday labels in Chinese for a word of an English parameter name."""

_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "for",
        "to",
        "in",
        "on",
        "at",
        "by",
        "is",
        "are",
        "be",
        "or",
        "and",
        "with",
        "from",
        "this",
        "that",
        "which",
        "if",
        "whether",
        "it",
        "its",
        "as",
        "should",
        "can",
        "may",
        "will",
        "param",
        "parameter",
        "value",
        "given",
        "specified",
        "default",
        "optional",
        "required",
        "e",
        "g",
        "such",
        "string",
        "integer",
        "boolean",
        "float",
        "number",
        "list",
    ]
)
_START = frozenset(
    [
        "start",
        "from",
        "since",
        "begin",
        "beginning",
        "after",
        "departure",
        "depart",
        "leave",
        "leaving",
        "pickup",
        "checkin",
    ]
)
_END = frozenset(["end", "to", "until", "till", "before", "return", "returning", "dropoff", "checkout"])
_STRICT_START = frozenset(["start", "from", "since", "begin", "beginning"])
_STRICT_END = frozenset(["end", "to", "until", "till"])
_DUE = frozenset(["due", "deadline", "before", "by", "until", "expire", "expiry", "expiration", "end", "截止", "到期"])
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
    kind = schema.get("type")
    if schema.get("enum"):
        return "enum"
    if kind in {"integer", "number"}:
        return "number"
    if kind == "boolean":
        return "boolean"
    if kind != "string":
        return "object"
    format_ = spec.format or schema.get("format")
    if format_ in {"email", "uuid", "uri", "phone", "date", "date-time", "time"}:
        return format_  # pyright: ignore[reportReturnType]
    if pattern := schema.get("pattern"):
        if re.search(pattern, "2024-01-31") and not re.search(pattern, "abcd-ef-gh"):
            return "date"
        return "pattern"
    if _DATE_TEMPLATE.search(text) and not _TIME_TEMPLATE.search(text):
        return "date"
    if _TIME_TEMPLATE.search(text) and not _DATE_TEMPLATE.search(text):
        return "time"
    if own and own[-1] == "date" and not _TIME_TEMPLATE.search(text):
        return "date"
    if own and own[-1] == "email":
        return "email"
    return "text"


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
