"""`claim: id` is the caller's own id, whatever their claims say."""

from __future__ import annotations

from datetime import UTC, datetime

from reach.router import fill
from reach.spec import ToolSpec
from reach.types import Caller

TOOL = ToolSpec.model_validate(
    {
        "name": "profile",
        "description": "d",
        "side_effect": "read_only",
        "parameters": {"user_id": {"claim": "id"}},
        "adapter": {"backend": "b", "statement": "select :user_id"},
        "result": {"fields": "*"},
    }
)


def test_a_forged_claim_named_id_does_not_stand_for_the_id() -> None:
    arguments = fill(TOOL, "my profile", now=datetime(2026, 1, 5, tzinfo=UTC), caller=Caller("u1", claims={"id": "u2"}))
    assert (arguments.values, arguments.provenance["user_id"].source) == ({"user_id": "u1"}, "claim")
