"""Texts become the same terms on both sides, in both languages and in any spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reach.router.text import background_share, clauses, has_words, kind_weight, normalise, plain, sentences, terms


@pytest.mark.parametrize("name", ["queryOrderStatus", "query_order_status", "query-order-status", "Query order status"])
def test_every_way_to_write_a_name_gives_its_words(name: str) -> None:
    assert {"queri", "order", "status"} <= set(terms(name))


def test_a_split_name_is_also_kept_whole_because_users_type_it_so() -> None:
    assert "youtub" in terms("YouTube")
    assert "youtub" in terms("youtube")


def test_english_forms_of_a_word_are_one_term() -> None:
    assert set(terms("shipping")) & set(terms("shipped")) >= {"ship"}


def test_words_that_stand_together_make_a_term_of_their_own() -> None:
    assert "how do" in terms("how do you say it")
    assert "say it" in terms("how do you say it")


def test_chinese_gives_characters_and_pairs() -> None:
    assert {"订", "单", "订单"} <= set(terms("订单"))
    assert "单订" not in terms("订单")


def test_a_mixed_text_gives_the_terms_of_both_languages() -> None:
    assert {"parcel", "包裹", "track"} <= set(terms("帮我track一下parcel包裹"))


def test_pairs_do_not_reach_across_other_writing() -> None:
    assert "单号" not in terms("订单 2024 号码")


def test_full_width_text_equals_plain_text() -> None:
    assert terms("ＯＲＤＥＲ　ｓｔａｔｕｓ") == terms("ORDER status")
    assert normalise("（ＡＢＣ１２３）") == "(ABC123)"


@pytest.mark.parametrize(
    "text", ["SO-2024-00017", "SF1234567890", "a.b@example.com", "https://example.com/x?y=1", "12345"]
)
def test_numbers_and_addresses_are_values_and_give_no_terms(text: str) -> None:
    assert [term for term in terms(text) if term != "so"] == []


@pytest.mark.parametrize("text", ["", "   ", "？！……", "😀👍🏽", "「」、。"])
def test_nothing_to_read_gives_no_terms(text: str) -> None:
    assert terms(text) == []
    assert not has_words(text)


def test_a_short_mixture_of_letters_and_digits_is_a_word() -> None:
    assert "mp3" in terms("mp3 player")


@pytest.mark.parametrize(
    ("one", "other"),
    [("dispatch", "发货"), ("refund", "退款"), ("warranty", "保修"), ("cancel", "取消"), ("shipped", "dispatched")],
)
def test_words_of_one_meaning_share_a_concept(one: str, other: str) -> None:
    assert {t for t in terms(one) if t[0] == "#"} & {t for t in terms(other) if t[0] == "#"}


def test_words_of_different_meaning_share_no_concept() -> None:
    assert not {t for t in terms("天气") if t[0] == "#"} & {t for t in terms("refund") if t[0] == "#"}


def test_function_words_weigh_less_and_are_expected_everywhere() -> None:
    assert kind_weight("the") < kind_weight("invoic")
    assert kind_weight("的") < kind_weight("单") < kind_weight("订单")
    assert background_share("the") == 0.9
    assert background_share("invoic") == 0.02


def test_sentences_and_clauses_end_at_the_punctuation_of_either_language() -> None:
    assert sentences("Ships fast. Costs 3.50 a day！退货政策；发票") == [
        "Ships fast",
        "Costs 3.50 a day",
        "退货政策",
        "发票",
    ]
    assert clauses("returns, invoices、coupons，保修") == ["returns", "invoices", "coupons", "保修"]


def test_plain_text_leaves_out_case_and_punctuation() -> None:
    assert plain("Where's my ORDER?") == plain("where my... order")
    assert plain("怎么退货？") == plain("怎么 退货")


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    found = terms(text)
    assert all(isinstance(term, str) and term for term in found)
    assert all(0 < kind_weight(term) <= 1 for term in found)
    assert plain(plain(text)) or not plain(text)


@given(st.text(), st.text())
def test_texts_side_by_side_keep_the_terms_of_each(left: str, right: str) -> None:
    assert set(terms(left)) <= set(terms(f"{left} 。 {right}"))
