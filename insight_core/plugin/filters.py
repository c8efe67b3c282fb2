"""Expressions over columns of runs: ``lr < 0.1 and optimizer = "adam"``, and the columns that they read."""

from __future__ import annotations

from insight_core.filters.column import (
    LIST,
    MISSING,
    NUMBER,
    TEXT,
    Column,
    Mask,
    Values,
    moved,
    values_of,
)
from insight_core.filters.conditions import (
    All,
    Comparison,
    Condition,
    NoColumn,
    conditions_of,
)
from insight_core.filters.expression import parsed

__all__ = [
    "LIST",
    "MISSING",
    "NUMBER",
    "TEXT",
    "All",
    "Column",
    "Comparison",
    "Condition",
    "Mask",
    "NoColumn",
    "Values",
    "conditions_of",
    "moved",
    "parsed",
    "values_of",
]
