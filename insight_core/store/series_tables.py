"""The series of a run by column, without an object for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from numpy.typing import NDArray

from insight_core.plugin import SeriesField, SeriesTable
from insight_core.store.resting import Resting


def table_of_resting(resting: Resting, fields: Collection[SeriesField]) -> SeriesTable:
    """Series that rest; only these fields are read."""
    facts = resting.facts()
    common: dict[str, object] = {}
    columns: dict[str, list[object]] = {}
    for field in fields:
        found = _field(resting, facts, field)
        if isinstance(found, list):
            columns[field] = found
        else:
            common[field] = found
    return SeriesTable(resting.run, resting.block.tags, common, columns)


def _field(resting: Resting, facts: Mapping[str, NDArray[Any]], field: SeriesField) -> Any:  # noqa: ANN401
    """A list with the value of each tag, or the one value of all."""
    match field:
        case "attempts":
            return 1  # nothing rests that went back
        case "claims":
            return (resting.claim,)
        case "display_name" | "description":
            metadata = resting.metadata
            known = [metadata.get(tag) for tag in resting.block.tags] if metadata else []
            return [getattr(each, field) if each else "" for each in known] or ""
        case "kept":
            return facts["points"].tolist()  # all of them
        case _:
            return facts[field].tolist() if field in facts else None
