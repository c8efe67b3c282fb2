"""How a tag's values are stored: which tensors count as numbers, and blocks of one form."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_core.formats.columns import Block, never_back
from insight_core.formats.event import Metadata, Value


@define
class NumberTags:
    """Tags of one file whose tensors are read as numbers; tensors of one number then need no locators.

    The first metadata of a tag in the file decides. So tags are learned only while the file is scanned from
    its beginning without a gap; tags learned before a gap remain valid.
    """

    plugins: frozenset[str]  # summary plugins that take numbers, and nothing but numbers
    is_complete: bool = True  # nothing was left out so far
    _by_tag: dict[str, bool] = field(init=False, factory=dict)

    def learn(self, metadata: Mapping[str, Metadata]) -> None:
        """Of the next batch."""
        if self.is_complete and self.plugins:
            for tag in metadata.keys() - self._by_tag.keys():
                self._by_tag[tag] = metadata[tag].plugin in self.plugins

    def __contains__(self, tag: str) -> bool:
        return self._by_tag.get(tag, False)


_PAYLOAD, _SINGLE, _DOUBLE = 0, 1, 2  # forms of a value
_ALONE = 3  # form of a simple_value among tensors: single, without locator


def split_by_form(found: Block, forms: NDArray[np.uint8], numbers_are_located: bool) -> list[Block]:
    """Stretches of one form; ``found``, of one tag, has a float64 for each value, and places for all or
    none."""
    edges = [0, *(np.flatnonzero(np.diff(forms)) + 1).tolist(), len(forms)]
    return [
        _of_form(found, slice(first, end), int(forms[first]), numbers_are_located)
        for first, end in itertools.pairwise(edges)
    ]


def _of_form(found: Block, part: slice, form: int, numbers_are_located: bool) -> Block:
    columns = found.columns[part]
    if form == _PAYLOAD:
        columns.values = None
    else:
        if form != _DOUBLE and columns.values is not None:
            columns.values = columns.values.astype(np.float32)
        if form == _ALONE or not numbers_are_located:
            columns.places = None
    field = "simple_value" if form == _ALONE else found.field
    ascending = np.array([never_back(columns.steps)])
    return Block(field, found.tags, np.array([len(columns)]), ascending, columns)


def form_of(value: Value) -> int:
    """How a value is stored: as a float32, as a float64, or as a payload."""
    if value.number == "<f":
        return _SINGLE
    return _DOUBLE if value.number or value.number_value is not None else _PAYLOAD
