"""Values by column, as the scanner in Python collects them, and how they are sorted into columns by tag."""

from __future__ import annotations

import itertools

import numpy as np
from attrs import define, fields
from numpy.typing import NDArray

from insight_core.records.batch import ValueColumns
from insight_core.records.wire import NUMBER_FIELDS, Value


@define
class Slots:
    """Values of one shape, by column, not yet sorted by tag."""

    keys: NDArray[np.int64]
    places: NDArray[np.int64]  # of the value in its event
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]
    forms: NDArray[np.uint8]
    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


_PAYLOAD, _SINGLE, _DOUBLE = 0, 1, 2  # forms of a value


class TagNames:
    """A number for each (tag, field) of a file."""

    def __init__(self) -> None:
        self._keys: dict[tuple[bytes, str], int] = {}
        self._names: list[tuple[str, str]] = []

    def key(self, tag: bytes, field: str) -> int:
        key = self._keys.get((tag, field))
        if key is None:
            key = self._keys[(tag, field)] = len(self._names)
            self._names.append((tag.decode("utf-8", "backslashreplace"), field))
        return key

    def sorted_by_tag(self, slots: list[Slots]) -> list[ValueColumns]:
        """The collected values, sorted by tag and place in the file."""
        if not slots:
            return []
        whole = Slots(*(np.concatenate([getattr(s, field.name) for s in slots]) for field in fields(Slots)))
        by_tag = np.lexsort((whole.places, whole.records, whole.keys))
        keys = whole.keys[by_tag]
        edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
        columns = []
        for first, last in itertools.pairwise(edges):
            part = by_tag[first:last]
            tag, field = self._names[int(keys[first])]
            forms = whole.forms[part]
            for some in _same_form(forms):
                chosen = part if some is None else part[some]
                form = int(whole.forms[chosen[0]])
                values = None if form == _PAYLOAD else whole.values[chosen]
                located = field not in NUMBER_FIELDS
                columns.append(
                    ValueColumns(
                        tag,
                        field,
                        whole.steps[chosen],
                        whole.wall_times[chosen],
                        values.astype(np.float32) if values is not None and form == _SINGLE else values,
                        whole.records[chosen] if located else None,
                        whole.starts[chosen] if located else None,
                        whole.sizes[chosen] if located else None,
                    )
                )
        return columns


def _same_form(forms: NDArray[np.uint8]) -> list[NDArray[np.intp] | None]:
    """Places of each form, in file order; None stands for all."""
    if (forms == forms[0]).all():
        return [None]
    edges = [0, *(np.flatnonzero(np.diff(forms.astype(np.int8))) + 1).tolist(), len(forms)]
    return [np.arange(a, b) for a, b in itertools.pairwise(edges)]


def form_of(value: Value) -> int:
    if value.number == "<f":
        return _SINGLE
    return _DOUBLE if value.number or value.number_value is not None else _PAYLOAD
