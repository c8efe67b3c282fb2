"""A window of a long series to 1000 columns: ``python -m benchmarks.bench_query [--rounds 3] [--keep DIR]``.

One series of a million points and one of ten million. The first query computes what later ones use; 50 random
windows follow. In this process (LocalProvider.scalars, x = step, with smoothing and without), and over HTTP
from a host of its own (/data/plugin/scalar/series, JSON, one connection). TensorBoard has no such query:
ours over HTTP is compared with its /scalars, which answers with the at most 1000 points that it keeps.
"""

from __future__ import annotations

import argparse
import http.client
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import insight_scalar
import numpy as np

from benchmarks.corpus import WrittenCorpus, kept_corpus, run_name, tag_names
from benchmarks.hosts import our_host, tensorboard_host
from benchmarks.machine import describe_machine
from benchmarks.processes import Failed
from benchmarks.table import OURS, TENSORBOARD, AtMost, Row, median, render
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import PluginNameEnum
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.providers.local import LocalProvider

CORPORA = ("million", "very_deep")
_WIDTH = 1000
_WINDOWS = 50
_SMOOTHING = 0.6
_TIMEOUT = 60.0  # seconds
_AFTER = AtMost(10)  # ms

Window = tuple[int, int]  # steps
Ask = Callable[[Window | None], float]  # the whole series or a window of it; returns ms


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    """Rows of the first series of ``corpus``; figures in ms."""
    first = AtMost(10 if corpus.name == "million" else 100)
    rows = []
    for name, smoothing, wanted in (("query", 0.0, first), ("smoothed query", _SMOOTHING, None)):
        times = [_in_process(corpus, smoothing) for _ in range(rounds)]
        rows += _rows(corpus, name, {OURS: times}, wanted, _AFTER)
    answers = {OURS: [_of_our_host(corpus) for _ in range(rounds)]}
    if os.environ.get("INSIGHT_PEER_TENSORBOARD"):
        try:
            answers[TENSORBOARD] = [_of_tensorboard(corpus) for _ in range(rounds)]
        except Failed as error:
            print(f"{TENSORBOARD} on {corpus.name}: {error}", file=sys.stderr)
    return rows + _rows(corpus, "HTTP: query", answers, None, None)


def _in_process(corpus: WrittenCorpus, smoothing: float) -> list[float]:
    provider = LocalProvider([Logdir(str(corpus.logdir))], [insight_scalar.insight_plugin()], watch=False)
    key = SeriesKey(*_series(corpus))

    def ask(window: Window | None) -> float:
        query = ScalarQuery(window=window or (None, None), width=_WIDTH, smoothing=smoothing)
        began = time.perf_counter()
        [answer] = provider.scalars(PluginNameEnum.SCALAR, [key], query).values()
        elapsed = time.perf_counter() - began
        expected = corpus.content.steps if window is None else window[1] - window[0] + 1
        if answer.points != expected or not 0 < len(answer.steps) <= expected:
            raise Failed(f"{answer.points} points in {window}, not {expected}")
        return elapsed * 1e3

    with closing(provider):
        provider.load()
        return _first_and_after(corpus, ask)


def _of_our_host(corpus: WrittenCorpus) -> list[float]:
    run, tag = _series(corpus)

    def path(window: Window | None) -> str:
        ends = {} if window is None else {"from": window[0], "to": window[1]}
        return "/data/plugin/scalar/series?" + urlencode({"run": run, "tag": tag, "width": _WIDTH, **ends})

    with our_host(corpus, "--no-cache") as (program, _):
        return _over_http(corpus, program.port, path)


def _of_tensorboard(corpus: WrittenCorpus) -> list[float]:
    run, tag = _series(corpus)
    path = "/data/plugin/scalars/scalars?" + urlencode({"run": run, "tag": tag})
    with tensorboard_host(corpus) as (program, _):
        return _over_http(corpus, program.port, lambda window: path)


def _over_http(corpus: WrittenCorpus, port: int, path: Callable[[Window | None], str]) -> list[float]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)) as connection:

        def ask(window: Window | None) -> float:
            began = time.perf_counter()
            connection.request("GET", path(window))
            answer = connection.getresponse()
            body = answer.read()
            elapsed = time.perf_counter() - began
            if answer.status != 200:
                raise Failed(f"{path(window)}: {answer.status} {body[:200]!r}")
            return elapsed * 1e3

        return _first_and_after(corpus, ask)


def _first_and_after(corpus: WrittenCorpus, ask: Ask) -> list[float]:
    windows = np.random.default_rng(0).integers(0, corpus.content.steps, (_WINDOWS, 2))
    return [ask(None), *(ask((int(low), int(high))) for low, high in np.sort(windows, axis=1))]


def _series(corpus: WrittenCorpus) -> tuple[str, str]:
    return run_name(0), tag_names(corpus.content.tags)[0]


def _rows(
    corpus: WrittenCorpus,
    name: str,
    times: dict[str, list[list[float]]],
    first: AtMost | None,
    after: AtMost | None,
) -> list[Row]:
    """Of the first time of each round, and of the others."""
    measures: tuple[tuple[str, Callable[[list[float]], float], AtMost | None], ...] = (
        (f"{name}, the first", lambda round_: round_[0], first),
        (f"{name}, later, p50", lambda round_: float(np.percentile(round_[1:], 50)), None),
        (f"{name}, later, p95", lambda round_: float(np.percentile(round_[1:], 95)), after),
    )
    return [
        Row(
            corpus.name,
            measured,
            "ms",
            {who: median([figure(one) for one in rounds]) for who, rounds in times.items()},
            wanted,
        )
        for measured, figure, wanted in measures
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the corpora are, or stay")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory:
        place = options.keep or Path(directory)
        place.mkdir(parents=True, exist_ok=True)
        rows = [row for name in CORPORA for row in measure(kept_corpus(name, place), options.rounds)]
        print(f"{describe_machine(place)}\nmedian of {options.rounds}\n\n{render(rows)}")


if __name__ == "__main__":
    main()
