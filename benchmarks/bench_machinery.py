"""What each piece of the loader's machinery is worth: loads with it and without it, in turns.

    python -m benchmarks.bench_machinery --keep DIR [--only CORPUS ...] [--pieces PIECE ...] [--pairs 3]

Corpora are one file under many names (hard links), so they take little disk and stay in the system's cache.
Prints, for each corpus and piece, the smallest and the median wall time, processor time and peak memory.
``cold``: no index; ``warm``: an index of an earlier process is there. ``list``: the first list of all
series. ``thread``: processor time of the thread that loads, the wall time of one file on idle processors.
``peak`` counts mapped files, ``memory`` does not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from attrs import frozen

from benchmarks.corpus import Corpus, run_name, write_corpus
from benchmarks.machine import describe_machine
from benchmarks.processes import peak_memory

if TYPE_CHECKING:
    from insight_core.providers.local import LocalProvider


@frozen
class Links:
    """One run of ``content`` under ``runs`` names."""

    content: Corpus
    runs: int
    pieces: Sequence[str]  # that can matter here


CORPORA = {
    "one": Links(Corpus(1, 5, 400_000), 1, ("index", "scan_ahead")),
    "long": Links(Corpus(1, 5, 400_000), 50, ("index", "scan_ahead", "column_memory")),
    "tags": Links(Corpus(1, 1000, 20), 1000, ("index", "scan_ahead", "bunching", "resting", "column_memory")),
    "runs": Links(Corpus(1, 10, 50), 20_000, ("index", "bunching", "resting", "column_memory")),
}


def _no_scan_ahead() -> None:
    from insight_core.ingest import event_file

    vars(event_file)["LEAST"] = 1 << 62  # bytes that a file must have left


def _no_bunching() -> None:
    from insight_core.ingest.schedule import Reading

    Reading._read_small = lambda self, task: None  # type: ignore[method-assign]


def _no_resting() -> None:
    from insight_core.store import store

    vars(store)["may_rest"] = lambda policy: False


OFF: dict[str, Callable[[], None]] = {
    "scan_ahead": _no_scan_ahead,
    "bunching": _no_bunching,
    "resting": _no_resting,
}
_FIGURES = {"wall": "s", "cpu": "s", "thread": "s", "list": "s", "peak": "MB", "memory": "MB"}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _read_options(arguments)
    if options.load:
        _load(options)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = options.keep or Path(directory)
        print(f"{describe_machine(place)}, {time.strftime('%F')}, {options.pairs} pairs\n")
        print("| corpus | load | figure | with, min (median) | without, min (median) | without ÷ with |")
        print("|---|---|---|---|---|---|")
        for name in options.only or CORPORA:
            logdir = _linked(name, place)
            for piece in options.pieces or CORPORA[name].pieces:
                if piece in CORPORA[name].pieces:
                    _compare(name, logdir, piece, options.pairs)


def _read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--keep", type=Path, help="where the corpora are, or stay")
    parser.add_argument("--only", nargs="+", choices=CORPORA)
    parser.add_argument("--pieces", nargs="+", choices=["index", *OFF, "column_memory"])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--without", default="", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--max-memory", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _linked(name: str, place: Path) -> Path:
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
    with tempfile.TemporaryDirectory(dir=logdir.parent, prefix="cache-") as cache:
        kinds = ("warm",) if piece == "index" else ("cold",) if piece == "column_memory" else ("cold", "warm")
        if "warm" in kinds:
            saved = _measured(logdir, f"--cache={cache}", "--without=nothing")
            written = f"{saved['saving']:.2f} s processor, {saved['disk']:.0f} MB"
            print(f"| {name} | | writing the index | {written} | | |", flush=True)
        for kind in kinds:
            warm = [f"--cache={cache}"] if kind == "warm" else []
            points = CORPORA[name].content.points * CORPORA[name].runs
            limit = [f"--max-memory={points * 10}"] if piece == "column_memory" else []  # half of the columns
            on: list[dict[str, float]] = []
            off: list[dict[str, float]] = []
            for _ in range(pairs):
                on.append(_measured(logdir, *warm, *limit))
                off.append(_measured(logdir, *([] if piece == "index" else warm), f"--without={piece}"))
            for figure, unit in _FIGURES.items():
                best = [min(each[figure] for each in costs) for costs in (on, off)]
                middle = [statistics.median(each[figure] for each in costs) for costs in (on, off)]
                shown = [
                    f"{b:.2f} ({m:.2f}) {unit}" if unit == "s" else f"{b:.0f} ({m:.0f}) {unit}"
                    for b, m in zip(best, middle, strict=True)
                ]
                ratio = best[1] / best[0] if best[0] else 1.0
                title = f"{piece}: {figure}"
                print(f"| {name} | {kind} | {title} | {shown[0]} | {shown[1]} | {ratio:.2f} |", flush=True)


def _measured(logdir: Path, *flags: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.bench_machinery", f"--load={logdir}", *flags]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def _load(options: argparse.Namespace) -> NoReturn:
    """Loads once in this process and prints the cost as JSON."""
    import insight_scalar

    from insight_core.cli.garbage_collection import rare_collections
    from insight_core.ingest.discover import Logdir
    from insight_core.providers.local import LocalProvider

    OFF.get(options.without, lambda: None)()
    spill = Path(tempfile.mkdtemp(dir=options.load.parent)) if options.max_memory else None
    cpu, thread, wall = time.process_time(), time.thread_time(), time.perf_counter()
    provider = LocalProvider(
        [Logdir(str(options.load))],
        [insight_scalar.insight_plugin()],
        reload_interval=0,
        cache_directory=options.cache,
        max_memory=options.max_memory,
        spill_directory=spill,
        while_loading=rare_collections,
    )
    provider.load()
    cost: dict[str, Any] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    cost["thread"] = time.thread_time() - thread
    began = time.process_time()
    series = provider.series("scalar")
    cost["list"] = time.process_time() - began
    cost["points"] = sum(each.kept for each in series)
    cost["peak"] = peak_memory()
    cost["memory"] = _own_memory()
    if options.without == "nothing":
        cost |= _save(provider, options.cache)
    json.dump(cost, sys.stdout)
    sys.stdout.flush()
    if spill:
        shutil.rmtree(spill)
    os._exit(0)  # nothing of this is to be torn down, nor an index written


def _own_memory() -> float:
    """Megabytes that the system cannot page out to a file (RssAnon)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("RssAnon:"))


def _save(provider: LocalProvider, cache: Path) -> dict[str, float]:
    """Writes the index that the next start finds."""
    writer = provider._loader._writer
    assert writer is not None
    began = time.process_time()
    for tailed in list(writer._changed):
        writer._write(tailed)
    used = time.process_time() - began
    return {"saving": used, "disk": sum(f.stat().st_size for f in cache.rglob("*") if f.is_file()) / 1e6}


if __name__ == "__main__":
    main()
