"""The READMEs and docs/ do what they say: blocks are run, tables are complete, links lead somewhere."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.main import get_command

from reach import Reach, spec
from reach.cli.app import app
from reach.executor.faults import FaultKind, FaultPlan
from reach.registry import json_schema, load_file
from reach.runtime import SyncReach
from reach.testing import contracts
from reach.types import CallStatus, OutcomeKind, Structured
from tests.docs.blocks import (
    LANGUAGES,
    PAGES,
    ROOT,
    Block,
    anchor_of,
    blocks_of,
    default_of,
    headings_of,
    key_tables,
    links_of,
    same_output,
    sections_of,
)

README, README_ZH, *DOCS = PAGES
_INSIDE = """
import asyncio
from reach import *

async def main():
    async with Reach.load("tools.yaml") as reach:
        caller = Caller("u_1002", roles={"customer"})
%s

asyncio.run(main())
"""


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


# ------------------------------------------------------------------------------------------------ blocks that are run


class Reader:
    """Follows one page in a folder, as somebody at a terminal does."""

    def __init__(self, folder: Path, project: Path) -> None:
        self.cwd = folder
        self._project = project
        self._printed = ""
        self._env = {name: value for name, value in os.environ.items() if not name.startswith("REACH_")}
        self._env |= {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "NO_COLOR": "1",
            "COLUMNS": "120",
        }

    def follow(self, block: Block) -> None:
        match block.language:
            case "bash":
                self._printed = self._run(f"set -e\n{block.text}\npwd > {self._project}/.cwd", check=True)
                self.cwd = Path((self._project / ".cwd").read_text("utf-8").strip())
            case "console":
                self._follow_console(block)
            case "python":
                self._python(block)
            case "yaml":
                self._yaml(block)
            case _:
                if "output" in block.marks:
                    assert same_output(block.text, self._printed), self._printed

    def _follow_console(self, block: Block) -> None:
        for part in f"\n{block.text}".split("\n$ ")[1:]:
            command, _, shown = part.partition("\n")
            printed = self._run(command, folder=self._project if "project" in block.marks else self.cwd)
            assert same_output(shown, printed), f"$ {command}\n{printed}"

    def _python(self, block: Block) -> None:
        program = block.text
        if "inside" in block.marks:
            program = _INSIDE % textwrap.indent(program, " " * 8)
        self._printed = self._run(f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}", check=True)

    def _yaml(self, block: Block) -> None:
        if name := block.marks.get("append"):
            with (self.cwd / name).open("a", encoding="utf-8") as file:
                file.write(block.text)
        elif name := block.marks.get("file"):
            (self.cwd / name).parent.mkdir(parents=True, exist_ok=True)
            (self.cwd / name).write_text(block.text, "utf-8")
        else:
            path = self._project / "block.yaml"
            path.write_text(block.text, "utf-8")
            load_file(path, getattr(spec, block.marks["model"]))

    def _run(self, command: str, *, folder: Path | None = None, check: bool = False) -> str:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder or self.cwd,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=100,
            check=False,
        )
        assert not check or done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as `reach init` makes it."""
    folder = tmp_path_factory.mktemp("docs") / "my-agent"
    subprocess.run([sys.executable, "-m", "reach.cli", "init", str(folder)], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("page", [README, *DOCS], ids=named)
def test_every_block_of_a_page_does_what_it_shows(page: Path, pristine: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(pristine, project)
    if page == README:
        (tmp_path / "home").mkdir()
        reader = Reader(tmp_path / "home", project)
    else:
        reader = Reader(project, project)
    for block in blocks_of(page):
        try:
            reader.follow(block)
        except AssertionError as error:
            raise AssertionError(f"{named(page)}:{block.line}\n{error}") from None


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_a_block_says_what_it_is(page: Path) -> None:
    for block in blocks_of(page):
        assert block.language in LANGUAGES, f"{named(page)}:{block.line}: '{block.language}' escapes the tests"
        if block.language == "yaml":
            assert {"append", "file", "model"} & set(block.marks), f"{named(page)}:{block.line}: nothing reads it"


def test_a_wrong_output_would_be_noticed() -> None:
    assert same_output("a turn_1\n...\nz", "a turn_2\nb\nc\nz\n")
    assert not same_output("a\nz", "a\nb\nz")
    assert not same_output("SO-2024-00017", "SO-2024-00018")


# ------------------------------------------------------------------------------------------------ the two READMEs


def test_both_readmes_show_the_same_blocks() -> None:
    def shown(page: Path) -> list[tuple[str, dict[str, str], str]]:
        return [(block.language, block.marks, block.text) for block in blocks_of(page) if "picture" not in block.marks]

    assert shown(README) == shown(README_ZH)


def test_both_readmes_have_the_same_sections_and_point_to_the_same_places() -> None:
    assert len(headings_of(README)) == len(headings_of(README_ZH))
    strangers = {"README.md", "README.zh-CN.md"}
    assert set(links_of(README)) - strangers == set(links_of(README_ZH)) - strangers


# ------------------------------------------------------------------------------------------------ links


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links_of(page):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{named(page)}: {link}"
        if anchor:
            assert anchor in {anchor_of(heading) for heading in headings_of(target)}, f"{named(page)}: {link}"


def test_every_page_is_in_the_index() -> None:
    assert {page.name for page in DOCS} - {"README.md"} <= set(links_of(ROOT / "docs" / "README.md"))


# ------------------------------------------------------------------------------------------------ keys


def models_of(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The model and every model inside it."""
    found = {model}
    for field in model.model_fields.values():
        for inner in _models_in(field.annotation):
            found |= models_of(inner)
    return found


def _models_in(annotation: Any) -> set[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return {annotation}
    return set().union(*(_models_in(part) for part in get_args(annotation)))


FILES = (spec.ToolsFile, spec.PoliciesFile, spec.EvalFile, spec.CallersFile)
MODELS = sorted(set().union(*map(models_of, FILES)), key=lambda model: model.__name__)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_of_a_file_is_documented_with_its_default(model: type[BaseModel]) -> None:
    documented = key_tables()[model.__name__]
    assert set(documented) == {field.alias or name for name, field in model.model_fields.items()}
    for name, field in model.model_fields.items():
        cell = documented[field.alias or name]
        default = field.get_default(call_default_factory=True)
        if default is PydanticUndefined:
            assert cell == "required", name
        elif isinstance(default, BaseModel):
            assert cell == "its defaults", name
        else:
            assert default_of(cell) == default, name


def test_no_table_documents_what_is_not_there() -> None:
    assert set(key_tables()) == {model.__name__ for model in MODELS}


@pytest.mark.parametrize("kind", ["tools", "policies", "evals", "callers"])
def test_the_schema_for_editors_is_the_one_that_the_command_prints(kind: str) -> None:
    stored = json.loads((ROOT / "docs" / "schemas" / f"{kind}.schema.json").read_text("utf-8"))
    assert stored == json_schema(kind)


# ------------------------------------------------------------------------------------------------ commands


def commands_of(group: Any, prefix: str = "") -> dict[str, Any]:
    """Every command by the words after `reach`, those of groups included."""
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        inner = hasattr(command, "commands")
        found |= commands_of(command, f"{prefix}{name} ") if inner else {f"{prefix}{name}": command}
    return found


COMMANDS = commands_of(get_command(app))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_documented(name: str) -> None:
    sections = sections_of(ROOT / "docs" / "cli.md")
    words = ["reach", *name.split()]
    heading = next((h for h in sections if h.split()[: len(words)] == words), None)
    assert heading is not None, f"docs/cli.md has no section 'reach {name}'"
    parameters = [p for p in COMMANDS[name].params if p.name != "help"]
    options = {max(p.opts, key=len) for p in parameters if p.param_type_name == "option"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", sections[heading])) == options
    arguments = [p for p in parameters if p.param_type_name == "argument"]
    assert len(heading.split()) - len(words) == len(arguments), heading


def test_every_shared_option_is_explained() -> None:
    shared = sections_of(ROOT / "docs" / "cli.md")["Shared options"]
    explained = set(re.findall(r"^\| `(--[a-z-]+)", shared, re.MULTILINE))
    used: dict[str, int] = {}
    for command in COMMANDS.values():
        for parameter in command.params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                option = max(parameter.opts, key=len)
                used[option] = used.get(option, 0) + 1
    assert {option for option, times in used.items() if times > 2} <= explained <= set(used)


# ------------------------------------------------------------------------------------------------ the rest


def first_column(page: str, heading: str) -> list[str]:
    """The first cells of the table under a heading."""
    rows = re.findall(r"^\| (.+?) \|", sections_of(ROOT / "docs" / page)[heading], re.MULTILINE)
    return [row.strip("`") for row in rows[1:]]


def test_every_call_of_a_program_is_documented() -> None:
    documented = {
        re.split(r"[(.]", cell.removeprefix("Reach."))[0] for cell in first_column("embedding.md", "All calls")
    }
    assert documented == {name for name in vars(Reach) if not name.startswith("_")} - {"registry"}
    assert {name for name in vars(SyncReach) if not name.startswith("_")} <= documented


def test_every_outcome_is_documented() -> None:
    assert tuple(first_column("embedding.md", "Outcomes")) == get_args(OutcomeKind)


def test_every_status_of_a_call_is_documented() -> None:
    assert set(first_column("embedding.md", "A model's loop of your own")) == set(get_args(CallStatus))


def test_every_fact_of_an_envelope_is_documented() -> None:
    cells = first_column("results.md", "The envelope")
    assert {name for cell in cells for name in re.findall(r"\w+", cell)} == set(Structured.__slots__)


def test_every_fault_is_documented() -> None:
    for kind in first_column("failures.md", "Try it"):
        FaultPlan.parse([f"*={kind.replace('MS', '5')}"], [])
    assert {kind.split(":")[0] for kind in first_column("failures.md", "Try it")} == set(get_args(FaultKind))


async def test_the_guards_are_documented_in_their_order(pristine: Path) -> None:
    async with Reach.load(pristine / "tools.yaml") as reach:
        guards = [type(guard).__name__ for guard in reach._rooms.calls._executor._guards]
    documented = [
        "".join(word.capitalize() for word in g.split()) + "Guard" for g in first_column("failures.md", "The guards")
    ]
    assert [*documented, "FaultGuard"] == guards


def test_every_target_is_documented() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {f"make {name}" for name in re.findall(r"^([a-z]+):.*##", makefile, re.MULTILINE)} - {"make help"}
    text = (ROOT / "docs" / "development.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(make \w+)`", text, re.MULTILINE)) == targets


def test_every_suite_is_documented() -> None:
    assert set(first_column("development.md", "Stores and adapters of your own")) == set(contracts.__all__) - {
        "Contract"
    }


def test_the_floors_are_those_of_the_contract() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    picture = next(block.text for block in blocks_of(ROOT / "docs" / "development.md") if block.language == "text")
    shown = {name for line in picture.splitlines() for name in re.split(r"\s{10,}", line)[0].split()}
    assert shown == {name.removeprefix("reach.") for layer in contract["layers"] for name in layer.split(" | ")}


def test_the_written_test_of_a_store_of_ones_own_passes(tmp_path: Path) -> None:
    program = next(block.text for block in blocks_of(ROOT / "docs" / "development.md") if block.language == "python")
    (tmp_path / "test_mine.py").write_text(program, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout
