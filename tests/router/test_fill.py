"""What one utterance fills: identifiers, lists, names, texts, and in which order sources win."""

from __future__ import annotations

import pytest

from reach.router.fill import fill
from reach.types import Caller, Provenance
from tests.router.fill_tools import CALLER, NOW, ORDER, PERIOD, TICKET, make_tool, read, values


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("so-2024-00017到哪了", {"order_id": "SO-2024-00017"}),
        ("ＳＯ－２０２４－０００１７", {"order_id": "SO-2024-00017"}),
        ("尾号1234的订单", {"phone_tail": "1234"}),
        ("my phone ends in 2046", {"phone_tail": "2046"}),
        ("3月5日下的单，尾号 8888", {"phone_tail": "8888"}),
        ("那个单子怎么样了", {}),
        ("XSO-2024-00017X", {}),
        ("2024年的订单", {}),
        ("下单日期 2024-03-05", {}),
        ("我的电话是13800138000", {}),
        ("付了5000元", {}),
        ("price 3,000 or 1234.5", {}),
    ],
)
def test_an_identifier_is_a_whole_token_and_never_part_of_a_date_phone_or_amount(query, given):
    assert values(ORDER, query) == given


def test_an_identifier_that_does_not_fit_is_invalid_with_its_shape():
    found = read(ORDER, "SO-20-17 呢")
    assert found.invalid == {"order_id": "“SO-20-17”的格式应为 SO-0000-00000"}
    assert not found.values


def test_a_short_answer_that_does_not_fit_the_asked_pattern_is_invalid():
    assert read(ORDER, "20-17", asked="order_id").invalid == {"order_id": "“20-17” should look like SO-0000-00000"}


def test_several_identifiers_for_one_parameter_are_offered_as_choices():
    found = read(ORDER, "SO-2024-00017 or SO-2024-00018?")
    assert [c.value for c in found.ambiguous["order_id"]] == ["SO-2024-00017", "SO-2024-00018"]
    assert "order_id" not in found.values


def test_an_unmet_group_is_missing_by_its_first_name():
    assert read(ORDER, "你好").missing == ("order_id",)
    assert read(ORDER, "尾号1234").missing == ()


def test_provenance_names_the_exact_words_in_the_original():
    query = "　请问ｓｏ-2024-00017到哪了"
    origin = read(ORDER, query).provenance["order_id"]
    assert origin == Provenance("user", "ｓｏ-2024-00017", 3, "pattern")


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("延误的", "late"),
        ("damaged orders", "damaged"),
        ("demaged orders", "damaged"),
        ("not lost but damaged", "damaged"),
        ("不是丢件，是破损", "damaged"),
        ("translated", None),
    ],
)
def test_a_closed_list_is_matched_by_synonym_and_typo_but_not_when_denied(query, kind):
    assert values(PERIOD, query).get("kind") == kind


def test_two_values_of_a_closed_list_are_a_choice():
    assert [c.value for c in read(PERIOD, "迟到和丢件的").ambiguous["kind"]] == ["late", "lost"]


def test_an_array_collects_every_value():
    assert values(TICKET, "fragile and vip")["tags"] == ["fragile", "vip"]


@pytest.mark.parametrize(
    ("query", "urgent"),
    [("请加急", True), ("this is urgent", True), ("not urgent", False), ("不加急", False), ("hello", None)],
)
def test_a_switch_is_set_only_where_it_is_named(query, urgent):
    assert values(TICKET, query).get("urgent") is urgent


def test_a_bare_yes_or_no_answers_the_switch_that_was_asked_for():
    assert values(TICKET, "要的", asked="urgent") == {"urgent": True}
    assert values(TICKET, "no thanks", asked="urgent") == {"urgent": False}


@pytest.mark.parametrize(
    ("query", "name"),
    [("派给张伟", "张伟"), ("assign to ALEX CHEN", "Alex Chen"), ("派给 alex chenn", None), ("ask alex wongg", None)],
)
def test_a_known_name_is_matched_whole(query, name):
    assert values(TICKET, query).get("assignee") == name


