"""Run by the Python of an environment with MindInsight: loads every run of a logdir and prints the cost.

MindInsight's own loader with its own limits, in this process instead of its pool, which would copy every
event between processes. JSON as ``own_load`` prints it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any


class InPlaceFuture:
    """What a pool's future is to the loader, already done."""

    def __init__(self, value: Any) -> None:  # noqa: ANN401
        self._value = value

    def result(self) -> Any:  # noqa: ANN401
        return self._value

    def add_done_callback(self, callback: Any) -> None:  # noqa: ANN401
        callback(self)


def main() -> None:
    from mindinsight.datavisual.data_transform.ms_data_loader import MSDataLoader  # type: ignore[import-not-found]
    from mindinsight.utils.computing_resource_mgr import Executor  # type: ignore[import-not-found]

    class InPlaceExecutor(Executor):  # type: ignore[misc]
        def submit(self, function: Any, *arguments: Any) -> InPlaceFuture:  # noqa: ANN401
            return InPlaceFuture(function(*arguments))

    executor = InPlaceExecutor(1, lambda *_: None, lambda: None)
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
