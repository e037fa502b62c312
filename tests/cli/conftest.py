import shutil

import pytest

from tests.cli.command import Shell, run


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A project as `reach init` makes it."""
    folder = tmp_path_factory.mktemp("init") / "my-agent"
    assert run("init", str(folder), cwd=folder.parent).code == 0
    return folder


@pytest.fixture(scope="module")
def shell(made, tmp_path_factory):
    """The command over this module's own copy of the project."""
    project = tmp_path_factory.mktemp("project") / "agent"
    shutil.copytree(made, project)
    return Shell(project)
