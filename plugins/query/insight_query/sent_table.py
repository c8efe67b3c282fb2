"""A table of the host as a data set in the worker process: its rows come through a pipe when they are needed.

The worker sends the columns and the filter that DuckDB hands to Arrow, so that the host reads as little as it
does for a query in its own process. A long filter stays here: it would save nothing and cost the host time.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from insight_core.plugin.worker import PieceSource, WorkerLink
from insight_query.pushed_filter import LONGEST
from insight_query.scanned_table import ScannedTable, TableScan


class SentTable(ds.Dataset):  # type: ignore[misc]
    """A data set for DuckDB in the worker: see ``ScannedTable``."""

    def __init__(self, link: WorkerLink, name: str, schema: str) -> None:  # Dataset has no constructor
        self._link = link
        self._name = name
        self._schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(schema)))

    @property
    def schema(self) -> Any:  # noqa: ANN401
        """Columns and types."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: object) -> TableScan:  # noqa: ANN401
        """The rows of these columns for which the filter is true."""
        shown = list(columns or self._schema.names)
        text = "" if filter is None else str(filter)
        if len(text) > LONGEST:
            read = [name for name in self._schema.names if name in shown or name in text]
            scan = self.scanner(read)
            return TableScan(lambda: _filtered(scan, filter, shown), self._of(shown))
        # what pickle would take; an expression has no other form that can be sent
        state = None if filter is None else base64.b64encode(filter.__reduce__()[1][0]).decode()
        wanted = json.dumps({"table": self._name, "columns": shown, "filter": state})
        return TableScan(lambda: pa.ipc.open_stream(self._link.open(wanted)), self._of(shown))

    def _of(self, columns: Sequence[str]) -> Any:  # noqa: ANN401
        return pa.schema([self._schema.field(name) for name in columns])


def _filtered(scan: TableScan, filter: Any, shown: Sequence[str]) -> Iterator[Any]:  # noqa: ANN401
    for batch in scan.batches():
        table = pa.Table.from_batches([batch]).filter(filter)
        yield from table.select(shown).to_batches()


def described(tables: Mapping[str, ScannedTable]) -> dict[str, str]:
    """The schemas of tables, for ``SentTable``."""
    return {name: base64.b64encode(table.schema.serialize()).decode() for name, table in tables.items()}


def sent_rows(tables: Mapping[str, ScannedTable], wanted: str) -> PieceSource:
    """The rows that a ``SentTable`` wants, in Arrow's format for streams."""
    asked = json.loads(wanted)
    state = asked["filter"]
    expression = None if state is None else pc.Expression._deserialize(pa.py_buffer(base64.b64decode(state)))
    scan = tables[asked["table"]].scanner(asked["columns"], expression)
    return PieceSource(_pieces(scan))


class _Written:
    """A file that gives back what was written to it."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: Any) -> int:  # noqa: ANN401 - a buffer
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None: ...

    def taken(self) -> bytes:
        """Returns the bytes that were written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _pieces(scan: TableScan) -> Iterator[bytes]:
    file = _Written()
    with pa.ipc.new_stream(pa.PythonFile(file, "w"), scan.projected_schema) as writer:
        for batch in scan.batches():
            writer.write_batch(batch)
            yield file.taken()
    yield file.taken()
