"""What a short reply means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.replies import choice_index, is_no, is_only_an_answer, is_yes

LABELS = ["Order status", "Parcel tracking", "订单列表"]


@pytest.mark.parametrize(
    "text", ["yes", "Yes!", " YES. ", "ok", "OK👌", "好的", "好的。", "好的，谢谢", "确认", "ｙｅｓ", "go ahead"]
)
def test_a_whole_yes_is_a_yes(text: str) -> None:
    assert is_yes(text)
    assert not is_no(text)


@pytest.mark.parametrize("text", ["no", "No, thanks", "算了", "取消！", "不用了", "don’t", "cancel that"])
def test_a_whole_no_is_a_no(text: str) -> None:
    assert is_no(text)
    assert not is_yes(text)


@pytest.mark.parametrize(
    "text",
    [
        "yes but change the address",
        "好的订单在哪",
        "不好说",
        "yesterday",
        "是不是坏了",
        "",
        "👍🏽x",
        "ok computer",
        "不是的话呢",
    ],
)
def test_a_longer_sentence_is_neither(text: str) -> None:
    assert not is_yes(text)
    assert not is_no(text)


@pytest.mark.parametrize(
    ("text", "index"),
    [
        *[(text, 0) for text in ("1", "第一个", "the first")],
        *[(text, 1) for text in ("2.", "the second one", "选2", "parcel tracking", "tracking")],
        *[(text, 2) for text in ("number 3", "第三", "最后一个", "last one", "订单列表")],
        *[(text, None) for text in ("4", "0", "order parcel", "", "either", "whatever you like", "第五个")],
    ],
)
def test_a_choice_is_named_by_number_ordinal_or_label(text: str, index: int | None) -> None:
    assert choice_index(text, LABELS) == index


@pytest.mark.parametrize("rest", ["订单号是 ", "it's ", "my order number is ", " 这个", "", "是的，  "])
def test_the_words_around_an_answer_ask_for_nothing_more(rest: str) -> None:
    assert is_only_an_answer(rest, ["order id", "order number", "订单号"])


@pytest.mark.parametrize(
    "rest", ["  的物流轨迹", "track the parcel of ", "我要退掉  这个订单", "cancel the ticket of order number "]
)
def test_more_than_an_answer_is_seen(rest: str) -> None:
    assert not is_only_an_answer(rest, ["order id", "order number", "订单号"])


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    assert not (is_yes(text) and is_no(text))
    index = choice_index(text, LABELS)
    assert index is None or 0 <= index < len(LABELS)
