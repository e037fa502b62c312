"""Permit: caller x tool x argument values, proof of ownership, confirmation, audit."""

from reach.policy.confirmations import Confirmation, Confirmations
from reach.policy.ownership import Resolver
from reach.policy.policy import Policy

__all__ = ["Confirmation", "Confirmations", "Policy", "Resolver"]
