"""Encodes series for drawing: shared steps, and values as fractions of their range."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from insight_core.plugin import encode_json
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.http import Column
from insight_scalar.along import AlongColumns
from insight_scalar.formats import are_rounded
from insight_scalar.frames import columns_frame

TOP = 4095  # code of the largest value: on a chart of 2000 pixels a value is at most a quarter of a pixel off
NOT_POSITIVE, NAN, INF, NEG_INF = range(TOP + 1, TOP + 5)  # codes; the first on a logarithmic axis only
_FEW = 24  # points up to which exact values are as small as codes and their range
_DELTAS = (("deltas8", np.uint8), ("deltas16", np.uint16))


def display_frame(
    found: Iterable[tuple[SeriesKey, ScalarColumns]],
    *,
    exact: bool,
    log: bool,
    times: bool,
    metadata: dict[str, bytes] | None = None,
) -> bytes:
    """Series as safetensors: every column has those of all series, end to end.

    ``log``: codes are fractions of the logarithm. ``times``: with wall times. ``metadata`` is added.
    """
    frame = _Frame()
    for key, columns in found:
        values = columns.values
        described = _described(key, columns) | {"steps": frame.place_of(columns.steps)}
        if exact or len(values) <= _FEW:
            frame.add("doubles" if values.dtype == np.float64 else "singles", values)
            described["values"] = "doubles" if values.dtype == np.float64 else "singles"
        else:
            codes, bounds = coded(values, log=log)
            for name, plane in (("high", codes >> 8), ("low", codes & 0xFF)):
                frame.add(name, plane.astype(np.uint8))
            described["range"] = bounds
        if times:
            frame.add("wall_times", columns.wall_times)
        if isinstance(columns, AlongColumns):
            frame.add("xs", columns.xs)
            described["along"] = True
        frame.series.append(described)
    columns_by_name = {name: np.concatenate(parts) for name, parts in frame.columns.items()}
    scale = {"top": TOP, "log": log, "times": times}
    head = {
        "steps": encode_json(frame.steps),
        "series": encode_json(frame.series),
        "codes": encode_json(scale),
    }
    return columns_frame(columns_by_name, head | (metadata or {}))


def coded(
    values: NDArray[np.float32] | NDArray[np.float64], *, log: bool
) -> tuple[NDArray[np.uint16], tuple[float, float]]:
    """Codes of values, and the smallest and largest finite value: codes 0 and ``TOP``.

    With ``log`` codes are fractions of the logarithm, of positive values only. The range is (0, 0) without
    such values.
    """
    wide = values.astype(np.float64, copy=False)
    finite = np.isfinite(wide)
    codes = np.full(len(wide), NAN, np.uint16)
    codes[wide == np.inf] = INF
    codes[wide == -np.inf] = NEG_INF
    if log:
        codes[finite & (wide <= 0)] = NOT_POSITIVE
        finite &= wide > 0
    shown = wide[finite]
    if not len(shown):
        return codes, (0.0, 0.0)
    low, high = float(shown.min()), float(shown.max())
    scaled = np.log(np.append(shown, (low, high))) if log else np.append(shown, (low, high))
    if scaled[-2] < scaled[-1]:  # neighbouring numbers may have one logarithm
        with np.errstate(over="ignore"):
            if not np.isfinite(scaled[-1] - scaled[-2]):
                scaled /= 2
        fractions = (scaled[:-2] - scaled[-2]) / (scaled[-1] - scaled[-2])
        codes[finite] = np.rint(fractions * TOP).astype(np.uint16)
    else:
        codes[finite] = 0
    return codes, (low, high)


@define
class _Frame:
    """The columns of a frame, as they are collected."""

    columns: dict[str, list[Column]] = Factory(dict)
    series: list[dict[str, object]] = Factory(list)
    steps: list[dict[str, object]] = Factory(list)
    places: dict[bytes, int] = Factory(dict)

    def add(self, name: str, column: Column) -> None:
        self.columns.setdefault(name, []).append(column)

    def place_of(self, steps: NDArray[np.int64]) -> int:
        """The place in ``steps`` of these, which are added unless they are there."""
        place = self.places.setdefault(steps.tobytes(), len(self.steps))
        if place == len(self.steps):
            self.steps.append(self._written(steps))
        return place

    def _written(self, steps: NDArray[np.int64]) -> dict[str, object]:
        count = len(steps)
        if not count:
            return {"count": 0}
        if are_rounded(steps):
            self.add("steps", steps)
            return {"count": count, "column": "steps"}
        first, last = int(steps[0]), int(steps[-1])
        deltas = np.diff(steps)
        stride = int(np.gcd.reduce(deltas)) if count > 1 and deltas.min() >= 0 else 0
        written: dict[str, object] = {"count": count, "first": first, "stride": stride}
        if (deltas == stride).all() and first + stride * (count - 1) == last:
            return written
        if stride:
            deltas = deltas // stride
            for name, kind in _DELTAS:
                if deltas.max() <= np.iinfo(kind).max:
                    self.add(name, deltas.astype(kind))
                    return written | {"column": name}
        self.add("steps", steps)
        return {"count": count, "column": "steps"}


def _described(key: SeriesKey, answer: ScalarColumns) -> dict[str, object]:
    """What is known of a series; what follows from the rest is left out."""
    described: dict[str, object] = {
        "run": key.run,
        "tag": key.tag,
        "origin": answer.origin,
        "extent": answer.extent,
    }
    if answer.points != len(answer.steps):
        described["points"] = answer.points
    if answer.total != answer.points:
        described["total"] = answer.total
    if answer.kept != answer.total:
        described["kept"] = answer.kept
    if answer.hidden:
        described["hidden"] = answer.hidden
    if answer.purged:
        described["purged"] = answer.purged
    if len(answer.restarts):
        described["restarts"] = answer.restarts
    if len(answer.breaks):
        described["breaks"] = answer.breaks
    if any(answer.nonfinite):
        described["nonfinite"] = answer.nonfinite
    return described
