"""Implements the queries of TensorBoard's data-provider API, for gRPC and in-process use.

Errors and their texts follow tensorboard/data/server/server.rs; docs/reference/grpc_api.md lists the
differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from insight_core.plugin import NotFound
from insight_core.plugin.data import DataProvider, Payload
from insight_core.plugin.schema import tensorboard_pb2 as tensorboard
from insight_tensorboard.view.catalog import Catalog, TensorBoardSeries
from insight_tensorboard.view.numbers import NumberReader, Numbers, downsampled
from insight_tensorboard.view.records import BlobKey, RecordReader
from insight_tensorboard.view.translation import BLOB_SEQUENCE, TensorBoardKind, blobs_of

Value = TypeVar("Value")


class SeriesReader:
    """Series of ``provider`` by TensorBoard's plugin, run and tag, and their values by step.

    There is one experiment. ``limit`` is the maximum number of points per series.
    """

    def __init__(self, provider: DataProvider) -> None:
        self._provider = provider
        self._catalog = Catalog(provider)
        self._records = RecordReader(provider)
        self._numbers = NumberReader(provider, self._records)

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return self._provider.location()

    def plugins(self) -> Sequence[str]:
        """TensorBoard's names of plugins that have series."""
        return sorted({kind.plugin for kind in self._catalog.kinds()})

    def runs(self) -> Sequence[tuple[float | None, str]]:
        """(start time or None, name) of runs that have events, the earliest first."""
        runs = [(run.start_time, run.name) for run in self._provider.runs()]
        if any(start is None for start, _ in runs):
            with_series = self._catalog.runs()
            runs = [(start, name) for start, name in runs if start is not None or name in with_series]
        return sorted(runs, key=lambda run: (math.inf if run[0] is None else run[0], run[1]))

    def entries(
        self, kind: TensorBoardKind, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> Mapping[str, Mapping[str, TensorBoardSeries]]:
        """Series by run and tag, those of the given names only; None: all of them."""
        return self._catalog.entries(kind, runs, tags)

    def metadata(self, entry: TensorBoardSeries) -> tensorboard.SummaryMetadata:
        """The metadata that all values of the series have."""
        return self._catalog.metadata(entry)

    def longest(self, entry: TensorBoardSeries) -> int:
        """The largest number of blobs that a value of the series has."""
        if entry.longest is None:
            entry.longest = self._records.longest(entry, self._records.rows(entry))
        return entry.longest

    def numbers(
        self, entries: Sequence[TensorBoardSeries], limit: int
    ) -> Iterator[tuple[TensorBoardSeries, Numbers]]:
        """The points of each scalar series that is still there, in the order of ``entries``."""
        for entry, numbers in self._numbers.read(entries):
            chosen = downsampled(len(numbers.steps), limit)
            yield (
                entry,
                Numbers(numbers.steps[chosen], numbers.wall_times[chosen], numbers.values[chosen]),
            )

    def values(
        self, entry: TensorBoardSeries, limit: int, decode: Callable[[Payload], Value]
    ) -> Iterator[tuple[int, float, Value]]:
        """(step, wall time, value) of points; values that ``decode`` rejects are skipped."""
        rows = self._records.rows(entry)
        chosen = downsampled(len(rows.steps), limit).tolist()
        for row, value in self._records.values(entry, rows, chosen, decode):
            yield int(rows.steps[row]), float(rows.wall_times[row]), value

    def blob_keys(self, entry: TensorBoardSeries, limit: int) -> Iterator[tuple[int, float, Sequence[str]]]:
        """(step, wall time, keys of its blobs) of points."""
        rows = self._records.rows(entry)
        chosen = downsampled(len(rows.steps), limit).tolist()
        for row, count in self._records.lengths(entry, rows, chosen):
            step = int(rows.steps[row])
            occurrence = row - int(np.searchsorted(rows.steps, step))
            keys = [
                BlobKey(entry.kind.plugin, entry.key.run, entry.key.tag, step, occurrence, index).encode()
                for index in range(count)
            ]
            yield step, float(rows.wall_times[row]), keys

    def blob(self, text: str) -> bytes:
        """The blob of a key. Raises InvalidArgument for a malformed key, NotFound for a missing blob."""
        key = BlobKey.decode(text)
        tags = self.entries(TensorBoardKind(key.plugin, BLOB_SEQUENCE), [key.run], None).get(key.run)
        if tags is None:
            raise NotFound(f'no such run: "{key.run}"')
        entry = tags.get(key.tag)
        if entry is None:
            raise NotFound(f'run "{key.run}" has no such tag: "{key.tag}"')
        rows = self._records.rows(entry)
        row = int(np.searchsorted(rows.steps, key.step)) + key.occurrence
        if key.occurrence < 0 or row >= len(rows.steps) or rows.steps[row] != key.step:
            raise NotFound(f'run "{key.run}", tag "{key.tag}" has no step {key.step}; may have been evicted')
        try:
            blobs = blobs_of(self._records.payload(entry, rows, row))
        except ValueError as error:
            raise NotFound(f'run "{key.run}", tag "{key.tag}", step {key.step}: {error}') from error
        if not 0 <= key.index < len(blobs):
            raise NotFound(
                f'blob sequence at run "{key.run}", tag "{key.tag}", step {key.step} '
                f"has no index {key.index} (length: {len(blobs)})"
            )
        return blobs[key.index]
