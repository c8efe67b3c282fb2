"""Run by the Python of an environment with TensorBoard: reads every scalar of a logdir and prints the cost.

    python peer_export.py (accumulator|tbparse|tblike) LOGDIR

EventAccumulator with nothing sampled, its points as they are; tbparse gives a pandas frame; tb-like writes
Parquet files below TMPDIR, of which polars makes a frame. JSON: ``wall``
and ``cpu`` in seconds, ``memory`` (VmHWM) in MB, ``points``. Imports are done before.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def accumulated() -> Callable[[str], int]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util.tensor_util import make_ndarray

    def read(logdir: str) -> int:
        points = 0
        for run in sorted(os.listdir(logdir)):
            events = EventAccumulator(
                os.path.join(logdir, run), size_guidance={"scalars": 0, "tensors": 0}
            ).Reload()
            points += sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])
            for tag in events.Tags()["tensors"]:
                points += len([make_ndarray(one.tensor_proto).item() for one in events.Tensors(tag)])
        return points

    return read


def parsed() -> Callable[[str], int]:
    from tbparse import SummaryReader  # type: ignore[import-not-found]

    def read(logdir: str) -> int:
        reader = SummaryReader(logdir, extra_columns={"dir_name", "wall_time"})
        return len(reader.scalars) + len(reader.tensors)

    return read


def converted() -> Callable[[str], int]:
    import polars
    from tblike.convert import convert_run  # type: ignore[import-not-found]

    def read(logdir: str) -> int:
        place = Path(tempfile.mkdtemp())
        for run in sorted(os.listdir(logdir)):
            convert_run(os.path.join(logdir, run), str(place / run), run)
        return sum(len(polars.read_parquet(path)) for path in place.rglob("*.parquet"))

    return read


def main() -> None:
    read = {"accumulator": accumulated, "tbparse": parsed, "tblike": converted}[sys.argv[1]]()
    cpu, wall = time.process_time(), time.perf_counter()
    points = read(sys.argv[2])
    cost = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    status = Path("/proc/self/status").read_text()
    memory = int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6
    json.dump({**cost, "memory": memory, "points": points}, sys.stdout)


if __name__ == "__main__":
    main()
