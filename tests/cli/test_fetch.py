"""`reach fetch`, `reach artifacts` and `reach why`: a large result, for its owner alone."""

import json

import pytest

from tests.cli.command import run, strict_json

RANGE = '{"since": "2020-01-01", "until": "2040-01-01"}'


def large(shell, session):
    document = shell(
        "call list_abnormal_orders", "--as", "support", "--args", RANGE, "--session", session, "--json"
    ).document
    return document["envelope"]["structured"]


@pytest.fixture(scope="module")
def ref(shell):
    return large(shell, "large")["artifact_ref"]


def test_the_pages_joined_are_the_artifact(shell, ref):
    pages, offset = [], 0
    while True:
        page = shell("fetch", ref, "--as", "support", "--offset", str(offset), "--limit", "100001", "--json").document
        assert page["offset"] == offset
        pages.append(page["text"])
        offset = page["next_offset"]
        if not page["has_more"]:
            break
    whole = "".join(pages)
    assert len(pages) > 5
    assert offset == page["total_bytes"] == len(whole.encode())
    assert shell("fetch", ref, "--as", "support", "--all").out == whole
    assert shell("fetch", ref, "--as", "support", "--all", "--json").document["text"] == whole
    assert shell("artifacts export", ref, "--as", "support").out == whole
    assert len(strict_json(whole)) == large(shell, "again")["total"]


def test_all_from_an_offset_is_the_rest(shell, ref):
    whole = run("fetch", ref, "--as", "support", "--all", cwd=shell.project).out.encode()
    rest = shell("fetch", ref, "--as", "support", "--all", "--offset", "700000", "--json").document
    assert whole[rest["offset"] :].decode() == rest["text"]


def test_a_person_reads_where_the_page_ends_and_how_to_go_on(shell, ref):
    lines = shell("fetch", ref, "--as", "support", "--limit", "50").out.splitlines()
    assert lines[-1].startswith("[bytes 0-")
    assert "next: --offset " in lines[-1]


@pytest.mark.parametrize("page", [["--offset", "-1"], ["--limit", "0"], ["--limit", "-5"], ["--offset", "999999999"]])
def test_a_page_that_makes_no_sense_is_a_failed_read(shell, ref, page):
    ran = shell("fetch", ref, "--as", "support", *page, "--json")
    assert (ran.code, ran.error["code"]) == (1, "invalid")


@pytest.mark.parametrize("page", [["--offset", "x"], ["--limit", "1.5"]])
def test_a_page_that_is_no_number_is_a_usage_error(shell, ref, page):
    assert shell("fetch", ref, "--as", "support", *page).code == 2


@pytest.mark.parametrize("other", ["art_nope", "", "../../etc/passwd", "art_😀", "x" * 5000])
@pytest.mark.parametrize("command", ["fetch", "artifacts export", "artifacts revoke"])
def test_a_ref_that_is_none_is_not_found(shell, command, other):
    ran = shell(command, other, "--as", "support")
    assert (ran.code, ran.out) == (1, "")
    assert "There is no artifact" in ran.err


@pytest.mark.parametrize("command", ["fetch", "artifacts export", "artifacts revoke"])
def test_a_foreign_artifact_and_a_missing_one_answer_alike(shell, ref, command):
    foreign = shell(command, ref, "--as", "supervisor")
    missing = shell(command, "art_missing", "--as", "supervisor")
    assert foreign.code == missing.code == 1
    assert foreign.err.replace(ref, "art_missing") == missing.err


# ------------------------------------------------------------------------------------------------ export and revoke


def test_an_export_is_the_whole_result_as_a_file(shell, ref, tmp_path):
    out = tmp_path / "result.json"
    ran = shell("artifacts export", ref, "--as", "support", "--out", str(out), "--json")
    assert ran.document == {"ref": ref, "file": str(out), "bytes": out.stat().st_size}
    assert out.read_text() == shell("fetch", ref, "--as", "support", "--all").out
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_an_export_that_fails_leaves_the_old_file_and_no_part(shell, tmp_path):
    out = tmp_path / "result.json"
    out.write_text("old")
    assert shell("artifacts export", "art_nope", "--as", "support", "--out", str(out)).code == 1
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("result.json", "old")]


@pytest.mark.parametrize("out", ["no/such/folder/x.json", "."])
def test_an_export_to_where_nothing_can_be_written_is_a_usage_error(shell, ref, tmp_path, out):
    ran = shell("artifacts export", ref, "--as", "support", "--out", str(tmp_path / out))
    assert (ran.code, ran.out) == (2, "")
    assert "can't be written" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_document_and_the_artifact_do_not_share_standard_output(shell, ref):
    assert shell("artifacts export", ref, "--as", "support", "--json").error["message"] == "--json needs --out."


def test_what_was_revoked_is_gone_for_its_owner_too(shell):
    ref = large(shell, "to revoke")["artifact_ref"]
    assert shell("artifacts revoke", ref, "--as", "support", "--json").document == {"ref": ref, "revoked": True}
    ran = shell("fetch", ref, "--as", "support", "--json")
    assert (ran.code, ran.error["code"]) == (1, "revoked")


def test_an_owner_without_the_role_may_no_longer_read(shell, ref):
    ran = shell("fetch", ref, "--as", "u_2001", "--role", "customer", "--json")
    assert (ran.code, ran.error["code"]) == (1, "forbidden")


# ------------------------------------------------------------------------------------------------ why


def test_a_turn_is_explained_layer_by_layer(shell):
    turn = shell("ask", "SO-2024-00017 到哪了", "--as", "li_ming", "--json").document["turn"]
    explained = shell("why", turn, "--json").document
    layers = [event["layer"] for event in explained["events"]]
    assert (explained["turn"], layers[-1]) == (turn, "answer")
    assert {"route", "fill", "permit", "execute", "return"} <= set(layers)
    human = shell("why", turn).out
    assert f"turn: {turn}" in human.splitlines()[0]
    assert "customers-see-their-own" in human


def test_a_call_is_explained_by_its_own_id(shell):
    values = json.dumps({"order_id": "SO-2024-00017"})
    call = shell("call query_order_status", "--as", "emma", "--args", values, "--json").document["call_id"]
    permit = next(event for event in shell("why", call, "--json").document["events"] if event["layer"] == "permit")
    assert (permit["call"], permit["effect"]) == (call, "deny")


@pytest.mark.parametrize("unknown", ["turn_nope", "", "😀"])
def test_what_is_not_kept_is_told(shell, unknown):
    ran = shell("why", unknown, "--json")
    assert (ran.code, ran.error["code"]) == (1, "not_found")
    assert shell("why", unknown).err.startswith(f"Nothing is kept about '{unknown}'.")
