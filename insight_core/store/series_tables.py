"""The series of a run by column, without an object for each."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from insight_core.plugin import SeriesField, SeriesTable
from insight_core.store.run_table import Resting
from insight_core.store.snapshot import NUMBERS


def table_of_resting(resting: Resting, fields: Collection[SeriesField]) -> SeriesTable:
    """Series that rest; only these fields are read."""
    common: dict[str, object] = {}
    columns: dict[str, list[object]] = {}
    for field in fields:
        found = _field(resting, field)
        if isinstance(found, list):
            columns[field] = found
        else:
            common[field] = found
    return SeriesTable(resting.run, resting.block.tags, common, columns)


def _field(resting: Resting, field: SeriesField) -> Any:  # noqa: ANN401
    """A list with the value of each tag, or the one value of all."""
    block = resting.block
    columns, last = block.columns, block.ends - 1
    match field:
        case "attempts":
            return 1  # nothing rests that went back
        case "claims":
            return (resting.claim,)
        case "display_name" | "description":
            known = [resting.metadata.get(tag) for tag in block.tags] if resting.metadata else []
            return [getattr(each, field) if each else "" for each in known] or ""
        case "points" | "kept":
            return block.counts().tolist()
        case "first_step":
            return columns.steps[block.ends - block.counts()].tolist()
        case "last_step":
            return columns.steps[last].tolist()
        case "last_wall_time":
            return columns.wall_times[last].tolist()
        case "last_value":
            if columns.values is None or columns.layout != NUMBERS:
                return None
            return columns.values[last].tolist()
