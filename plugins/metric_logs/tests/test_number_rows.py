"""Rows of nothing but numbers, which compiled code reads, against what ``csv`` and ``float`` make of them."""

from __future__ import annotations

import random
import struct
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from insight_metric_logs import FORMATS

from insight_core.plugin.testing import read_all
from insight_log_tables.delimited import steps_of, table_of, values_of
from insight_log_tables.lines import Lines
from insight_log_tables.number_rows import number_rows
from insight_log_tables.numbers import number

_LIGHTNING = next(one for one in FORMATS if one.name == "Lightning CSVLogger")
_NUMBERS = some.sampled_from(
    ["", "1", "0.1", "-2.5e-3", "nan", "-inf", "Infinity", "True", "false", '"7"', " 3 ", "1e400", "5e-324"]
)
_ODD = some.sampled_from(
    [
        "x",
        "1_0",
        "-",
        "1e",
        ".",
        "1 2",
        '"a,b"',
        '"a\nb"',
        '"1""2"',
        '1"',
        '"',
        "\r",
        " ",
        "\t",
        "é",
        "\0",
        "1\r",
    ]
)
_STEPS = some.sampled_from(["0", "7", "-3", "4.0", "+5", "12.", "999999999999999999", '"8"', " 9"])
_ODD_STEPS = some.sampled_from(["", "1.5", "7/9", "1e3", "9999999999999999999", "step"])


def _of_csv(
    data: bytes, width: int, step: int
) -> tuple[list[int], list[tuple[list[int], list[float]]]] | None:
    table = table_of(Lines(data, 0), 1, ",")
    if any(len(row) != width for row in table.rows):
        return None
    steps = steps_of(table, step)
    columns = [
        values_of(table, [row[column] for row in table.rows], str(column), []) for column in range(width)
    ]
    if table.flaws:
        return None
    return steps.tolist(), [(places.tolist(), values.tolist()) for places, values in columns]


@settings(max_examples=300)
@given(some.data())
def test_rows_of_numbers_are_what_csv_and_float_make_of_them(data: some.DataObject) -> None:
    width, odd = data.draw(some.integers(1, 4)), data.draw(some.sampled_from([0, 0, 0, 1, 2]))
    cell = some.one_of(_NUMBERS, _ODD) if odd == 1 else _NUMBERS
    step = some.one_of(_STEPS, _ODD_STEPS) if odd == 2 else _STEPS
    end = data.draw(some.sampled_from(["\n", "\r\n"]))
    rows = [
        [
            data.draw(step),
            *(data.draw(cell) for _ in range(width - 1 + (odd == 1 and data.draw(some.integers(0, 9)) == 0))),
        ]
        for _ in range(data.draw(some.integers(1, 5)))
    ]
    text = "".join(",".join(row) + end + data.draw(some.sampled_from(["", "", end])) for row in rows)
    found = number_rows(text.encode(), ",", width, 0, range(width))
    expected = _of_csv(text.encode(), width, 0)
    if found is None:
        assert odd
        return
    assert expected is not None, text
    assert found.steps.tolist() == expected[0]
    columns = list(found.columns())
    assert [column for column, _, _ in columns] == list(range(width))
    for (_, places, values), (rows_of_csv, values_of_csv) in zip(columns, expected[1], strict=True):
        assert (list(range(len(expected[0]))) if places is None else places.tolist()) == rows_of_csv
        np.testing.assert_array_equal(values, values_of_csv)


@settings(max_examples=300)
@given(some.data())
def test_text_in_columns_that_nobody_wants_is_passed_over_as_csv_passes_over_it(
    data: some.DataObject,
) -> None:
    """Also quotes, delimiters and line ends within quotes; a quote that is not closed is left to ``csv``."""
    text = some.sampled_from(
        ["", "x", '"a,b"', '"a\nb"', '"a\r\nb"', '"say ""hi"""', '""""', '""', '"\n\n"', '"a"b', '"a']
    )
    end = data.draw(some.sampled_from(["\n", "\r\n"]))
    texts = data.draw(some.lists(text, min_size=1, max_size=5))
    rows = [f"{data.draw(_STEPS)},{one},{data.draw(_NUMBERS)}" for one in texts]
    log = "".join(f"{row}{end}" for row in rows).encode()
    found = number_rows(log, ",", 3, 0, [2])
    if '"a' in texts or '"a"b' in texts:
        return
    assert found is not None, log
    table = table_of(Lines(log, 0), 1, ",")
    assert found.steps.tolist() == steps_of(table, 0).tolist()
    [(_, places, values)] = list(found.columns())
    expected = values_of(table, [row[2] for row in table.rows], "2", [])
    assert (list(range(len(table.rows))) if places is None else places.tolist()) == expected[0].tolist()
    np.testing.assert_array_equal(values, expected[1])


