"""Images, histograms and tensors of large logs: the first view, a step of the slider, memory.

Over HTTP: the questions that a tab asks, one after another on one connection, of a host that has just
loaded the log. The first view is its tags, the records of the first series, and the newest of them; a step
is any other record, each asked for once, in no order. TensorBoard is asked for the same where it has it, told
to keep every image; of histograms it answers with 51 steps, ours with 100.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlencode

import numpy as np
from attrs import frozen

from benchmarks.corpus import WrittenCorpus, run_name, tag_names
from benchmarks.hosts import our_host, tensorboard_host
from benchmarks.processes import Failed, Program
from benchmarks.table import OURS, TENSORBOARD, AtMost, Row, Unit, median

CORPORA = ("pictures", "histograms", "tensors", "large_tensor")

_STEPS = 200
_TIMEOUT = 60.0  # seconds
_FIRST_VIEW, _STEP, _MEMORY = 1.0, 100.0, 500.0  # seconds, milliseconds, megabytes at most

Place: TypeAlias = Mapping[str, object]


@frozen
class Figures:
    """Of one host that was started for them."""

    first_view: float  # seconds
    steps: list[float]  # milliseconds
    memory: float  # megabytes


class Connection:
    """Asks one host, on a connection that is kept."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_TIMEOUT)

    def get(self, path: str, **query: object) -> bytes:
        """The body of an answer. Raises Failed for one that is no 200."""
        self._connection.request("GET", f"/data/plugin/{path}?{urlencode(query)}")
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Failed(f"{path} {query}: {answer.status} {body[:200]!r}")
        return body

    def json(self, path: str, **query: object) -> Any:  # noqa: ANN401
        return json.loads(self.get(path, **query))

    def close(self) -> None:
        self._connection.close()


class Tab:
    """What the tab of a plugin of ours asks for."""

    def __init__(self, corpus: WrittenCorpus, connection: Connection) -> None:
        self._plugin = corpus.content.plugin
        self._connection = connection
        self._series: Place = {"run": run_name(0), "tag": tag_names(corpus.content.tags)[0]}
        self.count = 0

    def open(self) -> None:
        self._connection.get(f"{self._plugin}/tags")
        if self._plugin == "histogram":
            self._connection.get("histogram/histograms", **self._series, format="safetensors")
            return
        table = self._connection.json(f"{self._plugin}/records", **self._series)
        self._wall_times = table["wall_times"]
        self.count = len(self._wall_times)
        self.show(self.count - 1)

    def show(self, index: int) -> None:
        if self._plugin == "histogram":  # runs beside one another at a step
            self._connection.get("histogram/comparison", **self._series, step=index, format="safetensors")
            return
        record = {**self._series, "index": index, "wall_time": self._wall_times[index]}
        if self._plugin == "image":
            self._connection.get("image/image", **record)
        else:
            self._connection.get("tensor/values", **record, format="safetensors")


class TensorBoardTab:
    """What TensorBoard's dashboard asks for."""

    def __init__(self, corpus: WrittenCorpus, connection: Connection) -> None:
        self._plugin = f"{corpus.content.plugin}s"
        self._connection = connection
        self._series: Place = {"run": run_name(0), "tag": tag_names(corpus.content.tags)[0]}
        self._keys: list[str] = []

    @property
    def count(self) -> int:
        return len(self._keys)

    def open(self) -> None:
        self._connection.get(f"{self._plugin}/tags")
        shown = self._connection.json(f"{self._plugin}/{self._plugin}", **self._series, sample=0)
        if self._plugin == "images":
            self._keys = [entry["query"] for entry in shown]
            self.show(self.count - 1)

    def show(self, index: int) -> None:
        query = dict(part.split("=", 1) for part in self._keys[index].split("&"))
        self._connection.get("images/individualImage", **query, ts=index)


Start: TypeAlias = Callable[[], AbstractContextManager[tuple[Program, float]]]


def measure(corpus: WrittenCorpus, rounds: int) -> list[Row]:
    contenders: dict[str, tuple[Start, type[Tab] | type[TensorBoardTab]]] = {
        OURS: (lambda: our_host(corpus, "--no-cache"), Tab)
    }
    kind = corpus.content.kind
    if kind != "tensor" and os.environ.get("INSIGHT_PEER_TENSORBOARD"):
        keep = f"--samples_per_plugin={kind}s={corpus.content.steps}"
        contenders[TENSORBOARD] = (lambda: tensorboard_host(corpus, keep), TensorBoardTab)
    found: dict[str, list[Figures]] = {}
    for _ in range(rounds):
        for name, (start, tab) in contenders.items():
            try:
                with start() as (program, _):
                    figures = _figures(corpus, program, tab)
            except Failed as error:
                print(f"{name} on {corpus.name}: {error}", file=sys.stderr)
                figures = Figures(math.nan, [math.nan], math.nan)
            found.setdefault(name, []).append(figures)
    return _rows(corpus, found)


def _figures(corpus: WrittenCorpus, program: Program, tab: type[Tab] | type[TensorBoardTab]) -> Figures:
    connection = Connection(program.port)
    try:
        opened = tab(corpus, connection)
        began = time.perf_counter()
        opened.open()
        first_view = time.perf_counter() - began
        count = opened.count or (corpus.content.steps if tab is Tab else 0)
        steps = [
            _milliseconds(partial(opened.show, index))
            for index in np.random.default_rng(0).permutation(count)[:_STEPS].tolist()
        ]
        return Figures(first_view, steps, program.peak_memory())
    finally:
        connection.close()


def _milliseconds(ask: Callable[[], None]) -> float:
    began = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - began)


def _rows(corpus: WrittenCorpus, found: Mapping[str, list[Figures]]) -> list[Row]:
    def row(measured: str, unit: Unit, of: Callable[[Figures], float], limit: float | None) -> Row:
        figures = {name: median([of(each) for each in all_of]) for name, all_of in found.items()}
        return Row(corpus.name, measured, unit, figures, AtMost(limit) if limit else None)

    stepped = {name: all_of for name, all_of in found.items() if all_of[0].steps}

    def share(measured: str, percent: int, limit: float | None) -> Row:
        figures = {
            name: median([float(np.percentile(each.steps, percent)) for each in all_of])
            for name, all_of in stepped.items()
        }
        return Row(corpus.name, measured, "ms", figures, AtMost(limit) if limit else None)

    return [
        row("HTTP: first view", "s", lambda each: each.first_view, _FIRST_VIEW),
        share("HTTP: a step", 50, None),
        share("HTTP: a step, 95 of 100", 95, _STEP),
        row("memory of all processes", "MB", lambda each: each.memory, _MEMORY),
    ]
