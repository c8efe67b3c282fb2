"""Finds the step of each value in the history of a W&B run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from insight_core.plugin import Flaw, ReasonKind
from insight_importers.series_buffer import SeriesBuffer

_MOST_CHANGES = 10  # of axes; each translates the run again
_MOST_NAMED = 5  # tags in a note
_LARGEST = float(1 << 63)
_INTERNAL = "_"  # begins the names of W&B's own metrics: its step and its times are axes of the page
_WANDB_AXIS = ReasonKind(
    "importers_wandb_axis",
    "W&B shows {tags} over {axis}, which has fractions; here they stand at W&B's steps: choose {axis} as "
    "the horizontal axis in Metrics",
)


class OtherValue(NamedTuple):
    """A value that is not a number. ``row`` is W&B's step, ``log`` is where it was recorded."""

    tag: str
    step: int
    row: int
    wall_time: float
    value: Any
    log: str


class PlacedValues(NamedTuple):
    """Numbers, and other values, of a session."""

    numbers: SeriesBuffer
    others: list[OtherValue]


class HistoryRows:
    """Rows of all logs of a run, in the order of their times.

    Rows without a step, as writers of shared mode leave them, are numbered: each stands behind the last one,
    and the log of a resumed run says where it goes on. ``define_metric(step_metric=)`` names a metric as the
    x axis of others: their values stand at its values, as steps, if these are whole numbers. ``state`` is
    what a later call needs.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        for key in ("next", "last", "logged", "axes"):
            state.setdefault(key, {})
        axes = state["axes"]
        for key, none in (("names", {}), ("prefixes", {}), ("fractions", []), ("read", {}), ("changes", 0)):
            axes.setdefault(key, none)
        self._axes = axes
        self._seen: dict[str, int] = state.setdefault("definitions", {})  # by log
        self._rows: list[tuple[float, str, int | None, float, Sequence[tuple[str, Any]]]] = []
        self._logs: list[str] = []
        self._when: dict[str, float] = {}  # the latest time of a row, by log
        self._axis_of: dict[str, str] = {}
        self._has_changed = False

    @property
    def logged(self) -> dict[str, str]:
        """The axis of each tag that has values: the name of a metric, empty for the step of W&B."""
        logged: dict[str, str] = self._state["logged"]
        return logged

    def begin_log(self, log: str) -> None:
        """Takes rows of a log from now on; logs come in the order in which they were begun."""
        self._logs.append(log)

    def start(self, log: str, starting_step: int) -> None:
        """Notes where the rows of a log begin that was written for a resumed run; 0 if that is not known."""
        if starting_step > 0:
            self._state["next"].setdefault(log, starting_step)

    def define(self, log: str, metric: Any) -> None:  # noqa: ANN401 - a message
        """Takes a definition of a metric."""
        self._seen[log] = self._seen.get(log, 0) + 1
        if self._seen[log] <= self._axes["read"].get(log, 0):
            return  # it was read before the run was translated again
        self._axes["read"][log] = self._seen[log]
        if metric.glob_name.endswith("*"):
            known, name = self._axes["prefixes"], metric.glob_name[:-1]
        else:
            known, name = self._axes["names"], metric.name or metric.glob_name
        name, axis = name.replace("\\.", "."), metric.step_metric.replace("\\.", ".")
        if name not in known or (axis and known[name] != axis):
            known[name] = axis
            self._axis_of.clear()
            self._has_changed = True

    def add(self, log: str, step: int | None, wall_time: float, values: Sequence[tuple[str, Any]]) -> None:
        """Takes a row with the values of its tags."""
        latest = self._when.get(log, -math.inf)
        self._when[log] = latest = wall_time if wall_time > latest else latest
        self._rows.append((latest, log, step, wall_time, values))

    def settle(self) -> bool:
        """Decides which metrics can be axes. False: values that were taken before need another axis.

        The run is then to be translated again, with the same ``axes`` in its state.
        """
        axes = self._axes
        for name in self._metrics():
            if any(_is_fraction(value) for row in self._rows for tag, value in row[4] if tag == name):
                axes["fractions"].append(name)
                self._axis_of.clear()
                self._has_changed = True
        if not self._has_changed or axes["changes"] == _MOST_CHANGES:
            return True
        if all(self._axis(tag) == axis for tag, axis in self.logged.items()):
            return True
        axes["changes"] += 1
        return False

    def place(self) -> dict[int, PlacedValues]:
        """The values of all rows that were taken, by session.

        A log is a session of its own if its rows have steps: W&B goes back to the step of its first row.
        """
        counts, last, logged = self._state["next"], self._state["last"], self.logged
        axes, found = self._metrics(), dict[int, PlacedValues]()
        sessions = {log: number for number, log in enumerate(self._logs)}
        self._rows.sort(key=lambda row: row[0])
        for _, log, given, wall_time, values in self._rows:
            counter = log if log in counts else ""
            row = counts.get(counter, 0) if given is None else given
            for name in {counter, ""}:
                counts[name] = max(counts.get(name, 0), row + 1)
            if axes:
                last.update((tag, int(value)) for tag, value in values if tag in axes and _is_whole(value))
            session = 0 if given is None else sessions[log]
            numbers, others = found.setdefault(session, PlacedValues(SeriesBuffer(), []))
            for tag, value in values:
                axis = logged.get(tag)
                if axis is None:
                    axis = logged[tag] = self._axis(tag)
                step = last.get(axis, row) if axis else row
                if isinstance(value, float):
                    numbers.add(tag, step, wall_time, value)
                else:
                    others.append(OtherValue(tag, step, row, wall_time, value, log))
        self._rows.clear()
        return found

    def flaws(self) -> Iterator[Flaw]:
        """Notes on axes that could not be used."""
        for name in self._axes["fractions"]:
            tags = [tag for tag in self.logged if self._defined(tag) == name]
            if tags:
                named = ", ".join(tags[:_MOST_NAMED]) + (", …" if len(tags) > _MOST_NAMED else "")
                yield Flaw(0, _WANDB_AXIS(tags=named, axis=name))

    def _metrics(self) -> set[str]:
        """The metrics that are axes of others."""
        axes = self._axes
        return {*axes["names"].values(), *axes["prefixes"].values()} - {"", *axes["fractions"]}

    def _axis(self, tag: str) -> str:
        axis = self._axis_of.get(tag)
        if axis is None:
            defined = self._defined(tag)
            axis = "" if defined in self._axes["fractions"] else defined
            self._axis_of[tag] = axis
        return axis

    def _defined(self, tag: str) -> str:
        """The metric that is the x axis of a tag; empty if none, or W&B's own."""
        names, prefixes = self._axes["names"], self._axes["prefixes"]
        axis: str | None = names.get(tag)
        if axis is None:
            longest = max((one for one in prefixes if tag.startswith(one)), key=len, default=None)
            axis = "" if longest is None else prefixes[longest]
        return "" if axis == tag or axis.startswith(_INTERNAL) else axis


def _is_whole(value: object) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST


def _is_fraction(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value) and not _is_whole(value)
