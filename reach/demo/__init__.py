"""The demo agent's world: the after-sales desk of Lantern Lane (灯巷小铺), a small shop for things of the home.

`tools.yaml`, `policies/` and `evals/` at the top level describe the agent; this package only makes the database that it
reads and the one Python function that it calls.

Rule: the same day gives the same database, byte for byte of its dump, on every machine.
"""

from __future__ import annotations

from reach.demo.dates import date_info
from reach.demo.shop import create_shop

__all__ = ["create_shop", "date_info"]
