"""The ranker: the right tool first, a score that means the same for every query, and nothing seen of hidden tools."""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reach.router.rank import BIAS, WEIGHTS, Router
from reach.spec import ToolSpec
from reach.types import Route


def tool(name: str, description: Any, **more: Any) -> ToolSpec:
    return ToolSpec.model_validate(
        {
            "name": name,
            "description": description,
            "side_effect": "read_only",
            "adapter": {"function": "shop:run"},
            "result": {"fields": "*"},
            **more,
        }
    )


ORDER = tool(
    "query_order_status",
    {"en": "Status of one order and its latest step, by order number.", "zh": "按订单号查询订单状态和最新进度。"},
    title={"en": "Order status", "zh": "订单状态"},
    when_to_use="The customer asks how an order is going or when it will arrive. 顾客想知道订单什么时候能到。",
    when_not_to_use="Return policy, invoices, coupons; parcel tracking by waybill number.",
    examples=["我的订单到哪了", "has my order shipped yet?", "when will SO-2024-00017 arrive"],
    counter_examples=["怎么退货", "how do I return something"],
    parameters={"order_id": {"pattern": r"^SO-\d{4}-\d{5}$", "description": "Order number", "required": False}},
)
PARCEL = tool(
    "track_parcel",
    "Every step of a parcel on its way, by waybill number. 按运单号查询包裹的物流轨迹。",
    when_to_use="The customer gives a waybill number or asks where the courier is.",
    examples=["运单 LL2024000017 走到哪了", "track parcel LL2024000017"],
    parameters={"waybill": {"pattern": r"^LL\d{10}$", "description": "Waybill number 运单号", "required": False}},
)
RETURNS = tool(
    "return_policy",
    "How and until when something can be returned. 退货政策：多久之内可以退货，怎么退。",
    examples=["怎么退货", "how do I return something"],
)
PRODUCTS = tool(
    "search_products",
    "Products that the shop sells, with their prices. 搜索商品和价格。",
    examples=["which lamps do you sell", "有没有三百以下的加湿器"],
    parameters={
        "category": {
            "enum": ["lighting", "kitchen"],
            "synonyms": {"lighting": ["lamps", "台灯"], "kitchen": ["cookware", "厨具"]},
            "required": False,
        }
    },
)
TOOLS = (ORDER, PARCEL, RETURNS, PRODUCTS)
ROUTER = Router(TOOLS, threshold=0.45, top_k=3)


def names(route: Route) -> list[str]:
    return [candidate.tool for candidate in route.candidates]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("has my order been shipped?", "query_order_status"),
        ("what is the status of my order", "query_order_status"),
        ("我的订单什么时候到", "query_order_status"),
        ("hi, when will my order arrive?", "query_order_status"),
        ("where is parcel LL2024000018", "track_parcel"),
        ("查一下运单LL2024000018的物流", "track_parcel"),
        ("我想退货，怎么退", "return_policy"),
        ("how can I return this", "return_policy"),
        ("do you sell lamps?", "search_products"),
        ("帮我track一下parcel LL2024000018", "track_parcel"),
        ("ＳＴＡＴＵＳ　ｏｆ　ｍｙ　ｏｒｄｅｒ", "query_order_status"),
    ],
)
def test_the_right_tool_is_first_and_above_the_threshold(query: str, expected: str) -> None:
    route = ROUTER.route(query)
    assert names(route)[0] == expected
    assert not route.abstained
    assert route.reason == "ranked"


@pytest.mark.parametrize(
    "query",
    [
        "what's the capital of France",
        "写一首关于春天的诗",
        "tell me a joke",
        "明天会下雨吗",
        "ok",
        "zzz qqq",
        "vielen Dank",
    ],
)
def test_a_query_about_something_else_stays_below_the_threshold(query: str) -> None:
    route = ROUTER.route(query)
    assert route.abstained
    assert route.reason == "below_threshold"
    assert route.above == ()


@pytest.mark.parametrize(
    ("query", "reason"),
    [("你好", "greeting"), ("thanks, bye", "closing"), ("谢谢", "thanks"), ("😀", "empty"), ("", "empty")],
)
def test_small_talk_has_no_candidates(query: str, reason: str) -> None:
    assert ROUTER.route(query) == Route(query, (), abstained=True, threshold=0.45, reason=reason)  # type: ignore[arg-type]


