"""The stage of `fill` that gives amounts to numeric parameters.

Rule: an amount whose unit cannot become the parameter's unit is not its value; a number without unit or cue is taken
only where exactly the numbers that the call lacks were said.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from reach.messages import message
from reach.router.draft import Draft
from reach.router.extract.numbers import Amount
from reach.router.extract.parameter import Parameter
from reach.router.extract.units import as_number, converted, units_of
from reach.router.extract.utterance import word_set

_MONEY = word_set("yuan dollar euro sterling yen")
_MONEY_WORDS = word_set(
    "price amount budget cost fee money salary balance payment fare rent spend income revenue investment "
    "principal value 金额 价格 预算 费用 售价 花费"
)
_LEAST = word_set("min minimum lowest least low lower 最低 最小 最少 至少")
_MOST = word_set("max maximum highest most high upper 最高 最大 最多")
_HOW_MANY = word_set("limit top count n num max number quantity size first 数量 条数 个数")
_HOW_MANY_BEFORE = re.compile(
    r"(?:\b(?:top|first|latest|last|best|only|show(?:\s+me)?|list)|前|最近|最新|头)\s*$", re.IGNORECASE
)
_ENOUGH = 1.0
_SURE = 2.0
_TIE = 0.05


def fill_numbers(draft: Draft) -> None:
    """Numbers and integers, and closed lists of numbers."""
    wanted = [p for p in draft.open("number", "enum") if p.numeric]
    amounts = [a for a in draft.amounts if draft.is_free(a.start, a.end)]
    if not wanted or not amounts:
        return
    for parameter in [p for p in wanted if p.many]:
        _fill_list(draft, parameter, amounts, alone=len(wanted) == 1)
    scalars = [p for p in wanted if not p.many]
    scored = [(score, p, a) for p in scalars for a in amounts if (score := _score(draft, p, a)) >= _ENOUGH]
    scored = [s for s in scored if not _tied(s, scored) and not _better_named(draft, s, amounts)]
    scored.sort(key=lambda s: (-s[0], s[2].start))
    for score, parameter, amount in scored:
        if draft.settled(parameter) or not draft.is_free(amount.start, amount.end):
            continue
        if parameter.name in draft.held and parameter is not draft.asked and score < _SURE:
            continue
        _put(draft, parameter, amount, sure=score >= _SURE)
    _fill_rest(draft, scalars, amounts)


_Scored = tuple[float, Parameter, Amount]


def _tied(one: _Scored, scored: list[_Scored]) -> bool:
    """True where the amount suits another parameter just as well: side1 and side2."""
    return any(p is not one[1] and a is one[2] and abs(score - one[0]) < _TIE for score, p, a in scored)


def _better_named(draft: Draft, one: _Scored, amounts: list[Amount]) -> bool:
    """True where the parameter's name stands nearer to an amount that its unit rules out: "rate of 3% for 5 years"."""
    _, parameter, amount = one
    own = draft.score(parameter, amount.start, amount.end)
    return any(
        a is not amount and _amount_in_unit(parameter, a) is None and draft.score(parameter, a.start, a.end) > own
        for a in amounts
    )


def _unit(parameter: Parameter) -> str:
    if parameter.spec.unit or "per" in parameter.names:
        return parameter.spec.unit or ""
    measured = [
        w
        for w in parameter.names
        if w.isascii() and any(u.dimension in {"time", "months", "length", "mass"} for u in units_of(w))
    ]
    return measured[-1] if measured and len(measured[-1]) > 2 else ""


def _amount_in_unit(parameter: Parameter, amount: Amount) -> Fraction | None:
    """The amount as the parameter counts it; None where its unit does not fit."""
    wanted = _unit(parameter)
    dimensions = {u.dimension for u in units_of(amount.unit)}
    if amount.unit == "" or (wanted and "count" in dimensions and len(dimensions) == 1):
        return amount.value
    if wanted:
        if "percent" in dimensions and wanted.lower() in {"fraction", "ratio"}:
            return amount.value / 100
        return converted(amount.value, amount.unit, wanted)
    if "percent" in dimensions:
        named = {"percent", "percentage", "百分比"}.intersection((*parameter.names, *parameter.hints))
        return amount.value if named else None
    return amount.value


