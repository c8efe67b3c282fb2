"""What was recorded and is not written yet."""

from __future__ import annotations

from array import array
from operator import index
from typing import SupportsIndex

from insight_core.summary.dialects import Value
from insight_core.summary.scalars import Names

_SIZE_OF_ONE = 4096  # bytes of arrays that count as one value


class Waiting:
    """Records as columns, in their order, and the scalars of the next one. Not thread-safe.

    ``layout``: for each record the number of its scalars' names in ``layouts``; ``numbers`` are those of all
    end to end. ``others``: what else there is of a record, by its number.
    """

    def __init__(self) -> None:
        self.layouts: dict[Names, int] = {}
        self.layout = array("q")
        self.steps = array("q")
        self.wall_times = array("d")
        self.numbers = array("d")
        self.others: list[tuple[int, list[Value]]] = []
        self.load = 0  # values, those that are long counted as several

    def __len__(self) -> int:
        return len(self.steps)

    def add(self, step: SupportsIndex, wall_time: float, names: list[str], others: list[Value]) -> None:
        """A record of the last ``numbers``, as many as there are names.

        Raises TypeError for a step that is no integer, OverflowError for one of more than 64 bits.
        """
        key = tuple(names)
        layout = self.layouts.get(key)
        if layout is None:
            layout = self.layouts[key] = len(self.layouts)
        self.steps.append(index(step))
        self.layout.append(layout)
        self.wall_times.append(wall_time)
        self.load += len(key)
        if others:
            self.others.append((len(self.steps) - 1, others))
            self.load += sum(1 + value.size // _SIZE_OF_ONE for value in others)

    def without_last(self, count: int) -> Waiting:
        """Leaves the last ``count`` numbers, of the next record, to another one, which is returned."""
        after = Waiting()
        if count:
            after.numbers = self.numbers[-count:]
            del self.numbers[-count:]
        return after
