"""How far loading is from its limit: reading the same bytes and taking their CRC-32C, with as many threads.

    python -m benchmarks.reading_limit [CORPUS ...] [--rounds 3] [--keep DIR]

Corpora of scalars, by default hundred_million and many_runs. Both are measured in turns: loading in a process
of its own (own_load), and reading by threads that take 4 MiB at a time, of small files each whole. Prints
medians of processor time, which other programs distort less, and of wall time. Loading does more than that:
it takes a checksum of each record and of its length, and makes 20 bytes of columns of each point. What the
system takes to give that memory is measured too: the columns are written into new memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.corpus import WrittenCorpus, event_files, kept_corpus
from benchmarks.processes import Failed
from insight_record.formats.crc32c import crc32c

_PIECE = 4 << 20  # bytes, as the scanner reads
_POINT = 20  # bytes of columns: step, wall time, and value in single precision
_DEFAULT = ("hundred_million", "many_runs")


class _Cost(NamedTuple):
    wall: float  # seconds
    processor: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"by default {', '.join(_DEFAULT)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the corpora are, or stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace:
        for name in options.corpora or _DEFAULT:
            _compare(kept_corpus(name, options.keep or Path(workspace)), options.rounds)


def _compare(corpus: WrittenCorpus, rounds: int) -> None:
    paths = event_files(corpus.logdir)
    _read(paths)  # into the system's cache
    costs: dict[str, list[_Cost]] = {"loading": [], "reading and CRC-32C": [], "writing columns": []}
    for _ in range(rounds):
        for found, one in zip(costs.values(), (_loaded(corpus), _read(paths), _written(corpus)), strict=True):
            found.append(one)
    medians = {what: _Cost(*map(median, zip(*found, strict=True))) for what, found in costs.items()}
    load, read, written = medians.values()
    size, points = corpus.size / 1e9, corpus.content.points
    print(f"{corpus.name}: {points:,} points, {size:.2f} GB, {_threads()} threads")
    for what, cost in medians.items():
        print(f"  {what}: processor {cost.processor:.2f} s, wall {cost.wall:.2f} s")
    limit = read.processor + written.processor
    print(
        f"  loading by reading: processor {load.processor / read.processor:.1f}, "
        f"wall {load.wall / read.wall:.1f}; by reading and writing: processor {load.processor / limit:.1f}"
    )


def _loaded(corpus: WrittenCorpus) -> _Cost:
    command = [sys.executable, "-m", "benchmarks.own_load", str(corpus.logdir)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr[-2000:])
    cost = json.loads(done.stdout)
    if cost["points"]["scalar"] != corpus.content.points:
        raise Failed(f"{cost['points']} points instead of {corpus.content.points}")
    return _Cost(cost["wall"], cost["cpu"])


def _read(paths: Sequence[Path]) -> _Cost:
    count = _threads()
    wall, processor = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(count) as threads:
        for _ in threads.map(_read_each, [paths[number::count] for number in range(count)]):
            pass
    return _Cost(time.perf_counter() - wall, time.process_time() - processor)


def _written(corpus: WrittenCorpus) -> _Cost:
    """Takes new memory, some MiB at a time as the scanner does, and writes as many bytes as columns have."""
    wall, processor = time.perf_counter(), time.process_time()
    pieces = [np.ones(_PIECE, np.uint8) for _ in range(corpus.content.points * _POINT // _PIECE)]
    cost = _Cost(time.perf_counter() - wall, time.process_time() - processor)
    pieces.clear()
    return cost


def _read_each(paths: Sequence[Path]) -> None:
    buffer = memoryview(bytearray(_PIECE))
    for path in paths:
        for piece in _pieces(path, buffer):
            crc32c(piece)


def _pieces(path: Path, buffer: memoryview) -> Iterator[memoryview]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        while size := os.readv(descriptor, [buffer]):
            yield buffer[:size]
    finally:
        os.close(descriptor)


def _threads() -> int:
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    main()
