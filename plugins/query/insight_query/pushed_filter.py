"""Reduces a table to what a query needs: the columns and the filter that DuckDB hands to Arrow.

An expression of pyarrow cannot be taken apart. It can be compared with what is known of a fragment of a data
set (``partition_expression``): ``get_fragments`` leaves out those in which no row can be true. So values of a
column are tried as fragments, of files that do not exist and are never opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs
from attrs import frozen

from insight_query.limits import QueryLimits

LONGEST = 2_000  # characters of a filter that is tried; a longer one takes seconds
_PARTS = 256  # of a span that are tried, and values of a range
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


@frozen(eq=False)
class PushedFilter:
    """Implements ``WantedRows`` and ``LimitedRows``.

    ``filter`` is a pyarrow Expression of columns of ``schema``, or None.
    """

    columns: Sequence[str]
    schema: Any
    filter: Any
    limits: QueryLimits

    def of(self, column: str, values: Sequence[str]) -> list[str]:
        """See WantedRows."""
        if not self._is_about(column):
            return list(values)
        tried: Sequence[int] = range(len(values))
        if len(values) > 2 * _PARTS:  # first by ranges of them: a host may have 100,000 runs
            order = sorted(tried, key=values.__getitem__)
            parts = [order[first : first + _PARTS] for first in range(0, len(order), _PARTS)]
            ranges = self._possible(
                (ds.field(column) >= values[part[0]]) & (ds.field(column) <= values[part[-1]])
                for part in parts
            )
            tried = sorted(place for chosen in ranges for place in parts[chosen])
        places = self._possible(ds.field(column) == values[place] for place in tried)
        return [values[tried[place]] for place in places]

    def span(self, column: str, first: int, last: int) -> tuple[int, int] | None:
        """See WantedRows."""
        if not self._is_about(column):
            return first, last
        width = (last - first) // _PARTS + 1
        begins = range(first, last + 1, width)
        ends = [min(last, begin + width - 1) for begin in begins]
        guarantees = (
            (ds.field(column) >= begin) & (ds.field(column) <= end)
            for begin, end in zip(begins, ends, strict=True)
        )
        places = self._possible(guarantees)
        return (begins[places[0]], ends[places[-1]]) if places else None

    def _is_about(self, column: str) -> bool:
        text = "" if self.filter is None else str(self.filter)
        return column in text and len(text) <= LONGEST

    def _possible(self, guarantees: Iterable[Any]) -> list[int]:
        """The places of the guarantees under which the filter can be true."""
        form, files = ds.ParquetFileFormat(), pyarrow.fs.LocalFileSystem()
        plain = pa.schema(  # a guarantee about a dictionary would be compared by its index
            [
                pa.field(one.name, pa.string() if pa.types.is_dictionary(one.type) else one.type)
                for one in self.schema
            ]
        )
        fragments = [
            form.make_fragment(str(place), filesystem=files, partition_expression=guarantee)
            for place, guarantee in enumerate(guarantees)
        ]
        tried = ds.FileSystemDataset(fragments, plain, form, files)
        return sorted(int(one.path) for one in tried.get_fragments(filter=self.filter))
