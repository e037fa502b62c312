from __future__ import annotations

import pytest

from tests.policy.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()
