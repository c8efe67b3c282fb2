"""What a large CSV log costs: ``python -m benchmarks.csv_logs --size 2e9``.

Writes ``metrics.csv`` with steps and random numbers, with 20 columns (many rows) and with 10,000 (long rows).
Each is loaded by a process of its own and followed while ten more rows are appended, one at a time. Every
number of a file below 1 GB is compared with pandas' ``read_csv(float_precision="round_trip")``, if pandas is
installed. Memory is bounded by 60 MB, 40 bytes for each point, as of event files, and 160 MB for what is read
at once: beyond that, and if a number differs or is missing, the command fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import insight_scalar
import numpy as np
from insight_metric_logs import FORMATS

from benchmarks.machine import describe_machine
from benchmarks.processes import peak_memory
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

_COLUMNS = (20, 10_000)
_CELLS = 2_000_000  # drawn once, and written again and again
_APPENDED = 10
_BASE, _AT_ONCE = 60.0, 160.0  # MB
_POINT = 40 / 1e6  # MB
_COMPARED = 1e9  # bytes of a file that pandas reads too
_NAME = "metrics.csv"


def write(path: Path, size: int, columns: int) -> int:
    """A CSV log of at least ``size`` bytes; returns its rows."""
    rng = np.random.default_rng(1)
    drawn = rng.standard_normal((_CELLS // columns, columns)).tolist()
    bodies = [",".join(map(repr, row)) for row in drawn]
    rows = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(["step", *(f"metric_{column}" for column in range(columns))]) + "\n")
        while file.tell() < size:
            file.write("".join(f"{rows + at},{body}\n" for at, body in enumerate(bodies)))
            rows += len(bodies)
    return rows


def load(logdir: str) -> dict[str, float]:
    """Loads a log and follows it, in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    plugins = [insight_scalar.insight_plugin()]
    provider = LocalProvider([Logdir(logdir)], plugins, log_formats=FORMATS, reload_interval=0)
    provider.load()
    found = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "memory": peak_memory()}
    series = provider.series("scalar")
    points = sum(info.points for info in series)
    found["points"] = points
    path = Path(logdir, _NAME)
    cpu = time.process_time()
    for step in range(_APPENDED):
        with path.open("a", encoding="utf-8") as file:
            file.write(",".join([str(1 << 40 | step), *["0.25"] * len(series)]) + "\n")
        provider.load()
    found["append"] = (time.process_time() - cpu) / _APPENDED
    found["missing"] = points + _APPENDED * len(series) - sum(i.points for i in provider.series("scalar"))
    found["differing"] = -1
    if path.stat().st_size < _COMPARED:
        found["differing"] = _differing(provider, path)
    provider.close()
    return found


def _differing(provider: LocalProvider, path: Path) -> int:
    """Numbers that are not those of pandas; -1 without it."""
    try:
        import pandas as pd
    except ImportError:
        return -1
    table = pd.read_csv(path, float_precision="round_trip")
    differing = 0
    for name in table.columns[1:]:
        key = SeriesKey(".", name)
        columns = provider.scalars("scalar", [key])[key]
        steps, values = table["step"].to_numpy(), table[name].to_numpy()
        is_same = np.array_equal(columns.steps, steps)
        differing += int((columns.values != values).sum()) if is_same else len(values)
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.csv_logs", description=__doc__)
    parser.add_argument("--size", type=float, default=2e8, help="bytes of a log (default 2e8)")
    parser.add_argument("--load", metavar="DIR", help=argparse.SUPPRESS)  # the process that is measured
    options = parser.parse_args()
    if options.load:
        json.dump(load(options.load), sys.stdout)
        return 0
    failed = False
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        print(describe_machine(Path(directory)))
        for columns in _COLUMNS:
            path = Path(directory, _NAME)
            rows = write(path, int(options.size), columns)
            size = path.stat().st_size
            command = [sys.executable, "-m", "benchmarks.csv_logs", "--load", directory]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            most = _BASE + _AT_ONCE + _POINT * found["points"]
            print(
                f"{columns:,} columns, {rows:,} rows, {size / 1e6:,.0f} MB: "
                f"{found['cpu']:.1f} s of a processor ({size / 1e6 / found['cpu']:.0f} MB/s), "
                f"{found['wall']:.1f} s, {found['memory']:,.0f} MB (at most {most:,.0f}); "
                f"{1000 * found['append']:.0f} ms for a row that is appended; "
                f"{found['differing']:.0f} numbers differ from pandas' (-1: not compared)"
            )
            is_whole = found["points"] == rows * columns and not found["missing"]
            failed |= found["memory"] > most or found["differing"] > 0 or not is_whole
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
