"""Which hyperparameters the runs of a finding have in common, and others do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from insight_core.contrast import CHANCE, contrast
from insight_core.plugin.findings import SharedCondition

HYPERPARAMETERS = ("hyperparameter", "dataset", "custom")  # groups of columns of the run table; no results


@frozen(eq=False)
class NamedColumn:
    """A hyperparameter: its title, and the value of each run that has one."""

    title: str
    values: Mapping[str, str | int | float | bool]


def shared_conditions(
    having: Sequence[str], others: Sequence[str], columns: Sequence[NamedColumn], findings: int
) -> tuple[SharedCondition, ...]:
    """What distinguishes the runs ``having`` a finding from ``others``, one of so many ``findings``."""
    runs = [*having, *others]
    cells = {column.title: [column.values.get(run) for run in runs] for column in columns}
    faulty = [True] * len(having) + [False] * len(others)
    return tuple(
        SharedCondition(one.text, one.columns, one.hits, one.faulty, one.other_hits, one.others)
        for one in contrast(cells, faulty, chance=CHANCE / max(1, findings))
    )
