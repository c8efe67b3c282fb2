"""Jobs of many ranks: until all of them are indexed, the overview of a host that starts then, any rank's
timeline.

``ranks_64`` are 64 traces of 100 MB; ``ranks_1024`` stand for a job of 1,024 ranks by small traces of 20
steps. Over HTTP. A job is indexed once, however many rounds are asked for; questions are asked in each
round, of a host that was started for it and holds nothing yet. No peer reads such jobs.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import define, frozen

from benchmarks.bench_payloads import Connection
from benchmarks.corpus import WrittenCorpus, run_name
from benchmarks.hosts import get_json, our_command
from benchmarks.processes import Failed, Program, free_port, peak_memory, started
from benchmarks.table import OURS, AtMost, Row, Unit, median

CORPORA = ("ranks_64", "ranks_1024")

_PATIENCE = 3600.0  # seconds
_PAUSE = 0.2
_OVERVIEW_LIMIT = 10.0  # seconds
_MEMORY_LIMIT = 2000.0  # MB


@frozen
class Indexing:
    first: float  # seconds until a rank is shown
    whole: float
    processor: float  # seconds of the host and of the processes that read
    memory: float  # MB: the largest sizes of all of them added up, whenever each was so large
    reader: float  # MB of the largest process that reads
    kept: float  # MB on disk


@frozen
class Questions:
    """Seconds of each question."""

    overview: float
    again: float
    rank_map: float
    links: float
    timeline: float


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    """The rows of one job."""
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as cache:
        indexed = _indexing(corpus, cache)
        asked = [_questions(corpus, cache, number) for number in range(rounds)]

    def row(measured: str, unit: Unit, figure: float, limit: float | None = None) -> Row:
        return Row(corpus.name, measured, unit, {OURS: figure}, None if limit is None else AtMost(limit))

    def answer(measured: str, of: Callable[[Questions], float], limit: float | None = None) -> Row:
        return row(measured, "s", median([of(each) for each in asked]), limit)

    return [
        row("until the first rank is shown", "s", indexed.first),
        row("until all ranks are indexed (once)", "s", indexed.whole),
        row("processor time of that, all processes", "s", indexed.processor),
        row("memory, peaks of all processes added up", "MB", indexed.memory, _MEMORY_LIMIT),
        row("memory of the largest reader", "MB", indexed.reader),
        row("kept on disk", "MB", indexed.kept),
        answer("overview of a host just started", lambda each: each.overview, _OVERVIEW_LIMIT),
        answer("overview again", lambda each: each.again),
        answer("map of ranks and steps", lambda each: each.rank_map),
        answer("links between ranks", lambda each: each.links),
        answer("timeline of another rank", lambda each: each.timeline, _OVERVIEW_LIMIT),
    ]


@contextmanager
def _host(corpus: WrittenCorpus, cache: str) -> Iterator[tuple[Program, Connection, dict[str, Any]]]:
    """A host that has found all traces, and what names one of them."""
    port = free_port()
    command = our_command("insight_core.cli", corpus, port, f"--cache-dir={cache}")

    def listed() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (get_json(port, "/data/plugin/profiler/profiles") or {}).get(
            "profiles", []
        )
        return found

    with started(command, port=port) as program:
        ranks = corpus.content.tags
        program.wait(lambda: len(listed()) == ranks, pause=_PAUSE, patience=_PATIENCE)
        connection = Connection(port)
        try:
            yield program, connection, {"run": run_name(0), "profile": "rank0.1.pt.trace.json"}
        finally:
            connection.close()


@define
class _Readers:
    """Peaks of processes that may end before all is done."""

    peaks: dict[int, float]

    def look(self, program: Program) -> None:
        for number in program.children():
            try:
                self.peaks[number] = peak_memory(number)
            except Failed:  # it has just ended
                continue


def _indexing(corpus: WrittenCorpus, cache: str) -> Indexing:
    with _host(corpus, cache) as (program, connection, which):
        processor = program.processor_time()
        began, first, readers = time.perf_counter(), math.nan, _Readers({})
        while True:
            said = connection.json("profiler/cluster", **which)
            now = time.perf_counter() - began
            readers.look(program)
            if math.isnan(first) and said["ranks"]:
                first = now
            if not any(one["state"] == "reading" for one in said["others"]):
                break
            if now > _PATIENCE:
                raise Failed(f"not indexed after {_PATIENCE:.0f} s")
            time.sleep(max(_PAUSE, min(2.0, now / 50)))
        if len(said["ranks"]) != corpus.content.tags:
            raise Failed(f"{len(said['ranks'])} ranks are shown: {said['others'][:3]}")
        kept = sum(path.stat().st_size for path in Path(cache).rglob("*") if path.is_file())
        memory = peak_memory(program.process.pid) + sum(readers.peaks.values())
        processor = program.processor_time() - processor
    return Indexing(first, now, processor, memory, max(readers.peaks.values(), default=math.nan), kept / 1e6)


def _questions(corpus: WrittenCorpus, cache: str, number: int) -> Questions:
    with _host(corpus, cache) as (_, connection, which):

        def seconds(route: str, **asked: object) -> float:
            began = time.perf_counter()
            connection.get(f"profiler/{route}", **asked)
            return time.perf_counter() - began

        overview = seconds("cluster", **which)
        said = connection.json("profiler/cluster", **which)
        if len(said["ranks"]) != corpus.content.tags:
            raise Failed("what was indexed is not there at the next start")
        again = seconds("cluster", **which)
        rank_map, links = seconds("rank_map", **which), seconds("rank_links", **which)
        other = {**which, "profile": f"rank{(7 * number + 5) % corpus.content.tags}.1.pt.trace.json"}
        return Questions(overview, again, rank_map, links, _timeline(connection, other))


def _timeline(connection: Connection, which: dict[str, Any]) -> float:
    """Until the first picture of a timeline is there: its profile, tracks and slices."""
    began = time.perf_counter()
    while (said := connection.json("profiler/profile", **which))["state"] == "reading":
        if time.perf_counter() - began > _PATIENCE:
            raise Failed(f"not read after {_PATIENCE:.0f} s")
        time.sleep(0.02)
    connection.get("profiler/tracks", **which)
    connection.get("profiler/slices", **which, **{"from": 0, "to": said["duration_ns"], "width": 1500})
    return time.perf_counter() - began
