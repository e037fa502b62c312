"""The retail example's two measurements: what they count, what fails them, and what they find in the real data."""

from __future__ import annotations

import copy
import json
import os
import random
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import check_ownership
import db_form
import load_db
import pytest
import reference
import replay
import retail_world as world
import shop as retail_shop

ROOT = Path(__file__).resolve().parents[2]
TAU2 = Path(os.environ.get("REACH_DATA") or ROOT.parent / "shared" / "data") / "tau2"
needs_data = [
    pytest.mark.data,
    pytest.mark.skipif(not (TAU2 / "retail" / "db.json").is_file(), reason=f"the tau2 data is not in {TAU2}"),
]
ANN, BOB = world.ANN, world.BOB
Json = dict[str, Any]


@pytest.fixture(scope="module")
def tau2_db() -> Json:
    return db_form.read_source(TAU2 / "retail" / "db.json")


def ownership_rows(db: Json) -> list[Json]:
    """For each tool that names a resource: its owner, a stranger, and the owner with a foreign payment method."""
    samples = {
        "order_id": "#W0000000",
        "user_id": ANN,
        "payment_method_id": "paypal_0000001",
        "reason": "no longer needed",
    }
    lists = {"item_ids": ["1000000001"], "new_item_ids": ["1000000003"]}
    rows: list[Json] = []
    for tool, names in reference.TOOLS.items():
        if not {"order_id", "user_id"} & set(names):
            continue
        arguments = {name: (samples | lists).get(name, "x") for name in names}
        rows += [
            {"id": f"{tool}/own", "principal": ANN, "tool": f"retail.{tool}", "arguments": arguments, "allow": True},
            {"id": f"{tool}/else", "principal": BOB, "tool": f"retail.{tool}", "arguments": arguments, "allow": False},
        ]
        if "payment_method_id" in names:
            foreign = {**arguments, "payment_method_id": "paypal_0000009"}
            rows.append({"id": f"{tool}/pay", "principal": ANN, "tool": tool, "arguments": foreign, "allow": False})
    assert db["orders"]["#W0000000"]["user_id"] == ANN
    return rows


def task_rows(db: Json) -> list[Json]:
    """Tasks that write: one that goes through, and one whose second action is forbidden."""
    cancel = {"order_id": world.order_with(db, "pending", "1000000001"), "reason": "no longer needed"}
    back = {
        "order_id": world.order_with(db, "delivered", "1000000002"),
        "item_ids": ["1000000002"],
        "payment_method_id": "gift_card_0000001",
    }
    move = {"user_id": ANN, **dict.fromkeys(world.ADDRESS, "here")}
    return [
        {"id": "reads-only", "writes": [], "domain": "retail"},
        {"id": "other-shop", "writes": [{"tool": "fly", "arguments": {}}], "domain": "airline"},
        {
            "id": "fine",
            "domain": "retail",
            "writes": [
                {"tool": "retail.cancel_pending_order", "arguments": cancel},
                {"tool": "retail.return_delivered_order_items", "arguments": back},
                {"tool": "retail.modify_user_address", "arguments": move},
            ],
        },
        {"id": "twice", "domain": "retail", "writes": [{"tool": "cancel_pending_order", "arguments": cancel}] * 2},
        {"id": "foreign", "principal": BOB, "writes": [{"tool": "cancel_pending_order", "arguments": cancel}]},
        {
            "id": "nowhere",
            "writes": [{"tool": "cancel_pending_order", "arguments": {**cancel, "order_id": "#W9999999"}}],
        },
        {"id": "no-tool", "principal": ANN, "writes": [{"tool": "retail.drop_everything", "arguments": {}}]},
    ]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Json, Path, Path]:
    """The tiny database, its file, and a path for rows."""
    db = world.make_db()
    path = tmp_path / "db.json"
    path.write_text(json.dumps(db), "utf-8")
    return db, path, tmp_path / "rows.jsonl"


def run_script(monkeypatch: pytest.MonkeyPatch, module: Any, *arguments: Any) -> int:
    monkeypatch.setattr(sys, "argv", [f"{module.__name__}.py", *map(str, arguments)])
    return module.main()


