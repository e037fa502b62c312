"""policies/*.yaml: who may use which tool with which values, and how a value is proved to be the caller's.

Rule: a policy that does not say who it is for, or whose proof does not look at the value and the caller, does not load.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from reach.spec.base import RESERVED_BINDS, Bool, Line, Model, Name, Text, sql_binds


class OwnershipSpec(Model):
    """How a value of one resource is proved to be the caller's, at call time. No proof is a denial.

    `sql` must return a row (it sees `:value`, `:caller_id`, `:caller_tenant`, `:claim_NAME`, and the other arguments of
    the call as `:arg_NAME`); `claim` names a claim that is the value, or a list that holds it (`id` is the caller's own
    id); `function` is `module:name`, called with `value` and `caller`. `anyone: true` says that values of this resource
    belong to nobody in particular.
    """

    backend: Name | None = None
    sql: Line | None = None
    claim: Line | None = None
    function: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")] | None = None
    anyone: Bool = False
    roles: list[Line] | None = Field(None, description="Only callers of these roles must prove it; null: everyone.")
    reason: Text | None = Field(None, description="What the caller is told without proof.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        ways = [w for w, on in (("sql", self.sql), ("claim", self.claim), ("function", self.function)) if on]
        ways += ["anyone"] if self.anyone else []
        if len(ways) != 1:
            raise ValueError("exactly one of 'sql', 'claim', 'function' and 'anyone: true' says how it is proved")
        if (self.sql is None) != (self.backend is None):
            raise ValueError("'sql' and 'backend' go together")
        if self.sql is not None:
            binds = sql_binds(self.sql)
            if "value" not in binds:
                raise ValueError("the statement does not use ':value', so it proves nothing about the value")
            for name in sorted(binds - {"value"} - RESERVED_BINDS):
                if not name.startswith(("claim_", "arg_")):
                    raise ValueError(f"the statement uses ':{name}'; known: :value :caller_id :claim_NAME :arg_NAME")
            if not any(n.startswith(("caller_", "claim_")) for n in binds):
                raise ValueError("the statement does not use the caller (:caller_id or :claim_NAME)")
        return self


class RuleBody(Model):
    """Who and what a rule covers. Every key that is given must match.

    An `allow` or `confirm` must name `roles`, or say `everyone: true`.
    """

    roles: Annotated[list[Line], Field(min_length=1)] | None = None
    everyone: Bool = False
    tenants: Annotated[list[Line], Field(min_length=1)] | None = None
    claims: dict[Line, Any] | None = Field(None, description="Claims that must have this value, or one of a list.")
    tools: Annotated[list[Name], Field(min_length=1)] | None = None
    tags: Annotated[list[Name], Field(min_length=1)] | None = None
    when: Line | None = Field(None, description="A CEL condition over args, provenance, caller, tool, now.")

    @model_validator(mode="after")
    def _names_tools(self) -> Self:
        if self.tools is None and self.tags is None:
            raise ValueError("a rule names its 'tools' (exact names) or 'tags'")
        if self.roles is not None and self.everyone:
            raise ValueError("'roles' and 'everyone: true' exclude each other")
        return self


class RuleSpec(Model):
    """One rule: an id and exactly one of allow, confirm, deny."""

    id: Name
    allow: RuleBody | None = None
    confirm: RuleBody | None = None
    deny: RuleBody | None = None
    reason: Text | None = None

    @model_validator(mode="after")
    def _one_effect(self) -> Self:
        given = [e for e in ("allow", "confirm", "deny") if getattr(self, e) is not None]
        if len(given) != 1:
            raise ValueError("a rule has exactly one of 'allow', 'confirm' and 'deny'")
        if given[0] != "deny" and self.body.roles is None and not self.body.everyone:
            raise ValueError(f"'{given[0]}' must name 'roles', or say 'everyone: true'")
        return self

    @property
    def effect(self) -> Literal["allow", "confirm", "deny"]:
        """What the rule does where it matches."""
        return "allow" if self.allow else "confirm" if self.confirm else "deny"

    @property
    def body(self) -> RuleBody:
        """Who and what it covers."""
        body = self.allow or self.confirm or self.deny
        if body is None:  # the validator has seen to it
            raise ValueError("a rule without an effect")
        return body


class PoliciesFile(Model):
    """The whole of one file of policies/."""

    version: Literal[1]
    ownership: dict[Name, OwnershipSpec] = Field(default_factory=dict[str, OwnershipSpec])
    rules: list[RuleSpec] = Field(default_factory=list[RuleSpec])
