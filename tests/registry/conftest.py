"""The agent that the tests of the registry break."""

import pytest

from tests.registry.small_agent import Agent


@pytest.fixture
def agent(tmp_path):
    """A folder for tools.yaml and policies/."""
    return Agent(tmp_path)
