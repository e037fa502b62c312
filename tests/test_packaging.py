"""The wheel: what is in it, and that it works where there is nothing else of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import reach

ROOT = Path(__file__).parent.parent
LEFT_OUT = shutil.ignore_patterns(".venv", ".git", ".reach", "__pycache__", ".hypothesis", ".*_cache", "dist", "build")


def pip(command: str, *options: str, cwd: Path) -> None:
    """Without a network: nothing but what is named."""
    words = [sys.executable, "-m", "pip", command, "--no-deps", "--no-index", "-q", *options]
    subprocess.run(words, cwd=cwd, check=True, timeout=100)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the tree, offline, with the build backend of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "tree", ignore=LEFT_OUT)
    pip("wheel", "--no-build-isolation", "-w", "out", "./tree", cwd=folder)
    (built,) = (folder / "out").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_it_holds_the_package_and_nothing_else_of_the_repository(names):
    assert {name.split("/")[0] for name in names} == {"reach", f"reach_runtime-{reach.__version__}.dist-info"}
    assert [name for name in names if name.endswith((".pyc", ".db", ".key"))] == []


def test_every_module_of_the_package_and_the_typing_marker_are_in_it(names):
    modules = {f"reach/{path.relative_to(ROOT / 'reach')}" for path in (ROOT / "reach").rglob("*.py")}
    assert modules <= set(names)
    assert "reach/py.typed" in names


def test_the_agent_of_the_repository_is_in_it(wheel):
    files = [ROOT / "tools.yaml", *(ROOT / "policies").rglob("*.yaml"), *(ROOT / "evals").rglob("*.yaml")]
    with zipfile.ZipFile(wheel) as archive:
        for file in files:
            assert archive.read(f"reach/_project/{file.relative_to(ROOT)}") == file.read_bytes()


def test_its_metadata_names_the_version_the_licence_and_the_command(wheel):
    folder = f"reach_runtime-{reach.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        entry_points = archive.read(f"{folder}/entry_points.txt").decode()
        assert archive.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert (metadata["Name"], metadata["Version"]) == ("reach-runtime", reach.__version__)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "reach = reach.cli:main" in entry_points


def test_the_installed_command_makes_an_agent_from_the_files_of_the_wheel(wheel, tmp_path):
    """In an environment of its own, with only the dependencies of this one."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    (tmp_path / "nowhere").mkdir()

    def output(*words: str, cwd: Path = tmp_path / "nowhere", **environment: str) -> str:
        done = subprocess.run(
            [python, *words],
            cwd=cwd,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    installed = Path(output("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    pip("install", "--target", str(installed), str(wheel), cwd=tmp_path)
    # The packages of this environment come last and without its .pth files, so that `reach` can only be the wheel's.
    path = os.pathsep.join([str(installed), str(Path(pytest.__file__).parent.parent)])

    def command(*words: str, cwd: Path) -> str:
        return output("-m", "reach.cli", *words, cwd=cwd, PYTHONPATH=path)

    where = output("-c", "import reach; print(reach.__file__)", PYTHONPATH=path)
    assert Path(where.strip()) == installed / "reach" / "__init__.py"
    assert command("--version", cwd=tmp_path) == f"reach {reach.__version__}\n"
    command("init", "agent", cwd=tmp_path)
    agent = tmp_path / "agent"
    assert (agent / "tools.yaml").read_bytes() == (installed / "reach" / "_project" / "tools.yaml").read_bytes()
    assert command("check", cwd=agent).splitlines()[-1].startswith("ok ")
    assert "SO-2024-00017" in command("ask", "SO-2024-00017 到哪了", "--as", "li_ming", cwd=agent)
