"""Lists the points of a scalar series of any data provider."""

from __future__ import annotations

from insight_core.plugin.data import DataProvider, ScalarQuery, SeriesKey


def scalar_points(
    data: DataProvider, run: str, tag: str = "loss", *, plugin: str = "scalar"
) -> list[tuple[int, float]]:
    """(step, value) of every point of a scalar series, in file order; empty for an unknown series."""
    columns = data.scalars(plugin, [SeriesKey(run, tag)], ScalarQuery(attempts="all"))
    return [
        (step, value)
        for part in columns.values()
        for step, value in zip(part.steps.tolist(), part.values.tolist(), strict=True)
    ]
