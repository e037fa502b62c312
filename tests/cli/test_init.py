"""`reach init`: a project that works at once, or nothing at all."""

import os
import shutil
from pathlib import Path

import pytest

from reach.cli import init
from tests.cli.command import ROOT, Shell, run

PARTS = {".gitignore", ".reach", "evals", "policies", "tools.yaml"}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_new_project_is_the_agent_of_the_repository(made):
    assert {path.name for path in made.iterdir()} == PARTS
    assert (made / "tools.yaml").read_bytes() == (ROOT / "tools.yaml").read_bytes()
    assert {path.name for path in (made / ".reach").iterdir()} >= {"demo.db", "state.db"}


def test_a_new_project_passes_its_own_check_and_answers(made):
    assert run("check", cwd=made).out.startswith("ok 13 tools, ")
    assert "SO-2024-00017" in run("ask", "SO-2024-00017 到哪了", "--as", "li_ming", cwd=made).out


def test_the_next_steps_can_be_copied(tmp_path):
    ran = run("init", "my agent", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "  cd 'my agent'" in ran.out.splitlines()
    assert {path.name for path in (tmp_path / "my agent").iterdir()} == PARTS


def test_the_current_folder_is_used_where_none_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".gitignore").write_text("mine\n")
    ran = run("init", cwd=tmp_path)
    assert ran.code == 0
    assert "  cd " not in ran.out
    assert {path.name for path in tmp_path.iterdir()} == PARTS | {"notes.txt"}
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


@pytest.mark.parametrize("part", ["tools.yaml", "policies", "evals", ".reach"])
def test_nothing_that_exists_is_overwritten(tmp_path, part):
    (tmp_path / part).mkdir()
    ran = Shell(tmp_path)("init", str(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert f"has {part} already" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == [part]


def test_a_second_time_is_refused_and_changes_nothing(made, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    before = contents(copy)
    ran = Shell(copy)("init", str(copy))
    assert ran.code == 2
    assert "has .reach, evals, policies, tools.yaml already. Choose another folder." in ran.err
    assert contents(copy) == before


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    ran = Shell(tmp_path)("init", str(tmp_path / "file"))
    assert (ran.code, ran.err) == (2, f"{tmp_path / 'file'} is a file, not a folder. Choose another name.\n")
    assert Shell(tmp_path)("init", str(tmp_path / "file" / "below")).code == 2
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("moved", [0, 1, 2, 3])
def test_a_failure_half_way_leaves_nothing(tmp_path, monkeypatch, moved):
    """A disk that fails at any of the moves."""
    rename, calls = Path.rename, []

    def failing(self, target):
        if self.parent.name.startswith(".reach-init-"):
            calls.append(self.name)
            if len(calls) == moved + 1:
                raise OSError(28, os.strerror(28))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    ran = Shell(tmp_path)("init", str(tmp_path / "a" / "b"))
    assert (ran.code, ran.out) == (2, "")
    assert "can't be written: No space left on device" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_does_not_load_leaves_nothing(tmp_path, monkeypatch):
    source = tmp_path / "source"
    for part in ("policies", "evals"):
        shutil.copytree(ROOT / part, source / part)
    (source / "tools.yaml").write_text("version: 2\n")
    monkeypatch.setattr(init, "project_source", lambda: source)
    ran = Shell(tmp_path)("init", str(tmp_path / "target"))
    assert ran.code == 2
    assert "tools.yaml" in ran.err
    assert not (tmp_path / "target").exists()


def test_files_of_a_read_only_installation_can_be_edited(tmp_path, monkeypatch):
    source = tmp_path / "source"
    for part in ("policies", "evals"):
        shutil.copytree(ROOT / part, source / part)
    shutil.copyfile(ROOT / "tools.yaml", source / "tools.yaml")
    for path in [source, *source.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    monkeypatch.setattr(init, "project_source", lambda: source)
    assert Shell(tmp_path)("init", str(tmp_path / "target")).code == 0
    for path in [source, *source.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert all(path.stat().st_mode & 0o200 for path in (tmp_path / "target").rglob("*"))
