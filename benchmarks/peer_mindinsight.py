"""Run by the Python of an environment with MindInsight: loads every run of a logdir and prints the cost.

MindInsight's own loader with its own limits, in this process. JSON as ``own_load`` prints it. The path has
``tests/conformance`` in it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from mindinsight_runs import in_place_executor  # type: ignore[import-not-found]


def main() -> None:
    from mindinsight.datavisual.data_transform.ms_data_loader import MSDataLoader  # type: ignore[import-not-found]

    executor = in_place_executor()
    cpu, wall = time.process_time(), time.perf_counter()
    loaders = [MSDataLoader(os.path.join(sys.argv[1], run)) for run in sorted(os.listdir(sys.argv[1]))]
    for loader in loaders:
        while not loader.load(executor):
            pass
    cost = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "memory": peak_memory()}
    points = 0
    for loader in loaders:
        data = loader.get_events_data()
        points += sum(len(data.tensors(tag)) for tag in data.list_tags_by_plugin("scalar"))
    json.dump({**cost, "points": {"scalar": points}}, sys.stdout)


def peak_memory() -> float:
    """Megabytes (VmHWM) of this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    main()
