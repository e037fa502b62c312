"""Markdown pages as the tests see them: fenced blocks with their marks, sections, links and tables of keys.

The words after a block's language say what it is for; readers do not see them:

    bash                  commands that are run, one block after the other in one shell's folder
    console [project]     commands after `$ ` and what they print; `project`: in a fresh project of `reach init`
    yaml append=F|file=F  added to, or written as, the file F;   yaml model=NAME: loads as that model of reach.spec
    python [inside]       run as a program; `inside`: within `async with Reach.load(...) as reach`, with a `caller`
    text [output]         not run; `output`: what the block before it printed
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted((ROOT / "docs").glob("*.md")))
LANGUAGES = frozenset({"bash", "console", "yaml", "python", "text"})

_FENCE = re.compile(r"^```(\S*)[ ]*([^\n]*)\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_CHANGING = (
    (re.compile(r"\b(turn|call|cnf|art)_[\w-]+"), r"\1_ID"),
    (re.compile(r"\bTK-\d{6}\b"), "TICKET"),
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "DAY"),
    (re.compile(r"\b\d{2}:\d{2}(:\d{2}(\.\d+)?)?([+-]\d{2}:\d{2})?"), "TIME"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "VERSION"),
    (re.compile(r"\s*[\d.]+ ms"), " TIME"),
    (re.compile(r"(?<=\.yaml):\d+:\d+"), ":LINE"),
    (re.compile(r"[ ]+"), " "),
)


@dataclass(frozen=True)
class Block:
    """One fenced block. `marks` are the words after the language, `key=value` or `key`."""

    language: str
    marks: dict[str, str]
    text: str
    line: int


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text("utf-8")
    found = []
    for match in _FENCE.finditer(text):
        marks = dict(word.partition("=")[::2] for word in match.group(2).split())
        found.append(Block(match.group(1), marks, match.group(3), text[: match.start()].count("\n") + 1))
    return found


def prose_of(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCE.sub("", text)


def links_of(page: Path) -> list[str]:
    return _LINK.findall(prose_of(page.read_text("utf-8")))


def headings_of(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", prose_of(page.read_text("utf-8")), re.MULTILINE)


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def sections_of(page: Path) -> dict[str, str]:
    """The text under each heading of the second level, by heading; blocks are left out."""
    parts = re.split(r"^## (.+)\n", prose_of(page.read_text("utf-8")), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def key_tables() -> dict[str, dict[str, str]]:
    """Every table marked `<!-- keys: Model -->`: model -> key -> the cell of its default."""
    tables: dict[str, dict[str, str]] = {}
    for page in PAGES:
        for model, table in re.findall(r"<!-- keys: (\w+) -->\n((?:\|.*\n)+)", page.read_text("utf-8")):
            assert model not in tables, f"two tables of {model}"
            rows = [
                [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in table.strip().splitlines()[2:]
            ]
            tables[model] = {row[0].strip("`"): row[1] for row in rows}
            assert all(row[2] for row in rows), f"a key of {model} without a meaning"
    return tables


def default_of(cell: str) -> Any:
    """The default that a cell names as YAML in backticks."""
    return yaml.safe_load(cell.strip("`").replace("\\|", "|"))


def stable(text: str) -> list[str]:
    """The lines of an output, with what differs from run to run replaced."""
    for pattern, name in _CHANGING:
        text = pattern.sub(name, text)
    return [line.rstrip() for line in text.strip().splitlines()]


def same_output(shown: str, printed: str) -> bool:
    """True where `printed` is what was `shown`; a line `...` stands for any number of lines."""
    return _match(stable(shown), stable(printed))


def _match(shown: list[str], printed: list[str]) -> bool:
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(_match(shown[1:], printed[at:]) for at in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and _match(shown[1:], printed[1:])
