"""`reach call` and `reach confirm`: what a program may rely on, and what a write may not do twice."""

import json

import pytest

from tests.cli.command import run

STATUS = ["call", "query_order_status", "--as", "li_ming"]
ORDER = '{"order_id": "SO-2024-00018"}'
KINDS = ["timeout", "error", "empty", "huge", "slow:20"]


# ------------------------------------------------------------------------------------------------ arguments


def test_arguments_come_from_the_line_a_file_or_standard_input(shell, tmp_path):
    (tmp_path / "order.json").write_bytes(b"\xef\xbb\xbf" + ORDER.encode())
    ways = [(ORDER, b""), (f"@{tmp_path / 'order.json'}", b""), ("-", ORDER.encode())]
    results = [shell(*STATUS, "--args", given, "--json", stdin=stdin) for given, stdin in ways]
    assert [result.code for result in results] == [0, 0, 0]
    assert {result.document["arguments"]["order_id"] for result in results} == {"SO-2024-00018"}


@pytest.mark.parametrize(
    ("given", "stdin", "said"),
    [
        ("{", b"", "--args is not JSON"),
        ("", b"", "--args is not JSON"),
        ("[]", b"", "--args is not a JSON object"),
        ("null", b"", "--args is not a JSON object"),
        ('{"order_id": NaN}', b"", "NaN is not JSON"),
        ("[" * 100_000, b"", "nested too deeply"),
        ("-", b"", "--args is not JSON"),
        ("-", b"\xff", "--args - is not UTF-8"),
        ("@nope.json", b"", "--args @nope.json: the file can't be read: No such file or directory"),
        ("@/", b"", "the file can't be read"),
    ],
)
def test_arguments_that_are_no_object_are_a_usage_error(shell, given, stdin, said):
    ran = shell(*STATUS, "--args", given, stdin=stdin)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert shell(*STATUS, "--args", given, "--json", stdin=stdin).error["code"] == "config"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "missing: order_id"),
        ({"order_id": 1}, "must be a string"),
        ({"order_id": "\ud800"}, "surrogate"),
        ({"order_id": "SO-1"}, "order_id"),
        ({"order_id": "SO-2024-00018", "colour": "red"}, "colour"),
    ],
)
def test_arguments_that_do_not_fit_the_tool_are_a_failed_call_that_says_why(shell, arguments, word):
    ran = shell(*STATUS, "--args", json.dumps(arguments), "--json")
    assert (ran.code, ran.document["status"]) == (1, "invalid")
    assert word in ran.document["envelope"]["structured"]["error"]["message"]
    assert word in shell(*STATUS, "--args", json.dumps(arguments)).out


# ------------------------------------------------------------------------------------------------ results


def test_a_person_reads_what_the_model_reads_and_how_it_came_to_be(made):
    ran = run(*STATUS, "--args", ORDER, cwd=made)
    assert (ran.code, ran.err) == (0, "")
    content, note = ran.out.splitlines()
    assert json.loads(content)["data"][0]["order_id"] == "SO-2024-00018"
    assert note.startswith("[succeeded · query_order_status · 1 attempt · ")
    assert "rule customers-see-their-own" in note


def test_a_program_reads_one_document(made):
    ran = run(*STATUS, "--args", ORDER, "--json", cwd=made)
    assert (ran.code, ran.err) == (0, "")
    assert ran.document["status"] == "succeeded"
    assert ran.document["decision"]["rule"] == "customers-see-their-own"


def test_another_s_order_is_refused_with_the_reason(shell):
    ran = shell("call", "query_order_status", "--as", "emma", "--args", ORDER)
    assert ran.code == 1
    assert ran.out.splitlines()[1].startswith("[denied · query_order_status · rule ")
    assert "order number is not among your orders" in ran.out


def test_a_tool_that_is_hidden_and_one_that_is_not_there_answer_alike(shell):
    hidden, absent = (
        shell("call", tool, "--as", "li_ming", "--json").document["envelope"]["structured"]["error"]
        for tool in ("notify_assignee", "no_such_tool")
    )
    assert hidden["code"] == absent["code"] == "unknown_tool"
    assert hidden["message"].replace("notify_assignee", "no_such_tool") == absent["message"]


