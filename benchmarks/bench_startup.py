"""From the start of a process to its first complete answer: a first start, and a second one with the index.

A host's answer is the list of all tags over HTTP, a data server's that over gRPC. The peers keep nothing
between starts: their second start is their first. Memory is that of all processes of a contender, summed.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TypeAlias

from benchmarks.corpus import WrittenCorpus
from benchmarks.hosts import our_host, our_server, rust_server, tensorboard_host
from benchmarks.processes import Failed, Program
from benchmarks.table import OUR_SERVER, OURS, RUST, TENSORBOARD, AtMost, Row, median
from insight_core.plugin import Dialect

_WARM = {"wide": 0.5, "many": 0.5}  # seconds
_SETTLED = 1.0  # seconds without a change after which an index is written
_PATIENCE = 60.0

Start: TypeAlias = Callable[[], AbstractContextManager[tuple[Program, float]]]


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as caches:
        return _rows(corpus, Path(caches), rounds)


def _rows(corpus: WrittenCorpus, caches: Path, rounds: int) -> list[Row]:
    cold, warm = _cold(corpus), _warm(corpus, caches)
    for name, start in warm.items():
        _fill(name, start, caches / name)
    seconds: dict[str, list[float]] = {}
    again: dict[str, list[float]] = {}
    memory: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, start in cold.items():
            taken, size = _try(f"{name} on {corpus.name}", start)
            seconds.setdefault(name, []).append(taken)
            memory.setdefault(name, []).append(size)
            if name in warm:
                taken, _ = _try(f"{name} on {corpus.name}, again", warm[name])
            again.setdefault(name, []).append(taken)
    limit = _WARM.get(corpus.name)
    return [
        Row(corpus.name, "start to all tags", "s", _medians(seconds)),
        Row(corpus.name, "second start to all tags", "s", _medians(again), AtMost(limit) if limit else None),
        Row(corpus.name, "memory of all processes", "MB", _medians(memory)),
    ]


def _cold(corpus: WrittenCorpus) -> dict[str, Start]:
    found: dict[str, Start] = {OURS: lambda: our_host(corpus, "--no-cache")}
    found[OUR_SERVER] = lambda: our_server(corpus, "--no-cache")
    if corpus.content.dialect is Dialect.TENSORBOARD:
        found[RUST] = lambda: rust_server(corpus)
        if os.environ.get("INSIGHT_PEER_TENSORBOARD"):
            found[TENSORBOARD] = lambda: tensorboard_host(corpus)
    return found


def _warm(corpus: WrittenCorpus, caches: Path) -> dict[str, Start]:
    return {
        OURS: lambda: our_host(corpus, "--cache-dir", str(caches / OURS)),
        OUR_SERVER: lambda: our_server(corpus, "--cache-dir", str(caches / OUR_SERVER)),
    }


def _fill(name: str, start: Start, cache: Path) -> None:
    """A first start that leaves an index behind."""
    try:
        with start() as (program, _):
            state, since = _state(cache), time.monotonic()
            while time.monotonic() - since < _SETTLED and program.elapsed() < _PATIENCE:
                time.sleep(0.1)
                if (now := _state(cache)) != state:
                    state, since = now, time.monotonic()
    except Failed as error:
        print(f"{name}: no index: {error}", file=sys.stderr)


def _state(cache: Path) -> tuple[int, int]:
    """Number and bytes of the files in a cache directory that is being written."""
    count = size = 0
    for path in cache.rglob("*"):
        with suppress(FileNotFoundError):
            size += path.stat().st_size
            count += 1
    return count, size


def _try(name: str, start: Start) -> tuple[float, float]:
    """Seconds and megabytes; NaN when it failed, which is said."""
    try:
        with start() as (program, seconds):
            return seconds, program.peak_memory()
    except Failed as error:
        print(f"{name}: {error}", file=sys.stderr)
        return math.nan, math.nan


def _medians(figures: dict[str, list[float]]) -> dict[str, float]:
    return {name: median(each) for name, each in figures.items()}
