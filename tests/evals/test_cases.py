"""A case that could never fail for the right reason does not load."""

from __future__ import annotations

from pathlib import Path

import pytest

from reach.errors import ConfigError
from reach.evals import load_cases
from reach.registry import load_registry
from tests.agent import make_agent

CALLERS = "version: 1\ncallers:\n  li: {id: u1, roles: [customer]}\n"


def folder_with(tmp_path: Path, cases: str) -> Path:
    folder = tmp_path / "evals"
    folder.mkdir()
    (folder / "callers.yaml").write_text(CALLERS, "utf-8")
    (folder / "cases.yaml").write_text(cases, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("{id: a, caller: §lee, query: x, expect: {outcome: answer}}", "no caller 'lee'"),
        ("{id: a, caller: li, query: x, expect: {outcome: answer, tool: §order_statu}}", "mean 'order_status'"),
        ("{id: a, caller: li, query: x, expect: {outcome: answer, never: [§nope]}}", "no tool 'nope'"),
        ("{id: a, caller: li, query: x, expect: {outcome: answer, args: §{a: 1}}}", "needs 'tool'"),
        (
            "{id: a, caller: li, query: x, expect: {outcome: answer, tool: order_status, args: {order: §1}}}",
            "no parameter 'order'",
        ),
        ("{id: a, caller: li, query: x, expect: {outcome: §yes}}", "answer"),
        ("{id: a, caller: li, §query: x}", "'query' and 'expect', or 'turns'"),
    ],
)
def test_a_case_that_means_nothing_is_placed(tmp_path: Path, case: str, said: str) -> None:
    line = f"  - {case}"
    folder = folder_with(tmp_path, f"version: 1\ncases:\n{line.replace('§', '')}\n")
    tools = load_registry(make_agent(tmp_path)).tools
    with pytest.raises(ConfigError) as error:
        load_cases(folder, tools)
    assert f"cases.yaml:3:{line.index('§') + 1}:" in str(error.value)
    assert said in str(error.value)


def test_an_id_is_used_once_over_all_files(tmp_path: Path) -> None:
    case = "version: 1\ncases: [{id: a, caller: li, query: x, expect: {outcome: answer}}]\n"
    folder = folder_with(tmp_path, case)
    (folder / "more.yaml").write_text(case, "utf-8")
    with pytest.raises(ConfigError, match="used twice"):
        load_cases(folder)


@pytest.mark.parametrize("now", ["yesterday", "2024-06-15", "2024-06-15T10:00:00"])
def test_a_pinned_moment_has_an_offset(tmp_path: Path, now: str) -> None:
    folder = folder_with(
        tmp_path, f"version: 1\nnow: '{now}'\ncases: [{{id: a, caller: li, query: x, expect: {{outcome: answer}}}}]\n"
    )
    with pytest.raises(ConfigError, match="offset"):
        load_cases(folder)


def test_no_case_at_all_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    folder.mkdir()
    (folder / "callers.yaml").write_text(CALLERS, "utf-8")
    with pytest.raises(ConfigError, match="no file of cases"):
        load_cases(folder)
