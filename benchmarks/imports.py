"""What an import and a command's start cost, beside a bare interpreter in the same run.

Rule: a process each, in turn, so that no case profits from what another one loaded; the first round only warms up.

    python benchmarks/imports.py [ROUNDS]
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

CASES = {
    "bare": ["-c", "pass"],
    "asyncio": ["-c", "import asyncio"],
    "import reach": ["-c", "import reach"],
    "reach --help": ["-m", "reach.cli", "--help"],
    "reach ask --help": ["-m", "reach.cli", "ask", "--help"],
    "import reach.runtime": ["-c", "import reach.runtime"],
    "typer alone": ["-c", "import typer"],
}


def milliseconds(arguments: list[str]) -> float:
    """The wall time of one process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603  -- this interpreter
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Print the medians, and their ratio to the bare interpreter."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for number in range(rounds + 1):
        for name, arguments in CASES.items():
            taken = milliseconds(arguments)
            if number:
                times[name].append(taken)
    print(f"a process from start to end, median of {rounds} rounds")
    for name, taken in times.items():
        ratio = median(one / bare for one, bare in zip(taken, times["bare"], strict=True))
        print(f"  {name:22}{median(taken):8.1f} ms  {ratio:6.2f} x a bare interpreter")


if __name__ == "__main__":
    main()
