"""Images, histograms and tensors of large logs: the first view, a step of the slider, memory.

Over HTTP: the questions that a tab asks, one after another on one connection, of a host that has just
loaded the log. The first view is its tags, the records of the first series, and the newest of them; a step
is any other record, each asked for once, in no order. TensorBoard is asked for the same where it has it, told
to keep every image; of histograms it answers with 51 steps, ours with 100.

In the page, in headless Chromium: from its address to the frame that shows the first card of the tab, and
from a move of its slider to a place far away to the frame that shows what is there.
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
from attrs import evolve, field, frozen
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as BrowserError

from benchmarks.chromium import launched
from benchmarks.corpus import WrittenCorpus, run_name, tag_names
from benchmarks.hosts import our_host, tensorboard_host
from benchmarks.processes import Failed, Program
from benchmarks.table import OURS, TENSORBOARD, AtMost, Row, Unit, median

CORPORA = ("pictures", "histograms", "tensors", "large_tensor")

_STEPS = 200
_TIMEOUT = 60.0  # seconds
_FIRST_VIEW, _STEP, _MEMORY = 1.0, 100.0, 500.0  # seconds, milliseconds, megabytes at most
_MOVES = 60  # of a slider
_PATIENCE = 30_000  # milliseconds
# `first` resolves when the first card was drawn, with the milliseconds since the page was asked for; `move`
# moves its slider and resolves when that record was drawn, with the milliseconds since. Steps are indices.
_WATCH = """
() => {
  const drawn = (step, since) => new Promise((resolve) => {
    const look = () => {
      const view = document.querySelector('[data-testid="card"] .view');
      const content = view?.querySelector('canvas, img, [role="gridcell"]');
      const isThere = content && !view.classList.contains('busy');
      if (isThere && (step === null || view.dataset.step === String(step))) {
        requestAnimationFrame((now) => resolve(now - since));
      }
      else requestAnimationFrame(look);
    };
    look();
  });
  window.first = () => drawn(null, 0);
  window.move = (index) => {
    const slider = document.querySelector('[data-testid="card"] [data-control="step"]');
    const since = performance.now();
    slider.value = index;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    return drawn(index, since);
  };
}
"""

Place: TypeAlias = Mapping[str, object]


@frozen
class Figures:
    """Of one host that was started for them."""

    first_view: float  # seconds
    steps: list[float]  # milliseconds
    memory: float  # megabytes
    first_frame: float = math.nan  # seconds, in the page
    moves: list[float] = field(factory=list)  # milliseconds, in the page


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
        if self._plugin == "histogram":  # runs side by side at a step
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
    with sync_playwright() as playwright:
        browser = launched(playwright)
        for _ in range(rounds):
            for name, (start, tab) in contenders.items():
                try:
                    with start() as (program, _):
                        figures = _figures(corpus, program, tab)
                    if tab is Tab:
                        with start() as (program, _):
                            figures = _in_page(corpus, program, browser, figures)
                except (Failed, BrowserError) as error:
                    print(f"{name} on {corpus.name}: {error}", file=sys.stderr)
                    figures = Figures(math.nan, [math.nan], math.nan, math.nan, [math.nan])
                found.setdefault(name, []).append(figures)
        browser.close()
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


def _in_page(corpus: WrittenCorpus, program: Program, browser: Browser, figures: Figures) -> Figures:
    """The figures with those of a page of its own, its cache empty."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    try:
        page.add_init_script(f"({_WATCH})()")
        page.goto(f"http://127.0.0.1:{program.port}/#tab={corpus.content.plugin}", wait_until="commit")
        first_frame = float(page.evaluate("() => window.first()")) / 1000
        moves = []
        if corpus.content.kind != "histogram":  # there all steps are in sight
            places = np.random.default_rng(1).permutation(corpus.content.steps)
            for index in np.resize(places, _MOVES).tolist():
                moves.append(float(page.evaluate("(index) => window.move(index)", index)))
        return evolve(
            figures,
            first_frame=first_frame,
            moves=moves,
            memory=max(figures.memory, program.peak_memory()),
        )
    finally:
        context.close()


def _milliseconds(ask: Callable[[], None]) -> float:
    began = time.perf_counter()
    ask()
    return 1000 * (time.perf_counter() - began)


def _rows(corpus: WrittenCorpus, found: Mapping[str, list[Figures]]) -> list[Row]:
    def row(measured: str, unit: Unit, of: Callable[[Figures], float], limit: float | None = None) -> Row:
        figures = {name: median([of(each) for each in all_of]) for name, all_of in found.items()}
        return Row(corpus.name, measured, unit, figures, AtMost(limit) if limit else None)

    def share(measured: str, of: Callable[[Figures], list[float]], percent: int, limit: float | None) -> Row:
        having = {name: [of(each) for each in all_of] for name, all_of in found.items() if of(all_of[0])}
        figures = {
            name: median([float(np.percentile(steps, percent)) for steps in each])
            for name, each in having.items()
        }
        return Row(corpus.name, measured, "ms", figures, AtMost(limit) if limit else None)

    ours = {name: all_of for name, all_of in found.items() if name == OURS}
    rows = [row("HTTP: first view", "s", lambda each: each.first_view, _FIRST_VIEW)]
    rows += [
        share("HTTP: a step", lambda each: each.steps, 50, None),
        share("HTTP: a step, 95 of 100", lambda each: each.steps, 95, _STEP),
        Row(
            corpus.name,
            "page: first view",
            "s",
            {name: median([each.first_frame for each in all_of]) for name, all_of in ours.items()},
            AtMost(_FIRST_VIEW),
        ),
        share("page: a step", lambda each: each.moves, 50, None),
        share("page: a step, 95 of 100", lambda each: each.moves, 95, _STEP),
        row("memory of all processes", "MB", lambda each: each.memory, _MEMORY),
    ]
    return [row for row in rows if row.figures]
