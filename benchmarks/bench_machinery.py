"""What each piece of the loader's machinery is worth: loads with it and without it, in turns.

    python -m benchmarks.bench_machinery --keep DIR [--only CORPUS ...] [--pieces PIECE ...] [--pairs 3]

A corpus is one run under many names (hard links), so that it takes little disk and stays in the page cache.
Each load is a fork of a process that has imported everything. ``cold``: no index; ``warm``: an index of an
earlier process is there. Columns: the smallest figure, and the median in parentheses.

wall    seconds until everything is loaded
cpu     seconds of processor time until then, of all threads
thread  the same of the thread that loads: the wall time on idle processors
list    seconds of processor time for the first list of all series
peak    MB of resident memory, mapped files included
memory  MB of resident memory in the end, mapped files not included
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import insight_scalar
from attrs import frozen

from benchmarks.corpus import Corpus, run_name, write_corpus
from benchmarks.machine import describe_machine
from benchmarks.processes import Failed, peak_memory
from insight_core.cli.process import rare_collections
from insight_core.ingest import event_file
from insight_core.ingest.index.writer import _LAST_SEGMENT, _batches
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.schedule import Reading
from insight_core.providers.local import LocalProvider
from insight_core.store.run_table import RunTable


@frozen
class Links:
    """One run of ``content`` under ``runs`` names."""

    content: Corpus
    runs: int

    @property
    def points(self) -> int:
        return self.content.points * self.runs


CORPORA = {
    "one": Links(Corpus(1, 5, 400_000), 1),
    "long": Links(Corpus(1, 5, 400_000), 50),
    "tags": Links(Corpus(1, 1000, 20), 1000),
    "many": Links(Corpus(1, 10, 50), 1000),
    "runs": Links(Corpus(1, 10, 50), 20_000),
}


def _no_scan_ahead() -> None:
    vars(event_file)["LEAST"] = 1 << 62  # bytes that a file must have left


def _no_bunching() -> None:
    Reading._read_small = lambda self, task: None  # type: ignore[method-assign]


def _no_resting() -> None:
    RunTable._may_rest = lambda self, claim, block, policy: False  # type: ignore[method-assign]


PIECES: dict[str, Callable[[], None]] = {
    "index": lambda: None,
    "scan_ahead": _no_scan_ahead,
    "bunching": _no_bunching,
    "resting": _no_resting,
    "column_memory": lambda: None,
}


@frozen
class Load:
    """A load of a corpus, with or without some of the machinery."""

    logdir: Path
    points: int
    cache: Path | None = None
    max_memory: int | None = None
    without: str = ""

    def cost(self, *, save: bool = False) -> dict[str, float]:
        """What it takes, in a process of its own; ``save`` also writes the index. Raises Failed."""
        reading, writing = os.pipe()
        child = os.fork()
        if child:
            os.close(writing)
            with open(reading, encoding="ascii") as answer:
                text = answer.read()
            os.waitpid(child, 0)
            if not text:
                raise Failed(f"loading {self.logdir} without {self.without or 'nothing'}")
            found: dict[str, float] = json.loads(text)
            return found
        try:
            os.write(writing, json.dumps(self._measured(save=save)).encode())
        finally:
            os._exit(0)  # nothing is torn down

    def _measured(self, *, save: bool) -> dict[str, float]:
        PIECES.get(self.without, lambda: None)()
        with tempfile.TemporaryDirectory(dir=self.logdir.parent) as spill:
            cpu, thread, wall = time.process_time(), time.thread_time(), time.perf_counter()
            provider = LocalProvider(
                [Logdir(str(self.logdir))],
                [insight_scalar.insight_plugin()],
                reload_interval=0,
                cache_directory=self.cache,
                max_memory=self.max_memory,
                spill_directory=Path(spill),
                while_loading=rare_collections,
            )
            provider.load()
            cost = {
                "wall": time.perf_counter() - wall,
                "cpu": time.process_time() - cpu,
                "thread": time.thread_time() - thread,
            }
            began = time.process_time()
            series = provider.series("scalar")
            cost |= {
                "list": time.process_time() - began,
                "peak": peak_memory(),
                "memory": _memory(),
            }
            if sum(each.kept for each in series) != self.points:
                raise Failed(f"{self.logdir} is incomplete")
            if save and self.cache is not None:
                cost |= _saved(provider, self.cache)
            return cost


def _memory() -> float:
    """Megabytes that are in no file (RssAnon)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("RssAnon:"))


def _saved(provider: LocalProvider, cache: Path) -> dict[str, float]:
    """Writes the index of all files; the time and the megabytes."""
    writer = provider._loader._writer
    assert writer is not None
    began = time.process_time()
    for some in _batches(list(writer._changed), _LAST_SEGMENT):
        writer._write(some)
    used = time.process_time() - began
    size = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    return {"saving": used, "disk": size / 1e6}


def linked(name: str, place: Path) -> Path:
    """The corpus below ``place``, written now unless it is there."""
    logdir = place / f"machinery-{name}"
    if not logdir.is_dir():
        unfinished = place / f"machinery-{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write_corpus(CORPORA[name].content, unfinished)
        (file,) = (unfinished / run_name(0)).iterdir()
        for number in range(1, CORPORA[name].runs):
            directory = unfinished / run_name(number)
            directory.mkdir()
            os.link(file, directory / file.name)
        unfinished.rename(logdir)
    return logdir


def _compare(name: str, logdir: Path, piece: str, pairs: int) -> None:
    points = CORPORA[name].points
    with tempfile.TemporaryDirectory(dir=logdir.parent, prefix="cache-") as directory:
        cache = Path(directory)
        kinds = {"index": ("warm",), "resting": ("cold", "warm")}.get(piece, ("cold",))
        if "warm" in kinds:
            saved = Load(logdir, points, cache).cost(save=True)
            print(f"{name}: writing the index: {saved['saving']:.2f} s, {saved['disk']:.0f} MB", flush=True)
        for kind in kinds:
            place = cache if kind == "warm" else None
            limit = points * 10 if piece == "column_memory" else None  # bytes: half of the columns
            costs: list[list[dict[str, float]]] = [[], []]
            for _ in range(pairs):
                costs[0].append(Load(logdir, points, place, limit).cost())
                left = None if piece == "index" else place
                costs[1].append(Load(logdir, points, left, without=piece).cost())
            for figure in ("wall", "cpu", "thread", "list", "peak", "memory"):
                best = [min(each[figure] for each in side) for side in costs]
                middle = [statistics.median(each[figure] for each in side) for side in costs]
                digits = 0 if figure in ("peak", "memory") else 3
                columns = [f"{b:.{digits}f} ({m:.{digits}f})" for b, m in zip(best, middle, strict=True)]
                title = f"{name:6}{kind:6}{piece:15}{figure:8}"
                print(f"{title}{columns[0]:>20}{columns[1]:>20}{best[1] / best[0]:8.2f}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="where the corpora are, or stay")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=list(CORPORA))
    parser.add_argument("--pieces", nargs="+", choices=PIECES, default=list(PIECES))
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = options.keep or Path(directory)
        place.mkdir(parents=True, exist_ok=True)
        print(f"{describe_machine(place)}, {time.strftime('%F')}, {options.pairs} pairs\n")
        print(f"{'corpus':6}{'index':6}{'piece':15}{'figure':8}{'with':>20}{'without':>20}{'ratio':>8}")
        for name in options.only:
            logdir = linked(name, place)
            for piece in options.pieces:
                _compare(name, logdir, piece, options.pairs)


if __name__ == "__main__":
    main()
