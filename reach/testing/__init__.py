"""Fakes and contract suites for the tests of programs that use or extend Reach.

Rule: public and stable; nothing in the runtime imports it, and it needs no test framework to be imported.

`reach.testing.contracts` holds one suite a port: subclass it, say how the thing is made, and pytest runs the rest.
"""

from __future__ import annotations

from reach.testing.adapters import FaultyAdapter, Slow, Step
from reach.testing.clock import FakeClock

__all__ = ["FakeClock", "FaultyAdapter", "Slow", "Step"]