def test_a_part_that_several_known_names_share_is_a_choice():
    assert [c.value for c in read(TICKET, "assign to Alex").ambiguous["assignee"]] == ["Alex Chen", "Alex Wong"]


def test_a_catalogue_that_is_passed_in_takes_plurals_and_the_longest_name():
    tool = make_tool({"product": {}})
    names = {"product": ["desk lamp", "lamp", "电热水壶"]}
    assert values(tool, "got any Desk Lamps?", catalogues=names) == {"product": "desk lamp"}
    assert values(tool, "电热水壶多少钱", catalogues=names) == {"product": "电热水壶"}


@pytest.mark.parametrize(
    ("query", "given"),
    [
        ("标题“屏幕碎了”", {"subject": "屏幕碎了"}),
        ("subject: broken screen", {"subject": "broken screen"}),
        ("subject: it's broken because it fell", {"subject": "it's broken because it fell"}),
        ("原因是摔了，别的没了", {"reason": "摔了"}),
        ("exchange it because the screen is broken", {"reason": "the screen is broken"}),
        ("我的屏幕碎了想处理", {}),
        ("what is the subject", {}),
        ("标题是什么", {}),
    ],
)
def test_free_text_comes_only_from_quotes_and_labels(query, given):
    assert values(TICKET, query) == given


def test_the_whole_bare_answer_fills_the_free_text_that_was_asked_for():
    found = read(TICKET, "就写屏幕上周3号碎了！谢谢", asked="subject")
    assert found.values["subject"] == "屏幕上周3号碎了"
    assert found.provenance["subject"] == Provenance("user", "屏幕上周3号碎了", 2, "answer")


@pytest.mark.parametrize("query", ["算了", "never mind", "为什么要标题？", "不知道"])
def test_a_refusal_or_a_question_is_no_answer(query):
    assert "subject" not in values(TICKET, query, asked="subject")


def test_a_long_bare_answer_is_not_cut():
    text = "屏幕碎了。" * 1000
    assert values(TICKET, text, asked="subject")["subject"] == text.rstrip("。")


def test_the_users_words_win_over_a_slot_a_claim_and_a_default():
    slots = {
        "email": ("slot@example.com", Provenance("user", "slot@example.com", 4, "email")),
        "subject": ("x", Provenance("user", "x", 0, "quoted")),
    }
    kept = read(TICKET, "你好", slots=slots)
    assert kept.values["email"] == "slot@example.com"
    assert kept.provenance["email"] == Provenance("slot", "slot@example.com", 4, "email")
    assert read(TICKET, "你好").provenance["email"] == Provenance("claim", "email")
    said = read(TICKET, "发到 new@example.com", slots=slots)
    assert (said.values["email"], said.provenance["email"].source) == ("new@example.com", "user")
    assert (said.values["subject"], said.provenance["subject"].source) == ("x", "slot")
    assert read(PERIOD, "昨天").provenance["limit"] == Provenance("default")


def test_a_claim_with_several_values_is_a_choice_and_one_that_does_not_fit_is_ignored():
    tool = make_tool({"tail": {"claim": "tails", "pattern": r"^\d{4}$"}, "mail": {"claim": "level"}})
    found = fill(tool, "hi", now=NOW, caller=CALLER)
    assert [c.value for c in found.ambiguous["tail"]] == ["1234", "8888"]
    assert found.missing == ("mail",)
    one = fill(tool, "hi", now=NOW, caller=Caller("u", claims={"tails": ["0017"]}))
    assert one.values == {"tail": "0017"}


def test_a_slot_that_no_longer_fits_is_dropped():
    slots = {"phone_tail": ("12345", Provenance("user", "12345", 0, "pattern"))}
    assert read(ORDER, "hi", slots=slots).values == {}
