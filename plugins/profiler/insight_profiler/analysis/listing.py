"""Tables of answers: search, sort, pagination; as JSON or CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.http import csv_field, matcher_of
from insight_core.plugin.lab import Matcher

_LINES = 1000  # of CSV that are made at once
_NOT_ALLOWED = ReasonKind("not_allowed", "sort must be one of {allowed}, not {value!r}", "name")


@frozen(eq=False)
class TableColumn:
    """One column: numbers (whole ones below 0 and NaN say "not known"), or places of texts (-1: none)."""

    name: str
    unit: str  # ns, count, share, ratio, flops, bytes, percent, number, text
    values: NDArray[Any]
    texts: Sequence[str] | None = None
    is_signed: bool = False  # whole numbers below 0 are numbers like others

    @property
    def known(self) -> NDArray[np.bool_]:
        """bool[rows]: False for NaN and, in unsigned columns, for negative values."""
        if self.values.dtype.kind == "f":
            return np.asarray(np.isfinite(self.values))
        return np.asarray(self.is_signed | (self.values >= 0))

    def take(self, rows: NDArray[np.intp]) -> TableColumn:
        """The column with only these rows, in this order."""
        return evolve(self, values=self.values[rows])

    def shown(self) -> list[Any]:
        """Values for JSON: texts or numbers, None where unknown."""
        values: list[Any] = self.values.tolist()
        if self.texts is not None:
            return [self.texts[place] if place >= 0 else None for place in values]
        return [value if known else None for value, known in zip(values, self.known.tolist(), strict=True)]

    def keys(self) -> NDArray[Any]:
        """By which rows are sorted: texts by their letters, case aside."""
        if self.texts is None:
            return self.values
        places, inverse = np.unique(self.values, return_inverse=True)
        names = [self.texts[place] if place >= 0 else "" for place in places.tolist()]
        order = sorted(range(len(names)), key=lambda place: (names[place].lower(), names[place]))
        ranks = np.empty(len(names), np.int64)
        ranks[order] = np.arange(len(names))
        return ranks[inverse]

    def matching(self, matcher: Matcher) -> NDArray[np.bool_]:
        """bool[rows]: rows whose text matches; all False for a column of numbers."""
        if self.texts is None:
            return np.zeros(len(self.values), bool)
        places = np.unique(self.values)
        places = places[places >= 0]
        found = matcher.rows([self.texts[place] for place in places.tolist()])
        return np.isin(self.values, places[found])

    def equal_to(self, text: str) -> NDArray[np.bool_]:
        """bool[rows]: rows whose text is ``text``; all False for a column of numbers."""
        if self.texts is None:
            return np.zeros(len(self.values), bool)
        places = np.unique(self.values)
        equal = [place for place in places.tolist() if place >= 0 and self.texts[place] == text]
        return np.isin(self.values, equal)


def _by_name(columns: Iterable[TableColumn]) -> dict[str, TableColumn]:
    return {column.name: column for column in columns}


@frozen
class Wanted:
    """What a request asks of a listing. Without ``limit`` all rows."""

    text: str = ""
    is_regex: bool = False
    searched: Sequence[str] = ()  # columns
    sort: str = ""
    is_descending: bool = True
    offset: int = 0
    limit: int | None = None
    columns: Sequence[str] = ()  # all when empty

    def page_of(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows from ``offset`` on, at most ``limit`` of them."""
        return rows[self.offset : None if self.limit is None else self.offset + self.limit]


@frozen(eq=False)
class SortedTable:
    """All rows there are; ``select`` makes the answer of them."""

    columns: Mapping[str, TableColumn] = field(converter=_by_name)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).values) if self.columns else 0

    def is_text(self, name: str) -> bool:
        """Whether there is a column of this name that holds texts."""
        return name in self.columns and self.columns[name].texts is not None

    def having(self, name: str, text: str) -> SortedTable:
        """Only rows with this text in a column."""
        rows = np.flatnonzero(self.columns[name].equal_to(text))
        return SortedTable([column.take(rows) for column in self.columns.values()])

    def matching(self, wanted: Wanted) -> NDArray[np.intp]:
        """Rows that match, in the order asked for; what is not known comes last."""
        rows = np.arange(len(self))
        if wanted.text:
            matcher = matcher_of(wanted.text, is_regex=wanted.is_regex)
            chosen = np.zeros(len(self), bool)
            for name in wanted.searched:
                if name in self.columns:
                    chosen |= self.columns[name].matching(matcher)
            rows = np.flatnonzero(chosen)
        if wanted.sort:
            if wanted.sort not in self.columns:
                known = ", ".join(self.columns)
                raise InvalidArgument(_NOT_ALLOWED(name="sort", allowed=known, value=wanted.sort))
            column = self.columns[wanted.sort].take(rows)
            keys = column.keys()
            keys = -keys if wanted.is_descending else keys
            rows = rows[np.lexsort((keys, ~column.known))]
        return rows

    def page(self, rows: NDArray[np.intp], wanted: Wanted) -> dict[str, Any]:
        """``columns`` and ``rows`` of the page, and how many match of how many."""
        part = wanted.page_of(rows)
        shown = [column.take(part) for column in self._chosen(wanted)]
        return {
            "columns": [{"name": column.name, "unit": column.unit} for column in shown],
            "rows": list(zip(*(column.shown() for column in shown), strict=True)) if shown else [],
            "offset": wanted.offset,
            "total": len(rows),
            "of": len(self),
        }

    def text_size(self, rows: NDArray[np.intp], wanted: Wanted) -> int:
        """Characters of the texts of the page: a log may repeat a long one in every row."""
        part, size = wanted.page_of(rows), 0
        for column in self._chosen(wanted):
            if column.texts is not None:
                places, counts = np.unique(column.values[part], return_counts=True)
                for place, count in zip(places.tolist(), counts.tolist(), strict=True):
                    size += len(column.texts[place]) * count if place >= 0 else 0
        return size

    def csv_lines(self, rows: NDArray[np.intp], wanted: Wanted) -> Iterator[str]:
        """All rows given, below a header that has the units of times in it."""
        chosen = self._chosen(wanted)
        names = (f"{column.name}_ns" if column.unit == "ns" else column.name for column in chosen)
        yield ",".join(map(csv_field, names))
        for at in range(0, len(rows), _LINES):
            shown = [column.take(rows[at : at + _LINES]) for column in chosen]
            for row in zip(*(column.shown() for column in shown), strict=True):
                yield ",".join(map(csv_field, row))

    def _chosen(self, wanted: Wanted) -> list[TableColumn]:
        """Those asked for, else all, but for columns in which nothing is known."""
        names = [name for name in wanted.columns if name in self.columns] or list(self.columns)
        return [self.columns[name] for name in names if self.columns[name].known.any() or not len(self)]