@pytest.mark.parametrize("log", [b'1,"a\n', b'1,"a""\n', b'1,"a"b\n', b'1,"a"""\n2,"\n'])
def test_quotes_that_are_not_closed_are_left_to_csv(log: bytes) -> None:
    assert number_rows(log, ",", 2, 0, []) is None


def _texts(seed: int, count: int) -> list[str]:
    """Decimal numbers of every kind, those half way between two doubles among them."""
    rng = random.Random(seed)

    def digits(most: int) -> int:
        return rng.randrange(10 ** rng.randrange(1, most))

    def half_way() -> str:
        with localcontext() as context:
            context.prec = 2000
            return format(
                Decimal(2 * rng.randrange(1 << 52, 1 << 53) + 1) * Decimal(2) ** rng.randrange(-80, 80),
                "fe"[rng.randrange(2)],
            )

    kinds = [
        lambda: repr(struct.unpack("d", rng.randbytes(8))[0]),
        lambda: repr(rng.random()),
        lambda: f"{rng.random():.25f}",
        lambda: str(digits(40)),
        lambda: f"-{digits(25)}e{rng.randrange(-400, 400)}",
        lambda: f"{digits(25)}.{digits(25)}E+{rng.randrange(350)}",
        half_way,
    ]
    return [kinds[rng.randrange(len(kinds))]() for _ in range(count)]


def test_a_number_is_the_nearest_double_whatever_its_digits() -> None:
    texts = _texts(7, 20_000)
    found = number_rows("".join(f"{text}\n" for text in texts).encode(), ",", 1, None, [0])
    assert found is not None
    expected = np.array([number(text) for text in texts])
    same = found.all_of(0).view(np.int64) == expected.view(np.int64)  # the sign of a zero too
    assert [text for text, is_same in zip(texts, same | np.isnan(expected), strict=True) if not is_same] == []


@pytest.mark.parametrize("wide", [3, 3000])
@pytest.mark.parametrize("has_quotes", [True, False])
def test_a_log_that_arrives_in_pieces_has_the_points_of_its_rows(wide: int, has_quotes: bool) -> None:
    rng = random.Random(3)
    numbers = [[None if rng.random() < 0.1 else rng.gauss(0, 1) for _ in range(wide)] for _ in range(60)]
    numbers[0] = [0.5] * wide
    rows = [["" if number is None else repr(number) for number in row] for row in numbers]
    if has_quotes:
        rows[40][1] = '"1""2"'  # for the module csv alone, and damage
        numbers[40][1] = None
    names = [f"value_{column}" for column in range(wide)]
    lines = [
        ",".join(row) for row in [["step", *names], *([str(10 * at), *row] for at, row in enumerate(rows))]
    ]
    found = read_all(_LIGHTNING, "\n".join([*lines, ""]).encode(), 30, "metrics.csv")
    assert list(found.points) == names
    for column, points in enumerate(found.points.values()):
        own = [(10 * at, row[column]) for at, row in enumerate(numbers) if row[column] is not None]
        assert list(zip(points.steps.tolist(), points.values.tolist(), strict=True)) == own
    assert len(found.flaws) == has_quotes


def test_a_column_of_text_costs_no_other_column_a_number() -> None:
    content = "step,phase,loss\n" + "".join(f"{step},train,{step}.5\n" for step in range(90))
    found = read_all(_LIGHTNING, content.encode(), 9, "metrics.csv")
    assert list(found.points) == ["loss"]
    assert found.points["loss"].values.tolist() == [step + 0.5 for step in range(90)]
    assert len(found.flaws) == 1
