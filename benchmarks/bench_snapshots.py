"""Memory snapshots: the processor time and memory that reading one takes, and the first view of it.

Modules are imported before that. The peer is ``pickle.load``: PyTorch's memory_viz begins with it; it has
the whole snapshot as objects of Python.
That the curve is the sum of the events at each of them is tested (tests/test_benchmarks.py).
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.corpus import WrittenCorpus, event_files
from benchmarks.processes import Failed
from benchmarks.table import OURS, PICKLE, AtMost, Row, Unit, median

CORPORA = ("snapshot_172", "snapshot_gigabyte", "snapshot_5_gigabytes")

_PEER_MOST = 2e9  # bytes: of more it needs more memory than machines have
_SECONDS_A_GIGABYTE = 10.0
_MEMORY = 2147.0  # MB: what all profiles that are read at a time may take
_SAYS = """
import json, sys, time
from pathlib import Path
from benchmarks.processes import peak_memory
{1}
began = time.process_time()
{0}
used = time.process_time() - began
print(json.dumps([used, peak_memory()]))
"""
_IMPORTS = """
from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Source
from insight_profiler.profiles.storage import load, save
from insight_profiler.reading import READERS
import insight_profiler.reading.snapshot
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.analysis.memory import memory
"""
_OURS = """
path, place = Path(sys.argv[1]), Path(sys.argv[2])
building = Building(Source.SNAPSHOT)
READERS[Source.SNAPSHOT](Files.of_directory(path.parent, path.name), building)
save(building.finish(), place)
"""
_VIEW = """
profile = load(Path(sys.argv[2]))
memory(profile, 1200)
HeldMemory.of(profile, 0).bands("purpose", 400)
"""
_THEIRS = """
import pickle
with open(sys.argv[1], "rb") as file:
    held = pickle.load(file)
"""


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    [path] = [one for one in event_files(corpus.logdir) if one.suffix == ".pickle"]
    read, view, peer = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="insight-bench-") as place:
            read.append(_measured(_OURS, path, Path(place) / "kept"))
            view.append(_measured(_VIEW, path, Path(place) / "kept"))
        if corpus.size <= _PEER_MOST:
            peer.append(_measured(_THEIRS, path, path))

    def row(what: str, unit: Unit, at: int, limit: float) -> Row:
        figures = {OURS: median([one[at] for one in read])}
        if peer:
            figures[PICKLE] = median([one[at] for one in peer])
        return Row(corpus.name, what, unit, figures, AtMost(limit))

    both = [one[0] + other[0] for one, other in zip(read, view, strict=True)]
    limit = _SECONDS_A_GIGABYTE * corpus.size / 1e9
    return [
        row("processor time of reading it", "s", 0, limit),
        Row(corpus.name, "… and of the first view", "s", {OURS: median(both)}, AtMost(limit)),
        row("memory of the reading process", "MB", 1, _MEMORY),
        Row(corpus.name, "memory of the first view", "MB", {OURS: median([one[1] for one in view])}),
    ]


def _measured(program: str, path: Path, place: Path) -> tuple[float, float]:
    """Seconds of processor time, and megabytes, of a process that does it."""
    command = [
        sys.executable,
        "-c",
        _SAYS.format(program, "" if program == _THEIRS else _IMPORTS),
        str(path),
        str(place),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(Failed(done.stderr[-500:]), file=sys.stderr)
        return math.nan, math.nan
    used, peak = json.loads(done.stdout)
    return used, peak
