"""Tables by Arrow's PyCapsule interface: values, gaps, shared memory, and its release."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from insight_host import LogTable, arrow
from insight_host.arrow import LogColumn
from insight_host.tables import of_any

ROWS = 1000


@pytest.fixture
def table() -> LogTable:
    values = np.arange(ROWS, dtype=np.float64)
    values[:3] = np.nan, np.inf, -np.inf
    return LogTable(
        {
            "run": LogColumn(np.arange(ROWS, dtype=np.int32) % 3, ["a", "é", ""]),
            "step": LogColumn(np.arange(ROWS)),
            "value": LogColumn(values),
            "attempt": LogColumn(np.ones(ROWS, np.int32)),
            "flag": LogColumn(np.arange(ROWS) % 2 == 0, valid=np.arange(ROWS) % 5 != 0),
        }
    )


@pytest.fixture(autouse=True)
def _all_memory_is_given_back() -> Iterator[None]:
    gc.collect()
    before = len(arrow._alive), len(arrow._capsules)
    yield
    gc.collect()
    assert (len(arrow._alive), len(arrow._capsules)) == before


def test_pyarrow_takes_every_value_and_shares_numbers(table: LogTable) -> None:
    taken = pa.table(table)
    taken.validate(full=True)
    assert taken.schema == pa.schema(table)
    assert taken.column("run").to_pylist()[:4] == ["a", "é", "", "a"]
    assert taken.column("flag").to_pylist()[:6] == [None, False, True, False, True, None]
    np.testing.assert_array_equal(taken.column("value").to_numpy(), table["value"])
    for name in ("step", "value", "attempt"):
        assert taken.column(name).chunk(0).buffers()[1].address == table[name].ctypes.data


def test_polars_takes_every_value_and_shares_numbers(table: LogTable) -> None:
    taken = table.to_polars()
    assert taken["run"].to_list()[:4] == ["a", "é", "", "a"]
    assert taken["flag"].to_list() == table["flag"].tolist()
    for name in ("step", "value", "attempt"):
        column = taken[name].to_numpy(allow_copy=False)
        assert column.ctypes.data == table[name].ctypes.data
        np.testing.assert_array_equal(column, table[name])


def test_pandas_takes_every_value_and_shares_numbers(table: LogTable) -> None:
    taken = table.to_pandas()
    assert isinstance(taken["run"].dtype, pd.CategoricalDtype)
    assert taken["run"].tolist()[:4] == ["a", "é", "", "a"]
    assert taken["flag"].astype(object).where(taken["flag"].notna(), None).tolist() == table["flag"].tolist()
    for name in ("step", "value", "attempt"):
        column = taken[name].to_numpy(copy=False)
        assert column.ctypes.data == table[name].ctypes.data
        np.testing.assert_array_equal(column, table[name])


def test_duckdb_takes_every_value(table: LogTable) -> None:
    with duckdb.connect() as connection:
        connection.register("logged", table)
        found = connection.execute(
            "select run, count(*), sum(step), count(flag), count(*) filter (isnan(value)) from logged"
            " group by run order by run"
        ).fetchall()
        connection.unregister("logged")
    steps = {name: [step for step in range(ROWS) if step % 3 == at] for at, name in enumerate(["a", "é", ""])}
    assert found == [
        (
            name,
            len(steps[name]),
            sum(steps[name]),
            sum(step % 5 != 0 for step in steps[name]),
            int(name == "a"),
        )
        for name in ("", "a", "é")
    ]


def test_a_table_is_taken_several_times_and_outlives_its_source() -> None:
    table = LogTable({"step": LogColumn(np.arange(5))})
    first, second = pa.table(table), pa.table(table)
    del table
    gc.collect()
    assert first.equals(second)
    assert first.column("step").to_pylist() == [0, 1, 2, 3, 4]


def test_what_nobody_takes_is_released(table: LogTable) -> None:
    assert (table.__arrow_c_schema__(), table.__arrow_c_stream__()) != (None, None)


def test_a_table_without_rows_has_its_columns(table: LogTable) -> None:
    empty = LogTable(
        {name: LogColumn(each.values[:0], each.words and []) for name, each in table.schema.items()}
    )
    assert pa.table(empty).schema.names == table.columns
    assert empty.to_polars().shape == (0, 5)
    assert empty.to_pandas().shape == (0, 5)
    assert list(empty.rows()) == []


def test_a_child_that_was_moved_out_is_not_released_twice(table: LogTable) -> None:
    column = pa.table(table).column("run")  # the others are released, this one stays
    gc.collect()
    assert column.to_pylist()[:2] == ["a", "é"]


@pytest.mark.parametrize(
    "holder",
    [
        "import pyarrow; kept = pyarrow.table(table)",
        "import polars; kept = polars.DataFrame(table)",
        "import duckdb; duckdb.sql('create view kept as select 1'); duckdb.register('logged', table);"
        " kept = duckdb.sql('select sum(step) from logged')",
        "kept = table.__arrow_c_stream__()",
        "import pyarrow, builtins; builtins.kept = pyarrow.table(table)",
    ],
)
def test_an_interpreter_that_ends_with_tables_in_use_ends_well(holder: str) -> None:
    program = (
        "from insight_host.tables import LogTable, of_any\n"
        "table = LogTable({'step': of_any([1, 2, None]), 'run': of_any(['a', 'b', 'a'])})\n"
        f"{holder}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_columns_of_any_values_get_the_narrowest_type() -> None:
    given: dict[str, list[object]] = {
        "b": [True, None, False],
        "i": [1, None, 3],
        "f": [1, 2.5, None],
        "s": ["x", None, "x"],
        "mixed": [1, "x", None],
        "large": [1 << 70, 1, None],
    }
    table = LogTable({name: of_any(values) for name, values in given.items()})
    assert list(table.rows()) == list(
        zip(*({**given, "mixed": ["1", "x", None], "large": [str(1 << 70), "1", None]}).values(), strict=True)
    )
    types = [str(field.type) for field in pa.table(table).schema]
    assert types[:3] == ["bool", "int64", "double"]
    assert all(each.startswith("dictionary<values=string") for each in types[3:])
    assert [str(each) for each in table.to_pandas().dtypes][:3] == ["boolean", "Int64", "float64"]
