"""JSON objects of numbers as points."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import compress, count
from typing import Any

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from insight_core.plugin.log_formats import Points
from insight_log_tables.numbers import numbers, seconds, whole_numbers
from insight_log_tables.reasons import (
    LONG_NUMBER,
    NO_STEP,
    NOT_AN_OBJECT,
    NOT_UTF8,
    TOO_DEEP,
    not_a_step,
    shown,
)
from insight_log_tables.table import DeclaredTable
from insight_record.formats.reason import Reason, ReasonKind

_Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]  # places, steps, values, times
_TIME = ReasonKind("table_time", "the time is {value}, neither a number nor a date")
_NOT_A_NUMBER_ONCE = ReasonKind(
    "table_not_a_number_once", "{name!r} is {value}, not a number; further ones are not listed"
)


@define
class Objects:
    """Objects in the order of the file; ``damaged`` is called with a place and a reason."""

    table: DeclaredTable
    objects: Sequence[Mapping[str, Any]]
    first: int  # number of the first object in the file: the step of an object without one
    has_steps: bool  # an object without a step is damaged
    damaged: Callable[[int, str], None]
    told: list[str]  # tags without numbers that were already reported: each is reported once
    _found: dict[str, list[_Columns]] = Factory(dict)

    def points(self) -> list[Points]:
        """Points of each tag, in the order of the objects."""
        alike: dict[tuple[str, ...], list[int]] = {}
        for place, each in enumerate(self.objects):
            alike.setdefault(tuple(each), []).append(place)
        for keys, places in alike.items():
            self._add(keys, np.array(places))
        return [_points(tag, parts) for tag, parts in self._found.items()]

    def _add(self, keys: tuple[str, ...], places: NDArray[np.intp]) -> None:
        """Takes objects with the same keys in the same order."""
        rows = [self.objects[place].values() for place in places.tolist()]
        columns = dict(zip(keys, zip(*rows, strict=True), strict=True))
        times = self._times(columns.get(self.table.time), places)
        step = self.table.step_among(keys)
        cells = None if step is None else columns.pop(step)
        named = {tag: cells for name, cells in columns.items() if (tag := self.table.tag_of(name))}
        if not named:
            return
        if cells is not None:
            steps, bad = whole_numbers(cells, operator.index)
            for row in bad.tolist():
                self.damaged(int(places[row]), not_a_step(cells[row]))
        elif self.has_steps:
            for place in places.tolist():
                self.damaged(place, NO_STEP)
            return
        else:
            steps, bad = self.first + places, np.empty(0, np.intp)
        has_step = np.ones(len(places), bool)
        has_step[bad] = False
        for tag, cells in named.items():
            there, values = self._values(tag, cells, places)
            there, values = there[has_step[there]], values[has_step[there]]
            if len(there):
                part = (places[there], steps[there], values, times[there])
                self._found.setdefault(tag, []).append(part)

    def _times(self, cells: Sequence[Any] | None, places: NDArray[np.intp]) -> NDArray[np.float64]:
        if cells is None:
            return np.full(len(places), np.nan)
        times = seconds(cells, self.table.time_unit)
        unknown = np.flatnonzero(np.isnan(times)).tolist()
        bad = [row for row in unknown if cells[row] is not None and numbers([cells[row]])[1].size]
        if bad and self.table.time not in self.told:
            self.told.append(self.table.time)
            self.damaged(int(places[bad[0]]), _TIME(value=shown(cells[bad[0]])))
        return times

    def _values(
        self, tag: str, cells: Sequence[Any], places: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Indices of objects with a number, and the numbers. Null is skipped, anything else is damage."""
        there = np.arange(len(cells))
        if None in cells:
            has = [cell is not None for cell in cells]
            there, cells = np.fromiter(compress(count(), has), np.intp), list(compress(cells, has))
        values, bad = numbers(cells)
        if not len(bad):
            return there, values
        if tag not in self.told:
            self.told.append(tag)
            first = int(bad[0])
            value = shown(cells[first])
            reason = _NOT_A_NUMBER_ONCE(name=tag, value=value)
            self.damaged(int(places[there[first]]), reason)
        good = np.delete(np.arange(len(cells)), bad)
        return there[good], values[good]


def _points(tag: str, parts: list[_Columns]) -> Points:
    places, steps, values, times = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.argsort(places, kind="stable") if len(parts) > 1 else slice(None)
    return Points(tag, steps[order], values[order], times[order])


def flat(value: Mapping[str, Any]) -> dict[str, Any]:
    """Nested objects, however deep, with the names joined by ``/``."""
    found: dict[str, Any] = {}
    opened = [("", iter(value.items()))]
    while opened:
        prefix, items = opened[-1]
        for name, inner in items:
            if isinstance(inner, Mapping):
                opened.append((f"{prefix}{name}/", iter(inner.items())))
                break
            if prefix or name:
                found[prefix + name] = inner
        else:
            opened.pop()
    return found


def object_of(text: str | bytes, not_json: Callable[[json.JSONDecodeError], Reason]) -> dict[str, Any]:
    """One JSON object. Raises ValueError that says why it is none; ``not_json`` says where it breaks off."""
    try:
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise ValueError(NOT_UTF8) from error
    except json.JSONDecodeError as error:
        raise ValueError(not_json(error)) from error
    except ValueError as error:
        raise ValueError(LONG_NUMBER) from error
    except RecursionError as error:
        raise ValueError(TOO_DEEP) from error
    if not isinstance(value, dict):
        raise ValueError(NOT_AN_OBJECT)
    return value
