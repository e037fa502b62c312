"""Files that vanish, fill up, break or change under a running agent: an honest end, and no unrecorded effect."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from reach import Reach
from reach.errors import ArtifactUnreadable, StateError
from tests.agent import LI, STAFF, tickets_of
from tests.attacks.agents import HANDS_POLICIES, HANDS_TOOLS, hands, shop
from tests.attacks.hands import effects
from tests.attacks.replica import ROOT


def _delete(state: Path) -> None:
    for file in state.parent.glob("state.db*"):
        file.unlink()


def _corrupt(state: Path) -> None:
    with closing(sqlite3.connect(state)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(state.read_bytes())
    data[4096:] = bytes(byte ^ 0x5A for byte in data[4096:])
    state.write_bytes(data)


def _replace_by_another_database(state: Path) -> None:
    _delete(state)
    with closing(sqlite3.connect(state)) as db:
        db.execute("CREATE TABLE mine (x)")


@pytest.mark.parametrize("breaks", [_delete, _corrupt, _replace_by_another_database])
async def test_a_state_file_that_broke_lets_no_write_through_and_no_turn_pretend(
    tmp_path: Path, breaks: Callable[[Path], None]
) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
        breaks(tmp_path / "state.db")
        yes = await reach.confirm(asked.confirmation_id or "", caller=LI, session="s")
        again = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=LI, session="s")
        with pytest.raises(StateError):
            await reach.ask("那个单子怎么样了", caller=LI, session="s")
    assert (yes.status, again.status, tickets_of(tmp_path)) == ("failed", "failed", [])


async def test_two_processes_never_work_on_two_state_files_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is deleted under the first; the second makes it anew; the first sees the second's claims."""
    monkeypatch.setenv("HANDS", str(tmp_path))
    tools = hands(tmp_path)
    async with Reach.load(tools) as first:
        await first.call("strike", {"order_id": "SO-0009"}, caller=LI, session="s", turn="t")
        _delete(tmp_path / "state.db")
        async with Reach.load(tools) as second:
            values = {"order_id": "SO-0001"}
            one = await second.call("strike", values, caller=LI, session="s", turn="t")
            two = await first.call("strike", values, caller=LI, session="s", turn="t")
    assert (one.status, two.status, two.envelope.structured.replayed) == ("succeeded", "succeeded", True)
    assert effects(tmp_path) == ["SO-0009", "SO-0001"]


FULL = """
import asyncio, json, resource, signal, sys
from pathlib import Path
from reach import Caller, Reach

async def main(tools):
    me = Caller("u1", roles={"customer"})
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ends = []
    async with Reach.load(tools) as reach:
        asked = await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=me, session="s")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        ends.append((await reach.confirm(asked.confirmation_id, caller=me, session="s")).status)
        ends.append((await reach.call("open_ticket", {"order_id": "SO-0001"}, caller=me, session="s")).status)
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        ends.append((await reach.call("order_status", {"order_id": "SO-0001"}, caller=me)).status)
    print(json.dumps(ends))

asyncio.run(main(sys.argv[1]))
"""


def test_a_full_disk_refuses_writes_and_reads_go_on_once_there_is_space(tmp_path: Path) -> None:
    tools = shop(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tools)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(ran.stdout) == ["failed", "failed", "succeeded"]
    assert tickets_of(tmp_path) == []


