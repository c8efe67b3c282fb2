"""Tables of logs that SQL queries can name."""

from __future__ import annotations

from insight_core.plugin.sql.rows import (
    ColumnType,
    ColumnValues,
    ContributedTable,
    Labels,
    QueryColumn,
    Rows,
    WantedRows,
)
from insight_core.plugin.sql.tables import QueryTable

__all__ = [
    "ColumnType",
    "ColumnValues",
    "ContributedTable",
    "Labels",
    "QueryColumn",
    "QueryTable",
    "Rows",
    "WantedRows",
]
