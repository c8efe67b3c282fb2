"""Parses slices of tensors: ``[0, 2:5, :, -1]``, an index or a range per dimension.

The page has the same grammar (frontend/slices.ts); tests/fixtures/slices.json is what both must give.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from attrs import frozen

MAX_OPEN = 2
_ITEM = re.compile(r"(-?[0-9]{1,15})|(-?[0-9]{1,15})?\s*:\s*(-?[0-9]{1,15})?", re.ASCII)


class SliceError(ValueError):
    """``reason`` is one word, the same for the page: count, form, index, empty, open."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@frozen
class Selected:
    """The selection of one dimension: ``[start, stop)``. An index is not ``open``: it drops its dimension."""

    start: int
    stop: int
    open: bool


@frozen
class TensorSlice:
    """A selection from a tensor of a certain shape, at most two of its dimensions open."""

    shape: tuple[int, ...]
    dimensions: tuple[Selected, ...]

    @classmethod
    def parse(cls, text: str, shape: Sequence[int]) -> TensorSlice:
        """Raises SliceError. Without text: the last two dimensions, and index 0 of the others."""
        inside = text.strip()
        if inside.startswith("[") and inside.endswith("]"):
            inside = inside[1:-1].strip()
        items = inside.split(",") if inside else default_items(shape)
        if len(items) != len(shape):
            raise SliceError(
                "count", f"{text!r} has {len(items)} items for a tensor of {len(shape)} dimensions"
            )
        found = tuple(
            _selected(item.strip(), place, size)
            for place, (item, size) in enumerate(zip(items, shape, strict=True))
        )
        if sum(one.open for one in found) > MAX_OPEN:
            raise SliceError("open", f"{text!r} has more than {MAX_OPEN} ranges")
        return cls(tuple(shape), found)

    @property
    def key(self) -> tuple[slice | int, ...]:
        """The index that numpy takes."""
        return tuple(slice(one.start, one.stop) if one.open else one.start for one in self.dimensions)

    @property
    def open(self) -> list[tuple[int, int, int]]:
        """Dimension, start and stop of the ranges."""
        return [(place, one.start, one.stop) for place, one in enumerate(self.dimensions) if one.open]

    @property
    def count(self) -> int:
        """Number of values selected."""
        count = 1
        for one in self.dimensions:
            count *= one.stop - one.start
        return count

    def window(self, ranges: Sequence[tuple[int, int] | None]) -> TensorSlice:
        """Keeps of each open dimension the selected places ``[begin, end)``; None keeps all of them."""
        kept = {}
        for (dimension, start, stop), asked in zip(self.open, ranges, strict=False):
            if asked is not None:
                begin, end = (min(start + place, stop) for place in asked)
                kept[dimension] = Selected(begin, max(begin, end), True)
        return self._with(kept)

    def bounded(self, most: int) -> TensorSlice:
        """At most so many values of it: whole rows from the first on, or the begin of the first row.

        A row without columns counts as one value: in JSON it is a list.
        """
        ranges = self.open
        if math.prod(takewhile(bool, (stop - start for _, start, stop in ranges))) <= most:
            return self
        last, start, stop = ranges[-1]
        columns = min(most, stop - start)
        kept = {last: Selected(start, start + columns, True)}
        if len(ranges) == MAX_OPEN:
            row, start, stop = ranges[0]
            kept[row] = Selected(start, start + min(stop - start, max(1, most // max(1, columns))), True)
        return self._with(kept)

    def _with(self, kept: Mapping[int, Selected]) -> TensorSlice:
        parts = (kept.get(place, one) for place, one in enumerate(self.dimensions))
        return TensorSlice(self.shape, tuple(parts))

    def __str__(self) -> str:
        return f"[{', '.join(map(_text, self.dimensions, self.shape))}]"


def default_items(shape: Sequence[int]) -> list[str]:
    """Index 0 for all dimensions but the last two, which stay open."""
    closed = max(0, len(shape) - MAX_OPEN)
    return ["0"] * closed + [":"] * (len(shape) - closed)


def _selected(item: str, place: int, size: int) -> Selected:
    match = _ITEM.fullmatch(item)
    if match is None:
        raise SliceError("form", f"{item!r} of dimension {place} is neither an index nor a range such as 2:5")
    if match[1] is not None:
        index = int(match[1])
        if not -size <= index < size:
            raise SliceError("index", f"index {index} is out of range for dimension {place} of size {size}")
        return Selected(index % size, index % size + 1, False)
    bounds = slice(*(None if part is None else int(part) for part in match.group(2, 3)))
    start, stop, _ = bounds.indices(size)
    if start >= stop and size:
        raise SliceError("empty", f"{item!r} selects nothing of dimension {place}, which has the size {size}")
    return Selected(start, max(start, stop), True)


def _text(one: Selected, size: int) -> str:
    if not one.open:
        return str(one.start)
    return ":" if (one.start, one.stop) == (0, size) else f"{one.start}:{one.stop}"
