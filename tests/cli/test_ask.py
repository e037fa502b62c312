"""`reach ask`: every outcome is one, and whatever is typed is understood or asked about, never a traceback."""

import pytest

from tests.cli.command import environment, run

KINDS = ["timeout", "error", "empty", "huge", "slow:20"]
ORDER = "订单 SO-2024-00018 到哪了"
TICKET = "SO-2024-00018 坏了，我要报修"


def test_a_person_reads_the_answer_and_how_to_have_it_explained(made):
    ran = run("ask", "SO-2024-00017 到哪了", "--as", "li_ming", cwd=made)
    assert (ran.code, ran.err) == (0, "")
    answer, note = ran.out.splitlines()
    assert answer.startswith("订单 SO-2024-00017：")
    assert note.startswith("[answer · query_order_status · complete]  reach why turn_")


def test_a_program_reads_one_document(made):
    ran = run("ask", "SO-2024-00017 到哪了", "--as", "li_ming", "--json", "--trace", cwd=made)
    assert (ran.code, ran.err) == (0, "")
    assert ran.document["outcome"] == "answer"
    assert ran.document["tool"] == "query_order_status"
    assert ran.document["arguments"]["order_id"] == "SO-2024-00017"
    assert ran.document["provenance"]["order_id"]["source"] == "user"
    assert ran.document["trace"]["turn"] == ran.document["turn"]
    assert "到哪了" in ran.out, "text stays readable"


def test_a_trace_shows_the_layers_after_the_answer(shell):
    ran = shell("ask", ORDER, "--as", "li_ming", "--trace")
    layers = [line.split(" ms  ")[1].split()[0] for line in ran.out.splitlines() if " ms  " in line]
    assert [layer for layer in ("route", "fill", "permit", "execute", "return", "answer") if layer in layers] == [
        "route", "fill", "permit", "execute", "return", "answer",
    ]  # fmt: skip


def test_another_s_order_is_refused_and_that_is_an_outcome(shell):
    ran = shell("ask", "where is SO-2024-00017?", "--as", "emma", "--json")
    assert (ran.code, ran.document["outcome"]) == (0, "denied")


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_with_a_fault_ends_as_its_kind_demands(shell, kind):
    ran = shell("ask", ORDER, "--as", "li_ming", "--fault", f"*={kind}", "--deadline-ms", "1500", "--json")
    outcome = {"timeout": "fallback", "error": "fallback"}.get(kind, "answer")
    assert (ran.code, ran.document["outcome"]) == (0, outcome)
    if kind == "empty":
        assert ran.document["text"] == "没有找到这个订单。"
    if kind == "huge":
        assert ran.document["envelope"]["structured"]["completeness"] == "truncated"


def test_what_a_fault_answered_is_not_kept_for_calls_without_it(shell):
    who = ["--as", "li_ming", "--json"]
    assert shell("ask", ORDER, *who, "--fault", "*=empty").document["text"] == "没有找到这个订单。"
    assert "SO-2024-00018" in shell("ask", ORDER, *who).document["text"]
    assert shell("ask", ORDER, *who, "--fault", "*=error").document["outcome"] == "fallback"


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_with_a_fault_ends_as_its_kind_demands(shell, kind):
    talk = ["--as", "li_ming", "--session", f"write-{kind}", "--json"]
    before = shell.tickets("SO-2024-00018")
    assert shell("ask", TICKET, *talk).document["outcome"] == "confirm"
    ran = shell("ask", "好的", *talk, "--fault", f"*={kind}", "--deadline-ms", "1500")
    outcome = {"timeout": "unknown", "error": "fallback"}.get(kind, "answer")
    assert (ran.code, ran.document["outcome"]) == (0, outcome)
    made = shell.tickets("SO-2024-00018") - before
    assert made == (1 if kind in ("huge", "slow:20") else 0)


def test_a_deadline_that_is_too_short_is_told_and_nothing_is_invented(shell):
    ran = shell("ask", ORDER, "--as", "li_ming", "--fault", "*=slow:60000", "--deadline-ms", "200", "--json")
    assert (ran.code, ran.document["outcome"]) == (0, "fallback")


# ------------------------------------------------------------------------------------------------ what is typed


@pytest.mark.parametrize("text", ["", "   ", "\n", "\u3000"])
def test_nothing_is_answered_with_a_question(shell, text):
    ran = shell("ask", text, "--as", "li_ming", "--json")
    assert (ran.code, ran.document["outcome"]) == (0, "no_tool")


@pytest.mark.parametrize(
    "text",
    ["😀", "👨‍👩‍👧 SO-2024-00017 到哪了", "\u202e", "a\x00b", "\x1b[31mred", "{order_id}", "'; DROP TABLE orders; --"],
)
def test_whatever_is_typed_has_an_outcome(shell, text):
    ran = shell("ask", text, "--as", "li_ming", "--json")
    assert ran.code == 0
    assert ran.document["outcome"] in ("answer", "clarify", "no_tool")


@pytest.mark.parametrize("arguments", [["--json"], ["--trace"], []])
def test_bytes_that_are_no_text_do_no_harm(made, arguments):
    ran = run(
        "ask",
        b"\xff\xed\xa0\x80 SO-2024-00017 \xe5\x88\xb0\xe5\x93\xaa\xe4\xba\x86",
        "--as",
        "li_ming",
        *arguments,
        cwd=made,
    )
    assert ran.code == 0
    assert "SO-2024-00017" in ran.out


@pytest.mark.parametrize("as_json", [True, False])
def test_a_text_of_8000_characters_is_read_and_a_longer_one_refused(shell, as_json):
    options = ["--as", "li_ming", *(["--json"] if as_json else [])]
    assert shell("ask", "好" * 8000, *options).code == 0
    ran = shell("ask", "好" * 8001, *options)
    assert ran.code == 2
    assert "8001 characters; the most is 8000" in (ran.error["message"] if as_json else ran.err)


@pytest.mark.parametrize(
    "changes",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_a_locale_without_the_characters_changes_how_they_are_spelled_and_nothing_else(made, changes):
    arguments = ["ask", "😀 SO-2024-00017 到哪了", "--as", "li_ming"]
    document = run(*arguments, "--json", cwd=made, env=environment(**changes)).document
    assert document["outcome"] == "answer"
    assert document["text"].startswith("订单 SO-2024-00017：")
    assert run(*arguments, cwd=made, env=environment(**changes)).code == 0
