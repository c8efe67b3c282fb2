"""The series of views, packed for a file that works without a host: values and steps are exact."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import Factory, define, frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import InsightError, PluginContext, PluginNameEnum, ReasonKind, TooLarge, encode_json
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.http import bytes_response
from insight_scalar.derived import DerivedData
from insight_scalar.formats import are_rounded
from insight_scalar.layouts import Layouts
from insight_scalar.view_state import ViewState

_SCALAR = PluginNameEnum.SCALAR
EXACT_TIMES = 250_000  # points of a file up to which wall times are exact
MOST_POINTS = 20_000_000  # of a file, which has about 7 bytes for each
_FINE = 2.0**-22  # seconds; what float64 resolves of the time of this century
_COARSE = 2.0**-6  # 16 ms: a file of a million points has room for no more
_SAMPLE = 20_000  # points by which the smaller of two ways is chosen
_BAND_WIDTH = 1000  # columns of bands
_MANY_POINTS = ReasonKind(
    "scalar_many_points",
    "a file holds at most {most:,} points, and this view has more: select fewer runs, or filter the tags",
)


@frozen
class SnapshotView:
    """The route ``snapshot``."""

    ctx: PluginContext
    data: DerivedData

    def answer(self, request: Request, *, views: Sequence[str]) -> Response:
        """All series of the views (``view``, repeatable: JSON with ``runs``, ``state`` and ``card``).

        The answer is the length of a JSON header (uint32), the header, and the columns that it describes.
        Raises TooLarge for too many points.
        """
        shown_views = [ViewState.read(text) for text in views]
        pack = _Pack()
        keys: dict[SeriesKey, None] = {}
        bands: list[dict[str, object]] = []
        # the board shows layouts, a card alone does not
        layouts = Layouts(self.ctx).found() if any(view.card is None for view in shown_views) else []
        for view in shown_views:
            tables = self.data.series_tables(_SCALAR, [], runs=view.runs)
            tags = {table.run: set(table.tags) for table in tables}
            recorded = dict.fromkeys(tag for table in tables for tag in table.tags)
            inputs = {tag: self._inputs(tag, recorded) for tag in view.tags(recorded, layouts)}
            shown = [tag for tag, found in inputs.items() if found is not None]
            if view.axis is not None:
                inputs[view.axis] = self._inputs(view.axis, recorded)
            needed = [tag for found in inputs.values() for tag in found or ()]
            keys |= {
                SeriesKey(run, tag): None
                for tag in dict.fromkeys([*needed, *(tag for tag in inputs if inputs[tag] is not None)])
                for run in view.runs
                if tag in tags.get(run, ()) or tag not in recorded
            }
            if view.is_grouped:
                bands += [found for tag in shown if (found := self._bands(view, tag, pack))]
        for each in self._series(list(keys)):
            pack.add(*each)
        pack.end()
        return bytes_response(
            pack.content({"bands": bands, "layouts": Layouts.rows(layouts)}), "application/octet-stream"
        )

    def _inputs(self, tag: str, recorded: Collection[str]) -> Sequence[str] | None:
        """What a series is computed from; None if it cannot be."""
        if tag in recorded or not tag.startswith("="):
            return ()
        try:
            return self.data.expression(_SCALAR, tag.removeprefix("=")).tags
        except InsightError:
            return None

    def _series(self, keys: Sequence[SeriesKey]) -> Iterator[tuple[SeriesKey, str, ScalarColumns]]:
        restarted = []
        for key, columns in self.data.each(_SCALAR, keys, ScalarQuery()):
            if len(columns.restarts):
                restarted.append(key)
            yield key, "last", columns
        for key, columns in self.data.each(_SCALAR, restarted, ScalarQuery(attempts="all")):
            yield key, "all", columns

    def _bands(self, view: ViewState, tag: str, pack: _Pack) -> dict[str, object] | None:
        """The groups of one tag, as the view shows them."""
        query = {**view.group_query, "tag": tag, "run": list(view.runs)}
        try:
            answer = self.ctx.get(
                f"/data/plugin/{_SCALAR}/bands", **query, width=_BAND_WIDTH, format="safetensors"
            )
        except InsightError:
            return None  # the tag has no groups
        pack.parts.append(answer.data)
        return {"tag": tag, "query": view.group_query, "bytes": len(answer.data)}


@define
class _Pack:
    """Columns as planes of bytes, which compress better than numbers, and what describes them."""

    parts: list[bytes] = Factory(list)
    steps: list[dict[str, object]] = Factory(list)
    series: list[dict[str, object]] = Factory(list)
    _places: dict[bytes, int] = Factory(dict)  # of steps, by their digest
    _points: int = 0
    _waiting: list[tuple[SeriesKey, str, ScalarColumns]] = Factory(list)

    def add(self, key: SeriesKey, attempts: str, columns: ScalarColumns) -> None:
        """Packs a series, as soon as it is known how its times are written. Raises TooLarge."""
        self._points += len(columns.steps)
        if self._points > MOST_POINTS:
            raise TooLarge(_MANY_POINTS(most=MOST_POINTS))
        self._waiting.append((key, attempts, columns))
        if self._points > EXACT_TIMES:
            self.end()

    def end(self) -> None:
        """Packs the waiting series: wall times are exact up to EXACT_TIMES points, else in units of 16 ms."""
        unit = _FINE if self._points <= EXACT_TIMES else _COARSE
        for key, attempts, columns in self._waiting:
            self.series.append(
                {
                    "run": key.run,
                    "tag": key.tag,
                    "attempts": attempts,
                    "count": len(columns.steps),
                    "total": columns.total,
                    "kept": columns.kept,
                    "hidden": columns.hidden,
                    **({"purged": columns.purged} if columns.purged else {}),
                    "restarts": columns.restarts,
                    "breaks": columns.breaks,
                    "steps": self._steps(columns.steps),
                    "times": self._times(columns.wall_times, unit),
                    "values": self._values(columns.values),
                }
            )
        self._waiting.clear()

    def content(self, more: Mapping[str, object]) -> bytes:
        # the parts begin with bands; steps, times and values of one series after the other follow
        header = encode_json({"series": self.series, "steps": self.steps, **more})
        return b"".join([len(header).to_bytes(4, "little"), header, *self.parts])

    def _steps(self, steps: NDArray[np.int64]) -> int:
        digest = hashlib.blake2b(np.ascontiguousarray(steps).data).digest()
        place = self._places.setdefault(digest, len(self.steps))
        if place == len(self.steps):
            written = self._planes("whole", steps) if are_rounded(steps) else self._whole(steps)
            self.steps.append({"count": len(steps), **written})
        return place

    def _times(self, times: NDArray[np.float64], unit: float) -> dict[str, object]:
        whole = np.rint(times / unit) if np.isfinite(times).all() else np.zeros(0)
        fits = len(whole) == len(times) and float(np.abs(whole).max(initial=0.0)) < 2.0**53
        if fits and (unit == _COARSE or bool((whole * unit == times).all())):
            return {"unit": unit, **self._whole(whole.astype(np.int64))}
        return self._planes("raw", times.view(np.uint64))

    def _whole(self, numbers: NDArray[np.int64]) -> dict[str, object]:
        """Whole numbers as their differences."""
        if not len(numbers):
            return {"kind": "even", "first": 0, "stride": 0}
        deltas = np.diff(numbers)
        first = int(numbers[0])
        if not len(deltas) or bool((deltas == deltas[0]).all()):
            return {"kind": "even", "first": first, "stride": int(deltas[0]) if len(deltas) else 0}
        folded = ((deltas << 1) ^ (deltas >> 63)).astype(np.uint64)  # small numbers of either sign are small
        width = next(each for each in (1, 2, 4, 8) if int(folded.max()) < 1 << (8 * each))
        narrow = folded.astype(f"<u{width}")
        return {"first": first, **self._planes("deltas", narrow)}

    def _values(self, values: NDArray[np.float32] | NDArray[np.float64]) -> dict[str, object]:
        if values.dtype == np.float64:
            return self._planes("raw", values.view(np.uint64))
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        turned = np.diff(bits, prepend=np.uint32(0))
        sizes = [len(zlib.compress(_planes(each[:_SAMPLE]), 1)) for each in (bits, turned)]
        return self._planes("sums", turned) if sizes[1] < sizes[0] else self._planes("raw", bits)

    def _planes(self, kind: str, numbers: NDArray[Any]) -> dict[str, object]:
        self.parts.append(_planes(numbers))
        return {"kind": kind, "width": numbers.dtype.itemsize}


def _planes(numbers: NDArray[Any]) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on; little-endian."""
    little = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<"))
    return little.view(np.uint8).reshape(len(little), numbers.dtype.itemsize).T.tobytes()
