"""Encodes series for drawing: shared steps, and values as fractions of their range."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable, Iterator

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray
from safetensors.numpy import load
from werkzeug import Request, Response

from insight_core.plugin import encode_json
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.http import Column
from insight_core.plugin.lab import accepts_gzip
from insight_record.formats.safetensors import safetensors_parts
from insight_scalar.along import AlongColumns
from insight_scalar.formats import are_rounded

TOP = 4095  # code of the largest value: on a chart of 2000 pixels a value is at most a quarter of a pixel off
NOT_POSITIVE, NAN, INF, NEG_INF = range(TOP + 1, TOP + 5)  # codes; the first on a logarithmic axis only
_FEW = 24  # points up to which exact values are as small as codes and their range
_DELTAS = (("deltas8", np.uint8), ("deltas16", np.uint16))
_LEVEL = 4  # of gzip, as for other answers
_GZIP = 31  # window bits of zlib that mean the gzip format


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


def columns_frame(columns: dict[str, Column], metadata: dict[str, bytes]) -> bytes:
    """Columns by name as safetensors, with texts as its metadata."""
    return b"".join(
        safetensors_parts(columns, {name: text.decode("utf-8") for name, text in metadata.items()})
    )


def frame_parts(frame: bytes) -> tuple[dict[str, Column], dict[str, bytes]]:
    """The columns and the metadata of ``columns_frame``."""
    size = int.from_bytes(frame[:8], "little")
    metadata = json.loads(frame[8 : 8 + size]).get("__metadata__", {})
    return load(frame), {name: text.encode() for name, text in metadata.items()}


def framed_response(request: Request, frames: Iterable[bytes]) -> Response:
    """Sends each frame when it is made: its length as uint32, little-endian, then its bytes.

    The answer is compressed for clients that accept gzip, and flushed after each frame. What goes wrong
    before the first one is raised here.
    """
    made = iter(frames)
    first = next(made, None)
    every = () if first is None else itertools.chain([first], made)
    parts = (len(frame).to_bytes(4, "little") + frame for frame in every)
    compressed = accepts_gzip(request)
    answer = Response(_compressed(parts) if compressed else parts, content_type="application/octet-stream")
    answer.vary.add("Accept-Encoding")
    if compressed:
        answer.headers["Content-Encoding"] = "gzip"
    return answer


def _compressed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for part in parts:
        yield packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
