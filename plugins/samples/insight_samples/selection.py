"""Chooses samples: by step and conditions on numbers, in an order, in pages."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_samples.indexes import IndexedPart, SampleIndexes, SourceIndex
from insight_samples.indexing import EMPTY, IS_REPEATED, SCORE, TRUNCATED
from insight_samples.summaries import Summary, joined, length_of, scores_in, summary_of

_CONDITION = re.compile(r"\s*(.+?)\s*(<=|>=|!=|=|<|>)\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*", re.I)
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
_SIGNS = {"empty": EMPTY, "truncated": TRUNCATED, "repeated": IS_REPEATED}
_ORDERS = ("", "group", "file")  # that are no columns
MOST_SHOWN = 1000  # steps of one answer
_MOST_PARTS = 64  # of which a summary is made


@frozen
class Chosen:
    """Rows of parts: ``part`` counts ``parts``, ``row`` the rows of that part; columns by name."""

    parts: Sequence[IndexedPart]
    part: NDArray[np.int64]
    row: NDArray[np.int64]
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.part)

    def taken(self, places: NDArray[Any]) -> Chosen:
        """Only these, in this order."""
        columns = {name: column[places] for name, column in self.columns.items()}
        return Chosen(self.parts, self.part[places], self.row[places], columns)


def parts_at(index: SourceIndex, step: int | None) -> Sequence[IndexedPart]:
    """The parts that have rows of a step, or all."""
    if step is None:
        return index.parts
    return [one for one in index.parts if one.part.has(step)]


def summaries(
    index: SourceIndex, indexes: SampleIndexes, most: int = MOST_SHOWN
) -> tuple[list[int], dict[int, Summary]]:
    """All steps, and the summaries of at most so many, with the first and the last."""
    if not index.parts:
        return [], {}
    steps = np.unique(np.concatenate([one.part.steps for one in index.parts]))
    shown = steps[np.unique(np.linspace(0, len(steps) - 1, min(most, len(steps))).astype(int))]
    parts: dict[int, list[IndexedPart]] = {step: [] for step in shown.tolist()}
    for one in index.parts:
        for step in one.part.steps.tolist():
            if step in parts:
                parts[step].append(one)
    found = {step: _summary(index, indexes, step, having) for step, having in parts.items()}
    return steps.tolist(), found


def _summary(index: SourceIndex, indexes: SampleIndexes, step: int, parts: Sequence[IndexedPart]) -> Summary:
    """The summary of a step that these parts have; of very many parts some, evenly apart."""
    last = parts[-1]
    if step in last.part.summaries and all(one.file.id == last.file.id for one in parts):
        of_file: Summary = last.part.summaries[step]  # of all parts of it
        return of_file

    def make() -> Summary:
        places = np.unique(np.linspace(0, len(parts) - 1, min(_MOST_PARTS, len(parts))).astype(int))
        some = summary_of([indexes.columns(parts[place]) for place in places], step)
        if len(places) == len(parts):
            return some
        rows = [np.count_nonzero(indexes.columns(one, ["step"])["step"] == step) for one in parts]
        return {**some, "rows": sum(rows)}

    return indexes.summary((index.source.run, index.source.name, step), parts, make)


def chosen(
    index: SourceIndex,
    indexes: SampleIndexes,
    step: int | None,
    conditions: Sequence[str] = (),
    names: Sequence[str] | None = None,
) -> Chosen:
    """The samples of a step, or all, that meet the conditions, in the order of the files.

    ``names`` are the columns that are wanted, by default all.
    """
    tests = [_condition(text) for text in conditions]
    needed = None if names is None else {"step", *names, *(name for _, used in tests for name in used)}
    parts = parts_at(index, step)
    places: list[NDArray[np.intp]] = []
    for one in parts:
        if step is None and not tests:
            places.append(np.arange(one.part.rows))
            continue
        columns = indexes.columns(one, needed)
        is_met = np.ones(one.part.rows, bool) if step is None else columns["step"] == step
        for test, _ in tests:
            is_met &= test(columns)
        places.append(np.flatnonzero(is_met))
    return rows_of(parts, indexes, places, names)


def rows_of(
    parts: Sequence[IndexedPart],
    indexes: SampleIndexes,
    places: Sequence[NDArray[np.intp]],
    names: Sequence[str] | None = None,
) -> Chosen:
    """The rows at these places of each part, in the order of the parts."""
    found = [(number, rows) for number, rows in enumerate(places) if len(rows)]
    taken: list[dict[str, NDArray[Any]]] = []
    for number, rows in found:
        columns = indexes.columns(parts[number], names) if names is None or names else {}
        taken.append(
            {name: column[rows] for name, column in columns.items() if names is None or name in names}
        )
    columns = joined(taken, [len(rows) for _, rows in found])
    part = np.repeat([number for number, _ in found], [len(rows) for _, rows in found]).astype(np.int64)
    row = np.concatenate([rows for _, rows in found]).astype(np.int64) if found else np.zeros(0, np.int64)
    return Chosen(parts, part, row, columns)


def ordered(of: Chosen, sort: str, *, is_descending: bool, page: slice) -> Chosen:
    """A page of the rows by a column, unknown values last; ``group``: groups as they come, with the best
    score first in each; ``file``: as they are."""
    if not len(of) or sort == "file":
        return of.taken(np.arange(len(of))[page])
    if sort in ("", "group"):
        _, first, group = np.unique(of.columns["group"], return_index=True, return_inverse=True)
        keys: list[NDArray[Any]] = [np.arange(len(of))]
        scores = scores_in(of.columns)
        if scores:
            keys.append(-np.nan_to_num(of.columns[scores[0]], nan=-np.inf))
        keys.append(first[group])
        return of.taken(np.lexsort(keys)[page])
    column = length_of(of.columns) if sort == "length" else of.columns.get(sort)
    if column is None:
        raise InvalidArgument(f"there is no column {sort!r}", code="samples_no_column", column=sort)
    values = column.astype(np.float64)
    return of.taken(_lowest(-values if is_descending else values, page.stop)[page])


def _lowest(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """The places of the ``count`` lowest values in their order, equal ones as they come, NaN last."""
    if count < len(values) // 8:  # most need not be sorted
        limit = np.partition(values, count)[count]
        if not np.isnan(limit):
            below, equal = np.flatnonzero(values < limit), np.flatnonzero(values == limit)
            return np.concatenate([below[np.argsort(values[below], kind="stable")], equal])[:count]
    return np.argsort(values, kind="stable")[:count]


_Test = Callable[[Mapping[str, NDArray[Any]]], NDArray[np.bool_]]


def _condition(text: str) -> tuple[_Test, Sequence[str]]:
    """``score > 0.5``, ``length <= 100``, ``truncated``, ``not empty``, and the columns that it reads.

    Raises InvalidArgument.
    """
    bare = text.strip()
    word = bare.removeprefix("not ").strip()
    if word in _SIGNS:
        sign, is_set = _SIGNS[word], word == bare
        return lambda columns: ((columns["flags"] & sign) != 0) == is_set, ["flags"]
    found = _CONDITION.fullmatch(text)
    try:
        name, compare, value = found[1], _OPERATORS[found[2]], float(found[3])  # type: ignore[index]
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"{text!r} is no condition: write such as reward > 0.5, length < 100, truncated, not empty",
            code="samples_condition",
            text=text,
        ) from None

    def test(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.bool_]:
        column = length_of(columns) if name == "length" else columns.get(SCORE + name, columns.get(name))
        if column is None:
            return np.zeros(len(columns["step"]), bool)
        return np.asarray(compare(column, value) & ~np.isnan(column))

    return test, [SCORE + name, name, *(("characters",) if name == "length" else ())]


def page_of(
    index: SourceIndex,
    indexes: SampleIndexes,
    step: int | None,
    conditions: Sequence[str],
    order: tuple[str, bool],
    page: slice,
) -> tuple[int, Chosen]:
    """How many samples meet the conditions, and those of a page in an order: column and whether it descends.

    Of all steps only what decides about the order is read, and columns of the page.
    """
    sort, is_descending = order
    if step is not None:
        found = chosen(index, indexes, step, conditions)
        if sort not in (*_ORDERS, "length") and len(found):
            sort = sort if sort in found.columns else SCORE + sort
        return len(found), ordered(found, sort, is_descending=is_descending, page=page)
    names = (
        [sort, SCORE + sort, *(("characters",) if sort == "length" else ())] if sort not in _ORDERS else []
    )
    every = chosen(index, indexes, None, conditions, names)
    column = "file" if not names else sort if sort in every.columns else SCORE + sort
    few = ordered(every, column, is_descending=is_descending, page=page)
    return len(every), with_columns(few, indexes)


def with_columns(of: Chosen, indexes: SampleIndexes) -> Chosen:
    """The same rows in the same order with all columns."""
    order = np.lexsort((of.row, of.part))
    parts, rows = of.part[order], of.row[order]
    bounds = np.searchsorted(parts, np.arange(len(of.parts) + 1))
    places: list[NDArray[np.intp]] = [
        rows[low:high].astype(np.intp) for low, high in itertools.pairwise(bounds)
    ]
    back = np.empty(len(order), np.intp)
    back[order] = np.arange(len(order))
    return rows_of(of.parts, indexes, places).taken(back)
