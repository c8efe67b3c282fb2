"""What the calls of PyTorch operators compute and move, as columns of the slices of a trace."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.reading.trace_flops import flops_of, is_counted, precision_of, repeated_of
from insight_profiler.reading.trace_traffic import traffic_of

_NOTHING = (np.nan, np.nan, np.nan, -1.0)
_SAID = ("Concrete Inputs", "Input type", "Input Strides")


class TraceWork:
    """Operations, bytes and types of the calls of the window that is being read."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._found: list[tuple[float, float, float, float]] = []
        self._calls: dict[bytes, tuple[float, float, float, float]] = {}  # that were seen

    def look(self, row: int, name: str, shapes: object, said: Mapping[str, Any]) -> None:
        """Measures the call of a slice, ``row`` of the window, by what its event says."""
        seen: Any = (name, shapes, *map(said.get, _SAID))
        call = marshal.dumps(seen, 2)  # sooner than a text of it
        found = self._calls.get(call)
        if found is None:
            found = self._calls[call] = _measured(name, shapes, said)
        self._rows.append(row)
        self._found.append(found)

    def columns(self, count: int) -> dict[str, NDArray[Any]]:
        """``flops, repeated, traffic, precision`` of so many slices; the next window begins."""
        found = np.tile(np.array(_NOTHING), (count, 1))
        if self._rows:
            found[self._rows] = self._found
        self._rows.clear()
        self._found.clear()
        flops, repeated, traffic, precision = found.T
        return {
            "flops": flops,
            "repeated": repeated,
            "traffic": traffic,
            "precision": precision.astype(np.int32),
        }


def _measured(name: str, shapes: object, said: Mapping[str, Any]) -> tuple[float, float, float, float]:
    if not is_counted(name):
        return np.nan, np.nan, traffic_of(name, said), -1.0
    values = said.get("Concrete Inputs")
    precision = precision_of(said.get("Input type"))
    flops = flops_of(name, shapes, values)
    packed = 2 if precision is InputType.FLOAT4 else 1  # numbers in a byte, which the shapes count
    return (
        packed * flops,
        packed * repeated_of(name, shapes, values),
        traffic_of(name, said, flops),
        -1.0 if precision is None else float(precision),
    )
