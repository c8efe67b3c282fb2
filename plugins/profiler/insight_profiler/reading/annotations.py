"""Tells ranges of NVTX and ROCTX apart by their names: operators, annotations, steps.

torch's ``emit_nvtx`` has operators among them: ``aten::mm, op_id = 5, sizes = [[32, 64], [64, 10]]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.model import Category, StepOrigin
from insight_profiler.reading.csv_columns import Integers
from insight_profiler.reading.trace_kinds import torch_kind

_OPERATOR = re.compile(
    r"(?P<name>(?:aten|c10d|prims)::\w+|\w+Backward\d*)(?:,.*?sizes = (?P<shapes>\[.*\]))?.*", re.DOTALL
)
_STEP = re.compile(
    r"(?P<what>.*\b(?:step|iteration|iter|batch)|ProfilerStep)[ _#:=]*(?P<number>\d{1,18})\W*", re.IGNORECASE
)
_FEWEST = 2  # numbers of a name that counts steps


@define(eq=False)
class _Named:
    """What ranges of one name are."""

    name: int
    category: int
    type: int
    shapes: int
    what: str = ""  # of steps: what is counted
    number: int = -1


@define(eq=False)
class Annotations:
    """Tells what ranges are by their names, and keeps those that may be steps."""

    building: Building
    _kinds: dict[str, _Named] = field(factory=dict, init=False)
    _steps: dict[str, dict[int, tuple[int, int]]] = field(
        factory=dict, init=False
    )  # number -> start, duration

    def columns(
        self, names: Iterable[str], start: Integers, duration: Integers
    ) -> dict[str, NDArray[np.int64]]:
        """Columns of slices, for ranges with these names and times."""
        kinds = [self._kinds.get(name) or self._named(name) for name in names]
        for row in (place for place, kind in enumerate(kinds) if kind.number >= 0):
            found = self._steps.setdefault(kinds[row].what, {})
            found.setdefault(kinds[row].number, (int(start[row]), int(duration[row])))
        return {
            "name": np.array([kind.name for kind in kinds], np.int64),
            "category": np.array([kind.category for kind in kinds], np.int64),
            "type": np.array([kind.type for kind in kinds], np.int64),
            "shapes": np.array([kind.shapes for kind in kinds], np.int64),
            "marker": np.array([kind.number >= 0 for kind in kinds], np.int64),
        }

    def add_steps(self) -> None:
        """Adds the steps that most numbers count, if they do not overlap."""
        for found in sorted(self._steps.values(), key=len, reverse=True):
            spans = sorted((start, duration, number) for number, (start, duration) in found.items())
            start, duration, number = (np.array(column, np.int64) for column in zip(*spans, strict=True))
            if len(spans) < _FEWEST or (start[1:] < (start + duration)[:-1]).any():
                continue
            self.building.add("steps", number=number, start=start, duration=duration)
            self.building.step_origin = StepOrigin.RECORDED
            return

    def _named(self, name: str) -> _Named:
        text = self.building.text
        if operator := _OPERATOR.fullmatch(name):
            own = text(operator["name"])
            found = _Named(own, int(Category.OPERATOR), own, text(operator["shapes"] or ""))
        else:
            kind = torch_kind("user_annotation", name)
            category = Category.OTHER if kind is None else kind.category
            step = _STEP.fullmatch(name)
            found = _Named(text(name), int(category), -1, -1)
            if step is not None:
                found.what, found.number = step["what"], int(step["number"])
            elif kind is not None:
                found.type = text(kind.type)
        self._kinds[name] = found
        return found
