"""The parser of expressions: values against Python's own arithmetic, errors by position and cause."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from insight_scalar.expressions import parsed

from insight_core.plugin import InvalidArgument

TAGS = {"a", "b", "a/b", "train/loss", "val/loss", "my loss", "损失", 'say "x"', "exp", "step"}
A, B = np.array([1.0, 2.0, -3.0, 0.0]), np.array([4.0, 0.5, 2.0, 8.0])


def _value(text: str, **more: Any) -> list[float]:  # noqa: ANN401
    values = {"a": A, "b": B, "step": np.arange(4.0), "a/b": np.full(4, 7.0)} | more
    with np.errstate(all="ignore"):
        return parsed(text, lambda: TAGS).evaluate(values).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", A + B * 2),
        ("(a + b) * 2", (A + B) * 2),
        ("a - b - 1", (A - B) - 1),
        ("a / b / 2", (A / B) / 2),
        ("-a ** 2", -(A**2)),
        ("b ** -1", 1 / B),
        ("2 ^ 3 ^ 2 + 0 * a", np.full(4, 512.0)),
        ("- - +a", A),
        ("1e3 * a + .5", A * 1000 + 0.5),
        ("a/b", np.full(4, 7.0)),
        ("a / b", A / B),
        ("a*b-a/b", A * B - 7),
        ('"a"/"b"', A / B),
        ("exp(a) + abs(a)", np.exp(A) + np.abs(A)),
        ("min(a, b, 1) + max(a, b)", np.minimum(np.minimum(A, B), 1) + np.maximum(A, B)),
        ("cumsum(a)", np.cumsum(A)),
        ("cummin(a)", np.minimum.accumulate(A)),
        ("cummax(a)", np.maximum.accumulate(A)),
        ("cummean(b)", np.cumsum(B) / np.array([1, 2, 3, 4])),
        ("sqrt(b) + log2(b) + log10(b)", np.sqrt(B) + np.log2(B) + np.log10(B)),
    ],
)
def test_values_are_those_of_numpy(text: str, expected: np.ndarray[Any, Any]) -> None:
    np.testing.assert_allclose(_value(text), expected, rtol=1e-15)


def test_diff_has_no_first_value() -> None:
    first, *others = _value("diff(a)")
    assert math.isnan(first)
    assert others == np.diff(A).tolist()


def test_log_of_zero_and_division_by_zero_are_values() -> None:
    assert _value("log(a)")[3] == -math.inf
    assert _value("b / a")[3] == math.inf


@pytest.mark.parametrize(
    ("text", "tags", "canonical"),
    [
        ("train/loss-val/loss", ("train/loss", "val/loss"), '"train/loss" - "val/loss"'),
        ("'my loss' * 2", ("my loss",), '"my loss" * 2'),
        ("损失/a", ("损失", "a"), '"损失" / "a"'),
        ('"say \\"x\\"" + exp(exp)', ('say "x"', "exp"), '"say \\"x\\"" + exp("exp")'),
        ("step * a", ("step", "a"), '"step" * "a"'),
        ("a + a", ("a",), '"a" + "a"'),
    ],
)
def test_tags_are_found_and_quoted(text: str, tags: tuple[str, ...], canonical: str) -> None:
    found = parsed(text, lambda: TAGS)
    assert (found.tags, found.text) == (tags, canonical)
    again = parsed(canonical, set)
    assert (again.tags, again.text) == (tags, canonical)


@pytest.mark.parametrize(
    ("text", "code", "position"),
    [
        ("", "end", 1),
        ("a +", "end", 4),
        ("a + * b", "unexpected", 5),
        ("a b", "unexpected", 3),
        ("(a", "expected", 3),
        ("exp(a", "expected", 6),
        ("a + train/los", "name", 5),
        ("exp(a, b)", "arguments", 1),
        ("min(a)", "arguments", 1),
        ('"a', "unexpected", 1),
        ("a; b", "unexpected", 2),
        ("a.__class__", "unexpected", 2),
        ("a[0]", "unexpected", 2),
        ("a = b", "unexpected", 3),
        ("1 + 2", "constant", None),
        ("(" * 100 + "a", "deep", 42),
        ("-" * 100 + "a", "deep", 42),
        ("a+" * 1000 + "a", "long", None),
        ("a+" * 400 + "a", "long", None),  # with quotes
    ],
)
def test_errors_say_where_and_why(text: str, code: str, position: int | None) -> None:
    with pytest.raises(InvalidArgument) as raised:
        parsed(text, lambda: TAGS)
    assert raised.value.code == f"expression_{code}"
    assert raised.value.details.get("position") == position
    assert "character " not in str(raised.value) or position is None  # a sentence for people


def test_a_misspelt_tag_is_corrected() -> None:
    with pytest.raises(InvalidArgument, match=r"no tag train/los\. Try: train/loss"):
        parsed("train/los", lambda: TAGS)


@settings(deadline=None)
@given(st.text(alphabet="ab/().,+-*^ 12\"'\\e"))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        found = parsed(text, lambda: TAGS)
    except InvalidArgument:
        return
    assert parsed(found.text, set).text == found.text


@pytest.mark.parametrize("tag", ["tab\there", "two\nlines", "back\\slash", "\\n", 'say "x"', "\x7f\u2028"])
def test_the_text_of_an_expression_names_the_same_tag_again(tag: str) -> None:
    text = parsed(json.dumps(tag), lambda: ()).text
    assert parsed(text, lambda: ()).tags == (tag,)


def test_names_of_tags_are_asked_for_once() -> None:
    times = 0

    def known() -> set[str]:
        nonlocal times
        times += 1
        return TAGS

    parsed("a + b + a/b", known)
    assert times == 1


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("acc", ("val/acc",)),
        ("acc - loss", ("val/acc", "a/loss")),
        ("acc-loss", ("val/acc", "a/loss")),  # neither has a minus
        ("log(acc)", ("val/acc",)),
        ("lr", ("lr",)),  # a tag itself comes first
    ],
)
def test_the_last_part_of_a_tag_means_it_where_no_other_ends_so(text: str, tags: tuple[str, ...]) -> None:
    found = parsed(text, lambda: ["val/acc", "a/loss", "lr", "opt/lr"])
    assert found.tags == tags
    assert parsed(found.text, list).tags == tags


def test_a_part_that_ends_several_tags_is_refused_with_these() -> None:
    with pytest.raises(InvalidArgument, match=r"no tag loss\. Try: train/loss, val/loss") as raised:
        parsed("loss * 2", lambda: ["train/loss", "val/loss"])
    assert raised.value.details["suggestions"] == ["train/loss", "val/loss"]
