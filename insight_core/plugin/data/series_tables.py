"""Series by run and column: what is known of a million series without a million objects."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

from attrs import frozen

SeriesField: TypeAlias = Literal[
    "points",
    "kept",
    "first_step",
    "last_step",
    "last_value",
    "last_wall_time",
    "attempts",
    "display_name",
    "description",
    "claims",
    "content",
    "data_class",
]  # Fields of SeriesInfo that a SeriesTable may have, in the same order.


@frozen(eq=False)
class SeriesTable:
    """Series of one run by column.

    Every field is either in ``common``, the one value of all series, or in ``columns``, a value for each tag.
    """

    run: str
    tags: tuple[str, ...]  # distinct
    common: Mapping[str, object]
    columns: Mapping[str, Sequence[object]]

    def column(self, field: str) -> Sequence[object]:
        """The values of a field, one for each tag."""
        column = self.columns.get(field)
        return [self.common[field]] * len(self.tags) if column is None else column

    def at(self, places: Sequence[int]) -> SeriesTable:
        """The part of the table with the tags at these places."""
        columns = {field: [column[place] for place in places] for field, column in self.columns.items()}
        return SeriesTable(self.run, tuple([self.tags[place] for place in places]), self.common, columns)

    def of_tags(self, wanted: Container[str]) -> SeriesTable:
        """The part of the table with these tags."""
        return self.at([place for place, tag in enumerate(self.tags) if tag in wanted])

    def without(self, tags: Iterable[str]) -> SeriesTable:
        """The part of the table without these tags."""
        return self.of_tags(set(self.tags).difference(tags))
