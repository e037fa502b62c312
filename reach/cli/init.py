"""`reach init`: a working project, the same agent as the one at the top of the repository.

Rule: everything is made and loaded in a hidden folder first and then moved, so that a failure leaves nothing half-made.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from reach.cli.common import reporting, say
from reach.errors import ConfigError

_SOURCES = ("tools.yaml", "policies", "evals")
_PARTS = (".reach", "evals", "policies", "tools.yaml")
"""In the order in which they are moved: tools.yaml, which makes a folder an agent, comes last."""


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where; made if it does not exist.")] = Path(),
) -> None:
    """Make a working project: tools.yaml, policies/, evals/ and a demo database. Nothing that exists is overwritten.

    Example:
      reach init my-agent && cd my-agent && reach ask "SO-2024-00017 到哪了" --as li_ming
    """
    with reporting(as_json=False):
        source = project_source()
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is a file, not a folder.", hint="Choose another name.")
        taken = [part for part in _PARTS if (folder / part).exists()]
        if taken:
            raise ConfigError(f"{folder} has {', '.join(taken)} already.", hint="Choose another folder.")
        try:
            with _made(folder), _workshop(folder) as workshop:
                _fill(workshop, source)
                _move(workshop, folder)
        except OSError as error:
            raise ConfigError(f"{folder} can't be written: {error.strerror or error}.") from error
        say(f"Made an agent in {folder}/: tools.yaml, policies/, evals/ and the demo database.")
        say("Next:")
        if folder.resolve() != Path.cwd():
            say(f"  cd {shlex.quote(str(folder))}")
        say("  reach check")
        say('  reach ask "SO-2024-00017 到哪了" --as li_ming')
        say("  reach eval")


def project_source() -> Path:
    """Where the packaged agent is: inside the wheel, or at the top of the repository."""
    import reach

    package = Path(reach.__file__).parent
    for folder in (package / "_project", package.parent):
        if all((folder / part).exists() for part in _SOURCES):
            return folder
    raise ConfigError("The packaged agent is missing from this installation.", hint="Install reach-runtime again.")


@contextmanager
def _made(folder: Path) -> Generator[None]:
    """The folder exists inside; those that had to be made are removed again where the work fails."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for path in missing:
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        raise


@contextmanager
def _workshop(folder: Path) -> Generator[Path]:
    import shutil
    import tempfile

    path = Path(tempfile.mkdtemp(prefix=".reach-init-", dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _fill(workshop: Path, source: Path) -> None:
    """The files, the demo database and the state, loaded once to see that they work."""
    from reach.demo import create_shop
    from reach.runtime import Reach

    for part in _SOURCES:
        # Contents alone: an installation may be read-only, and the project must not be.
        files = [source / part] if (source / part).is_file() else sorted((source / part).rglob("*.yaml"))
        for file in files:
            target = workshop / file.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    Reach.load_sync(workshop / "tools.yaml").close()
    create_shop(str(workshop / ".reach" / "demo.db"))


def _move(workshop: Path, folder: Path) -> None:
    with ExitStack() as undo:
        for part in _PARTS:
            (workshop / part).rename(folder / part)
            undo.callback((folder / part).rename, workshop / part)
        if not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text(".reach/\n", "utf-8")
        undo.pop_all()
