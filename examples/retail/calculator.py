"""The one tool of this agent that SQL can't be: arithmetic over numbers that the agent has read.

Rule: an expression is parsed, never evaluated as code; only numbers, + - * / and parentheses mean anything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from decimal import Decimal, DivisionByZero, InvalidOperation, Overflow

from reach.errors import BackendRejected

MAX_LENGTH = 300
_ALLOWED = frozenset("0123456789.+-*/() ")
_BINARY: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.Div: lambda left, right: left / right,
}


def _value(node: ast.expr) -> Decimal:
    match node:
        case ast.Constant(value=int() | float()):
            return Decimal(str(node.value))
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand)
        case ast.UnaryOp(op=ast.UAdd()):
            return _value(node.operand)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            return _BINARY[type(node.op)](_value(node.left), _value(node.right))
        case _:
            raise SyntaxError


def calculate(expression: str) -> dict[str, str | float]:
    """The value of `expression`, rounded to 2 decimals. Raises BackendRejected where it has none."""
    if len(expression) > MAX_LENGTH or not _ALLOWED.issuperset(expression):
        raise BackendRejected(f"An expression is at most {MAX_LENGTH} characters: digits, + - * / ( ) and spaces.")
    try:
        value = _value(ast.parse(expression.strip(), mode="eval").body)
        return {"expression": expression, "value": float(round(value, 2))}
    except (DivisionByZero, InvalidOperation, Overflow):
        raise BackendRejected(f"“{expression}” has no value: it divides by zero or grows too large.") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BackendRejected(f"“{expression}” is not arithmetic that can be worked out.") from None
