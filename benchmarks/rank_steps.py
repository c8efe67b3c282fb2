"""Every step of every rank: processor time and memory of reading the logs of a job and of its first views.
``python -m benchmarks.rank_steps 512 100000``: ranks and steps; eight ranks have logs, the others links.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.rank_step_logs import FILE, write_attempt

_DIFFERENT = 8  # ranks with steps of their own
_SLOW = 3  # the rank that is slow in the second half; no other rank has its log
_SAYS = """
import resource, sys, time
from pathlib import Path
from insight_profiler.analysis.every_step import slow_ranks, slowest, spans_of, tiles
from insight_profiler.analysis.goodput import goodput
from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Source
from insight_profiler.profiles.storage import load, save
from insight_profiler.reading import READERS
logs, place = Path(sys.argv[1]), Path(sys.argv[2])
began = time.process_time()
{}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(f"{{time.process_time() - began:.1f}} s of a processor, {{peak:.0f}} MB")
"""
_READ = """
building = Building(Source.RANK_STEPS, scratch=place.parent)
READERS[Source.RANK_STEPS](Files.of_directory(logs), building)
save(building.finish(), place)
"""
_VIEW = """
profile = load(place)
spans_of(profile), goodput(profile)
print([one.rank for one in slow_ranks(profile)], "slow")
slowest(tiles(profile, "fetch", "max", (1024, 800), (0, 1 << 53)))
"""


def write_job(directory: Path, ranks: int, steps: int) -> Path:
    """Writes the logs of a job; returns their directory."""

    def work(rank: int, step: int) -> float:
        return 0.05 if rank == _SLOW and step > steps // 2 else 0.0

    write_attempt(directory, min(ranks, _DIFFERENT), range(steps), work=work)
    logs = directory / "structured_logs"
    others = [rank for rank in range(_DIFFERENT) if rank != _SLOW]
    for rank in range(_DIFFERENT, ranks):
        of = others[rank % len(others)]
        os.link(logs / FILE.format(rank=of, attempt=0), logs / FILE.format(rank=rank, attempt=0))
    return logs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranks", type=int)
    parser.add_argument("steps", type=int)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        logs = write_job(Path(directory), chosen.ranks, chosen.steps)
        for name, program in (("read", _READ), ("first views", _VIEW)):
            command = [
                sys.executable,
                "-c",
                _SAYS.format(program),
                str(logs),
                str(Path(directory) / "kept/a"),
            ]
            (Path(directory) / "kept").mkdir(exist_ok=True)
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"{name}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