def _score(draft: Draft, parameter: Parameter, amount: Amount) -> float:
    value = _amount_in_unit(parameter, amount)
    names = {*parameter.names, *parameter.hints}
    if value is None or (parameter.integral and value.denominator != 1):
        return 0.0
    least = bool(names & _LEAST) or parameter.role == "start"
    most = bool(names & _MOST) or parameter.role == "end"
    if amount.bound:
        low_side = amount.bound in {"low", "at_least"}
        if (least and not low_side) or (most and low_side) or (amount.bound in {"low", "high"} and not (least or most)):
            return 0.0
    score = 1.0 if amount.bound and (least or most) else 0.0
    score += draft.score(parameter, amount.start, amount.end)
    dimensions = {u.dimension for u in units_of(amount.unit)}
    if amount.unit and _unit(parameter) and "count" not in dimensions:
        score += 3.0
    elif amount.unit and any(_same_word(amount.unit, name) for name in names):
        score += 2.5
    elif dimensions & _MONEY and (set(parameter.names) | {n for n in names if not n.isascii()}) & _MONEY_WORDS:
        score += 2.0
    elif dimensions and "count" not in dimensions and not _unit(parameter):
        score -= 0.7
    if names & _HOW_MANY and _HOW_MANY_BEFORE.search(draft.text[max(0, amount.start - 12) : amount.start]):
        score += 2.5
    return score - (1.5 if amount.weak and parameter is not draft.asked else 0.0)


def _same_word(unit: str, name: str) -> bool:
    return unit == name or unit.rstrip("s") == name.rstrip("s")


def _put(draft: Draft, parameter: Parameter, amount: Amount, *, sure: bool, recogniser: str = "number") -> None:
    value = _amount_in_unit(parameter, amount)
    if value is None:
        return
    number = as_number(value)
    if parameter.schema.get("type") == "string":
        number = str(number)
    if draft.put(parameter, number, recogniser, (amount.start, amount.end)) or not sure:
        return
    if not isinstance(number, str) and (problem := _out_of_range(draft, parameter, number)):
        draft.reject(parameter, problem, (amount.start, amount.end))


def _out_of_range(draft: Draft, parameter: Parameter, number: Any) -> str:
    least, most = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if least is not None and number < least:
        return message("too_small", draft.language, value=number, limit=least)
    if most is not None and number > most:
        return message("too_large", draft.language, value=number, limit=most)
    return ""


def _fill_rest(draft: Draft, scalars: list[Parameter], amounts: list[Amount]) -> None:
    """Numbers without a cue, where as many were said as the call still lacks: in their order."""
    lacking = [p for p in scalars if not draft.settled(p) and (p is draft.asked or draft.needs(p))]
    spare = [
        a for a in amounts if draft.is_free(a.start, a.end) and not a.bound and (not a.weak or lacking == [draft.asked])
    ]
    if any(draft.text[a.start : a.end].isascii() and re.search(r"\d", draft.text[a.start : a.end]) for a in spare):
        spare = [
            a for a in spare if a.unit or re.search(r"\d", draft.text[a.start : a.end])
        ]  # "two numbers, 36 and 48"
    if not lacking or len(lacking) != len(spare):
        return
    values = [_amount_in_unit(p, a) for p, a in zip(lacking, spare, strict=True)]
    if any(v is None or (p.integral and v.denominator != 1) for p, v in zip(lacking, values, strict=True)):
        return
    if any(
        a.unit and not _unit(p) and not _counts(a) and p is not draft.asked for p, a in zip(lacking, spare, strict=True)
    ):
        return
    for parameter, amount in zip(lacking, spare, strict=True):
        _put(draft, parameter, amount, sure=parameter is draft.asked or bool(amount.unit), recogniser="number_alone")


def _counts(amount: Amount) -> bool:
    return any(u.dimension == "count" for u in units_of(amount.unit))


_LIST_GAP = re.compile(r"\s*(?:[,，、;和及与]|and|,\s*and|&)\s*", re.IGNORECASE)


def _fill_list(draft: Draft, parameter: Parameter, amounts: list[Amount], *, alone: bool) -> None:
    """A run of numbers joined by commas or "and"."""
    runs: list[list[Amount]] = []
    for amount in [a for a in amounts if not a.weak]:
        if runs and _LIST_GAP.fullmatch(draft.text[runs[-1][-1].end : amount.start]):
            runs[-1].append(amount)
        else:
            runs.append([amount])
    named = [r for r in runs if draft.score(parameter, r[0].start, r[-1].end) >= _ENOUGH]
    several = [r for r in runs if len(r) > 1]
    chosen = named if len(named) == 1 else several if alone and len(several) == 1 else []
    if not chosen:
        return
    values = [_amount_in_unit(parameter, a) for a in chosen[0]]
    if all(v is not None for v in values):
        numbers = [as_number(v) for v in values if v is not None]
        draft.put(parameter, numbers, "number", *((a.start, a.end) for a in chosen[0]))
