import pytest

pytest.register_assert_rewrite("reach.testing.contracts")
