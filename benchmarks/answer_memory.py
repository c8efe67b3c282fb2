"""Memory of the host while it makes its largest answers: ``python -m benchmarks.answer_memory [NAME ...]``.

For each request: status, bytes received, peak of the host's memory above what it had before (RssAnon: without
mapped files, which the system can drop), processor time, and the longest answer of ``/healthz`` meanwhile.
One timeline has 8 million slices, another one 100,000 tracks, a series 2 million points, a grid 1,000 runs
with 1,000 tags each.
"""

from __future__ import annotations

import argparse
import http.client
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from attrs import frozen

from benchmarks.corpus import CORPORA, write_corpus
from benchmarks.machine import describe_machine
from benchmarks.page_scrolling import hosting
from benchmarks.processes import Program
from insight_core.plugin.testing import EventWriter

_SLICES, _TRACKS, _POINTS = 8_000_000, 100_000, 2_000_000
_PATIENCE = 600.0  # seconds
_PIECE = 1 << 20  # bytes
_PAUSE = 0.01  # seconds between two looks at memory
_WRITTEN = 100_000  # events at a time


@frozen
class Data:
    """A logdir, and requests to its host by name, each with how many are sent at a time."""

    write: Callable[[Path], object]
    is_ready: str  # a path; where it tells a state, that is "ready" when all is read
    requests: Mapping[str, tuple[str, int]]


def _trace(slices: int, tracks: int) -> Callable[[Path], None]:
    def write(logdir: Path) -> None:
        path = logdir / "run" / "worker.pt.trace.json"
        path.parent.mkdir(parents=True)
        with path.open("w", encoding="ascii") as file:
            file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
            for start in range(0, slices, _WRITTEN):
                events = (
                    f'{{"ph":"X","cat":"cpu_op","name":"op{i % 100}","pid":1,"tid":{i % tracks},'
                    f'"ts":{i // tracks * 2},"dur":1}}'
                    for i in range(start, min(slices, start + _WRITTEN))
                )
                file.write((",\n" if start else "") + ",\n".join(events))
            file.write("\n]}\n")

    return write


def _series(logdir: Path) -> None:
    values = np.random.default_rng(1).normal(size=_POINTS)
    with EventWriter(logdir / "run") as writer:
        for step, value in enumerate(values.tolist()):
            writer.scalar("loss", step, value)


def _profile(route: str, **parameters: object) -> str:
    query = {"run": "run", "profile": "worker.pt.trace.json", **parameters}
    return f"/data/plugin/profiler/{route}?{urlencode(query)}"


_SCALARS = "/data/plugin/scalar/series?run=run&tag=loss&format="
DATA: Mapping[str, Data] = {
    "slices": Data(
        _trace(_SLICES, 8),
        _profile("profile"),
        {
            "slices of the whole range": (_profile("slices"), 1),
            "the same again": (_profile("slices"), 1),
            "slices, 10,000 columns": (_profile("slices", width=10_000), 1),
            "four of them": (_profile("slices", width=10_000), 4),
            "the whole trace": (_profile("trace"), 1),
            "an eighth of the trace": (_profile("trace", to=_SLICES // 8 * 2000 // 8), 1),
            "a selection of all slices": (_profile("selection"), 1),
            "a table of operators": (_profile("operators", by="name", side="host"), 1),
        },
    ),
    "tracks": Data(_trace(_TRACKS, _TRACKS), _profile("profile"), {"tracks": (_profile("tracks"), 1)}),
    "grid": Data(
        lambda logdir: write_corpus(CORPORA["grid"], logdir),
        "/data/environment",
        {
            "the catalogue": ("/data/catalog?plugin=scalar", 1),
            "the run table, all columns": ("/data/run_table?columns=all", 1),
            "all tags": ("/data/plugin/scalar/tags", 1),
            "four of all tags": ("/data/plugin/scalar/tags", 4),
        },
    ),
    "points": Data(
        _series,
        "/data/environment",
        {
            "CSV": (_SCALARS + "csv", 1),
            "JSON": (_SCALARS + "json", 1),
            "safetensors": (_SCALARS + "safetensors", 1),
            "four of JSON": (_SCALARS + "json", 4),
            "four of safetensors": (_SCALARS + "safetensors", 4),
        },
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answer_memory", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(DATA)}; all by default")
    chosen = parser.parse_args(arguments).names or list(DATA)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        print(describe_machine(Path(directory)))
        for name in chosen:
            _measure(DATA[name], Path(directory) / name)
    return 0


def _measure(data: Data, logdir: Path) -> None:
    data.write(logdir)
    with hosting(sys.executable, logdir) as (program, _):
        program.wait(lambda: _is_ready(program, data.is_ready), pause=0.5, patience=_PATIENCE)
        print(f"at rest: {_memory(program):.0f} MB", flush=True)
        for name, (path, together) in data.requests.items():
            _print_request(program, name, path, together)


def _is_ready(program: Program, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", program.port, timeout=_PATIENCE)
    connection.request("GET", path)
    answer = connection.getresponse()
    state = json.loads(answer.read()).get("state", "ready")
    return answer.status == 200 and state == "ready"


def _print_request(program: Program, name: str, path: str, together: int) -> None:
    before, processor = _memory(program), program.processor_time()
    is_over = threading.Event()
    with ThreadPoolExecutor(together + 2) as pool:
        waiting = pool.submit(_longest_wait, program.port, is_over)
        watching = pool.submit(_peak, program, is_over)
        answers = list(pool.map(lambda _: _received(program.port, path), range(together)))
        is_over.set()
    for error in {text for status, _, text in answers if status != 200}:
        print(f"  {error}")
    spent = max(0.0, program.processor_time() - processor)
    status, size, _ = answers[0]
    print(
        f"{name:28} {status} {size / 1e6:8.1f} MB received  +{watching.result() - before:5.0f} MB of memory"
        f"  {spent:6.1f} s of processor  healthz {1e3 * waiting.result():5.0f} ms",
        flush=True,
    )


def _peak(program: Program, is_over: threading.Event) -> float:
    most = _memory(program)
    while not is_over.wait(_PAUSE):
        most = max(most, _memory(program))
    return most


def _received(port: int, path: str) -> tuple[int, int, str]:
    """Status, bytes, and the beginning of the text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    connection.request("GET", path)
    answer = connection.getresponse()
    begin = answer.read(_PIECE)
    size = len(begin)
    while piece := answer.read(_PIECE):
        size += len(piece)
    connection.close()
    return answer.status, size, begin[:200].decode(errors="replace")


def _longest_wait(port: int, is_over: threading.Event) -> float:
    longest = 0.0
    while not is_over.wait(0.05):
        began = time.perf_counter()
        _received(port, "/healthz")
        longest = max(longest, time.perf_counter() - began)
    return longest


def _memory(program: Program) -> float:
    """Megabytes of the host that are in no file; its child processes read profiles and are not counted."""
    for line in Path(f"/proc/{program.process.pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
