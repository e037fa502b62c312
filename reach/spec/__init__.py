"""What tools.yaml, policies/*.yaml and evals/*.yaml may say, as pydantic models.

Rule: unknown keys are refused, scalars are never coerced, and a model never looks outside its own file.
"""

from reach.spec.base import RESERVED_BINDS, Language, Line, Model, Name, Text, localized, own_binds, sql_binds
from reach.spec.evals import CallersFile, CallerSpec, CaseSpec, EvalFile, ExpectSpec, TurnSpec
from reach.spec.parameters import ParameterSpec, ValuesSpec
from reach.spec.policies import OwnershipSpec, PoliciesFile, RuleBody, RuleSpec
from reach.spec.runtime import (
    ArtifactsSpec,
    BackendSpec,
    BreakerSpec,
    CredentialSpec,
    PythonBackend,
    RuntimeSpec,
    SqlBackend,
)
from reach.spec.tools import (
    AdapterSpec,
    CacheSpec,
    IdempotencySpec,
    ListSpec,
    PreconditionSpec,
    PythonBinding,
    Rate,
    RateLimitSpec,
    ResultSpec,
    RetrySpec,
    SqlBinding,
    SqlStep,
    ToolsFile,
    ToolSpec,
    rate_of,
)

__all__ = [
    "RESERVED_BINDS",
    "AdapterSpec",
    "ArtifactsSpec",
    "BackendSpec",
    "BreakerSpec",
    "CacheSpec",
    "CallerSpec",
    "CallersFile",
    "CaseSpec",
    "CredentialSpec",
    "EvalFile",
    "ExpectSpec",
    "IdempotencySpec",
    "Language",
    "Line",
    "ListSpec",
    "Model",
    "Name",
    "OwnershipSpec",
    "ParameterSpec",
    "PoliciesFile",
    "PreconditionSpec",
    "PythonBackend",
    "PythonBinding",
    "Rate",
    "RateLimitSpec",
    "ResultSpec",
    "RetrySpec",
    "RuleBody",
    "RuleSpec",
    "RuntimeSpec",
    "SqlBackend",
    "SqlBinding",
    "SqlStep",
    "Text",
    "ToolSpec",
    "ToolsFile",
    "TurnSpec",
    "ValuesSpec",
    "localized",
    "own_binds",
    "rate_of",
    "sql_binds",
]
