"""The text of conditions: what it means, and what it says of mistakes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_lineage.selection import groups_of

from insight_core.filters.column import Column, values_of
from insight_core.filters.conditions import (
    All,
    Any,
    Comparison,
    Condition,
    ExpressionError,
    Not,
    conditions_of,
)
from insight_core.filters.expression import parsed
from insight_core.filters.naming import NoColumn
from insight_core.plugin import InvalidArgument

CELLS: dict[str, list[object]] = {
    "lr": [0.1, 0.01, None, math.nan, 1, True, "0.1", [1]],
    "metric/Accuracy": [0.9, 0.95, 0.1, None, 0.99, math.inf, -math.inf, 0.0],
    "net": ["a", "b", "it's", 'say "x"', "", None, 3, "B"],
    "in": [1, 2, 3, 4, 5, 6, 7, 8],
    "seed": [1 << 53, (1 << 53) + 1, (1 << 53) + 2, (1 << 63) - 1, -(1 << 63), 2.0**53, None, "9"],
}
COLUMNS = {name: Column(name, "custom", name, values_of(cells)) for name, cells in CELLS.items()}  # type: ignore[arg-type]


def _lookup(name: str) -> Column:
    if name not in COLUMNS:
        raise NoColumn(name)
    return COLUMNS[name]


def _rows(text: str) -> list[int]:
    return np.flatnonzero(parsed(text).holds(_lookup)).tolist()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("lr < 0.1", [1]),
        ("lr <= .1", [0, 1]),
        ("lr > 1e-2", [0, 4, 5]),
        ("lr = 1", [4, 5]),
        ("lr == true", [4, 5]),
        ("lr = '0.1'", [6]),
        ('lr = "0.1"', [6]),
        ("lr = null", [2]),
        ("lr != null", [0, 1, 3, 4, 5, 6, 7]),
        ("lr = nan", []),
        ("lr<>0.1", [1, 2, 3, 4, 5, 6, 7]),
        ("lr < 0.5 and metric/Accuracy > 0.9", [1]),
        ("lr < 0.5 AND \"metric/Accuracy\" > 0.9 or net = 'b'", [1]),
        ("net = 'b' or lr = 1 and net = ''", [1, 4]),
        ("(net = 'b' or lr = 1) and net = ''", [4]),
        ("not lr < 0.1 and not (net = 'a' or net = 3)", [2, 3, 4, 5, 7]),
        ("not not lr < 0.1", [1]),
        ("net = 'it''s'", [2]),
        ('net = "say ""x"""', [3]),
        ("net >= 'a'", [0, 1, 2, 3]),
        ("net < 'a'", [4, 7]),
        ("net in ('a', 3, null)", [0, 5, 6]),
        ("net not in ['a', 3, null]", [1, 2, 3, 4, 7]),
        ("net in ()", []),
        ('"in" in (1, 8)', [0, 7]),
        ("metric/Accuracy > -inf", [0, 1, 2, 4, 5, 7]),
        ("metric/Accuracy = inf", [5]),
        ("metric/Accuracy = -inf", [6]),
        ("  lr\n<\t0.1 ", [1]),
        ("metric/Accuracy<-1", [6]),
        ("seed = 9007199254740993", [1]),
        ("seed > 9007199254740992", [1, 2, 3]),
        ("seed <= 9007199254740992", [0, 4, 5]),
        ("seed in (9223372036854775807, -9223372036854775808)", [3, 4]),
        ("seed < 1" + "0" * 500, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_what_a_text_means(text: str, rows: list[int]) -> None:
    assert _rows(text) == rows


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 0, "Unfinished: expected a column"),
        ("lr", 2, "one of = != <"),
        ("lr <", 4, "Unfinished: expected a value after '<'"),
        ("lr < 'a' net", 9, "'and' or 'or'"),
        ("lr < fast", 5, "A text is written in quotes, unlike fast. Try: 'fast'"),
        ("0.1 > lr", 0, "a column"),
        ("lr ! 1", 3, "'!'"),
        ("net = 'open", 6, "quote"),
        ("(lr < 1", 7, "')'"),
        ("lr < 1)", 6, "'and' or 'or'"),
        ("net in 'a'", 7, "'('"),
        ("net in ('a' 'b')", 12, "','"),
        ("net not 'a'", 8, "'in'"),
        ("lr < 1 and", 10, "a column"),
        ("lr < 1 and and lr < 2", 11, "a column"),
        ("lr < 1; net = 'a'", 6, "';'"),
        ("in = 1", 0, "a column"),
        ("lr < 1.2.3", 5, "'1'"),
        ("lr < \u0661", 5, "'\u0661'"),
        ("(" * 60 + "lr < 1" + ")" * 60, 51, "levels"),
        ("not " * 10_000 + "lr < 1", 10_000, "characters"),
        ("unknown < 1 and lr < 2", 0, "No column unknown"),
        ("lr < 1 and unknown < 1", 11, "No column unknown"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, position: int, says: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        _rows(text)
    assert caught.value.position == position
    assert says in str(caught.value)
    assert not re.search(r"where|character \d|position", str(caught.value))  # a sentence for people


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("net = a", "net = 'a'"),
        ("net = 'a", "net = 'a'"),
        ("lr < 1 && net = 'a'", "lr < 1 and net = 'a'"),
        ("lr < 1 | net = 'a'", "lr < 1 or net = 'a'"),
        ("lr ! 1", "lr != 1"),
        ("(lr < 1", "(lr < 1)"),
        ("lr < 1 net = 'a'", "lr < 1 and net = 'a'"),
        ("net in ('a', b)", "net in ('a', 'b')"),
    ],
)
def test_the_first_suggestion_of_a_mistake_makes_it_right(text: str, corrected: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parsed(text)
    place, length = caught.value.position, caught.value.details["length"]
    assert isinstance(length, int)
    assert text[:place] + caught.value.suggestions[0] + text[place + length :] == corrected
    parsed(corrected)


@given(st.text(alphabet="lrnetin'\"()[]<>=!,.0123456789eE+- \tandornotué\\/;\x00") | st.text())
def test_any_text_is_understood_or_refused_with_its_place(text: str) -> None:
    position = 0
    try:
        parsed(text)
    except ExpressionError as error:
        position = error.position
    assert 0 <= position <= len(text)


_values = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), 1 << 64)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
)
_names = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
_comparisons: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Comparison, _names, st.sampled_from(["eq", "ne", "lt", "gt", "le", "ge"]), _values),
    st.builds(Comparison, _names, st.sampled_from(["in", "not_in"]), st.lists(_values, max_size=3)),
)


