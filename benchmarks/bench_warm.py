"""From the start of a process to a host that answers for large logs: a start with the index, and one without.

The answers are the first page of the catalogue, with the number of all series, and one series of any run.
The start without an index is also measured until everything is loaded and the index of the next start is
there.
Processor time is that of user and system, memory the largest resident size. The Rust server keeps nothing
between starts: it is measured until it says that its first load cycle is finished.
"""

from __future__ import annotations

import math
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

from attrs import frozen

from benchmarks.corpus import WrittenCorpus, run_name, tag_names
from benchmarks.hosts import get_json, our_command, rust_loaded
from benchmarks.processes import Failed, Program, free_port, started
from benchmarks.table import OURS, RUST, AtMost, Row, TimesBetter, median
from insight_core.ingest.index.format import index_directory
from insight_core.ingest.index.segment_directory import opened_segment
from insight_core.ingest.index.segment_file import SUFFIX

CORPORA = ("hundred_million", "grid", "many_runs", "short_runs")
_PATIENCE = 600.0  # seconds
_PAUSE = 0.05  # seconds between questions: each answer takes time that loading needs
_INDEX_PAUSE = 0.25  # the same, to look at the files of the index
_SECONDS, _MEGABYTES = 0.5, 250  # that a start with the index may take
_TIMES_FASTER = {"many_runs": 2.0}  # until the index is there


@frozen
class Cost:
    """What a start took."""

    wall: float  # seconds
    cpu: float  # seconds
    memory: float  # MB


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    draw = random.Random(corpus.name)
    warm: list[Cost] = []
    cold: dict[str, list[Cost]] = {OURS: [], RUST: []}
    indexed: list[Cost] = []
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as caches:
        for number in range(rounds):
            cache = Path(caches) / str(number)
            indexed.append(_tried(partial(_indexed, corpus, cache)))
            warm.append(_tried(partial(_own, corpus, draw, "--cache-dir", str(cache))))
            shutil.rmtree(cache, ignore_errors=True)
            cold[OURS].append(_tried(partial(_own, corpus, draw, "--no-cache")))
            cold[RUST].append(_tried(partial(_rust, corpus)))
    second = {OURS: warm, RUST: cold[RUST]}  # which keeps nothing between starts
    factor = _TIMES_FASTER.get(corpus.name)
    until_indexed = {OURS: indexed, RUST: cold[RUST]}  # which has no index
    return [
        *_rows(corpus, "loaded and indexed", until_indexed, TimesBetter(factor) if factor else None, None),
        *_rows(corpus, "start with the index", second, AtMost(_SECONDS), AtMost(_MEGABYTES)),
        *_rows(corpus, "start without", cold, None, None),
    ]


def _rows(
    corpus: WrittenCorpus,
    what: str,
    costs: dict[str, list[Cost]],
    seconds: AtMost | TimesBetter | None,
    memory: AtMost | None,
) -> list[Row]:
    def figures(name: str) -> dict[str, float]:
        return {who: median([getattr(cost, name) for cost in each]) for who, each in costs.items()}

    return [
        Row(corpus.name, what, "s", figures("wall"), seconds),
        Row(corpus.name, f"{what}, processor", "s", figures("cpu")),
        Row(corpus.name, f"{what}, memory", "MB", figures("memory"), memory),
    ]


def _tried(start: Callable[[], Cost]) -> Cost:
    try:
        return start()
    except Failed as error:
        print(error, file=sys.stderr)
        return Cost(math.nan, math.nan, math.nan)


def _own(corpus: WrittenCorpus, draw: random.Random, *flags: str) -> Cost:
    with _answering(corpus, draw, *flags) as (program, seconds):
        return _cost(program, seconds)


def _indexed(corpus: WrittenCorpus, cache: Path) -> Cost:
    """Until every file has its entry in the index, each of which is written when the file is loaded.

    The host is asked only then: answers meanwhile would take most of its time.
    """
    port = free_port()
    command = our_command("insight_core.cli", corpus, port, "--cache-dir", str(cache))
    with started(command, port=port) as program:
        seconds = program.wait(
            lambda: _entries(cache) == corpus.content.runs, pause=_INDEX_PAUSE, patience=_PATIENCE
        )
        cost = _cost(program, seconds)
        if not _has_page(port, corpus):
            raise Failed("the index has every file, but series are missing")
        return cost


def _entries(cache: Path) -> int:
    paths = index_directory(cache).glob(f"*/*{SUFFIX}")
    segments = [opened_segment(str(path), drop=False) for path in paths]
    return sum(len(segment) for segment in segments if segment is not None)


@contextmanager
def _answering(corpus: WrittenCorpus, draw: random.Random, *flags: str) -> Iterator[tuple[Program, float]]:
    """``insight-host``, and the seconds until it answered."""
    port, content = free_port(), corpus.content
    run = run_name(draw.randrange(content.runs))
    tag = quote(draw.choice(tag_names(content.tags)))
    with started(our_command("insight_core.cli", corpus, port, *flags), port=port) as program:

        def answers() -> bool:
            return _has_page(port, corpus) and _has_series(port, corpus, run, tag)

        yield program, program.wait(answers, pause=_PAUSE, patience=_PATIENCE)


def _has_page(port: int, corpus: WrittenCorpus) -> bool:
    page = get_json(port, "/data/catalog?plugin=scalar&limit=50")
    return bool(page and page["total"] == corpus.content.runs * corpus.content.tags)


def _has_series(port: int, corpus: WrittenCorpus, run: str, tag: str) -> bool:
    """Whether a series is complete: while its file is read there are fewer points."""
    found = get_json(port, f"/data/plugin/scalar/series?format=json&width=1000&run={run}&tag={tag}")
    return bool(found and [each["total"] for each in found["series"]] == [corpus.content.steps])


def _rust(corpus: WrittenCorpus) -> Cost:
    with rust_loaded(corpus) as (program, seconds):
        return _cost(program, seconds)


def _cost(program: Program, seconds: float) -> Cost:
    return Cost(seconds, program.processor_time(), program.peak_memory())
