"""What asks for nothing calls nothing; one word about anything else is routed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.smalltalk import smalltalk


@pytest.mark.parametrize(
    "text",
    [
        "hi",
        "Hello!",
        "hey there",
        "Good morning",
        "how are you?",
        "你好",
        "您好！",
        "在吗",
        "你好，在吗？",
        "哈喽",
        "Ｈｉ～",
    ],
)
def test_a_greeting(text: str) -> None:
    assert smalltalk(text) == "greeting"


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        "Thank you so much!",
        "thanks a lot for all your help",
        "谢谢",
        "谢谢你的帮助",
        "好的，非常感谢！",
        "ok thx",
        "多谢啦",
    ],
)
def test_thanks(text: str) -> None:
    assert smalltalk(text) == "thanks"


@pytest.mark.parametrize(
    "text",
    [
        "bye",
        "thanks, bye",
        "no that's all",
        "No, that’s all for now. Thanks!",
        "再见",
        "没有其他问题了，谢谢",
        "就这样吧",
        "拜拜",
    ],
)
def test_a_closing_also_where_it_thanks(text: str) -> None:
    assert smalltalk(text) == "closing"


@pytest.mark.parametrize("text", ["", "   ", "???", "。。。", "😀", "👍🏽👍🏽", "\n\t", "！"])
def test_nothing_said_is_empty(text: str) -> None:
    assert smalltalk(text) == "empty"


@pytest.mark.parametrize(
    "text",
    [
        "hi, where is my order?",
        "hello, I want to cancel my ticket",
        "thanks, and what time is it",
        "thanks but my parcel is late",
        "bye the way, list my orders",
        "你好，我的订单到哪了",
        "谢谢，再帮我查一下物流",
        "在吗，退货怎么弄",
        "你好，推荐一个台灯",
        "SO-2024-00017",
        "hi 12345",
        "что",
    ],
)
def test_anything_asked_beside_a_greeting_is_not_small_talk(text: str) -> None:
    assert smalltalk(text) is None


@pytest.mark.parametrize("text", ["ok", "yes", "no", "好的", "嗯"])
def test_a_bare_yes_or_no_is_left_to_the_conversation(text: str) -> None:
    assert smalltalk(text) is None


def test_a_long_text_is_never_small_talk() -> None:
    assert smalltalk("thanks " * 100) is None


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert smalltalk(text) in {"greeting", "thanks", "closing", "empty", None}


@given(
    st.sampled_from(["hi", "thanks", "bye", "你好", "谢谢", "再见"]),
    st.sampled_from(["invoice", "warranty", "发票", "保修"]),
)
def test_a_subject_always_wins(talk: str, subject: str) -> None:
    assert smalltalk(f"{talk} {subject}") is None
    assert smalltalk(f"{subject}, {talk}") is None