def _joined(
    inner: st.SearchStrategy[Condition],
) -> st.SearchStrategy[Condition]:
    parts = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(st.builds(Not, inner), st.builds(All, parts), st.builds(Any, parts))


_SIGNS = {"eq": "=", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "in": "in", "not_in": "not in"}


def _text(condition: Condition, quote: Callable[[str], str]) -> str:
    def value(one: object) -> str:
        if isinstance(one, list):
            return f"({', '.join(map(value, one))})"
        if isinstance(one, str):
            return quote(one)
        return "null" if one is None else repr(one)

    if isinstance(condition, Comparison):
        return f"{quote(condition.column)} {_SIGNS[condition.operator]} {value(condition.value)}"
    if isinstance(condition, Not):
        return f"not ({_text(condition.inner, quote)})"
    word = " and " if isinstance(condition, All) else " or "
    return word.join(f"({_text(part, quote)})" for part in condition.parts)


def _bare(condition: Condition) -> object:
    """Without positions."""
    if isinstance(condition, Comparison):
        return condition.column, condition.operator, condition.value
    if isinstance(condition, Not):
        return "not", _bare(condition.inner)
    return type(condition).__name__, [_bare(part) for part in condition.parts]


@given(st.recursive(_comparisons, _joined, max_leaves=6), st.sampled_from("'\""))
def test_every_condition_can_be_written(condition: Condition, mark: str) -> None:
    text = _text(condition, lambda word: mark + word.replace(mark, mark * 2) + mark)
    assert _bare(parsed(text)) == _bare(condition)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "JSON"),
        ("[]", "object"),
        ('{"lr": 1}', "'lr'"),
        ('{"lr": {"like": 1}}', "'like'"),
        ('{"lr": {"in": 1}}', "list"),
        ('{"lr": {"lt": [1]}}', "lr"),
        ('{"lr": {"eq": {"a": 1}}}', "lr"),
        ('{"lr": {"in": [{}]}}', "lr"),
        ('{"lr": {"lt": 1' + "0" * 5000 + "}}", "JSON"),
        ("[" * 100_000, "JSON"),
    ],
)
def test_a_filter_that_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidArgument, match="filter") as caught:
        conditions_of(text)
    assert says in str(caught.value)


_cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers((1 << 53) - 1, (1 << 53) + 3),
    st.sampled_from([0.5, math.nan, math.inf, 2.0**53, -(2.0**63), -(1 << 63), -(1 << 63) + 1]),
    st.sampled_from("ab"),
)


def _holds(cell: object, operator: str, value: object) -> bool:
    """The definition, cell by cell."""
    if operator in ("in", "not_in"):
        assert isinstance(value, list)
        return any(_holds(cell, "eq", one) for one in value) == (operator == "in")
    if operator == "ne":
        return not _holds(cell, "eq", value)
    if operator == "eq":
        return cell is None if value is None else type(cell) is not type(None) and cell == value
    numbers = isinstance(cell, bool | int | float) and isinstance(value, bool | int | float)
    if not numbers and not (isinstance(cell, str) and isinstance(value, str)):
        return False
    signs = {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}
    return bool(eval(f"cell {signs[operator]} value", {}, {"cell": cell, "value": value}))


_asked = _cells | st.just(10**400)


@given(st.lists(_cells, max_size=8), st.sampled_from(["eq", "ne", "lt", "gt", "le", "ge"]), _asked)
def test_columns_compare_cell_by_cell(cells: list[object], operator: str, value: object) -> None:
    column = Column("x", "custom", "x", values_of(cells))  # type: ignore[arg-type]
    assert column.matches(operator, value).tolist() == [_holds(cell, operator, value) for cell in cells]


@given(st.lists(_cells, max_size=8), st.sampled_from(["in", "not_in"]), st.lists(_asked, max_size=3))
def test_columns_look_into_lists(cells: list[object], operator: str, values: list[object]) -> None:
    column = Column("x", "custom", "x", values_of(cells))  # type: ignore[arg-type]
    assert column.matches(operator, values).tolist() == [_holds(cell, operator, values) for cell in cells]


@given(st.lists(_cells, max_size=8))
def test_columns_sort_exactly(cells: list[object]) -> None:
    column = Column("x", "custom", "x", values_of(cells))  # type: ignore[arg-type]
    rows = np.arange(len(cells))
    numbers = [one for one in cells if isinstance(one, bool | int | float) and one == one]
    for downwards in (False, True):
        found = [cells[row] for row in np.lexsort(column.sort_keys(rows, downwards=downwards))]
        kept = [one for one in found if isinstance(one, bool | int | float) and one == one]
        assert kept == sorted(numbers, reverse=downwards)
    starts = groups_of(np.lexsort(column.sort_keys(rows, downwards=False)), [column]).starts
    texts = {one for one in cells if isinstance(one, str)}
    others = {type(one) for one in cells if one is None or one != one}
    assert len(starts) == len(set(numbers)) + len(texts) + len(others)
