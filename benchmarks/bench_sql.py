"""SQL over a hundred million points: what a query costs, and how many bytes of which columns it reads.

All five columns of ``scalars`` have 32 bytes a point in memory (names are numbers of four bytes there). A
query reads the columns that it names, of the series and steps that its conditions leave.
"""

from __future__ import annotations

import sys

from benchmarks.bench_export import asked
from benchmarks.corpus import WrittenCorpus, tag_names
from benchmarks.own_sql import QUERIES
from benchmarks.processes import Failed
from benchmarks.table import OURS, AtMost, Row, median

CORPORA = ("hundred_million",)
_MB = 1e6
_BYTES_A_POINT = {"smallest value of one tag by run": 16, "mean of each tag": 12}  # of the columns named
_SHARE, _WIDTH = 256, 24  # a table may read up to so small a part of the steps for a few; run, step, value


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    tag = tag_names(corpus.content.tags)[0]
    found = [
        asked([sys.executable, "-m", "benchmarks.own_sql", str(corpus.logdir), tag]) for _ in range(rounds)
    ]
    rows = [Row(corpus.name, "read the files, processor", "s", {OURS: _median(found, "open", "cpu")})]
    for query in QUERIES:
        limit = _most(corpus, query)
        for each in found:
            if each[query]["bytes"] > limit:
                raise Failed(f"{query}: {each[query]['bytes']:,} bytes were read, not at most {limit:,}")
        size = _median(found, query, "bytes") / _MB
        rows += [
            Row(corpus.name, f"{query}, processor", "s", {OURS: _median(found, query, "cpu")}),
            Row(corpus.name, f"{query}, read", "MB", {OURS: size}, AtMost(limit / _MB)),
        ]
    rows.append(Row(corpus.name, "peak memory", "MB", {OURS: median([each["memory"] for each in found])}))
    return rows


def _most(corpus: WrittenCorpus, query: str) -> int:
    """Bytes of the columns and points that a query names."""
    content = corpus.content
    if query not in _BYTES_A_POINT:
        return content.runs * (content.steps // _SHARE + 10) * _WIDTH + _names(content.runs)
    points = content.points if "each tag" in query else content.points // content.tags
    return points * _BYTES_A_POINT[query] + _names(content.runs)


def _names(runs: int) -> int:
    """Of runs and tags, which come with each batch."""
    return runs * 1000


def _median(found: list[dict[str, dict[str, float]]], step: str, what: str) -> float:
    return median([each[step][what] for each in found])
