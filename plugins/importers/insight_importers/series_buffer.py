"""Collects numbers by tag, so that they are written as columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import Factory, define

from insight_core.plugin import Flaw
from insight_importers.imported_run import ImportedRun
from insight_importers.odd_values import float_column, odd_number, odd_step, odd_time, whole_column

_MOST_TAGS = 20_000  # of a run; a hostile log must not make more


@define
class SeriesBuffer:
    """Cells of one run that wait to be written: numbers, or whatever the store has in their place."""

    ticks: float = 1.0  # of the store's times, in a second
    columns: dict[str, tuple[list[Any], list[Any], list[Any]]] = Factory(dict)

    def add(self, tag: str, step: object, wall_time: object, value: object) -> None:
        """Adds the cells of one point."""
        columns = self.columns.get(tag)
        if columns is None:
            if len(self.columns) >= _MOST_TAGS or not tag:
                return
            columns = self.columns[tag] = ([], [], [])
        columns[0].append(step)
        columns[1].append(wall_time)
        columns[2].append(value)

    def write(self, run: ImportedRun) -> list[Flaw]:
        """Appends everything to the run, and forgets it. Returns the damage of cells that are not numbers.

        A point without a step or a value is left out; one without a time has none.
        """
        flaws: list[Flaw] = []
        for tag, (steps, wall_times, values) in self.columns.items():
            at, without_step = whole_column(steps)
            when, without_time = float_column(wall_times)
            numbers, without_value = float_column(values)
            flaws += [odd_step(tag, steps[row]) for row in without_step.tolist()]
            flaws += [odd_time(tag, wall_times[row]) for row in without_time.tolist()]
            flaws += [odd_number(tag, int(at[row]), values[row]) for row in without_value.tolist()]
            if len(without_step) or len(without_value):
                bad = np.union1d(without_step, without_value)
                at, when, numbers = np.delete(at, bad), np.delete(when, bad), np.delete(numbers, bad)
            if len(at):
                run.scalars(tag, at, when / self.ticks, numbers)
                run.facts.last_step = max(run.facts.last_step, int(at.max()))
        self.columns.clear()
        return flaws


def last_lines(text: str, lines: Sequence[str], most: int) -> str:
    """The text continued by lines, of which the last ``most`` characters are kept."""
    joined = text + "".join(lines)
    return joined if len(joined) <= most else joined[-most:]
