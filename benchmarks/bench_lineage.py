"""The table of many runs over HTTP: the first answer, filters and sorts, all of it, importance.

Percentiles are of 20 questions, all different. What brushes do in the page needs no question: it has
the rows.
"""

from __future__ import annotations

import http.client
import json
import time
from contextlib import closing
from urllib.parse import urlencode

import numpy as np

from benchmarks.corpus import WrittenCorpus
from benchmarks.hosts import our_host
from benchmarks.processes import Failed
from benchmarks.table import OURS, AtMost, Row, Unit, median

CORPORA = ("search",)
_TIMEOUT = 120.0  # seconds
_QUESTIONS = 20
_SOON = AtMost(100)  # ms

_FIRST, _FILTERED, _GROUPED, _WHOLE, _IMPORTANCE, _EXTREMES, _MEMORY = _MEASURES = (
    "the first table",
    "filter and sort, 100 rows, p95",
    "filter, sort and group, 100 rows, p95",
    "all rows of all columns, sorted, p50",
    "importance of every parameter, p95",
    "smallest and largest of every scalar, the first",
    "memory of the host",
)
_UNITS: dict[str, Unit] = {_FIRST: "s", _EXTREMES: "s", _MEMORY: "MB"}
_WANTED = {_FILTERED: _SOON, _GROUPED: _SOON, _IMPORTANCE: _SOON}


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    """Rows of the runs of ``corpus``."""
    figures = [_of_our_host(corpus) for _ in range(rounds)]
    return [
        Row(
            corpus.name,
            f"lineage: {name}",
            _UNITS.get(name, "ms"),
            {OURS: median([round_[name] for round_ in figures])},
            _WANTED.get(name),
        )
        for name in _MEASURES
    ]


def _of_our_host(corpus: WrittenCorpus) -> dict[str, float]:
    random = np.random.default_rng(0)
    with (
        our_host(corpus, "--no-cache") as (program, _),
        closing(http.client.HTTPConnection("127.0.0.1", program.port, timeout=_TIMEOUT)) as connection,
    ):

        def ask(path: str, **parameters: object) -> float:
            """Milliseconds until the answer was there."""
            began = time.perf_counter()
            query = urlencode(parameters, doseq=True)
            connection.request("GET", f"/data/plugin/lineage/{path}?{query}")
            answer = connection.getresponse()
            body = answer.read()
            elapsed = time.perf_counter() - began
            if answer.status != 200:
                raise Failed(f"{path}?{query}: {answer.status} {body[:200]!r}")
            if path == "runs" and json.loads(body)["total"] != corpus.content.runs:
                raise Failed(f"{path}?{query}: it does not have all runs")
            return 1e3 * elapsed

        def filtered(**parameters: object) -> list[float]:
            thresholds = random.random((_QUESTIONS, 2))
            return [
                ask(
                    "runs",
                    where=f"metric/metric_00 > {low} and optimizer in ('Adam', 'SGD') or epoch < {90 * high}",
                    sort=f"-custom/custom_{number % 10:02d}",
                    limit=100,
                    **parameters,
                )
                for number, (low, high) in enumerate(thresholds)
            ]

        return {
            _FIRST: ask("runs", limit=100) / 1e3,
            _FILTERED: float(np.percentile(filtered(), 95)),
            _GROUPED: float(np.percentile(filtered(group=["optimizer", "batch_size"]), 95)),
            _WHOLE: float(
                np.percentile(
                    [ask("runs", sort=f"metric/metric_{n % 10:02d}") for n in range(_QUESTIONS)], 50
                )
            ),
            _IMPORTANCE: float(
                np.percentile(
                    [ask("importance", target=f"metric/metric_{n % 10:02d}") for n in range(_QUESTIONS)], 95
                )
            ),
            _EXTREMES: ask("runs", scalars=["min", "max"], limit=100) / 1e3,
            _MEMORY: program.peak_memory(),
        }
