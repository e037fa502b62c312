"""`reach init`: a working project, the same agent as the one at the top of the repository."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

from reach.cli.common import reporting, say

_PARTS = ("tools.yaml", "policies", "evals")


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where; made if it does not exist.")] = Path(),
) -> None:
    """Make a working project: tools.yaml, policies/, evals/ and a demo database. Nothing that exists is overwritten.

    Example:
      reach init my-agent && cd my-agent && reach ask "SO-2024-00017 到哪了" --as li_ming
    """
    from reach.errors import ConfigError
    from reach.runtime import Reach

    with reporting(as_json=False):
        source = project_source()
        taken = [part for part in _PARTS if (folder / part).exists()]
        if taken:
            raise ConfigError(f"{folder / taken[0]} exists already.", hint="Choose another folder, or move it away.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for part in _PARTS:
                if (source / part).is_dir():
                    shutil.copytree(source / part, folder / part)
                else:
                    shutil.copyfile(source / part, folder / part)
            ignore = folder / ".gitignore"
            if not ignore.exists():
                ignore.write_text(".reach/\n", "utf-8")
        except OSError as error:
            raise ConfigError(f"{folder} can't be written: {error}.") from error
        loaded = Reach.load_sync(folder / "tools.yaml")
        loaded.close()
        _create_databases(folder)
        say(f"Made an agent in {folder}/: tools.yaml, policies/, evals/ and the demo database.")
        say("Next:")
        say(f"  cd {folder}")
        say("  reach check")
        say('  reach ask "SO-2024-00017 到哪了" --as li_ming')
        say("  reach eval")


def project_source() -> Path:
    """Where the packaged agent is: inside the wheel, or at the top of the repository."""
    import reach
    from reach.errors import ConfigError

    package = Path(reach.__file__).parent
    for folder in (package / "_project", package.parent):
        if all((folder / part).exists() for part in _PARTS):
            return folder
    raise ConfigError("The packaged agent is missing from this installation.", hint="Install reach-runtime again.")


def _create_databases(folder: Path) -> None:
    from reach.demo import create_shop

    path = folder / ".reach" / "demo.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        create_shop(str(path))
