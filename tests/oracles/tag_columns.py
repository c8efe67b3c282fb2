"""Values by column, as the scanner in Python collects them, and how they are sorted into blocks by tag."""

from __future__ import annotations

import itertools

import numpy as np
from attrs import define, fields
from numpy.typing import NDArray

from insight_core.formats.columns import Block, Columns, never_back
from insight_core.formats.event import NUMBER_FIELDS
from insight_core.ingest.scanner.columns import NumberTags, split_by_form

_PAYLOAD, _ALONE = 0, 3  # forms of a value, as in insight_core.ingest.scanner.columns


@define
class Slots:
    """Values of one shape, by column, not yet sorted by tag."""

    keys: NDArray[np.int64]
    places: NDArray[np.int64]  # of the value in its event
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]
    forms: NDArray[np.uint8]
    records: NDArray[np.int64]  # offset in the file
    starts: NDArray[np.int64]  # of the payload
    sizes: NDArray[np.int64]  # of the payload, bytes


class TagNames:
    """A number for each (tag, field) of a file."""

    def __init__(self) -> None:
        self._keys: dict[tuple[bytes, str], int] = {}
        self._names: list[tuple[str, str]] = []
        self._in_both: list[tuple[int, int]] = []  # keys of the tags that have simple_values and tensors

    def key(self, tag: bytes, field: str) -> int:
        """The number of a tag with values in this field; new ones get the next number."""
        key = self._keys.get((tag, field))
        if key is None:
            key = self._keys[(tag, field)] = len(self._names)
            self._names.append((tag.decode("utf-8", "backslashreplace"), field))
            both = self._keys.get((tag, "simple_value")), self._keys.get((tag, "tensor"))
            if key in both and both[0] is not None and both[1] is not None:
                self._in_both.append((both[0], both[1]))
        return key

    def _join(self, whole: Slots) -> None:
        """Gives a tag's simple_values to the key of its tensors, if some of these are numbers too."""
        for simple, tensor in self._in_both:
            if np.any(whole.forms[whole.keys == tensor] != _PAYLOAD):
                joined = whole.keys == simple
                whole.keys[joined] = tensor
                whole.forms[joined] = _ALONE

    def sorted_by_tag(self, slots: list[Slots], numbers: NumberTags) -> list[Block]:
        """The collected values, sorted by tag and place in the file."""
        if not slots:
            return []
        whole = Slots(*(np.concatenate([getattr(s, field.name) for s in slots]) for field in fields(Slots)))
        self._join(whole)
        by_tag = np.lexsort((whole.places, whole.records, whole.keys))
        keys = whole.keys[by_tag]
        edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
        places = np.array((whole.records, whole.starts, whole.sizes))
        blocks = []
        for first, last in itertools.pairwise(edges):
            part = by_tag[first:last]
            tag, field = self._names[int(keys[first])]
            steps = whole.steps[part]
            columns = Columns(steps, whole.wall_times[part], whole.values[part])
            if field not in NUMBER_FIELDS:
                columns.places = places[:, part]
            found = Block(field, (tag,), np.array([last - first]), np.array([never_back(steps)]), columns)
            blocks += split_by_form(found, whole.forms[part], tag not in numbers)
        return blocks
