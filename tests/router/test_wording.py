"""How values are shown before a yes."""

from __future__ import annotations

import pytest

from reach.router.wording import argument_lines
from reach.spec import ToolSpec
from reach.types import Provenance

TOOL = ToolSpec.model_validate(
    {
        "name": "ticket",
        "description": "d",
        "side_effect": "write",
        "parameters": {
            "kind": {
                "title": {"en": "problem", "zh": "问题"},
                "enum": ["defective", "other"],
                "synonyms": {"defective": ["坏了", "broken"]},
            },
            "n": {"type": "integer"},
        },
        "adapter": {"backend": "b", "statement": "select :kind, :n"},
        "result": {"fields": "*"},
    }
)


@pytest.mark.parametrize(
    ("language", "line"),
    [("zh", "- 问题：坏了（defective）（来自您的话）"), ("en", "- problem: defective (your words)")],
)
def test_a_code_is_shown_with_its_word_and_stays_what_runs(language: str, line: str) -> None:
    assert argument_lines(TOOL, {"kind": "defective"}, {"kind": Provenance("user")}, language) == [line]


def test_a_number_is_shown_as_it_is() -> None:
    assert argument_lines(TOOL, {"n": 3}, {}, "en") == ["- n: 3"]
