"""Columns by the names of their headers, numbers of texts without loss."""

from __future__ import annotations

import io
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from insight_profiler.reading.csv_columns import Csv, CsvColumns, bare, decimals, nanoseconds, unit_of


def _cells(text: str) -> CsvColumns:
    return Csv(io.BytesIO(text.encode())).whole()


@given(some.lists(some.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**9)))
def test_decimals_are_exact(values: list[Decimal]) -> None:
    texts = [format(value, "f") for value in values]
    found, is_number = decimals(texts, 6)
    expected = [int((Decimal(text) * 10**6).to_integral_value(ROUND_HALF_UP)) for text in texts]
    assert found.tolist() == expected
    assert is_number.all()


@pytest.mark.parametrize(
    ("text", "power", "expected"),
    [
        ("1795221433795769.972", 3, 1795221433795769972),  # which a float64 cannot hold
        ("1795221433795769935", 0, 1795221433795769935),
        ("5e-05", 6, 50),
        ("-1.5", 3, -1500),
        ("+2", 3, 2000),
        (".5", 3, 500),
        ("7.", 3, 7000),
        ("0.0005", 3, 1),
        ("0.00049999", 3, 0),
        ("9223372036854775807", 0, 9223372036854775807),
    ],
)
def test_numbers_in_texts(text: str, power: int, expected: int) -> None:
    found, is_number = decimals([text, "1"], power)
    assert found.tolist() == [expected, 10**power]
    assert is_number.all()


@pytest.mark.parametrize(
    "text", ["", ".", "N/A", "nan", "inf", "1.2.3", "12:30", "9223372036854775808", "1e99"]
)
def test_texts_that_are_no_numbers(text: str) -> None:
    found, is_number = decimals(["3", text], 0)
    assert is_number.tolist() == [True, False]
    assert found.tolist() == [3, 0]


def test_nothing_at_all() -> None:
    found, is_number = decimals([], 3)
    assert len(found) == len(is_number) == 0


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("1.5", "ms", 1_500_000),
        (2, "us", 2000),
        (0.25, "s", 250_000_000),
        (None, "us", -1),
        ("N/A", "us", -1),
        (True, "us", -1),
    ],
)
def test_single_times(value: object, unit: str, expected: int) -> None:
    assert nanoseconds(value, unit) == expected


@pytest.mark.parametrize(
    ("name", "expected", "unit"),
    [
        ("Start Time(us)", "starttime", "us"),
        ("start_time (ms)", "starttime", "ms"),
        ("Size(KB)", "size", "kb"),
        ("Communication(Not Overlapped)", "communicationnotoverlapped", ""),
        ("MFLOPs(10^6 cube)", "mflops106cube", ""),
    ],
)
def test_names_of_headers(name: str, expected: str, unit: str) -> None:
    assert bare(name) == expected
    assert unit_of(name) == unit


def test_columns_by_any_of_their_names() -> None:
    cells = _cells("\ufeffOp Name,Duration(ms),Size(KB)\nConv, 1.5 ,2\nReLU,0.25\t,0.5\n")
    assert cells.texts("Name", "Op Name") == ["Conv", "ReLU"]
    assert cells.nanoseconds("duration", unit="us").tolist() == [1_500_000, 250_000]
    assert cells.bytes("Size", unit="b").tolist() == [2048, 512]
    assert "DURATION" in cells
    assert "Type" not in cells
    assert cells.texts("Type") == ["", ""]
    assert cells.integers("Type").tolist() == [-1, -1]
    assert np.isnan(cells.floats("Type")).all()


def test_sizes_that_no_integer_holds() -> None:
    assert _cells("s(KB)\n1e30\n-1e300\n2\n").bytes("s", unit="b").tolist() == [-1, -1, 2048]


def test_the_unit_is_that_of_the_header() -> None:
    for header, expected in (("t", 3_000), ("t(us)", 3_000), ("t(ms)", 3_000_000), ("t(NS)", 3)):
        assert _cells(f"{header}\n3\n").nanoseconds("t", unit="us").tolist() == [expected]


def test_strange_cells_are_absent_and_counted() -> None:
    cells = _cells("a,b\n1,2\nN/A,x\n,\n3\t,4\n")
    assert cells.integers("a").tolist() == [1, -1, -1, 3]
    np.testing.assert_array_equal(cells.floats("b"), [2, np.nan, np.nan, 4])
    assert cells.strange == {"a": 1, "b": 1}


def test_rows_of_other_lengths() -> None:
    file = Csv(io.BytesIO(b"a,b\n1,2,\n3\n\n4,5,6\n7,8\n"))
    cells = file.whole()
    assert cells.integers("a").tolist() == [1, 3, 4, 7]
    assert cells.integers("b").tolist() == [2, -1, 5, 8]
    assert file.cut == 2


def test_rows_come_some_at_a_time() -> None:
    text = "n\n" + "".join(f"{number}\n" for number in range(10))
    chunks = [cells.integers("n").tolist() for cells in Csv(io.BytesIO(text.encode())).chunks(4)]
    assert chunks == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


@pytest.mark.parametrize("text", ["", "\n", "a,b\n"])
def test_files_without_rows(text: str) -> None:
    cells = _cells(text)
    assert cells.count == 0
    assert cells.integers("a").tolist() == []
    assert cells.floats("a").tolist() == []


def test_some_of_the_rows() -> None:
    cells = _cells("a,b\n1,x\n2,y\n3,z\n").taken(np.array([2, 0]))
    assert cells.integers("a").tolist() == [3, 1]
    assert cells.texts("b") == ["z", "x"]