def write_rows(path: Path, rows: list[Json]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_ownership_of_every_tool_is_decided_right(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    write_rows(path, ownership_rows(db))
    assert run_script(monkeypatch, check_ownership, path, "--db", source, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report == {
        "rows": 22,
        "right_allow": 9,
        "right_deny": 13,
        "wrong_allow": 0,
        "wrong_deny": 0,
        "wrong": [],
    }


def test_a_wrong_decision_is_counted_named_and_ends_with_1(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    rows = ownership_rows(db)[:2]
    write_rows(path, [{**row, "allow": not row["allow"]} for row in rows])
    assert run_script(monkeypatch, check_ownership, path, "--db", source) == 1
    printed = capsys.readouterr().out
    assert "right allow: 0  right deny: 0  wrong allow: 1  wrong deny: 1" in printed
    assert "wrong deny: cancel_pending_order/else" in printed
    assert "That order is not one of yours." in printed


def test_tasks_pass_and_what_the_rules_forbid_is_listed(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    db, source, path = files
    write_rows(path, task_rows(db))
    assert run_script(monkeypatch, replay, path, "--db", source, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert {key: report[key] for key in ("tasks", "passed", "failed", "writes")} == {
        "tasks": 5,
        "passed": 5,
        "failed": 0,
        "writes": 8,
    }
    assert [(each["id"], each["rule"]) for each in report["forbidden"]] == [
        ("twice", "pending"),
        ("foreign", "order"),
        ("nowhere", "order"),
        ("no-tool", "invalid"),
    ]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("perform", "after the writes: .orders.#W0000000.cancel_reason is 'no longer needed', expected nothing there"),
        ("refusal", "write 1 (cancel_pending_order) ended as succeeded, but the rules forbid it: a full moon"),
    ],
)
def test_a_difference_from_the_reference_fails_the_task(
    files: tuple[Json, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    broken: str,
    said: str,
) -> None:
    db, source, path = files
    write_rows(path, [row for row in task_rows(db) if row["id"] == "fine"])

    def perform(state: Json, _: str, __: Json) -> None:
        state["orders"]["#W0000000"]["status"] = "pending"

    replacement = {"perform": perform, "refusal": lambda *_: reference.Refusal("moon", "a full moon")}[broken]
    monkeypatch.setattr(reference, broken, replacement)
    assert run_script(monkeypatch, replay, path, "--db", source) == 1
    printed = capsys.readouterr().out
    assert "tasks passed: 0  failed: 1  writes: 3" in printed
    assert f"failed: fine: {said}" in printed


async def test_the_same_writes_again_change_nothing_and_say_so() -> None:
    db = world.make_db()
    arguments = {"order_id": world.order_with(db, "pending", "1000000001"), "reason": "no longer needed"}
    async with retail_shop.open_shop(db) as shop:
        first = await shop.write("cancel_pending_order", arguments, ANN, session="s", turn="1")
        once = load_db.dump(shop.database), shop.image()
        again = await shop.write("cancel_pending_order", arguments, ANN, session="s", turn="1")
        assert (load_db.dump(shop.database), shop.image()) == once
        shop.reset()
        assert shop.image() != once[1]
    assert (first.envelope.structured.replayed, again.envelope.structured.replayed) == (False, True)
    assert again.envelope.structured.data == first.envelope.structured.data


@pytest.mark.parametrize("module", [check_ownership, replay])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "can't be read"),
        ("", "no row of the retail domain"),
        ('{"domain": "airline"}\n', "no row of the retail domain"),
        ('{"id": \n', ":1: not JSON"),
        ('{"domain": "retail"}\n', ":1: 'id' is missing"),
        ("[]\n", ":1: expected an object"),
        ('{"id": 1, "principal": "", "tool": "x", "arguments": {}, "allow": true}', ":1: 'principal' is ''"),
        ('{"id": 1, "principal": "a", "tool": "x", "arguments": [], "allow": true}', ":1: 'arguments' is []"),
    ],
)
def test_a_file_that_cannot_be_used_ends_with_2_and_says_why(
    files: tuple[Json, Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    module: Any,
    content: str | None,
    said: str,
) -> None:
    _, source, path = files
    if content is not None:
        path.write_text(content, "utf-8")
    assert run_script(monkeypatch, module, path, "--db", source) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("module", [check_ownership, replay])
def test_a_database_of_another_form_ends_with_2_and_says_where(
    files: tuple[Json, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: Any
) -> None:
    db, source, path = files
    write_rows(path, ownership_rows(db) if module is check_ownership else task_rows(db))
    del db["orders"]["#W0000000"]["status"]
    source.write_text(json.dumps(db), "utf-8")
    assert run_script(monkeypatch, module, path, "--db", source) == 2
    assert f"{source}: orders.#W0000000.status" in capsys.readouterr().err


async def test_a_backend_that_breaks_is_not_taken_for_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forbidden write on a database that has lost its tables fails the task, although nothing was written."""
    db = world.make_db()
    task = replay.task_of(db, task_rows(db)[3])
    async with retail_shop.open_shop(db) as shop:
        monkeypatch.setattr(retail_shop.Shop, "reset", lambda _: None)
        with closing(sqlite3.connect(shop.database)) as connection, connection:
            connection.execute("DROP TABLE orders")
        only_forbidden = replay.Task(task.id, ANN, task.writes[1:], task.end, task.verdicts[1:])
        wrong = await replay.run(shop, only_forbidden, session="s")
    assert wrong is not None
    assert "ended as denied, but the rules forbid it" in wrong


@pytest.mark.parametrize("module", [check_ownership, replay, load_db])
def test_help_has_an_example(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], module: Any) -> None:
    with pytest.raises(SystemExit) as ended:
        run_script(monkeypatch, module, "--help")
    assert ended.value.code == 0
    assert f"Example: python examples/retail/{module.__name__}.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ".a[1].b is 2, expected 3"),
        ({"a": [1]}, {"a": [1, 2]}, ".a is [1], expected [1, 2]"),
        ({}, {"a": 1}, ".a is missing, expected 1"),
        ({"a": None}, {}, ".a is None, expected nothing there"),
    ],
)
def test_the_first_difference_is_named_by_its_path(found: Json, wanted: Json, said: str | None) -> None:
    assert replay.first_difference(found, wanted) == said


# ------------------------------------------------------------------------------------------------ the real data


class TestRealData:
    pytestmark = needs_data

    def test_the_real_database_comes_back_unchanged(self, tau2_db: Json, tmp_path: Path) -> None:
        load_db.load(TAU2 / "retail" / "db.json", tmp_path / "shop.db")
        assert load_db.dump(tmp_path / "shop.db") == tau2_db

    async def test_every_ownership_row_is_decided_right(self, tau2_db: Json) -> None:
        rows = retail_shop.retail_rows(TAU2 / "ownership_dev.jsonl", check_ownership.KEYS)
        report = await check_ownership.check(tau2_db, rows)
        assert (report["wrong_allow"], report["wrong_deny"], report["wrong"]) == (0, 0, [])
        assert report["right_allow"] == sum(row["allow"] for row in rows)
        assert report["right_deny"] == sum(not row["allow"] for row in rows)

    async def test_every_task_leaves_the_database_as_its_actions_say_and_once_only(self, tau2_db: Json) -> None:
        before = copy.deepcopy(tau2_db)
        report = await replay.replay(tau2_db, retail_shop.retail_rows(TAU2 / "dev.jsonl", ("id",)))
        assert report["failures"] == []
        assert report["passed"] == report["tasks"] > 50
        assert tau2_db == before

    async def test_random_actions_on_the_real_database_end_as_the_reference_says(
        self, tau2_db: Json, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        variants = [each for product in tau2_db["products"].values() for each in product["variants"].values()]
        monkeypatch.setattr(world, "UNAVAILABLE", tuple(v["item_id"] for v in variants if not v["available"]))
        rng = random.Random(3)  # noqa: S311 -- seeded, so that a failure repeats
        async with retail_shop.open_shop(tau2_db) as shop:
            for user_id in rng.sample(sorted(tau2_db["users"]), 20):
                shop.reset()
                writes: list[tuple[str, Json]] = []
                state, rules = tau2_db, []
                for number in range(8):
                    writes.append(world.random_action(rng, state, user_id))
                    state, verdicts = reference.end_state(tau2_db, writes, user_id)
                    result = await shop.write(*writes[-1], user_id, session=user_id, turn=str(number))
                    rules.append(world.rule_of(result))
                assert rules == [verdict and verdict.rule for verdict in verdicts], (user_id, writes)
                assert replay.first_difference(load_db.dump(shop.database), state) is None
