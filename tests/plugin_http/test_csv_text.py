"""Fields of CSV: what a reader gets back, and what no spreadsheet runs."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.plugin.http import csv_field, csv_response


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, ""),
        (True, "true"),
        (-3, "-3"),
        (1e-7, "1e-07"),
        ("a,b", '"a,b"'),
        (" a", '" a"'),
        ('say "x"', '"say ""x"""'),
        ([1, None, "a"], '"[1,null,""a""]"'),
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-x", "'-x"),
        ("-1.5e3", "-1.5e3"),
        ("-Infinity", "-Infinity"),
        ("-1+cmd|'/c calc'!A0", "'-1+cmd|'/c calc'!A0"),
        ("\t=1", "'\t=1"),
    ],
)
def test_fields(value: object, field: str) -> None:
    assert csv_field(value) == field


@given(st.lists(st.text(), min_size=1))
def test_a_reader_gets_the_texts_back(texts: list[str]) -> None:
    [row] = csv.reader(io.StringIO(",".join(map(csv_field, texts)) + "\r\n", newline=""))
    for found, text in zip(row or [""], texts, strict=True):
        assert found in (text, f"'{text}")
        assert found == text or text[0] in "=+-@\t\r"


def test_names_that_are_not_utf8() -> None:
    answer = csv_response(["a", "\udcff"])
    assert answer.content_type == "text/csv; charset=utf-8"
    assert answer.get_data() == b"a\r\n\\udcff\r\n"