def test_small_talk_that_is_an_example_of_a_tool_is_routed_to_it() -> None:
    greeter = tool("greet", "Greets the visitor by name.", examples=["hello there"])
    router = Router([*TOOLS, greeter], threshold=0.45, top_k=3)
    assert names(router.route("Hello there!"))[0] == "greet"
    assert router.route("Hello there!", visible=["return_policy"]).reason == "greeting"


def test_without_tools_that_may_be_used_there_is_nothing_to_rank() -> None:
    assert ROUTER.route("where is my order", visible=[]).reason == "no_tools"
    assert ROUTER.route("where is my order", visible=["no_such_tool"]).reason == "no_tools"
    assert Router([], threshold=0.45, top_k=3).route("where is my order").reason == "no_tools"


def test_the_same_words_as_an_example_are_all_but_certain() -> None:
    assert ROUTER.route("怎么退货").candidates[0].score > 0.9
    assert ROUTER.route("how do i return something").candidates[0].score > 0.9


def test_what_a_tool_is_not_for_counts_against_it() -> None:
    without = tool(
        "query_order_status", ORDER.description, examples=list(ORDER.examples), when_to_use=ORDER.when_to_use
    )
    query = "how do I return something"
    plain = Router([without, PARCEL], threshold=0.45, top_k=3).evidence(query)[0]
    warned = Router([ORDER, PARCEL], threshold=0.45, top_k=3).evidence(query)[0]
    assert plain["counter"] == 0.0
    assert warned["counter"] > 0.5


def test_a_number_speaks_for_the_tool_whose_pattern_it_has_in_any_case() -> None:
    for query in ("SO-2024-00099", "so-2024-00099"):
        route = ROUTER.route(query)
        assert names(route)[0] == "query_order_status"
        assert set(route.candidates[0].why) == {"pattern"}
        assert route.abstained, "a bare number says what it is about, not what is wanted"


def test_a_tool_that_cannot_take_the_given_number_loses_to_one_that_can() -> None:
    given_number = ROUTER.route("where is LL2024000018")
    assert names(given_number)[0] == "track_parcel"
    assert ROUTER.evidence("where is my order LL2024000018")[0]["unused"] == 1.0


def test_a_pattern_that_any_word_matches_is_no_evidence() -> None:
    loose = tool("echo", "Repeats it.", parameters={"text": {"pattern": r"^\S+$"}, "n": {"pattern": r"\d"}})
    router = Router([loose, ORDER], threshold=0.45, top_k=3)
    assert 0 not in router.evidence("SO-2024-00017")


@pytest.mark.parametrize("query", ["any cookware?", "看看厨具", "something for the kitchen"])
def test_an_enum_word_or_a_synonym_speaks_for_the_tool(query: str) -> None:
    assert ROUTER.route(query).candidates[0].why["value"] == WEIGHTS["value"]


def test_a_part_of_a_word_is_no_enum_value() -> None:
    assert all(parts["value"] == 0.0 for parts in ROUTER.evidence("a kitchenette price").values())


def test_a_slip_of_the_finger_is_forgiven() -> None:
    assert names(ROUTER.route("what is the sttaus of my oder"))[0] == "query_order_status"


def test_why_adds_up_to_the_score() -> None:
    for candidate in ROUTER.route("when will my order SO-2024-00017 arrive").candidates:
        odds = BIAS + sum(candidate.why.values())
        assert candidate.score == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.002)
        assert set(candidate.why) <= set(WEIGHTS)


def test_no_more_candidates_than_top_k_best_first() -> None:
    route = Router(TOOLS, threshold=0.45, top_k=2).route("order parcel return products")
    assert len(route.candidates) == 2
    assert route.candidates[0].score >= route.candidates[1].score


def test_equal_scores_keep_the_order_of_the_registry() -> None:
    twins = [tool(name, "Books a table in a restaurant.") for name in ("zeta", "alpha", "mid")]
    route = Router(twins, threshold=0.45, top_k=3).route("table in a restaurant")
    assert names(route) == ["zeta", "alpha", "mid"]


def test_a_score_does_not_depend_on_the_other_candidates_of_the_query() -> None:
    alone = ROUTER.route("when will my order arrive", visible=["query_order_status"]).candidates[0]
    among = ROUTER.route("when will my order arrive").candidates[0]
    assert alone == among


def test_a_hidden_tool_is_never_a_candidate_and_lends_no_words() -> None:
    hidden = tool("audit_payroll", "Payroll salaries bonus clawback audit.", examples=["audit the payroll clawback"])
    router = Router([*TOOLS, hidden], threshold=0.45, top_k=3)
    visible = [t.name for t in TOOLS]
    known = router.route("order clawback", visible=visible)
    unknown = router.route("order xylophone", visible=visible)
    assert "audit_payroll" not in names(known)
    assert [(c.tool, c.score) for c in known.candidates] == [(c.tool, c.score) for c in unknown.candidates]
    assert names(router.route("audit the payroll clawback"))[0] == "audit_payroll"


