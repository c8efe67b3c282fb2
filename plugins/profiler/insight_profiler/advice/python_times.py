"""Finds the functions of Python and the annotations of the program in which the host spends its time."""

from __future__ import annotations

import re

import numpy as np
from attrs import frozen

from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.analysis.spans import Spans, covered, length
from insight_profiler.derived.upwards import holds_marked, nearest_marked
from insight_profiler.model import Category, Source

_MOSTLY = 0.5
_NOT_OF_THE_PROGRAM = re.compile(
    r"<built-in |<frozen |<string>|site-packages/|dist-packages/|^nn\.Module: |"
    r"^(torch|threading|contextlib|runpy|importlib)\b|^PyTorch Profiler"
)
_FUNCTION = re.compile(r"\.py\(\d+\): ")  # train.py(12): step
_BUILT_IN = re.compile(r"<built-in ")
_PROFILER = re.compile(r"torch/(profiler/|autograd/profiler)|_record_function|torch\.profiler|_kineto")
_LIBRARY = re.compile(
    r"site-packages/|dist-packages/|^(torch|keras|jax|numpy|importlib|threading|typing)\b|<frozen "
)


@frozen
class PythonTimes:
    """In the steps that count. ``longest``: the row of the longest call of the function of the program, not
    of a library, in which most time passes outside of other functions and of operators; None if there is
    none. ``time`` is that of all its calls, ``profiler`` that of functions of the profiler, ns.
    ``are_known``: whether stacks were recorded."""

    longest: int | None
    time: int
    profiler: int
    are_known: bool

    @classmethod
    def of(cls, evidence: Evidence) -> PythonTimes:
        """What the slices say."""
        names, own = evidence.slices["name"], evidence.slices["self"]

        def named(kind: re.Pattern[str], rows: Rows) -> Rows:
            return evidence.named(lambda text: kind.search(text) is not None, rows)

        rows = np.flatnonzero(evidence.inside)
        functions, built_in = named(_FUNCTION, rows), named(_BUILT_IN, rows)
        measuring = named(_PROFILER, np.concatenate((functions, built_in)))
        times = np.zeros(len(names), np.int64)
        times[functions] = own[functions]
        parents = evidence.slices["parent"][built_in]  # time in a built-in function is that of who calls it
        np.add.at(times, parents[parents >= 0], own[built_in[parents >= 0]])
        mine = evidence.without(functions, measuring, named(_LIBRARY, functions))
        profiler = int(own[measuring].sum())
        if not len(mine):
            return cls(None, 0, profiler, bool(len(functions)))
        sums = np.bincount(names[mine], times[mine])
        calls = mine[names[mine] == np.argmax(sums)]
        return cls(int(calls[np.argmax(times[calls])]), int(sums.max()), profiler, True)


@frozen(eq=False)
class QuietFunction:
    """A function of Python, or an annotation, that launches nothing. ``rows`` are its calls, ``longest`` the
    longest of them, ``time`` how long devices wait meanwhile, ns; ``caller`` the function of the program that
    calls it where it is of a library, else ""."""

    rows: Rows
    longest: int
    time: int
    caller: str


def quiet_function(evidence: Evidence, late: Spans) -> QuietFunction | None:
    """The function that launches nothing in which the host is for most of some time in which devices wait for
    it: the outermost one, without loading data. None where none is known."""
    slices = evidence.slices
    parent = slices["parent"]
    launches = holds_marked(slices["category"] == Category.RUNTIME, parent)
    quiet = (slices["category"] == Category.OTHER) & ~launches & np.isin(slices["track"], evidence.launching)
    quiet &= evidence.inside & ~evidence.is_work & ~evidence.marks_step
    loads = slices["category"] == Category.DATA
    quiet &= nearest_marked(loads, parent) < 0
    rows = np.flatnonzero(quiet & (nearest_marked(quiet, parent) < 0))
    if evidence.profile.source is Source.XPLANE:  # which has spans of the runtime, too
        rows = evidence.named(lambda name: ".py" in name, rows)
    rows = evidence.without(rows, evidence.named(lambda name: _PROFILER.search(name) is not None, rows))
    times = covered(late, slices["start"][rows].astype(np.int64), evidence.ends[rows])
    if not times.any():
        return None
    names = slices["name"][rows]
    most = int(np.argmax(np.bincount(names, times)))
    mine = names == most
    longest = int(rows[mine][np.argmax(times[mine])])
    at = longest
    while at >= 0 and _NOT_OF_THE_PROGRAM.search(evidence.text(int(slices["name"][at]))) is not None:
        at = int(parent[at])
    name = evidence.text(int(slices["name"][at])) if at not in (-1, longest) else ""
    caller = name if _FUNCTION.search(name) else ""
    return QuietFunction(rows[mine], longest, int(times[mine].sum()), caller)


def function_during(evidence: Evidence, spans: Spans) -> tuple[int | None, int]:
    """The longest call of the innermost function or annotation of the program in which the host is for most
    of some spans, and how long it is in all its calls then, ns."""
    slices = evidence.slices
    other = np.isin(slices["category"], (Category.OTHER, Category.DATA)) & np.isin(
        slices["track"], evidence.launching
    )
    rows = np.flatnonzero(other & ~evidence.is_work)
    rows = rows[(evidence.ends[rows] > spans[0][0]) & ~evidence.marks_step[rows]]
    if evidence.profile.source is Source.XPLANE:  # which has spans of the runtime, too
        rows = evidence.named(lambda name: ".py" in name, rows)
    rows = evidence.named(lambda name: _NOT_OF_THE_PROGRAM.search(name) is None, rows)
    if not len(rows):
        return None, 0
    inside = covered(spans, slices["start"][rows].astype(np.int64), evidence.ends[rows])
    sums = np.bincount(slices["name"][rows], inside)
    names = np.flatnonzero(sums >= _MOSTLY * length(spans))
    if not len(names):
        return None, 0
    name = names[np.argmin(sums[names])]
    mine = np.flatnonzero(slices["name"][rows] == name)
    return int(rows[mine[np.argmax(inside[mine])]]), int(sums[name])
