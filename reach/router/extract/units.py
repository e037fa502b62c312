"""Units that people say, and what can be turned into what.

Rule: only conversions with one exact factor are made; a month is never days and a dollar is never yuan.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` turns an amount of this unit into the base unit of its `dimension`."""

    name: str
    dimension: str
    factor: Fraction


_TABLE: dict[str, dict[str, str]] = {
    "time": {
        "1/1000": "ms millisecond milliseconds 毫秒",
        "1": "s sec secs second seconds 秒 秒钟",
        "60": "min mins minute minutes 分钟 分",
        "3600": "h hr hrs hour hours 小时 个小时 钟头 个钟头 个钟",
        "86400": "d day days 天 日 自然日",
        "604800": "week weeks wk wks 周 星期 个星期 礼拜 个礼拜",
    },
    "workday": {"1": "workday workdays 工作日 个工作日"},
    "months": {"1": "month months 个月 月", "3": "quarter quarters 季度 个季度", "12": "year years yr yrs 年"},
    "length": {
        "1/1000": "mm millimeter millimeters millimetre millimetres 毫米",
        "1/100": "cm centimeter centimeters centimetre centimetres 厘米 公分",
        "1": "m meter meters metre metres 米",
        "1000": "km kilometer kilometers kilometre kilometres 公里 千米",
        "0.0254": "inch inches 英寸 寸",
        "0.3048": "ft foot feet 英尺",
        "1609.344": "mile miles mi 英里",
    },
    "area": {"1": "m2 sqm 平米 平方米 平"},
    "space": {"1": "m3 立方米 立方"},
    "mass": {
        "1/1000": "mg milligram milligrams 毫克",
        "1": "g gram grams 克",
        "500": "斤",
        "1000": "kg kgs kilogram kilograms kilo kilos 公斤 千克",
        "1000000": "t ton tons tonne tonnes 吨",
        "453.59237": "lb lbs pound pounds 磅",
        "28.349523125": "oz ounce ounces 盎司",
    },
    "volume": {"1": "ml milliliter milliliters 毫升", "1000": "l liter liters litre litres 升"},
    "yuan": {"1": "yuan rmb cny ¥ 元 块 块钱 元钱 元人民币 人民币", "1/10": "角 毛 毛钱"},
    "dollar": {"1": "$ usd dollar dollars bucks 美元 美金", "1/100": "cent cents 美分"},
    "euro": {"1": "€ eur euro euros 欧元"},
    "sterling": {"1": "£ gbp 英镑"},
    "yen": {"1": "jpy yen 日元"},
    "percent": {"1": "% percent pct 百分比"},
    "celsius": {"1": "°c ℃ celsius 摄氏度"},
    "fahrenheit": {"1": "°f ℉ fahrenheit 华氏度"},
    "degrees": {"1": "° degree degrees 度"},
    "stars": {"1": "star stars 星 星级"},
    "points": {"1": "point points pts 分"},
}
_COUNTERS = (
    "piece pieces pcs item items unit units person persons people passenger passengers guest guests adult "
    "adults kid kids child children traveler travelers ticket tickets room rooms bed beds bedroom "
    "bedrooms bath baths bathroom bathrooms night nights seat seats time times copy copies record records "
    "row rows result results order orders user users page pages rider riders "
    "个 件 台 人 位 名 张 次 条 单 笔 份 箱 盒 瓶 包 本 只 双 套 把 块 间 晚 页 楼 层 期 款 部 "
    "辆 颗 支 家 项 个人 间房 行 遍 倍 级 岁 号 "
)


def _build() -> dict[str, tuple[Unit, ...]]:
    known: dict[str, tuple[Unit, ...]] = {}
    for dimension, factors in _TABLE.items():
        for factor, words in factors.items():
            names = words.split()
            for word in names:
                known[word] = (*known.get(word, ()), Unit(names[0], dimension, Fraction(factor)))
    for word in _COUNTERS.split():
        known[word] = (*known.get(word, ()), Unit(word, "count", Fraction(1)))
    return known


UNITS = _build()
"""Every unit by every word for it; a word such as 分 (minute, point) has several."""

PREFIX_UNITS = {"$": "$", "¥": "¥", "€": "€", "£": "£", "us$": "$", "rmb": "¥", "usd": "$", "cny": "¥", "eur": "€"}


def units_of(word: str) -> tuple[Unit, ...]:
    """The units that `word` may stand for, none where it is no unit."""
    return UNITS.get(word.strip().lower(), ())


def converted(amount: Fraction, said: str, wanted: str) -> Fraction | None:
    """`amount` of the unit `said` in the unit `wanted`; None where one cannot become the other.

    A word that is in no table only fits itself. A counter (件, people) fits any counter: which things are counted is
    told by the words around, not by the classifier.
    """
    said_units, wanted_units = units_of(said), units_of(wanted)
    if not said_units or not wanted_units:
        return amount if said.strip().lower() == wanted.strip().lower() else None
    for target in wanted_units:
        for source in said_units:
            if source.dimension == target.dimension:
                return amount * source.factor / target.factor
    return None


def as_number(amount: Fraction) -> int | float:
    """The amount as a JSON number, whole where it is whole."""
    return amount.numerator if amount.denominator == 1 else float(amount)
