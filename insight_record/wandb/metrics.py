"""Over which metric others stand, and what the summary has of them."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping
from typing import TypeVar

log = logging.getLogger(__name__)

_SUMMARIES = ("min", "max", "mean", "last", "best", "copy", "first", "none")
_LARGEST = float(1 << 62)
Value = TypeVar("Value")


class Metrics:
    """The definitions of a run. ``summary`` has a number for each metric: the last, or as it was defined."""

    def __init__(self) -> None:
        self.summary: dict[str, float] = {}
        self._axes: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._last: dict[str, float] = {}  # numbers, which may be axes
        self._means: dict[str, tuple[int, float]] = {}
        self._fractions: set[str] = set()  # axes that were named in a warning

    def define(self, name: str, axis: str, summary: str | None) -> None:
        """Takes a definition. Raises ValueError for a star before the end, and an unknown summary."""
        if "*" in name[:-1]:
            raise ValueError(f"a star stands at the end of a name, not as in {name!r}")
        kinds = [] if summary is None else [one.strip() for one in summary.split(",")]
        if unknown := [one for one in kinds if one not in _SUMMARIES]:
            raise ValueError(f"summary is one of {', '.join(_SUMMARIES)}, not {unknown[0]!r}")
        if axis:
            self._axes[name] = axis
        if kinds:
            self._kinds[name] = kinds[0]

    def placed(
        self, values: Mapping[str, float | Value], step: int
    ) -> Iterator[tuple[str, float | Value, int]]:
        """Yields tag, value and step: that of the metric over which it stands, if that is a whole number."""
        for tag, value in values.items():
            if isinstance(value, float):
                self._last[tag] = value
                self._note(tag, value)
        for tag, value in values.items():
            yield tag, value, self._step_of(tag, step)

    def _step_of(self, tag: str, step: int) -> int:
        axis = _of(self._axes, tag)
        at = None if not axis or axis == tag else self._last.get(axis)
        if axis is None or at is None:
            return step
        if at.is_integer() and abs(at) < _LARGEST:
            return int(at)
        if axis not in self._fractions:
            self._fractions.add(axis)
            log.warning("%s has fractions: what is shown over it stands at the steps of log()", axis)
        return step

    def _note(self, tag: str, value: float) -> None:
        kind, before = _of(self._kinds, tag), self.summary.get(tag, math.nan)
        if kind == "none":
            return
        if kind == "mean":
            count, mean = self._means.get(tag, (0, 0.0))
            self._means[tag] = count + 1, mean + (value - mean) / (count + 1)
            value = self._means[tag][1]
        elif kind in ("min", "max") and not math.isnan(before):
            value = before if math.isnan(value) else (min if kind == "min" else max)(before, value)
        elif kind == "first" and tag in self.summary:
            return
        self.summary[tag] = value


def _of(known: Mapping[str, str], tag: str) -> str | None:
    """What is known of the name, else of the longest beginning with a star."""
    if tag in known:
        return known[tag]
    fitting = [name for name in known if name.endswith("*") and tag.startswith(name[:-1])]
    return known[max(fitting, key=len)] if fitting else None
