"""Large graphs: the first view, opening a scope, search, the readability pass, memory.

Over HTTP, on one connection, of a host that has just loaded the log. The first view is the list of graphs
and the root of the first. TensorBoard answers with the text of the whole graph, which its page then has to
parse and lay out.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from attrs import field, frozen

from benchmarks.bench_payloads import Connection
from benchmarks.corpus import WrittenCorpus, run_name
from benchmarks.hosts import get_json, our_host
from benchmarks.processes import Failed, Program, free_port, peer_environment, started
from benchmarks.table import OURS, TENSORBOARD, AtMost, Row, Unit, median
from insight_core.plugin import Dialect

CORPORA = ("graph_100k", "graph_million", "graph_mindspore")

_OPENED = 100  # scopes
_PATIENCE = 300.0  # seconds
_PAUSE = 0.05
_OF_100K = {"first view": 2.0, "open a scope": 200.0, "memory of all processes": 500.0}  # at most


@frozen
class Figures:
    """Of one host that was started for them."""

    first_view: float  # seconds
    memory: float  # megabytes
    scopes: list[float] = field(factory=list)  # milliseconds each
    search: float = math.nan  # milliseconds
    readable: float = math.nan  # seconds


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    contenders: dict[str, Callable[[WrittenCorpus], Figures]] = {OURS: _ours}
    if os.environ.get("INSIGHT_PEER_TENSORBOARD") and corpus.content.dialect is Dialect.TENSORBOARD:
        contenders[TENSORBOARD] = _tensorboard
    found: dict[str, list[Figures]] = {}
    for _ in range(rounds):
        for name, figures in contenders.items():
            try:
                found.setdefault(name, []).append(figures(corpus))
            except Failed as error:
                print(f"{name} on {corpus.name}: {error}", file=sys.stderr)
                found.setdefault(name, []).append(Figures(math.nan, math.nan))
    return _rows(corpus, found)


def _ours(corpus: WrittenCorpus) -> Figures:
    with our_host(corpus, "--no-cache") as (program, _):
        connection = Connection(program.port)
        try:
            return _asked(connection, program)
        finally:
            connection.close()


def _asked(connection: Connection, program: Program) -> Figures:
    began = time.perf_counter()
    [entry] = connection.json("graph/graphs")["graphs"]
    which = {name: entry[name] for name in ("run", "tag", "index", "wall_time")}
    root = connection.json("graph/scope", **which)
    first_view = time.perf_counter() - began
    scopes: list[float] = []
    waiting = _openable(root)
    choose = random.Random(0)
    while waiting and len(scopes) < _OPENED:
        scope = waiting.pop(choose.randrange(len(waiting)))
        answer, took = _timed(partial(connection.json, "graph/scope", **which, id=scope))
        scopes.append(1000 * took)
        waiting += _openable(answer)
    _, search = _timed(lambda: connection.json("graph/search", **which, q="norm"))
    _, readable = _timed(lambda: connection.json("graph/scope", **which, readable=1))
    return Figures(first_view, program.peak_memory(), scopes, 1000 * search, readable)


def _openable(scope: Mapping[str, Any]) -> list[str]:
    return [node["id"] for node in scope["nodes"] if node["children"]]


def _timed(ask: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    answer = ask()
    return answer, time.perf_counter() - began


def _tensorboard(corpus: WrittenCorpus) -> Figures:
    with _tensorboard_host(corpus) as program:
        connection = Connection(program.port)
        try:
            began = time.perf_counter()
            json.loads(connection.get("graphs/info"))
            connection.get("graphs/graph", run=run_name(0))
            return Figures(time.perf_counter() - began, program.peak_memory())
        finally:
            connection.close()


@contextmanager
def _tensorboard_host(corpus: WrittenCorpus) -> Iterator[Program]:
    """TensorBoard, once it knows of the graph."""
    port = free_port()
    python = os.environ["INSIGHT_PEER_TENSORBOARD"]
    command = [python, "-m", "tensorboard.main", "--logdir", str(corpus.logdir), "--load_fast", "true"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with (
        tempfile.TemporaryDirectory(prefix="insight-bench-") as workspace,
        started(command, port=port, environment=peer_environment(Path(workspace))) as program,
    ):
        program.wait(
            lambda: bool(get_json(port, "/data/plugin/graphs/info")), pause=_PAUSE, patience=_PATIENCE
        )
        yield program


def _rows(corpus: WrittenCorpus, found: Mapping[str, list[Figures]]) -> list[Row]:
    limits = _OF_100K if corpus.name == "graph_100k" else {}

    def row(measured: str, unit: Unit, of: Callable[[Figures], float]) -> Row:
        figures = {name: median([of(each) for each in all_of]) for name, all_of in found.items()}
        known = {name: value for name, value in figures.items() if name == OURS or not math.isnan(value)}
        limit = limits.get(measured)
        return Row(corpus.name, measured, unit, known, AtMost(limit) if limit else None)

    def slowest(figures: Figures) -> float:
        return sorted(figures.scopes)[int(0.95 * len(figures.scopes))] if figures.scopes else math.nan

    return [
        row("first view", "s", lambda each: each.first_view),
        row("open a scope", "ms", lambda each: median(each.scopes) if each.scopes else math.nan),
        row("open a scope, 95 of 100", "ms", slowest),
        row("search", "ms", lambda each: each.search),
        row("readability pass", "s", lambda each: each.readable),
        row("memory of all processes", "MB", lambda each: each.memory),
    ]
