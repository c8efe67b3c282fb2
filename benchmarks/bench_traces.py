"""Large traces: until all of one is there, until something of it is, what is asked then, memory.

Over HTTP, of a host that has found the file but not read it. Memory of the reading process is measured
separately from the host's. No peer reads such files: the profiler of TensorBoard's torch plugin is
gone, and MindInsight has none for them.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable

from attrs import evolve, field, frozen

from benchmarks.bench_payloads import Connection
from benchmarks.corpus import WrittenCorpus, run_name
from benchmarks.hosts import get_json, our_command
from benchmarks.processes import Failed, Program, free_port, peak_memory, started
from benchmarks.table import OURS, AtMost, Row, Unit, median

CORPORA = ("trace_111", "trace_gigabyte", "trace_5_gigabytes")

_PATIENCE = 900.0  # seconds
_PAUSE = 0.02
_ASKED = 20  # windows of each width
_LIMITS = {  # at most
    "trace_111": {"until all is there": 4.0, "memory of the reading process": 200.0},
    "trace_5_gigabytes": {
        "until there is something to see": 60.0,
        "of a profile that is kept": 1.0,
        "memory of the reading process": 1500.0,
        "memory of the host": 1500.0,
    },
}
_WINDOW_LIMIT = 50.0  # ms


@frozen
class Figures:
    first: float = math.nan  # seconds until some operators are there
    whole: float = math.nan  # seconds
    processor: float = math.nan  # seconds of the process that reads, on whatever else the machine does
    memory: float = math.nan  # megabytes of the process that reads
    host: float = math.nan  # megabytes of the host
    windows: list[float] = field(factory=list)  # milliseconds each
    again: float = math.nan  # seconds of a host that finds it kept


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    found = []
    for _ in range(rounds):
        try:
            found.append(_figures(corpus))
        except Failed as error:
            print(f"{OURS} on {corpus.name}: {error}", file=sys.stderr)
            found.append(Figures())
    limits = _LIMITS.get(corpus.name, {})

    def row(measured: str, unit: Unit, of: Callable[[Figures], float], limit: float | None = None) -> Row:
        limit = limits.get(measured, limit)
        figures = {OURS: median([of(each) for each in found])}
        return Row(corpus.name, measured, unit, figures, None if limit is None else AtMost(limit))

    def windows(figures: Figures) -> float:
        return median(figures.windows)

    return [
        row("until there is something to see", "s", lambda each: each.first),
        row("until all is there", "s", lambda each: each.whole),
        row("processor time of the reading process", "s", lambda each: each.processor),
        row("of a profile that is kept", "s", lambda each: each.again),
        row("a window of the timeline", "ms", windows, _WINDOW_LIMIT),
        row("slowest window", "ms", lambda each: max(each.windows, default=math.nan)),
        row("memory of the reading process", "MB", lambda each: each.memory),
        row("memory of the host", "MB", lambda each: each.host),
    ]


def _figures(corpus: WrittenCorpus) -> Figures:
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as cache:
        found = _read(corpus, cache)
        return evolve(found, again=_read(corpus, cache).whole)


def _read(corpus: WrittenCorpus, cache: str) -> Figures:
    port = free_port()
    command = our_command("insight_core.cli", corpus, port, f"--cache-dir={cache}")
    with started(command, port=port) as program:
        program.wait(
            lambda: bool((get_json(port, "/data/plugin/profiler/profiles") or {}).get("profiles")),
            pause=_PAUSE,
            patience=_PATIENCE,
        )
        connection = Connection(port)
        try:
            return _asked(connection, program)
        finally:
            connection.close()


def _asked(connection: Connection, program: Program) -> Figures:
    which = {"run": run_name(0), "profile": "worker.pt.trace.json"}
    began, first = time.perf_counter(), math.nan
    while True:
        said = connection.json("profiler/profile", **which)
        now = time.perf_counter() - began
        if math.isnan(first) and "operators" in said["views"]:
            first = now
        if said["state"] != "reading":
            break
        if now > _PATIENCE:
            raise Failed(f"not read after {_PATIENCE:.0f} s")
        time.sleep(_PAUSE)
    if said["state"] != "ready":
        raise Failed(f"not read: {said['failure']}")
    windows = []
    for number in range(_ASKED):
        for share in (1.0, 0.1, 0.001):
            start = int(said["duration_ns"] * (1 - share) * number / _ASKED)
            end = start + max(1, int(said["duration_ns"] * share))
            asked = time.perf_counter()
            connection.get("profiler/slices", **which, **{"from": start, "to": end, "width": 1500})
            windows.append(1000 * (time.perf_counter() - asked))
    children = program.children()
    memory = sum(map(peak_memory, children)) if children else math.nan
    processor = program.children_processor_time()
    return Figures(first, now, processor, memory, peak_memory(program.process.pid), windows)
