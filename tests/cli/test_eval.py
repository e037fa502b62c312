"""`reach eval`: the numbers, which cases failed and why, and the gate."""

import json
import shutil

import pytest

from tests.cli.command import run

RIGHT = (
    "{id: right-%d, caller: li_ming, query: SO-2024-00018 到哪了, expect: {outcome: answer, tool: query_order_status}}"
)
WRONG = "{id: wrong-%d, caller: li_ming, query: 你好, expect: {outcome: answer, tool: track_parcel}}"


def cases(shell, name, right, wrong):
    """A folder of cases of which so many pass and so many fail."""
    folder = shell.project / name
    folder.mkdir(exist_ok=True)
    shutil.copyfile(shell.project / "evals" / "callers.yaml", folder / "callers.yaml")
    lines = [RIGHT % i for i in range(right)] + [WRONG % i for i in range(wrong)]
    (folder / "cases.yaml").write_text("\n".join(["version: 1", "cases:", *(f"  - {line}" for line in lines)]), "utf-8")
    return folder


@pytest.fixture(scope="module")
def mixed(shell):
    return cases(shell, "mixed", 4, 1)


def test_a_person_reads_the_four_numbers_and_each_failure(shell, mixed):
    ran = run("eval", "mixed", cwd=shell.project)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "FAIL wrong-0"
    assert any("expected" in line or "outcome" in line for line in lines[1:4])
    for name in ("tool hit rate", "argument accuracy", "end-to-end success", "mean latency"):
        assert any(line.startswith(name) for line in lines)
    assert any(line.startswith("end-to-end success   0.800   (4 of 5; 95%: ") for line in lines)
    assert any(line.startswith("argument accuracy    -       (nothing to count)") for line in lines)


def test_verbose_lists_every_case(shell, mixed):
    lines = shell("eval", str(mixed), "--verbose").out.splitlines()
    verdicts = [line for line in lines if line.startswith(("pass ", "FAIL "))]
    assert verdicts == [*(f"pass right-{i}" for i in range(4)), "FAIL wrong-0"]


def test_a_program_reads_one_document(shell, mixed):
    ran = shell("eval", str(mixed), "--json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.document["cases"] == 5
    assert ran.document["metrics"]["end_to_end_success"]["value"] == 0.8
    assert [case["passed"] for case in ran.document["results"]] == [True] * 4 + [False]
    assert ran.document["baseline"] is None


def test_a_file_is_its_cases_and_a_folder_those_of_all_its_files(shell, mixed):
    (mixed / "more.yaml").write_text("version: 1\ncases:\n  - " + RIGHT % 9, "utf-8")
    try:
        assert shell("eval", str(mixed / "cases.yaml"), "--json").document["cases"] == 5
        assert shell("eval", str(mixed), "--json").document["cases"] == 6
    finally:
        (mixed / "more.yaml").unlink()


def test_an_eval_writes_nothing_into_the_project(shell, mixed):
    before = {path: path.read_bytes() for path in sorted((shell.project / ".reach").iterdir())}
    shell("eval", str(mixed))
    assert {path: path.read_bytes() for path in sorted((shell.project / ".reach").iterdir())} == before


@pytest.mark.parametrize(("kind", "success"), [("error", 0.0), ("slow:1", 0.8)])
def test_a_fault_shows_in_the_numbers(shell, mixed, kind, success):
    ran = shell("eval", str(mixed), "--fault", f"*={kind}", "--json")
    assert ran.document["metrics"]["end_to_end_success"]["value"] == success


# ------------------------------------------------------------------------------------------------ the gate


def baseline(shell, folder, tmp_path):
    report = tmp_path / "baseline.json"
    report.write_text(shell("eval", str(folder), "--json").out)
    return str(report)


def test_a_run_that_is_no_worse_holds(shell, mixed, tmp_path):
    report = baseline(shell, mixed, tmp_path)
    ran = shell("eval", str(mixed), "--baseline", report)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "baseline 0.800 -> 0.800: held")


def test_a_run_that_dropped_by_over_two_points_exits_1(shell, mixed, tmp_path):
    report = baseline(shell, mixed, tmp_path)
    worse = cases(shell, "worse", 3, 2)
    ran = shell("eval", str(worse), "--baseline", report)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "baseline 0.800 -> 0.600: worse")
    ran = shell("eval", str(worse), "--baseline", report, "--json")
    assert (ran.code, ran.document["baseline"]) == (1, {"end_to_end_success": 0.8, "held": False})


@pytest.mark.parametrize(("value", "code"), [(0.82, 0), (0.8201, 1), (0.5, 0)])
def test_two_points_are_the_limit(shell, mixed, tmp_path, value, code):
    report = tmp_path / "baseline.json"
    report.write_text(json.dumps({"metrics": {"end_to_end_success": {"value": value}}}))
    assert shell("eval", str(mixed), "--baseline", str(report)).code == code


MALFORMED = [
    "",
    "[]",
    "{",
    "null",
    '{"metrics": {}}',
    '{"metrics": {"end_to_end_success": {"value": null}}}',
    "\x00",
    "NaN",
]


@pytest.mark.parametrize("text", MALFORMED)
def test_a_baseline_that_is_no_report_is_a_usage_error(shell, mixed, tmp_path, text):
    report = tmp_path / "baseline.json"
    report.write_text(text)
    ran = shell("eval", str(mixed), "--baseline", str(report))
    assert (ran.code, ran.out) == (2, "")
    assert f"--baseline {report} is not a report." in ran.err


@pytest.mark.parametrize("name", ["nope.json", "."])
def test_a_baseline_that_can_not_be_read_is_a_usage_error(shell, mixed, tmp_path, name):
    ran = shell("eval", str(mixed), "--baseline", str(tmp_path / name))
    assert (ran.code, ran.out) == (2, "")
    assert "can't be read" in ran.err


# ------------------------------------------------------------------------------------------------ nothing to measure


def test_an_empty_set_is_an_error_and_not_a_number(shell, tmp_path):
    shutil.copyfile(shell.project / "evals" / "callers.yaml", tmp_path / "callers.yaml")
    assert shell("eval", str(tmp_path), "--json").error["message"].startswith("There is no file of cases")
    for text in ("", "version: 1\n", "version: 1\ncases: []\n"):
        (tmp_path / "cases.yaml").write_text(text)
        ran = shell("eval", str(tmp_path))
        assert (ran.code, ran.out) == (2, "")
        assert "cases.yaml" in ran.err


def test_a_path_that_is_not_there_is_a_usage_error(shell, tmp_path):
    ran = shell("eval", str(tmp_path / "nope"))
    assert (ran.code, ran.out) == (2, "")
    assert f"{tmp_path / 'nope'}: there is no such file or folder of cases." in ran.err


def test_cases_without_callers_beside_them_are_told(shell, tmp_path):
    (tmp_path / "cases.yaml").write_text("version: 1\ncases:\n  - " + RIGHT % 1, "utf-8")
    ran = shell("eval", str(tmp_path / "cases.yaml"))
    assert ran.code == 2
    assert f"{tmp_path / 'callers.yaml'}: there is no such file." in ran.err
