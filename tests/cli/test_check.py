"""`reach check`: all errors of all files, then advice, then the verdict."""

import shutil

import pytest

from tests.cli.command import Shell, run


@pytest.fixture
def copy(made, tmp_path):
    project = tmp_path / "agent"
    shutil.copytree(made, project)
    return Shell(project)


def edit(shell, file, old, new):
    path = shell.project / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_a_good_project_is_ok(made):
    ran = run("check", cwd=made)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1].startswith("ok 13 tools, 6 rules, ")
    assert run("check", "--json", cwd=made).document == {"errors": [], "advice": []}


def test_errors_come_first_then_advice_then_the_verdict(copy):
    edit(copy, "evals/after_sales.yaml", "caller: li_ming", "caller: nobody")
    tools = (copy.project / "tools.yaml").read_text("utf-8")
    start = tools.index("    examples:\n")
    end = tools.index("    counter_examples:\n", start)
    (copy.project / "tools.yaml").write_text(tools[:start] + tools[end:], "utf-8")
    ran = copy("check")
    words = [line.split()[0] for line in ran.out.splitlines()]
    assert (ran.code, ran.err) == (1, "")
    assert words[0] == "error"
    assert words[-1] == "failed"
    assert words[1:-1] == ["advice"] * len(words[1:-1])
    assert ran.out.splitlines()[-1] == f"failed 1 error, {len(words) - 2} advice"
    assert len(words) > 2


def test_errors_of_every_file_are_told_in_one_run_each_with_its_place(copy):
    edit(copy, "tools.yaml", "side_effect: read_only", "side_effect: read-only")
    edit(copy, "policies/after_sales.yaml", "version: 1", "version: 7")
    edit(copy, "evals/after_sales.yaml", "version: 1", "versoin: 1")
    ran = copy("check", "--json")
    assert ran.code == 1
    files = [error["file"].rsplit("/", 1)[-1] for error in ran.document["errors"]]
    assert list(dict.fromkeys(files)) == ["tools.yaml", "after_sales.yaml"]
    assert {error["file"].rsplit("/", 2)[-2] for error in ran.document["errors"]} >= {"policies", "evals"}
    first = ran.document["errors"][0]
    line = (copy.project / "tools.yaml").read_text("utf-8").splitlines()[first["line"] - 1]
    assert line[first["column"] - 1 :].startswith(("read-only", "side_effect"))
    human = copy("check").out
    assert f"tools.yaml:{first['line']}:{first['column']}:" in human


def test_what_only_the_wiring_can_know_is_an_error_too(copy):
    edit(copy, "tools.yaml", 'function: "reach.demo:date_info"', 'function: "reach.demo:no_such"')
    ran = copy("check")
    assert ran.code == 1
    assert "no_such" in ran.out


def test_a_project_without_evals_is_checked_without_them(copy):
    shutil.rmtree(copy.project / "evals")
    assert copy("check").out.splitlines()[-1].startswith("ok 13 tools, 6 rules, 0 cases")


def test_missing_policies_are_told_for_each_value_that_needs_proof(copy):
    shutil.rmtree(copy.project / "policies")
    ran = copy("check", "--json")
    assert ran.code == 1
    assert all("no policy says how" in error["message"] for error in ran.document["errors"])


def test_an_empty_file_is_an_error_of_the_check(copy):
    (copy.project / "tools.yaml").write_bytes(b"")
    ran = copy("check")
    assert ran.code == 1
    assert "tools.yaml:1:1: the file is empty" in ran.out.splitlines()[0]
