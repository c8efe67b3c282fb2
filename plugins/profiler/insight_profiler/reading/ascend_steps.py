"""Adds the steps of NPU profiles: as their timeline marks them, and as a table divides them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from insight_profiler.building import Building
from insight_profiler.model import StepOrigin
from insight_profiler.reading.ascend_timeline import Steps
from insight_profiler.reading.csv_columns import Integers


def add_marked_steps(building: Building, steps: Steps) -> None:
    """The steps that a timeline marks."""
    if not steps.spans:
        return
    numbers = sorted(steps.spans)
    columns = sorted({column for part in steps.parts.values() for column in part})
    building.add(
        "steps",
        number=numbers,
        start=[steps.spans[number][0] for number in numbers],
        duration=[steps.spans[number][1] for number in numbers],
        **{column: [steps.parts.get(number, {}).get(column, -1) for number in numbers] for column in columns},
    )
    building.step_origin = StepOrigin.RECORDED


def add_divided_steps(
    building: Building, numbers: Sequence[int], columns: dict[str, Integers], marked: Steps
) -> None:
    """Steps as ``columns`` divide them; when they were, as the timeline marks them. A step that it does not
    mark is as long as its parts."""
    duration = complete_division(columns, len(numbers))
    spans = [marked.spans.get(number) for number in numbers]
    building.add(
        "steps",
        number=numbers,
        start=[span[0] if span else -1 for span in spans],
        duration=[span[1] if span else own for span, own in zip(spans, duration.tolist(), strict=True)],
        **columns,
    )
    building.step_origin = StepOrigin.RECORDED


def complete_division(columns: dict[str, Integers], count: int) -> Integers:
    """How long ``count`` steps are by the parts that a table divides them into, ns; -1 without these. Adds
    ``receive`` where the parts tell it."""
    if "collective" in columns and "communication_not_overlapped" in columns:
        receive = columns["communication_not_overlapped"] - columns["collective"]
        columns["receive"] = np.where(columns["collective"] >= 0, np.maximum(receive, 0), -1)
    parts = ("computing", "communication_not_overlapped", "free")
    known = [columns[part] for part in parts if part in columns]
    if not known:
        return np.full(count, -1)
    summed: Integers = np.sum([np.maximum(values, 0) for values in known], axis=0)
    return summed
