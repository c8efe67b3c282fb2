"""Time in functions of Python, of traces with stacks."""

from __future__ import annotations

import re

import numpy as np
from attrs import frozen

from insight_profiler.advice.evidence import Evidence, Rows

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
        mine = np.setdiff1d(functions, np.concatenate((measuring, named(_LIBRARY, functions))))
        profiler = int(own[measuring].sum())
        if not len(mine):
            return cls(None, 0, profiler, bool(len(functions)))
        sums = np.bincount(names[mine], times[mine])
        calls = mine[names[mine] == np.argmax(sums)]
        return cls(int(calls[np.argmax(times[calls])]), int(sums.max()), profiler, True)
