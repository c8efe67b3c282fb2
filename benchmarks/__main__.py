"""``python -m benchmarks``: ours and its peers, interleaved in one run, in one table.

Everything runs on this machine, on loopback; the files are in the system's cache (they are read once before).
A figure is the median of the rounds. The corpora are written once, and removed at the end unless --keep says
where they may stay. Peers: INSIGHT_PEER_TENSORBOARD, INSIGHT_PEER_TBLIKE and INSIGHT_PEER_MINDINSIGHT name
the Python of environments with them (`make bench` does that); who is not there has no column.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from attrs import frozen

from benchmarks import (
    bench_cluster,
    bench_export,
    bench_graphs,
    bench_http,
    bench_lineage,
    bench_live,
    bench_load,
    bench_payloads,
    bench_query,
    bench_snapshots,
    bench_sql,
    bench_startup,
    bench_traces,
    bench_warm,
)
from benchmarks.corpus import CORPORA, WrittenCorpus, event_files, kept_corpus
from benchmarks.machine import describe_machine
from benchmarks.processes import Failed
from benchmarks.table import OURS, Row, render

_QUICK = ("wide", "many", "million")
_LIVE = "live"
_COUNTED = {
    "scalar": "points",
    "image": "images",
    "histogram": "histograms",
    "tensor": "tensors",
    "graph": "graphs",
    "profiler": "profiles",
}
_APPENDS, _QUICK_APPENDS = 50, 10


@frozen
class Part:
    """What is measured on each of some corpora."""

    corpora: Sequence[str]
    measure: Callable[[WrittenCorpus, int], list[Row]]  # (corpus, rounds)


_PARTS: Mapping[str, Part] = {
    "load": Part(
        ("deep", "wide", "many", "blobs", "mindspore", "mindspore_tenth", "very_deep"), bench_load.measure
    ),
    "startup": Part(("deep", "wide", "many", "mindspore"), bench_startup.measure),
    "warm": Part(bench_warm.CORPORA, bench_warm.measure),
    "http": Part(("wide",), bench_http.measure),
    "query": Part(bench_query.CORPORA, bench_query.measure),
    "payloads": Part(bench_payloads.CORPORA, bench_payloads.measure),
    "export": Part(bench_export.CORPORA, bench_export.measure),
    "sql": Part(bench_sql.CORPORA, bench_sql.measure),
    "graphs": Part(bench_graphs.CORPORA, bench_graphs.measure),
    "lineage": Part(bench_lineage.CORPORA, bench_lineage.measure),
    "traces": Part(bench_traces.CORPORA, bench_traces.measure),
    "snapshots": Part(bench_snapshots.CORPORA, bench_snapshots.measure),
    "cluster": Part(bench_cluster.CORPORA, bench_cluster.measure),
}


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
            print(render(found), file=sys.stderr)
    print(f"{machine}\nmedian of {options.rounds}, {time.strftime('%F')}\n")
    print(render(rows))
    verdicts = [row.verdict for row in rows if row.wanted]
    print(f"\n{verdicts.count('pass')} of {len(verdicts)} targets are met")
    return 0


def _read_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = (*_PARTS, _LIVE, *CORPORA)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=names,
        default=[],
        metavar="NAME",
        help=f"parts or corpora: {', '.join(names)}",
    )
    parser.add_argument("--rounds", type=int, help="measurements of each figure (default 5)")
    parser.add_argument(
        "--quick", action="store_true", help=f"one round, on {', '.join(_QUICK)} only, and fewer appends"
    )
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the corpora are, or stay")
    options = parser.parse_args(arguments)
    if options.rounds is None:
        options.rounds = 1 if options.quick else 5
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    chosen = [name for name in CORPORA if name in options.only]
    options.parts = [name for name in (*_PARTS, _LIVE) if name in options.only]
    if not options.parts:
        options.parts = list(_PARTS) if chosen else [*_PARTS, _LIVE]
    options.corpora = chosen or (_QUICK if options.quick else CORPORA)
    return options


def _measure(options: argparse.Namespace, place: Path) -> Iterator[list[Row]]:
    for name in options.corpora:
        parts = [part for part in options.parts if part != _LIVE and name in _PARTS[part].corpora]
        if parts:
            corpus = _ready(name, place)
        for part in parts:
            try:
                yield _PARTS[part].measure(corpus, options.rounds)
            except Failed as error:
                print(f"{part} on {name}: {error}", file=sys.stderr)
                yield [Row(name, part, "s", {OURS: math.nan})]
    if _LIVE in options.parts:
        yield bench_live.measure(_QUICK_APPENDS if options.quick else _APPENDS)


def _ready(name: str, place: Path) -> WrittenCorpus:
    """The corpus, written unless it is there, and in the system's cache."""
    corpus = kept_corpus(name, place)
    for file in event_files(corpus.logdir):
        with open(file, "rb") as opened:
            while opened.read(1 << 24):
                pass
    print(
        f"\n{name}: {corpus.content.points:,} {_COUNTED[corpus.content.plugin]} in "
        f"{corpus.content.runs} runs, {corpus.size / 1e6:.0f} MB",
        file=sys.stderr,
    )
    return corpus


if __name__ == "__main__":
    sys.exit(main())
