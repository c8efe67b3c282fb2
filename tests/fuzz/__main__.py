"""``make fuzz``: coverage-guided fuzzing of every target, each in a process of its own, and one table.

A target gets an equal part of the seconds. What it found stays in ``test-results/fuzz/<target>``: inputs
that reach further are the seeds of the next round, and ``--again FILE`` gives the target one that failed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

RESULTS = Path("test-results/fuzz")
INSTRUMENTED = [
    *(f"insight_core.{room}" for room in ("formats", "ingest.scanner", "plugin", "web")),
    *(f"insight_{name}" for name in ("audio", "graph", "histogram", "image", "landscape", "lineage")),
    *(f"insight_{name}" for name in ("metric_logs", "profiler", "scalar", "tensor", "text")),
]
_LONGEST = 10  # seconds for one input
_LARGEST = 512  # MiB of one allocation
_MEMORY = 4096  # MiB in all: under atheris some KiB stay with each input, without it none


def main() -> int:
    """Fuzzes; returns how many targets failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help="by default all")
    parser.add_argument("--seconds", type=int, default=60, help="in all")
    parser.add_argument("--again", type=Path, help="one input for the one target that is named")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        _fuzz(given.targets[0], given.seconds)
    from tests.fuzz.all_targets import TARGETS

    if given.again is not None:
        TARGETS[given.targets[0]].run(given.again.read_bytes())
        return 0
    names = given.targets or list(TARGETS)
    print(f"{'target':<12} {'inputs':>10} {'seconds':>8} {'edges':>6} {'MiB':>5}  result")
    return sum(_watched(name, max(1, given.seconds // len(names))) for name in names)


def _fuzz(name: str, seconds: int) -> None:
    """In the child: never returns, libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from tests.fuzz.all_targets import TARGETS

        target = TARGETS[name]
        seeds = list(target.seeds())
        for seed in seeds:  # imports what the target imports late
            target.run(seed)
    corpus = RESULTS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for place, seed in enumerate(seeds):
        (corpus / f"seed-{place}").write_bytes(seed)
    flags = {
        "max_total_time": seconds,
        "max_len": target.longest,
        "timeout": _LONGEST,
        "malloc_limit_mb": _LARGEST,
        "rss_limit_mb": _MEMORY,
        "artifact_prefix": f"{corpus}/",
        "print_final_stats": 1,
    }
    atheris.Setup(
        [sys.argv[0], *(f"-{flag}={value}" for flag, value in flags.items()), str(corpus)], target.run
    )
    atheris.Fuzz()


def _watched(name: str, seconds: int) -> bool:
    """Whether the target failed; what it printed is then shown."""
    command = [sys.executable, "-m", "tests.fuzz", name, "--child", "--seconds", str(seconds)]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    said = done.stderr
    stats = dict(re.findall(r"stat::(\w+): +(\d+)", said))
    edges = re.findall(r" cov: (\d+)", said)
    result = "ok" if done.returncode == 0 else f"failed: {RESULTS / name}"
    print(
        f"{name:<12} {stats.get('number_of_executed_units', '?'):>10} {seconds:>8}"
        f" {edges[-1] if edges else '?':>6} {stats.get('peak_rss_mb', '?'):>5}  {result}",
        flush=True,
    )
    if done.returncode:
        lines = [line for line in said.splitlines() if not line.startswith(("INFO", "WARNING", "#"))]
        print(done.stdout[-4000:], *lines[-40:], sep="\n", file=sys.stderr)
    return done.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
