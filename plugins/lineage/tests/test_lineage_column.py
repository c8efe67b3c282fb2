"""Columns as answers have them, and that tables of odd shapes stay small and quick."""

from __future__ import annotations

import json
import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_lineage.pipeline import Operation, Stage
from insight_lineage.scalars import Scalars
from insight_lineage.table import Rows

from insight_core.filters.column import Column, values_of
from insight_core.plugin import encode_json
from insight_core.plugin.testing import FakeProvider

_plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 63), (1 << 63) - 1),
    st.floats(),
    st.text(),
    st.sampled_from(["a\nb", '","', "\ud800", "NaN"]),
)
_cells = st.one_of(_plain, st.lists(_plain, max_size=3))


@given(st.lists(_cells, max_size=9))
def test_cells_are_encoded_as_all_of_json_is(cells: list[object]) -> None:
    column = Column("x", "custom", "x", values_of(cells))  # type: ignore[arg-type]
    every = np.arange(len(cells))
    expected = encode_json(cells).decode("ascii")
    assert column.encoded(every) == expected
    assert column.encoded(every[::-1]) == encode_json(cells[::-1]).decode("ascii")
    assert column.encoded(every[:1]) == encode_json(cells[:1]).decode("ascii")
    other = Column("x", "scalar", "x", column.values)
    assert other.encoded(every) == expected
    json.loads(expected, parse_constant=lambda word: pytest.fail(f"bare {word}"))


def test_tags_of_one_run_each_take_no_room_in_the_others() -> None:
    data = FakeProvider()
    runs, tags = 300, 30
    for run in range(runs):
        for tag in range(tags):
            data.add_scalars(f"r{run}", f"{run}/{tag}", [1.0])
    rows = Rows.of(data.runs())
    scalars = Scalars(data)
    tracemalloc.start()
    try:
        scalars.place(rows.place, np.full(runs, -1))
        scalars.update(None)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(scalars.counts()) == runs * tags
    assert used < runs * tags * 2500, "a table of all tags and runs would have 40 times as many cells"
    column = scalars.column("last/7/3")
    assert column is not None
    assert (column.count, column.values[rows.place["r7"]]) == (1, 1.0)


def test_values_are_read_of_the_scalars_that_are_asked_for_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = FakeProvider()
    for run in ("x", "y"):
        for tag in "abc":
            data.add_scalars(run, tag, [1.0, 2.0])
    tables = data.series_tables
    asked: list[tuple[object, ...]] = []

    def noted(plugin: str, fields: Any, *, runs: Any = None, tags: Any = None) -> Any:  # noqa: ANN401
        asked.append((bool(fields), runs and sorted(runs), tags and sorted(tags)))
        return tables(plugin, fields, runs=runs, tags=tags)

    monkeypatch.setattr(data, "series_tables", noted)
    scalars = Scalars(data)
    scalars.place(Rows.of(data.runs()).place, np.full(2, -1))
    scalars.update(None)
    assert scalars.counts() == {"a": 2, "b": 2, "c": 2}
    assert scalars.column("last/nothing") is None
    assert asked == [(False, None, None)]
    for _ in range(2):
        column = scalars.column("last/b")
        assert column is not None
        assert column.values.tolist() == [2.0, 2.0]
    data.add_scalars("y", "b", [5.0], steps=[2])
    assert not scalars.update({"y"})
    assert asked[1:] == [(True, None, ["b"]), (False, ["y"], None), (True, ["y"], ["b"])]
    column = scalars.column("last/b")
    assert column is not None
    assert column.values.tolist() == [2.0, 5.0]


def test_columns_of_scalars_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_lineage.scalars._MOST_CELLS", 6)
    data = FakeProvider()
    for tag in "abc":
        for run in ("x", "y"):
            data.add_scalars(run, tag, [1.0, 3.0])
    scalars = Scalars(data)
    scalars.place(Rows.of(data.runs()).place, np.full(2, -1))
    scalars.update(None)
    names = [f"{which}/{tag}" for tag in "abc" for which in ("last", "min")]
    first = [scalars.column(name) for name in names]
    assert scalars.column(names[-1]) is first[-1]
    assert scalars.column(names[0]) is not first[0]
    assert [one.values.tolist() for one in first if one] == [[3.0, 3.0], [1.0, 1.0]] * 3


def test_thousands_of_pipelines_that_differ_are_told_apart_at_once() -> None:
    def pipeline(number: int) -> tuple[Stage, ...]:
        operation = Operation("Resize", {"size": [number, 2], "ratio": math.nan})
        return (Stage("Mnist", {"dataset_dir": f"/data/{number}"}, (operation,), None, ()),)

    began = time.process_time()
    numbers: dict[tuple[Stage, ...], int] = {}
    for number in [*range(5000), *range(5000)]:
        numbers.setdefault(pipeline(number), number)
    assert list(numbers.values()) == list(range(5000))
    assert time.process_time() - began < 2
    assert Operation("x", {"a": 1}) != Operation("x", {"a": True})
    assert Operation("x", {"a": [1]}) == Operation("x", {"a": [1]})
