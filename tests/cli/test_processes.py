"""Several processes on one project, and one that dies: nothing is lost, nothing is written twice."""

import json
import signal
import sqlite3
import subprocess
from contextlib import closing

import pytest

from tests.cli.command import COMMAND, environment

ORDER = "SO-2024-00018"
TICKET = json.dumps({"order_id": ORDER, "issue_type": "defective"})


def start(project, *arguments):
    return subprocess.Popen(
        [*COMMAND, *arguments, "--as", "li_ming", "--json"],
        cwd=project, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process):
    out, err = process.communicate(timeout=100)
    assert "Traceback" not in err, err
    return process.returncode, json.loads(out)


def test_two_processes_ask_at_once_on_one_project(shell):
    for round_ in range(3):
        processes = [start(shell.project, "ask", f"{ORDER} 到哪了", "--session", f"{round_}-{i}") for i in range(2)]
        for code, document in map(ended, processes):
            assert (code, document["outcome"], document["tool"]) == (0, "answer", "query_order_status")


def test_two_processes_say_the_same_yes_and_one_ticket_is_made(shell):
    before = shell.tickets(ORDER)
    waiting = shell.waiting("race")
    processes = [start(shell.project, "confirm", waiting, "--session", "race") for _ in range(2)]
    statuses = sorted(document["status"] for _, document in map(ended, processes))
    assert statuses == ["invalid", "succeeded"]
    assert shell.tickets(ORDER) == before + 1


def test_two_confirmations_of_the_same_write_at_once_make_one_ticket(shell):
    before = shell.tickets(ORDER)
    waiting = [shell.waiting("twins", issue_type="refund") for _ in range(2)]
    processes = [
        start(shell.project, "confirm", one, "--session", "twins", "--fault", "create_ticket=slow:1000")
        for one in waiting
    ]
    documents = [document for _, document in map(ended, processes)]
    assert {document["status"] for document in documents} <= {"succeeded", "unknown"}
    tickets = {
        document["envelope"]["structured"]["data"]["ticket_id"]
        for document in documents
        if document["status"] == "succeeded"
    }
    assert len(tickets) == 1
    assert shell.tickets(ORDER) == before + 1


def begun(project):
    """The writes that were claimed and have not ended."""
    with closing(sqlite3.connect(project / ".reach" / "state.db", timeout=30)) as db:
        return db.execute("SELECT count(*) FROM ledger WHERE status = 'begun'").fetchone()[0]


@pytest.mark.parametrize("said_again", ["in the conversation", "as a call", "as a yes"])
def test_a_write_whose_process_was_killed_is_not_made_twice(shell, said_again):
    session = f"killed {said_again}"
    before, claimed = shell.tickets(ORDER), begun(shell.project)
    waiting = [shell.waiting(session, issue_type="exchange") for _ in range(2)]
    process = start(shell.project, "confirm", waiting[0], "--session", session, "--fault", "create_ticket=slow:60000")
    while begun(shell.project) == claimed:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    who = ["--as", "li_ming", "--session", session, "--deadline-ms", "1500", "--json"]
    if said_again == "as a yes":
        ended_as = shell("confirm", waiting[1], *who).document["status"]
    elif said_again == "as a call":
        values = json.dumps({"order_id": ORDER, "issue_type": "exchange"})
        ended_as = shell("call create_ticket", *who, "--args", values).document["status"]
    else:
        first = shell("ask", f"{ORDER} 我要换货", *who).document
        ended_as = shell("ask", "好的", *who).document["outcome"] if first["outcome"] == "confirm" else first["outcome"]
    assert ended_as == "unknown"
    assert shell.tickets(ORDER) == before
