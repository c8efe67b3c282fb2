"""An immutable snapshot of the run table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_core.plugin.data import Run
from insight_core.plugin.filters import TEXT, Column, ColumnName, resolved, values_of
from insight_lineage.goals import Goal, goal_of
from insight_lineage.names import ANNOTATIONS, GROUPS, SCALARS, group_of, natural, rank, rank_of, title_of

_DIRECTIONS: Mapping[object, Goal] = {"minimize": "min", "maximize": "max"}
_RESULTS = ("metric", "scalar")


@frozen(eq=False)
class Problem:
    """Something of a run that could not be read."""

    run: str
    tag: str
    error: Reason


@frozen(eq=False)
class Rows:
    """The runs, each a row; ``order`` is the rank of each: newest start first, then by name."""

    runs: Sequence[str]
    place: Mapping[str, int]
    start_times: NDArray[np.float64]
    order: NDArray[np.intp]

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Rows:
        """A row for each run; the default order is newest start first, then by name."""
        names = [run.name for run in runs]
        starts = np.array([np.nan if run.start_time is None else run.start_time for run in runs], float)
        by_name = np.argsort(np.argsort(np.array(names, object), kind="stable"))
        order = np.empty(len(runs), np.intp)
        order[np.lexsort((by_name, np.where(np.isnan(starts), np.inf, -starts)))] = np.arange(len(runs))
        place = {name: row for row, name in enumerate(names)}
        return cls(names, place, starts, order)


@frozen(eq=False)
class Table:
    """``columns`` are those that are there without a look at a series; ``scalar`` makes one of a scalar."""

    rows: Rows
    columns: Mapping[str, Column]
    scalar: Callable[[str], Column | None]
    tags: Callable[[], Mapping[str, int]]  # of scalars, with how many rows have them
    problems: Sequence[Problem] = field(factory=tuple)

    def __len__(self) -> int:
        return len(self.rows.runs)

    def column(self, name: str) -> Column:
        """The column of this name, or the one that a short name means. Raises NoColumn."""
        column = self.columns.get(name)
        if column is None and group_of(name) == "scalar":
            column = self.scalar(name)
        if column is None and name in ANNOTATIONS:  # nobody has said anything yet
            column = Column(name, "annotation", name, values_of([None] * len(self.rows.runs)))
        return self.column(resolved(name, self._named()).name) if column is None else column

    def _named(self) -> list[ColumnName]:
        others = [*self.columns, *ANNOTATIONS]
        scalars = [f"{which}/{tag}" for which in SCALARS for tag in self.tags()]
        return [
            *(ColumnName(name, title=title_of(name)) for name in others),
            *(ColumnName(name, title=title_of(name), rank=rank_of(name)) for name in scalars),
        ]

    def names(self, groups: Sequence[str] = GROUPS) -> list[str]:
        """Of all columns of these groups, in order, but for those of scalars."""
        return sorted((name for name in self.columns if group_of(name) in groups), key=rank)

    def goal(self, column: Column) -> Goal | None:
        """Whether small or large values of a result are better; None if nothing says it.

        As all runs say that say so (a column ``direction/<result>``, as Optuna's callback writes it), else by
        its name.
        """
        return self._goal(column.name.partition("/")[2] if column.group == "scalar" else column.title)

    def _goal(self, result: str) -> Goal | None:
        said = self.columns.get(f"direction/{result}")
        values = set() if said is None else set(said.values[said.kinds == TEXT].tolist())
        return _DIRECTIONS.get(values.pop(), goal_of(result)) if len(values) == 1 else goal_of(result)

    def described(self) -> Iterator[dict[str, object]]:
        """All columns; those of scalars without a look at their points."""
        for name in self.names():
            column = self.columns[name]
            yield description(column, self.goal(column))
        tags = self.tags()
        for tag in sorted(tags, key=natural):
            goal = self._goal(tag)
            for which in SCALARS:
                name = f"{which}/{tag}"
                yield {
                    "name": name,
                    "title": title_of(name),
                    "group": "scalar",
                    "type": "float",
                    "count": tags[tag],
                    "goal": goal,
                }


def description(column: Column, goal: Goal | None) -> dict[str, object]:
    """A column without its values, as a JSON object."""
    return {
        "name": column.name,
        "title": column.title,
        "group": column.group,
        "type": column.type,
        "count": column.count,
        "goal": goal if column.group in _RESULTS else None,
    }
