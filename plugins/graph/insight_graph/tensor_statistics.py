"""Reads ``statistic.csv`` of MindSpore's dump: statistics of each operator's tensors, as they were computed.

Source: tensor_stat_dump.cc (its header), and the documentation of the dump feature.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import ReasonKind
from insight_graph.unreadable import cause_in_table

MOST_ROWS = 500_000
VALUES = {"max": "Max Value", "min": "Min Value", "mean": "Avg Value", "norm": "L2Norm Value"}
COUNTS = {"nan": "NaN Count", "negative_inf": "Negative Inf Count", "positive_inf": "Positive Inf Count"}
_NEEDED = ("Op Type", "Op Name", "IO", "Slot")
_NAN = {"": "nan", "null": "nan", "None": "nan"}
_NOT_TABLE = ReasonKind("graph_not_table", "the file is not a table: {cause}")
_NOT_DUMP = ReasonKind("graph_not_dump", "the file is not statistics of a dump: it has no column {name!r}")
_DUMP_TOO_LARGE = ReasonKind("graph_dump_too_large", "the dump has more than {most:,} rows: it is not read")


@frozen(eq=False)
class TensorStatistics:
    """Rows of a dump. ``keys`` are name, ``input`` or ``output``, slot, and which of those that are alike.

    ``values`` and ``counts`` are float64[rows] by name, NaN where the dump does not have them.
    """

    keys: list[tuple[str, str, str, int]]
    types: list[str]
    dtypes: list[str]
    shapes: list[str]
    values: dict[str, NDArray[np.float64]]
    counts: dict[str, NDArray[np.float64]]

    @property
    def nbytes(self) -> int:
        """Estimated memory in bytes."""
        return len(self.keys) * (400 + 8 * (len(self.values) + len(self.counts)))


def statistics_of_file(data: bytes) -> TensorStatistics:
    """Raises ValueError for bytes that are not such a file, and for more than MOST_ROWS rows."""
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline=""))
    try:
        head = [name.strip() for name in next(reader, [])]
        rows = [row for row, _ in zip(reader, range(MOST_ROWS + 1), strict=False) if row]
    except csv.Error as error:
        cause = cause_in_table(error, reader.line_num)
        raise ValueError(_NOT_TABLE(cause=cause)) from None
    missing = [name for name in _NEEDED if name not in head]
    if missing:
        raise ValueError(_NOT_DUMP(name=missing[0]))
    if len(rows) > MOST_ROWS:
        raise ValueError(_DUMP_TOO_LARGE(most=MOST_ROWS))

    def column(name: str) -> list[str]:
        if name not in head:
            return [""] * len(rows)
        at = head.index(name)
        return [row[at].strip() if at < len(row) else "" for row in rows]

    seen: Counter[tuple[str, str, str]] = Counter()
    keys = []
    for key in zip(column("Op Name"), column("IO"), column("Slot"), strict=True):
        keys.append((*key, seen[key]))
        seen[key] += 1
    return TensorStatistics(
        keys,
        column("Op Type"),
        column("Data Type"),
        column("Shape"),
        {key: _numbers(column(name)) for key, name in VALUES.items()},
        {key: _numbers(column(name)) for key, name in COUNTS.items()},
    )


def _numbers(texts: Sequence[str]) -> NDArray[np.float64]:
    """Numbers of cells; NaN for those that hold none."""
    try:
        return np.array([_NAN.get(text, text) for text in texts], dtype="U64").astype(np.float64)
    except ValueError:
        return np.array([_number(text) for text in texts], np.float64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
