"""Expressions over columns of runs, ``lr < 0.1 and optimizer = 'adam'``, without a promise to others."""

from __future__ import annotations

from insight_core.filters.column import LIST as LIST
from insight_core.filters.column import MISSING as MISSING
from insight_core.filters.column import NUMBER as NUMBER
from insight_core.filters.column import TEXT as TEXT
from insight_core.filters.column import Column as Column
from insight_core.filters.column import Mask as Mask
from insight_core.filters.column import Values as Values
from insight_core.filters.column import moved as moved
from insight_core.filters.column import values_of as values_of
from insight_core.filters.conditions import All as All
from insight_core.filters.conditions import Comparison as Comparison
from insight_core.filters.conditions import Condition as Condition
from insight_core.filters.conditions import conditions_of as conditions_of
from insight_core.filters.expression import parsed as parsed
from insight_core.filters.naming import ColumnName as ColumnName
from insight_core.filters.naming import FilterError as FilterError
from insight_core.filters.naming import NoColumn as NoColumn
from insight_core.filters.naming import resolved as resolved
