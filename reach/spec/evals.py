"""evals/*.yaml: test identities and labelled cases.

Rule: a case says only what must hold; whatever it leaves out is not checked.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from reach.spec.base import Line, Model, Name


class CallerSpec(Model):
    """A test identity."""

    id: Line | None = Field(None, description="The caller's id; null: the name it is listed under.")
    roles: list[Line] = Field(default_factory=list[str])
    tenant: str = ""
    claims: dict[Line, Any] = Field(default_factory=dict[str, Any])


class CallersFile(Model):
    """The whole of evals/callers.yaml."""

    version: Literal[1]
    callers: dict[Line, CallerSpec]


class ExpectSpec(Model):
    """What a right turn looks like. Only what is given is checked."""

    outcome: Literal["answer", "clarify", "confirm", "denied", "fallback", "unknown", "no_tool"]
    tool: Name | None = None
    args: dict[Name, Any] | None = None
    answer_points: list[Line] = Field(default_factory=list[str], description="Texts that the answer must contain.")
    never: list[Name] = Field(default_factory=list[str], description="Tools that must not be called.")


class TurnSpec(Model):
    """One turn of a case with several."""

    query: str
    expect: ExpectSpec


class CaseSpec(Model):
    """One labelled case: `query` and `expect`, or `turns`."""

    id: Line
    caller: Line
    query: str | None = None
    expect: ExpectSpec | None = None
    turns: Annotated[list[TurnSpec], Field(min_length=1)] | None = None
    tags: list[Line] = Field(default_factory=list[str])

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        single = self.query is not None and self.expect is not None
        if single == (self.turns is not None) or (self.turns is not None and (self.query or self.expect)):
            raise ValueError("a case has 'query' and 'expect', or 'turns'")
        return self

    @property
    def steps(self) -> tuple[TurnSpec, ...]:
        """The turns of the case, one or more."""
        if self.turns is not None:
            return tuple(self.turns)
        return (TurnSpec.model_construct(query=self.query, expect=self.expect),)


class EvalFile(Model):
    """The whole of one file of labelled cases. `now` (ISO, with offset) fixes the clock for all of them."""

    version: Literal[1]
    now: Line | None = None
    cases: Annotated[list[CaseSpec], Field(min_length=1)]
