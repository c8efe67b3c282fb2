"""Run as a process of its own: reads a logdir into a LocalProvider, imports done before, and prints the cost.

    python -m benchmarks.own_load LOGDIR

Prints JSON: ``wall`` and ``cpu`` in seconds, ``memory`` (VmHWM) and ``base`` (before loading) in MB, and
``points`` by plugin, counted after the clock was stopped.
"""

from __future__ import annotations

import json
import sys
import time

import insight_scalar

from benchmarks.processes import peak_memory
from insight_core.cli.process import rare_collections
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider


def main() -> None:
    base = peak_memory()
    cpu, wall = time.process_time(), time.perf_counter()
    plugins = [insight_scalar.insight_plugin()]
    logdirs = [Logdir(sys.argv[1])]
    provider = LocalProvider(logdirs, plugins, reload_interval=0, while_loading=rare_collections)
    provider.load()
    cost = {
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "memory": peak_memory(),
        "base": base,
    }
    points = {name: sum(series.kept for series in provider.series(name)) for name in provider.plugins()}
    provider.close()
    json.dump({**cost, "points": points}, sys.stdout)


if __name__ == "__main__":
    main()