async def test_a_store_that_fails_after_the_effect_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept after the write (session, epoch of the cache, trace, audit) may be lost; the answer is not."""
    async with Reach.load(shop(tmp_path)) as reach:
        asked = await reach.ask("SO-0001 坏了，我要报修", caller=LI, session="s")
        assert asked.kind == "confirm"
        state = reach._rooms.state
        honest_finish, broken = state.ledger.finish, False

        async def refuse(*_args: object, **_options: object) -> None:
            raise StateError("The disk is full.")

        async def finish_then_break(*args: object, **options: object) -> bool:
            nonlocal broken
            broken = True
            ended = await honest_finish(*args, **options)  # type: ignore[arg-type]
            for store, name in ((state.keyvalue, "set"), (state.audit, "append")):
                monkeypatch.setattr(store, name, refuse)
            return ended

        monkeypatch.setattr(state.ledger, "finish", finish_then_break)
        done = await reach.ask("好的", caller=LI, session="s")
        assert broken
    assert (done.kind, done.text, tickets_of(tmp_path)) == ("answer", "工单 1 已创建。", ["SO-0001"])


async def test_a_confirmation_that_could_not_be_read_still_waits_for_its_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        await reach.ask("SO-0001 坏了，我要报修", caller=LI, session="s")

        async def refuse(_key: str) -> bytes | None:
            raise StateError("The state file stayed locked.")

        with monkeypatch.context() as broken:
            broken.setattr(reach._rooms.state.keyvalue, "take", refuse)
            assert (await reach.ask("好的", caller=LI, session="s")).kind == "fallback"
        assert tickets_of(tmp_path) == []
        assert (await reach.ask("好的", caller=LI, session="s")).kind == "answer"
    assert tickets_of(tmp_path) == ["SO-0001"]


async def test_a_session_that_can_not_be_read_is_a_new_one(tmp_path: Path) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        for rubbish in (b"\xff", b"[]", b"null", b"{}", b'{"language": 1, "last_tool": 2, "pending": [{"kind": 3}]}'):
            await reach.ask("那个单子怎么样了", caller=LI, session="s")
            with closing(sqlite3.connect(tmp_path / "state.db")) as db:
                db.execute("UPDATE keyvalue SET value = ? WHERE key LIKE 'session:%'", (rubbish,))
                db.commit()
            assert (await reach.ask("订单 SO-0001 到哪了", caller=LI, session="s")).kind == "answer"


async def test_a_shop_that_is_locked_changed_or_gone_gives_no_answer_of_its_own(tmp_path: Path) -> None:
    async with Reach.load(shop(tmp_path)) as reach:
        text, about = "订单 SO-0001 到哪了", {"caller": LI, "session": "s", "deadline_ms": 300}
        assert (await reach.ask(text, **about)).kind == "answer"  # type: ignore[arg-type]
        with closing(sqlite3.connect(tmp_path / "shop.db", isolation_level=None)) as db:
            db.execute("BEGIN EXCLUSIVE")
            while_locked = await reach.ask(text, **about)  # type: ignore[arg-type]
            db.execute("ROLLBACK")
            db.execute("ALTER TABLE orders RENAME TO old_orders")
        changed = await reach.ask(text, **about)  # type: ignore[arg-type]
        (tmp_path / "shop.db").unlink()
        gone = await reach.ask(text, **about)  # type: ignore[arg-type]
    for outcome in (while_locked, changed, gone):
        assert outcome.kind in ("denied", "fallback")
        assert "shipped" not in outcome.text


async def test_artifacts_that_vanish_or_change_their_key_are_said_to_be_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = shop(tmp_path, rows=3000)
    async with Reach.load(tools) as reach:
        ref = (await reach.call("order_archive", {}, caller=STAFF)).envelope.structured.artifact_ref or ""
        assert (await reach.fetch(ref, caller=STAFF)).has_more
    monkeypatch.setenv("REACH_ARTIFACT_KEY", "A" * 43 + "=")
    async with Reach.load(tools) as reach:
        with pytest.raises(ArtifactUnreadable):
            await reach.fetch(ref, caller=STAFF)
        again = await reach.call("order_archive", {}, caller=STAFF)  # under the new key: another artifact
        assert again.envelope.structured.artifact_ref not in (None, ref)
        shutil.rmtree(tmp_path / "blobs")
        with pytest.raises(ArtifactUnreadable) as gone:
            await reach.fetch(again.envelope.structured.artifact_ref or "", caller=STAFF)
        assert gone.value.summary is not None
        assert gone.value.summary["rows"] == 3003
        anew = await reach.call("order_archive", {}, caller=STAFF)
        assert (await reach.fetch(anew.envelope.structured.artifact_ref or "", caller=STAFF)).has_more


async def test_an_artifact_that_can_not_be_saved_leaves_the_answer_partial_and_says_so(tmp_path: Path) -> None:
    tools = shop(tmp_path, rows=3000)
    (tmp_path / "blobs").write_text("a file where the folder should be")
    async with Reach.load(tools) as reach:
        result = await reach.call("order_archive", {}, caller=STAFF)
    structured = result.envelope.structured
    assert (result.status, structured.completeness, structured.total) == ("succeeded", "partial_failed", 3003)
    assert (structured.artifact_ref, structured.shown) == (None, 5)


async def test_a_policy_that_changed_voids_what_waits_for_a_yes(tmp_path: Path) -> None:
    tools = shop(tmp_path)
    async with Reach.load(tools) as reach:
        asked = await reach.ask("SO-0001 坏了，我要报修", caller=LI, session="s")
        assert asked.kind == "confirm"
    policy = tmp_path / "policies" / "all.yaml"
    policy.write_text(policy.read_text("utf-8") + "\n# reviewed\n", "utf-8")
    async with Reach.load(tools) as reach:
        assert (await reach.ask("好的", caller=LI, session="s")).kind == "no_tool"
    assert tickets_of(tmp_path) == []


async def test_a_tool_that_was_removed_while_a_question_about_it_was_open_is_forgotten(tmp_path: Path) -> None:
    tools = hands(tmp_path, policies=HANDS_POLICIES)
    async with Reach.load(tools) as reach:
        assert (await reach.ask("please strike an order", caller=LI, session="s")).kind == "clarify"
    without = HANDS_TOOLS[: HANDS_TOOLS.index("  - name: strike")] + HANDS_TOOLS[HANDS_TOOLS.index("  - name: deaf") :]
    tools.write_text(without, "utf-8")
    (tmp_path / "policies" / "all.yaml").write_text(HANDS_POLICIES.replace("strike, ", ""), "utf-8")
    async with Reach.load(tools) as reach:
        outcome = await reach.ask("SO-0001", caller=LI, session="s")
        assert outcome.tool is None
    assert effects(tmp_path) == []