def test_a_misspelt_word_of_a_hidden_tool_is_not_corrected() -> None:
    hidden = tool("audit_payroll", "Payroll salaries bonus clawback audit.")
    router = Router([*TOOLS, hidden], threshold=0.45, top_k=3)
    visible = [t.name for t in TOOLS]
    assert names(router.route("clawbak", visible=visible)) == []
    assert names(router.route("clawbak")) == ["audit_payroll"]


@settings(max_examples=150)
@given(st.text())
def test_any_text_gives_scores_between_0_and_1_best_first(query: str) -> None:
    route = ROUTER.route(query)
    scores = [candidate.score for candidate in route.candidates]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert route.abstained == (not route.above)


VOCABULARY = ("where", "order", "parcel", "return", "status", "sell", "lamp", "the", "my", "SO-2024-00017")
VOCABULARY_ZH = ("订单", "物流", "退货", "商品", "怎么", "到哪了")
WORDS = st.lists(st.sampled_from(VOCABULARY + VOCABULARY_ZH), max_size=12).map(" ".join)


@settings(max_examples=100)
@given(WORDS)
def test_the_same_query_is_always_answered_alike(query: str) -> None:
    assert ROUTER.route(query) == Router(TOOLS, threshold=0.45, top_k=3).route(query)


@settings(max_examples=100)
@given(WORDS, st.sets(st.sampled_from([t.name for t in TOOLS])))
def test_hiding_tools_only_takes_them_out_of_the_ranking(query: str, visible: set[str]) -> None:
    shown = ROUTER.route(query, visible=visible)
    assert set(names(shown)) <= visible


@pytest.mark.parametrize(
    "query", ["when will my order arrive", "怎么退货", "track parcel LL2024000018", "which lamps are there"]
)
def test_an_unrelated_tool_hardly_moves_the_others(query: str) -> None:
    other = tool("tide_times", "High water and low water at a harbour. 潮汐时间。", examples=["high tide at Dover"])
    before = ROUTER.route(query).candidates
    after = Router([*TOOLS, other], threshold=0.45, top_k=3).route(query).candidates
    assert after[0].tool == before[0].tool
    assert after[0].score == pytest.approx(before[0].score, abs=0.05)


def test_a_query_over_twenty_tools_takes_well_under_a_few_milliseconds() -> None:
    tools = [t.model_copy(update={"name": f"{t.name}_{i}"}) for i in range(5) for t in TOOLS]
    router = Router(tools, threshold=0.45, top_k=3)
    took: list[float] = []
    for _ in range(50):
        begun = time.perf_counter()
        router.route("when will my order SO-2024-00017 arrive")
        took.append(time.perf_counter() - begun)
    assert statistics.median(took) < 0.01


def test_thousands_of_tools_that_share_words_still_find_the_one_that_is_meant() -> None:
    crowd = [
        tool(f"order_report_{i}", f"Report {chr(97 + i % 26)}{chr(97 + i // 26 % 26)}zq about the order status.")
        for i in range(1200)
    ]
    router = Router([*crowd, ORDER], threshold=0.45, top_k=3)
    assert names(router.route("when will my order SO-2024-00017 arrive"))[0] == "query_order_status"


DATA = Path(os.environ.get("REACH_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


@pytest.mark.data
@pytest.mark.skipif(not (DATA / "acebench_zh" / "dev.jsonl").exists(), reason=f"no labelled data in {DATA}")
def test_chinese_calls_of_a_public_set_are_ranked_and_told_from_none() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
    from routing import Tally, reach_ranker, rows_of, tool_of

    folder = DATA / "acebench_zh"
    tools = [tool_of(card) for card in json.loads((folder / "tools.json").read_text(encoding="utf-8"))]
    rank, tally = reach_ranker(tools), Tally()
    for row in rows_of(folder / "dev.jsonl", {t.name for t in tools}):
        if row.offered is not None and len(row.offered) > 1:
            tally.add(row, rank(row.query, row.offered))
    assert tally.first / tally.calls > 0.97
    assert sum(score >= 0.45 for score in tally.right) / len(tally.right) > 0.95
    assert sum(score < 0.45 for score in tally.none) / len(tally.none) > 0.85