def test_a_dry_run_does_everything_but_the_call(shell):
    before = shell.tickets("SO-2024-00018")
    values = json.dumps({"order_id": "SO-2024-00018", "issue_type": "other"})
    ran = shell("call", "create_ticket", "--as", "li_ming", "--args", values, "--dry-run", "--json")
    assert (ran.code, ran.document["status"], ran.document["confirmation_id"]) == (0, "confirm", None)
    assert shell(*STATUS, "--args", ORDER, "--dry-run", "--json").document["envelope"]["structured"]["data"] == {
        "dry_run": True,
        "effect": "allow",
        "rule": "customers-see-their-own",
    }
    assert shell.tickets("SO-2024-00018") == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_read_with_a_fault_ends_as_its_kind_demands(shell, kind):
    ran = shell(*STATUS, "--args", ORDER, "--fault", f"query_order_status={kind}", "--deadline-ms", "1500", "--json")
    failed = kind in ("timeout", "error")
    assert (ran.code, ran.document["status"]) == ((1, "failed") if failed else (0, "succeeded"))
    assert ran.document["envelope"]["content"]


def test_a_failed_call_says_so_in_words_and_not_as_data(shell):
    ran = shell(*STATUS, "--args", ORDER, "--fault", "*=error")
    assert ran.code == 1
    assert ran.out.startswith("The backend 'shop' refused the connection (injected fault).\n[failed · ")
    assert "3 attempts" in ran.out


# ------------------------------------------------------------------------------------------------ confirm


def test_the_line_to_copy_names_the_same_caller_and_conversation(shell):
    arguments = ["--args", '{"order_id": "SO-2024-00018", "issue_type": "other"}']
    who = ["--as", "u_1001", "--role", "customer", "--claim", "note=a b", "--session", "copy me"]
    line = shell("call create_ticket", *arguments, *who).out.splitlines()[-1]
    assert line.startswith("To go ahead: reach confirm cnf_")
    assert line.endswith("--as u_1001 --role customer --claim 'note=a b' --session 'copy me'")


def test_a_yes_runs_what_was_shown_once(shell):
    before = shell.tickets("SO-2024-00018")
    waiting = shell.waiting("once")
    yes = ["confirm", waiting, "--as", "li_ming", "--session", "once", "--json"]
    first, second = shell(*yes), shell(*yes)
    assert (first.code, first.document["status"]) == (0, "succeeded")
    assert first.document["arguments"]["order_id"] == "SO-2024-00018"
    assert (second.code, second.document["status"]) == (1, "invalid")
    assert shell.tickets("SO-2024-00018") == before + 1


@pytest.mark.parametrize(
    "others",
    [
        ["--as", "li_ming"],
        ["--as", "li_ming", "--session", "another"],
        ["--as", "emma", "--session", "mine"],
        ["--as", "support", "--session", "mine"],
        ["--as", "li_ming", "--session", "mine", "--tenant", "elsewhere"],
    ],
)
def test_another_session_caller_or_tenant_can_not_say_the_yes(shell, others):
    before = shell.tickets("SO-2024-00018")
    waiting = shell.waiting("mine", issue_type="other")
    ran = shell("confirm", waiting, *others)
    assert ran.code == 1
    assert ran.out.startswith("That confirmation has expired or was already used.")
    assert shell.tickets("SO-2024-00018") == before


@pytest.mark.parametrize("confirmation", ["cnf_nope", "", "cnf_" + "x" * 5000, "订单"])
def test_a_confirmation_that_is_none_is_a_failed_call(shell, confirmation):
    ran = shell("confirm", confirmation, "--as", "li_ming", "--json")
    assert (ran.code, ran.document["status"]) == (1, "invalid")


@pytest.mark.parametrize("kind", KINDS)
def test_a_write_with_a_fault_ends_honestly_and_is_not_run_again(shell, kind):
    session = f"fault-{kind}"
    before = shell.tickets("SO-2024-00018")
    options = ["--as", "li_ming", "--session", session, "--json"]
    ran = shell(
        "confirm", shell.waiting(session), *options, "--fault", f"create_ticket={kind}", "--deadline-ms", "1500"
    )
    status = {"timeout": "unknown", "error": "failed"}.get(kind, "succeeded")
    assert (ran.code, ran.document["status"]) == (0 if status == "succeeded" else 1, status)
    written = shell.tickets("SO-2024-00018") - before
    assert written == (1 if kind in ("huge", "slow:20") else 0)
    if status == "unknown":
        values = json.dumps({"order_id": "SO-2024-00018", "issue_type": "defective"})
        again = shell("call create_ticket", *options, "--args", values)
        assert (again.code, again.document["status"]) == (1, "unknown")
