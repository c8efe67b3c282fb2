"""Collects numbers by tag, so that they are written as columns."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import Factory, define

from insight_importers.imported_run import ImportedRun

_MOST_TAGS = 20_000  # of a run; a hostile log must not make more


@define
class SeriesBuffer:
    """Numbers of one run that wait to be written."""

    columns: dict[str, tuple[list[int], list[float], list[float]]] = Factory(dict)

    def add(self, tag: str, step: int, wall_time: float, value: float) -> None:
        """Adds one number."""
        columns = self.columns.get(tag)
        if columns is None:
            if len(self.columns) >= _MOST_TAGS or not tag:
                return
            columns = self.columns[tag] = ([], [], [])
        columns[0].append(step)
        columns[1].append(wall_time)
        columns[2].append(value)

    def write(self, run: ImportedRun) -> None:
        """Appends everything to the run, and forgets it."""
        for tag, (steps, wall_times, values) in self.columns.items():
            run.scalars(tag, steps, wall_times, values)
            run.facts.last_step = max(run.facts.last_step, *steps)
        self.columns.clear()


def last_lines(text: str, lines: Sequence[str], most: int) -> str:
    """The text continued by lines, of which the last ``most`` characters are kept."""
    joined = text + "".join(lines)
    return joined if len(joined) <= most else joined[-most:]
