"""What an import adds to a start: the smallest of 20 cumulative times of ``python -X importtime``.

    python -m benchmarks.import_cost MODULE ... [--after MODULE ...]

Modules of ``--after`` (numpy and json by default), which every start imports anyway, are imported before.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

_ROUNDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="+", metavar="MODULE")
    parser.add_argument("--after", nargs="+", default=["numpy", "json"], metavar="MODULE")
    options = parser.parse_args()
    for module in options.modules:
        costs = [import_milliseconds(module, options.after) for _ in range(_ROUNDS)]
        print(f"{module:30} {min(costs):6.1f} ms")


def import_milliseconds(module: str, before: list[str]) -> float:
    """The cumulative time of one import in a fresh process."""
    program = f"import {', '.join(before)}\nimport {module}"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program], capture_output=True, check=True, text=True
    )
    for line in done.stderr.splitlines():
        if line.startswith("import time:") and line.rpartition("|")[2].strip() == module:
            return int(line.split("|")[1]) / 1000
    return 0.0  # imported before


if __name__ == "__main__":
    main()
