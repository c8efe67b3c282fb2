"""Until ``insight-host`` has printed its address: processor time of the process, and wall time.

    python -m benchmarks.listening [TREE ...] [--rounds 15]

Prints medians and smallest figures of each source tree, by default of this one. Several are started in turns,
so that an older checkout can be compared; its compiled modules must be there. The logdir is empty.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.processes import Failed

_THIS = Path(__file__).parents[1]
# in the process itself, which goes on after the address: a parent would read its clock too late
_PROGRAM = """
import builtins, os, time
from insight_core.cli import main

show = builtins.print

def watch(*texts, **more):
    if texts and "http://" in str(texts[0]):
        os.write(1, f"{time.process_time()}\\n".encode())
        os._exit(0)
    show(*texts, **more)

builtins.print = watch
main()
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", nargs="*", type=Path, default=[_THIS], metavar="TREE")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    trees = [tree.resolve() for tree in options.trees]
    costs: dict[Path, list[tuple[float, float]]] = {tree: [] for tree in trees}
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace:
        for _ in range(options.rounds):
            for tree in trees:
                costs[tree].append(_started(tree, Path(workspace)))
    for tree, found in costs.items():
        processor, wall = zip(*found, strict=True)
        print(f"{tree}: processor {_figures(processor)}, wall {_figures(wall)}")


def _started(tree: Path, workspace: Path) -> tuple[float, float]:
    """Seconds of the processor, and of the clock."""
    logs = workspace / "logs"
    logs.mkdir(exist_ok=True)
    flags = ["--logdir", str(logs), "--port", "0", "--cache-dir", str(workspace / "cache")]
    flags += ["--state-dir", str(workspace / "state")]
    places = [tree, tree / "frontend", *sorted((tree / "plugins").glob("*"))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *flags], cwd=tree, env=environment, capture_output=True, text=True
    )
    wall = time.perf_counter() - began
    if done.returncode:
        raise Failed(f"{tree}: {done.stderr[-2000:]}")
    return float(done.stdout.split()[-1]), wall


def _figures(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.3f} s (smallest {min(seconds):.3f} s)"


if __name__ == "__main__":
    main()
