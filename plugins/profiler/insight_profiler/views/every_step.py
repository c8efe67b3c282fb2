"""Answers about every step of every rank of a job: tiles of a heat map, slow ranks, goodput."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attrs import asdict
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin.http import choice, text, whole_number
from insight_profiler.analysis.every_step import (
    STATISTICS,
    STEP,
    Statistic,
    slow_ranks,
    slowest,
    spans_of,
    tiles,
)
from insight_profiler.analysis.goodput import KINDS, goodput
from insight_profiler.derived.step_runs import StepRuns
from insight_profiler.model import Profile
from insight_profiler.profiles.opened import Asked, Opened, Recent

_FAR = 1 << 53
_MOST_CELLS = 300_000  # of an answer
_MOST_ROWS = 1024
SPAN, STATISTIC = text("span"), choice("statistic", STATISTICS)
FROM, TO = whole_number("from", 0, _FAR, 0), whole_number("to", 0, _FAR, _FAR)
WIDTH = whole_number("width", 1, 4000, 800)


def every_step_views(asked: Asked) -> Mapping[str, Callable[[Request], Response]]:
    """Views of the steps of all ranks, by route name."""
    views = _Views(asked)
    return {"every_step": views.every_step, "goodput": views.goodput}


class _Views:
    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._spans: Recent[tuple[list[str], int, Mapping[str, int]]] = Recent(1)
        self._tiles: Recent[Mapping[str, Any]] = Recent(8)
        self._whole: Recent[Mapping[str, Any]] = Recent(4)

    def every_step(self, request: Request) -> Response:
        """A span of all ranks in tiles of ranks and steps."""
        opened = self._opened(request)
        spans, ranks, whole = self._spans.get(opened.profile, "", lambda: _spans(opened.profile))
        span = SPAN.read(request)
        if span not in spans:  # that of the slowest rank, for whole steps are equally long where ranks wait
            slow = self._goodput_of(opened)["slow"]
            span = slow[0]["span"] if slow else spans[0]
        statistic: Statistic = "median" if STATISTIC.read(request) == "median" else "max"
        steps, width = (FROM.read(request), TO.read(request)), WIDTH.read(request)

        def make() -> Mapping[str, Any]:
            rows = min(ranks, _MOST_ROWS)
            shape = rows, max(1, min(width, _MOST_CELLS // rows))
            there = tiles(opened.profile, span, statistic, shape, steps)
            return {
                "span": span,
                "spans": spans,
                "statistic": statistic,
                "count": ranks,
                "whole": whole,
                "ranks": there.ranks.tolist(),
                "first": there.first.tolist(),
                "last": there.last.tolist(),
                "values": [_known(row) for row in there.values],
                "slowest": slowest(there),
            }

        key = f"{span} {statistic} {steps} {width}"
        return opened.answer(self._tiles.get(opened.profile, key, make))

    def goodput(self, request: Request) -> Response:
        """Ranks that hold the others up to the last step, and what the time of each attempt went to."""
        opened = self._opened(request)
        return opened.answer(self._goodput_of(opened))

    def _goodput_of(self, opened: Opened) -> Mapping[str, Any]:
        def make() -> Mapping[str, Any]:
            return {
                "kinds": KINDS,
                "attempts": [asdict(one) for one in goodput(opened.profile)],
                "slow": [asdict(one) for one in slow_ranks(opened.profile)],
                "step": STEP,
            }

        return self._whole.get(opened.profile, "", make)

    def _opened(self, request: Request) -> Opened:
        opened = self._asked.opened(request)
        opened.table("step_runs")
        return opened


def _spans(profile: Profile) -> tuple[list[str], int, Mapping[str, int]]:
    """The names of spans, how many ranks there are, and the first and last step."""
    runs = StepRuns.of(profile)
    steps = {"first": int(runs.first.min()), "last": int(runs.last().max())}
    return spans_of(profile), len(np.unique(runs.rank)), steps


def _known(row: NDArray[np.float64]) -> list[int | None]:
    """Whole nanoseconds, None where nothing was recorded."""
    return [None if value != value else round(value) for value in row.tolist()]
