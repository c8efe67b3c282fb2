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
            located = field not in NUMBER_FIELDS
            found = ValueColumns(
                tag,
                field,
                whole.steps[part],
                whole.wall_times[part],
                whole.values[part],
                whole.records[part] if located else None,
                whole.starts[part] if located else None,
                whole.sizes[part] if located else None,
            )
            columns += split_by_form(found, whole.forms[part])
        return columns


def split_by_form(columns: ValueColumns, forms: NDArray[np.uint8]) -> list[ValueColumns]:
    """Stretches of one form; ``columns`` have a float64, of use or not, for each value."""
    edges = [0, *(np.flatnonzero(np.diff(forms)) + 1).tolist(), len(forms)]
    return [_of_form(columns, slice(a, b), int(forms[a])) for a, b in itertools.pairwise(edges)]


def _of_form(columns: ValueColumns, part: slice, form: int) -> ValueColumns:
    values = None if columns.values is None or form == _PAYLOAD else columns.values[part]
    return ValueColumns(
        columns.tag,
        columns.field,
        columns.steps[part],
        columns.wall_times[part],
        values.astype(np.float32) if values is not None and form == _SINGLE else values,
        None if columns.records is None else columns.records[part],
        None if columns.starts is None else columns.starts[part],
        None if columns.sizes is None else columns.sizes[part],
    )


def form_of(value: Value) -> int:
    if value.number == "<f":
        return _SINGLE
    return _DOUBLE if value.number or value.number_value is not None else _PAYLOAD
