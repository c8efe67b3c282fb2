"""``python -m tests.soak``: training goes on for some minutes while clients follow it; one table.

Ends with status 1 if something does not hold, and says what.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import describe_machine
from tests.soak.soaking import Plan, soak

_WARM_UP = 90.0  # seconds: what is kept in memory reaches its limit
_SHARE = 1 / 3  # of a short soak that is its warm-up


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--tags", type=int, default=20)
    parser.add_argument("--load", choices=("inprocess", "server"), default="inprocess")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what was started is ended
    duration = 60 * options.minutes
    plan = Plan(
        duration=duration,
        warm_up=min(_WARM_UP, _SHARE * duration),
        runs=options.runs,
        tags=options.tags,
        flags=[f"--load={options.load}"],
    )
    with tempfile.TemporaryDirectory(prefix="insight-soak-", ignore_cleanup_errors=True) as place:
        print(f"{describe_machine(Path(place))}\n{options}\n", flush=True)
        report = soak(plan, Path(place))
        print(report, flush=True)
    return 1 if report.flaws else 0


if __name__ == "__main__":
    sys.exit(main())
