"""The examples are scripts, not packages: their folders are made importable here."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "examples" / "retail"), str(HERE)]
