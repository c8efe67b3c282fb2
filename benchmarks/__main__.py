"""``python -m benchmarks``: ours beside its peers, interleaved in one run, in one table.

Everything runs on this machine, on loopback; the files are in the system's cache (they are read once before).
A figure is the median of the rounds. The corpora are written once, and removed at the end unless --keep says
where they may stay. Peers: INSIGHT_PEER_TENSORBOARD and INSIGHT_PEER_MINDINSIGHT name the Python of
environments with them (`make bench` does that); who is not there has no column.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import bench_http, bench_load, bench_startup
from benchmarks.corpus import WrittenCorpus, event_files, kept_corpus
from benchmarks.machine import describe_machine
from benchmarks.table import Row, render

_LOADED = ("deep", "wide", "many", "blobs", "mindspore", "mindspore_tenth")
_STARTED = ("deep", "wide", "many", "mindspore")  # insight-host has no tags of images yet
_ASKED = "wide"
_PARTS = ("load", "startup", "http")
_QUICK = ("wide", "many")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _read_options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what was started is ended
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = options.keep or Path(directory)
        place.mkdir(parents=True, exist_ok=True)
        machine = describe_machine(place)
        rows = []
        for found in _measure(options, place):
            rows += found
            print(
                "\n".join(f"{row.subject}: {row.measure}: {dict(row.figures)}" for row in found),
                file=sys.stderr,
            )
    print(f"{machine}\nmedian of {options.rounds}, {time.strftime('%F')}\n")
    print(render(sorted(rows, key=_order)))
    verdicts = [row.verdict for row in rows if row.wanted]
    print(f"\n{verdicts.count('pass')} of {len(verdicts)} targets are met")
    return 0


def _read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = (*_PARTS, *_LOADED)
    parser.add_argument("--only", nargs="+", choices=names, default=[], help="these parts, or these corpora")
    parser.add_argument("--rounds", type=int, help="measurements of each figure (default 5)")
    parser.add_argument("--quick", action="store_true", help="one round, on wide and many only")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the corpora are, or stay")
    options = parser.parse_args(arguments)
    options.rounds = options.rounds or (1 if options.quick else 5)
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    options.parts = [name for name in _PARTS if name in options.only] or list(_PARTS)
    options.corpora = [name for name in _LOADED if name in options.only]
    options.corpora = options.corpora or list(_QUICK if options.quick else _LOADED)
    return options


def _measure(options: argparse.Namespace, place: Path) -> Iterator[list[Row]]:
    for name in options.corpora:
        corpus = _ready(name, place)
        if "load" in options.parts:
            yield bench_load.measure(corpus, options.rounds)
        if "startup" in options.parts and name in _STARTED:
            yield bench_startup.measure(corpus, options.rounds)
    if "http" in options.parts:
        yield bench_http.measure(_ready(_ASKED, place), options.rounds)


def _ready(name: str, place: Path) -> WrittenCorpus:
    """The corpus, written unless it is there, and in the system's cache."""
    corpus = kept_corpus(name, place)
    for file in event_files(corpus.logdir):
        with open(file, "rb") as opened:
            while opened.read(1 << 24):
                pass
    print(
        f"{name}: {corpus.content.points:,} {'images' if corpus.content.image_size else 'points'} in "
        f"{corpus.content.runs} runs, {corpus.size / 1e6:.0f} MB",
        file=sys.stderr,
    )
    return corpus


def _order(row: Row) -> int:
    return _LOADED.index(row.subject)


if __name__ == "__main__":
    sys.exit(main())
