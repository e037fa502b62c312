"""What all commands share: help, identities, files, exit codes, and clean output."""

import subprocess

import jsonschema
import pytest

import reach
from tests.cli.command import COMMAND, environment, run

COMMANDS = ["init", "check", "ask", "chat", "confirm", "call", "fetch", "why", "eval", "schema"]
COMMANDS += ["artifacts export", "artifacts revoke"]
ASKS = ["ask hi", "chat", "call date_info", "confirm cnf_x", "fetch art_x", "artifacts export art_x"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(shell, command):
    helped = shell(command, "--help")
    assert helped.code == 0
    assert f"Usage: reach {command}" in helped.out
    lines = [line.strip() for line in helped.out.splitlines()]
    start = next(i for i, line in enumerate(lines) if line in ("Example:", "Examples:"))
    assert f"reach {command}" in lines[start + 1], "an example stands on a line of its own"


def test_the_commands_are_listed_and_nothing_is_done_without_one(made):
    listed = run(cwd=made)
    assert listed.code == 2
    assert all(name.split()[0] in listed.err for name in COMMANDS)


def test_the_version_is_that_of_the_package(made):
    assert run("--version", cwd=made).out == f"reach {reach.__version__}\n"


# ------------------------------------------------------------------------------------------------ identities


def test_an_unknown_identity_names_the_nearest_one_and_all_others(shell):
    ran = shell("ask", "hi", "--as", "li_mng")
    assert (ran.code, ran.out) == (2, "")
    assert "--as li_mng: no such identity. Did you mean 'li_ming'?" in ran.err
    assert "supervisor" in ran.err


def test_an_unknown_identity_is_a_document_with_json(shell):
    ran = shell("ask", "hi", "--as", "nobody-at-all", "--json")
    assert (ran.code, ran.err) == (2, "")
    assert ran.error["code"] == "config"
    assert "Did you mean" not in ran.error["hint"]


def test_an_id_with_a_role_needs_no_list_of_identities(shell):
    ran = shell("call", "query_order_status", "--args", '{"order_id": "SO-2024-00017"}',
                "--as", "u_1001", "--role", "customer", "--json")  # fmt: skip
    assert ran.document["status"] == "succeeded"


def test_a_caller_of_another_role_does_not_see_the_tool(shell):
    ran = shell(
        "call", "query_order_status", "--args", '{"order_id": "SO-2024-00017"}', "--as", "u_1001", "--role", "x"
    )
    assert ran.code == 1
    assert "There is no tool 'query_order_status' that you may use." in ran.out


@pytest.mark.parametrize(
    "claim", ["zoneinfo=Asia/Shanghai", 'a={"b": [1, null]}', "n=NaN", "empty=", "x=a=b", "d=" + "[" * 9999]
)
def test_a_claim_is_json_or_plain_text(shell, claim):
    assert shell("ask", "hi", "--as", "u_1", "--claim", claim).code == 0


@pytest.mark.parametrize("claim", ["novalue", "=1", ""])
def test_a_claim_without_a_name_or_value_is_a_usage_error(shell, claim):
    ran = shell("ask", "hi", "--as", "u_1", "--claim", claim)
    assert ran.code == 2
    assert "NAME=VALUE" in ran.err


def test_a_claim_reaches_the_tool_as_json(shell):
    """A caller's zone decides what day it is: east and west of the date line differ at every moment."""
    zones = [f"zoneinfo={zone}" for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago")]
    answers = [shell("call date_info", "--as", "u_1", "--claim", zone, "--json").document for zone in zones]
    days = [answer["envelope"]["structured"]["data"]["date"] for answer in answers]
    assert days[0] > days[1]


def test_a_session_of_one_tenant_is_not_that_of_another(shell):
    one = ["--as", "u_1001", "--role", "customer", "--session", "shared"]
    assert shell("ask", "订单到哪了", *one, "--tenant", "a", "--json").document["outcome"] == "clarify"
    there = shell("ask", "SO-2024-00017", *one, "--tenant", "b", "--json").document
    here = shell("ask", "SO-2024-00017", *one, "--tenant", "a", "--json").document
    assert (there["outcome"], here["outcome"]) == ("clarify", "answer")


def test_an_empty_identity_is_a_usage_error(shell):
    assert "--as is empty" in shell("ask", "hi", "--as", "", "--role", "customer").err


# ------------------------------------------------------------------------------------------------ files


@pytest.mark.parametrize("command", [*ASKS, "why turn_x", "check", "eval"])
def test_a_missing_tools_file_says_how_to_have_one(shell, tmp_path, command):
    who = [] if command.split()[0] in ("why", "check", "eval") else ["--as", "li_ming"]
    ran = shell(command, *who, "--tools", str(tmp_path / "tools.yaml"))
    assert (ran.code, ran.out) == (2, "")
    assert f"{tmp_path / 'tools.yaml'}: there is no such file. Make an agent with `reach init" in ran.err


def test_a_folder_as_tools_file_names_the_file_in_it(shell):
    ran = shell("ask", "hi", "--as", "li_ming", "--tools", str(shell.project))
    assert ran.code == 2
    assert f"--tools {shell.project / 'tools.yaml'}" in ran.err


def test_missing_policies_that_were_named_are_a_usage_error(shell, tmp_path):
    ran = shell("ask", "hi", "--as", "li_ming", "--policies", str(tmp_path / "nope"), "--json")
    assert ran.code == 2
    assert "no such file or folder" in ran.error["message"]


def copy_with(shell, folder, tools):
    (folder / "tools.yaml").write_bytes(tools)
    (folder / "evals").mkdir()
    (folder / "evals" / "callers.yaml").write_bytes((shell.project / "evals" / "callers.yaml").read_bytes())
    return ["--tools", str(folder / "tools.yaml"), "--policies", str(shell.project / "policies")]


BROKEN = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x00\x01",
    "not YAML": b"tools: [",
    "a list": b"- 1\n",
    "an unknown key": b"version: 1\ntoools: []\n",
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("command", ["ask hi", "call date_info", "chat", "eval"])
def test_a_broken_tools_file_is_placed_and_is_a_configuration_error(shell, tmp_path, name, command):
    who = [] if command == "eval" else ["--as", "li_ming"]
    ran = shell(command, *who, "--json", *copy_with(shell, tmp_path, BROKEN[name]))
    assert ran.code == 2
    assert ran.error["code"] == "config"
    assert any(problem["file"] == str(tmp_path / "tools.yaml") for problem in ran.error["problems"])


def test_a_file_that_can_not_be_read_is_a_configuration_error(shell, tmp_path):
    files = copy_with(shell, tmp_path, b"")
    (tmp_path / "tools.yaml").unlink()
    (tmp_path / "tools.yaml").symlink_to(tmp_path / "evals" / "callers.yaml" / "below-a-file")
    assert shell("ask", "hi", "--as", "li_ming", *files).code == 2


def test_a_state_file_that_is_none_is_told_and_not_touched(shell, made, tmp_path):
    files = copy_with(shell, tmp_path, (made / "tools.yaml").read_bytes())
    (tmp_path / ".reach").mkdir()
    (tmp_path / ".reach" / "state.db").write_bytes(b"my notes " * 1000)
    ran = shell("ask", "hi", "--as", "li_ming", "--json", *files)
    assert ran.code in (1, 2)
    assert "state.db" in ran.error["message"]
    assert (tmp_path / ".reach" / "state.db").read_bytes() == b"my notes " * 1000


# ------------------------------------------------------------------------------------------------ options and output


@pytest.mark.parametrize("command", ["ask hi", "chat", "call date_info", "confirm cnf_x"])
@pytest.mark.parametrize(
    "fault", ["nope=timeout", "*=wat", "*", "", "*=slow", "*=slow:", "*=slow:-1", "*=slow:" + "9" * 400]
)
def test_a_fault_that_is_none_is_a_usage_error_that_lists_those_that_are(shell, command, fault):
    ran = shell(command, "--as", "li_ming", "--fault", fault)
    assert (ran.code, ran.out) == (2, "")
    assert "Known: " in ran.err


@pytest.mark.parametrize("command", ["ask hi", "chat", "call date_info", "confirm cnf_x"])
@pytest.mark.parametrize("deadline", ["0", "-5", "soon", "9" * 400])
def test_a_deadline_must_be_a_time(shell, command, deadline):
    ran = shell(command, "--as", "li_ming", "--deadline-ms", deadline)
    assert (ran.code, ran.out) == (2, "")
    assert "--deadline-ms" in ran.err


@pytest.mark.parametrize("changes", [{}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}])
def test_no_colours_go_into_a_pipe(made, tmp_path, changes):
    for arguments in (["check"], ["ask", "hi", "--as", "li_ming", "--trace"], ["ask", "hi", "--as", "nobody"]):
        ran = run(*arguments, cwd=made, env=environment(**changes))
        assert "\x1b" not in ran.out + ran.err


def test_a_reader_that_leaves_early_is_no_traceback(made):
    process = subprocess.Popen(
        [*COMMAND, "schema", "tools"], cwd=made, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(60)


@pytest.mark.parametrize("kind", ["tools", "policies", "evals", "callers"])
def test_the_schema_of_every_kind_of_file_is_a_json_schema(shell, kind):
    schema = shell("schema", kind).document
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"


def test_the_schema_of_no_kind_is_a_usage_error(made):
    ran = run("schema", "nope", cwd=made)
    assert (ran.code, ran.out) == (2, "")
