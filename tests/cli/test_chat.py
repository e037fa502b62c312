"""`reach chat`: over a pipe for programs, and at a terminal for people."""

import os
import pty
import subprocess

import pytest

from tests.cli.command import COMMAND, environment, run, strict_json


def test_lines_of_a_pipe_are_turns_of_one_conversation(made):
    ran = run("chat", "--as", "li_ming", cwd=made, stdin="订单到哪了\nSO-2024-00017\n".encode())
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.split("]")[0] for line in lines if line.startswith("[")] == [
        "[clarify · query_order_status",
        "[answer · query_order_status · complete",
    ]


def test_with_json_every_turn_is_a_document_on_its_line(shell):
    ran = shell("chat", "--as", "li_ming", "--json", stdin="你好\n订单到哪了\nSO-2024-00017".encode())
    turns = [strict_json(line) for line in ran.out.splitlines()]
    assert [turn["outcome"] for turn in turns] == ["no_tool", "clarify", "answer"]
    assert len({turn["session"] for turn in turns}) == 1
    assert ran.err == ""


def test_two_chats_are_two_conversations_unless_one_is_named(shell):
    def outcomes(*options):
        ran = shell("chat", "--as", "li_ming", "--json", *options, stdin=b"SO-2024-00017\n")
        return [strict_json(line)["outcome"] for line in ran.out.splitlines()]

    shell("chat", "--as", "li_ming", "--session", "named", stdin="订单到哪了\n".encode())
    assert outcomes() == ["clarify"]
    assert outcomes("--session", "named") == ["answer"]


@pytest.mark.parametrize("end", ["/quit\n你好\n", "/exit\n你好\n", "  /quit  \r\n你好\n", ""])
def test_quit_and_the_end_of_input_end_it(shell, end):
    ran = shell("chat", "--as", "li_ming", "--json", stdin=f"你好\n{end}".encode())
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 1


def test_blank_lines_are_no_turns(shell):
    ran = shell("chat", "--as", "li_ming", "--json", stdin="\n   \n\r\n你好\r\n\n".encode())
    assert [strict_json(line)["route"]["query"] for line in ran.out.splitlines()] == ["你好"]
    assert shell("chat", "--as", "li_ming").out == ""


def test_bytes_that_are_no_text_do_not_end_the_conversation(shell):
    ran = shell("chat", "--as", "li_ming", "--json", stdin=b"\xff\xfe\n\xed\xa0\x80\n" + "你好\n".encode())
    assert ran.code == 0
    assert [strict_json(line)["outcome"] for line in ran.out.splitlines()][-1] == "no_tool"


def test_a_line_that_is_too_long_is_told_and_the_conversation_goes_on(shell):
    lines = ("好" * 8001 + "\n你好\n").encode()
    ran = shell("chat", "--as", "li_ming", "--json", stdin=lines)
    first, second = (strict_json(line) for line in ran.out.splitlines())
    assert first["error"]["code"] == "invalid_arguments"
    assert second["outcome"] == "no_tool"
    assert ran.code == 1
    human = shell("chat", "--as", "li_ming", stdin=lines)
    assert "8001 characters" in human.err
    assert "[no_tool]" in human.out


def test_a_write_is_shown_and_runs_after_the_yes(shell):
    before = shell.tickets("SO-2024-00018")
    said = "SO-2024-00018 坏了，我要报修\n好的\n好的\n".encode()
    ran = shell("chat", "--as", "li_ming", "--json", "--session", "writes", stdin=said)
    outcomes = [strict_json(line)["outcome"] for line in ran.out.splitlines()]
    assert outcomes[:2] == ["confirm", "answer"]
    assert shell.tickets("SO-2024-00018") == before + 1


@pytest.mark.parametrize(("kind", "outcome"), [("timeout", "fallback"), ("error", "fallback"), ("slow:20", "answer")])
def test_a_fault_is_one_turn_s_outcome_and_the_conversation_goes_on(shell, kind, outcome):
    said = "SO-2024-00018 到哪了\n你好\n".encode()
    ran = shell("chat", "--as", "li_ming", "--fault", f"*={kind}", "--deadline-ms", "1500", "--json", stdin=said)
    assert [strict_json(line)["outcome"] for line in ran.out.splitlines()] == [outcome, "no_tool"]


def test_a_trace_follows_each_turn(shell):
    ran = shell("chat", "--as", "li_ming", "--trace", stdin="SO-2024-00018 到哪了\n".encode())
    assert " ms  route " in ran.out


# ------------------------------------------------------------------------------------------------ at a terminal


class Terminal:
    """A chat at a terminal of its own."""

    def __init__(self, project):
        self._master, slave = pty.openpty()
        # The leader of a new session gets the first terminal that it opens as its own, and with it Ctrl-C.
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(slave), *COMMAND, "chat", "--as", "li_ming"],
            cwd=project,
            env=environment(TERM="dumb"),
            start_new_session=True,
        )
        self._slave = slave
        self.seen = b""

    def until(self, text):
        while text not in self.seen:
            self.seen += os.read(self._master, 65536)

    def type(self, data):
        os.write(self._master, data)

    def end(self):
        """The exit code; what was still written is in `seen`."""
        code = self.process.wait(60)
        os.close(self._slave)
        while True:
            try:
                self.seen += os.read(self._master, 65536)
            except OSError:
                os.close(self._master)
                return code


@pytest.mark.parametrize(("key", "code"), [(b"\x04", 0), (b"\x03", 130), (b"/quit\n", 0)])
def test_a_person_ends_it_with_ctrl_d_ctrl_c_or_quit(made, key, code):
    terminal = Terminal(made)
    terminal.until(b"> ")
    terminal.type(key)
    assert terminal.end() == code
    assert b"Session chat-" in terminal.seen
    assert b"Traceback" not in terminal.seen
