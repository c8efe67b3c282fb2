"""Which column a name means, in the order of preference that docs/reference/filter.md has."""

from __future__ import annotations

import pytest

from insight_core.filters.naming import ColumnName, NoColumn, resolved

_LAST, _EXTREME = (1, False), (1, True)  # ranks of values of series


def _columns(*names: str) -> list[ColumnName]:
    """Columns as the run table has them: hyperparameters and metrics are plain, others of series."""
    ranks = {"last": _LAST, "min": _EXTREME, "max": _EXTREME}
    return [
        ColumnName(name, f"p/{name}", name, ranks.get(name.partition("/")[0], (0, False))) for name in names
    ]


@pytest.mark.parametrize(
    ("text", "names", "meant"),
    [
        ("lr", ["lr", "opt/lr"], "lr"),  # a name itself comes first
        ("p/opt/lr", ["lr", "opt/lr"], "opt/lr"),  # then the key
        ("val_acc", ["lr", "metric/hparam/val_acc"], "metric/hparam/val_acc"),
        ("hparam/val_acc", ["metric/hparam/val_acc", "last/hparam/val_acc"], "metric/hparam/val_acc"),
        # plain columns before those of series, whatever comes before the last part
        ("val_acc", ["last/val_acc", "min/val_acc", "metric/hparam/val_acc"], "metric/hparam/val_acc"),
        # last values before smallest and largest ones
        ("loss", ["max/train/loss", "min/train/loss", "last/train/loss"], "last/train/loss"),
        # the whole of a name but its first part before the end of a longer one
        ("loss", ["last/train/loss", "last/loss"], "last/loss"),
    ],
)
def test_a_short_name_means_the_one_column_that_is_preferred(text: str, names: list[str], meant: str) -> None:
    assert resolved(text, _columns(*names)).name == meant
    assert resolved(text, _columns(*reversed(names))).name == meant


@pytest.mark.parametrize(
    ("text", "names", "says", "similar"),
    [
        (
            "loss",
            ["metric/a/loss", "metric/b/loss"],
            "No column loss; several end so",
            ["metric/a/loss", "metric/b/loss"],
        ),
        (
            "loss",
            ["last/a/loss", "min/a/loss", "last/b/loss"],
            "several end so",
            ["last/a/loss", "last/b/loss", "min/a/loss"],
        ),
        ("val_acc", ["last/val/acc", "lr"], "No column val_acc", ["last/val/acc"]),
        ("Val_Acc", ["metric/hparam/val_acc"], "No column Val_Acc", ["metric/hparam/val_acc"]),
        ("acc", ["metric/val_acc"], "No column acc", ["metric/val_acc"]),  # a part ends at a slash only
        ("nothing", ["lr"], "No column nothing", []),
    ],
)
def test_any_other_name_is_refused_with_those_that_may_be_meant(
    text: str, names: list[str], says: str, similar: list[str]
) -> None:
    with pytest.raises(NoColumn) as caught:
        resolved(text, _columns(*names))
    assert says in str(caught.value)
    assert caught.value.similar == similar
    assert str(caught.value).count("Try: ") == bool(similar)


def test_suggestions_are_quoted_as_an_expression_has_them() -> None:
    with pytest.raises(NoColumn) as caught:
        resolved("val_acc", _columns("last/val acc"))
    assert caught.value.suggestions == ['"last/val acc"']
