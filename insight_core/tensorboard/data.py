"""TensorBoard's DataProvider interface over ours, made of whichever ``tensorboard`` is importable.

What a value is to TensorBoard, insight_core.rpc says: here as over gRPC.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import numpy as np
from tensorboard import errors
from tensorboard.data import provider as stock

from insight_core.plugin import DataProvider, InsightError, InvalidArgument, NotFound, Payload, Undecodable
from insight_core.rpc.tensorboard_view.catalog import TensorBoardSeries
from insight_core.rpc.tensorboard_view.series_reader import SeriesReader
from insight_core.rpc.tensorboard_view.translation import (
    BLOB_SEQUENCE,
    SCALAR,
    TENSOR,
    TensorBoardKind,
    array_of,
)
from insight_core.tensorboard.context import UNSAID
from insight_core.tensorboard.sampling import SCALARS, TENSORS, Budget, Sampled


class StockDataProvider(stock.DataProvider):
    """Answers from ``provider``. There is one experiment, whatever its id is said to be.

    ``changed`` is called when ``sampled`` begins to name a plugin.
    """

    def __init__(self, provider: DataProvider, changed: Callable[[], None] = lambda: None) -> None:
        self._reader = SeriesReader(provider)
        self.sampled = Sampled(changed)

    def __str__(self) -> str:
        return f"insight_host.DataProvider({self._reader.location()!r})"

    def experiment_metadata(self, ctx: object = None, *, experiment_id: str) -> stock.ExperimentMetadata:
        with _public_errors():
            return stock.ExperimentMetadata(data_location=self._reader.location())

    def list_plugins(self, ctx: object = None, *, experiment_id: str) -> Collection[str]:
        with _public_errors():
            return self._reader.plugins()

    def list_runs(self, ctx: object = None, *, experiment_id: str) -> Sequence[stock.Run]:
        with _public_errors():
            return [stock.Run(name, name, start) for start, name in self._reader.runs()]

    def list_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, stock.ScalarTimeSeries]]:
        with _public_errors():
            return {
                run: {tag: self._scalar_series(entry) for tag, entry in tags.items()}
                for run, tags in self._entries(plugin_name, SCALAR, run_tag_filter).items()
            }

    def read_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[stock.ScalarDatum]]]:
        with _public_errors():
            entries = _flat(self._entries(plugin_name, SCALAR, run_tag_filter))
            read: dict[str, dict[str, Sequence[stock.ScalarDatum]]] = {}
            limit = self._within_budget(downsample, plugin_name, entries, SCALARS)
            for entry, numbers in self._reader.numbers(entries, limit):
                columns = numbers.steps.tolist(), numbers.wall_times.tolist(), numbers.values.tolist()
                read.setdefault(entry.key.run, {})[entry.key.tag] = list(map(stock.ScalarDatum, *columns))
            return read

    def read_last_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, stock.ScalarDatum]]:
        with _public_errors():
            last: dict[str, dict[str, stock.ScalarDatum]] = {}
            unknown = []
            for entry in _flat(self._entries(plugin_name, SCALAR, run_tag_filter)):
                datum = _last(entry)
                if datum is None:
                    unknown.append(entry)
                else:
                    last.setdefault(entry.key.run, {})[entry.key.tag] = datum
            for entry, numbers in self._reader.numbers(unknown, 1):
                if len(numbers.steps):
                    last.setdefault(entry.key.run, {})[entry.key.tag] = stock.ScalarDatum(
                        int(numbers.steps[-1]), float(numbers.wall_times[-1]), float(numbers.values[-1])
                    )
            return last

    def list_tensors(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, stock.TensorTimeSeries]]:
        with _public_errors():
            return {
                run: {tag: self._tensor_series(entry) for tag, entry in tags.items()}
                for run, tags in self._entries(plugin_name, TENSOR, run_tag_filter).items()
            }

    def read_tensors(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[stock.TensorDatum]]]:
        with _public_errors():
            found = self._entries(plugin_name, TENSOR, run_tag_filter)
            limit = self._within_budget(downsample, plugin_name, _flat(found), TENSORS)
            return {
                run: {
                    tag: [stock.TensorDatum(*point) for point in self._reader.values(entry, limit, _array)]
                    for tag, entry in tags.items()
                }
                for run, tags in found.items()
            }

    def list_blob_sequences(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, stock.BlobSequenceTimeSeries]]:
        with _public_errors():
            return {
                run: {tag: self._blob_series(entry) for tag, entry in tags.items()}
                for run, tags in self._entries(plugin_name, BLOB_SEQUENCE, run_tag_filter).items()
            }

    def read_blob_sequences(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: stock.RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[stock.BlobSequenceDatum]]]:
        with _public_errors():
            limit = _limit(downsample)
            return {
                run: {
                    tag: [
                        stock.BlobSequenceDatum(
                            step, wall_time, tuple(stock.BlobReference(key) for key in keys)
                        )
                        for step, wall_time, keys in self._reader.blob_keys(entry, limit)
                    ]
                    for tag, entry in tags.items()
                }
                for run, tags in self._entries(plugin_name, BLOB_SEQUENCE, run_tag_filter).items()
            }

    def read_blob(self, ctx: object = None, *, blob_key: str) -> bytes:
        with _public_errors():
            return self._reader.blob(blob_key)

    def _entries(
        self, plugin: str, data_class: int, asked: stock.RunTagFilter | None
    ) -> Mapping[str, Mapping[str, TensorBoardSeries]]:
        runs, tags = (None, None) if asked is None else (asked.runs, asked.tags)
        return self._reader.entries(TensorBoardKind(plugin, data_class), runs, tags)

    def _within_budget(
        self, downsample: int | None, plugin: str, entries: Sequence[TensorBoardSeries], budget: Budget
    ) -> int:
        """How many points of each: what was said, else what keeps to the budget."""
        said = _limit(downsample)
        if said != UNSAID:
            return said
        counts = [sum(source.info.kept for source in entry.sources.values()) for entry in entries]
        limit = budget.limit(counts)
        if limit is None:
            return UNSAID
        if limit < max(counts):
            self.sampled.note(plugin, limit, max(counts))
        return limit

    def _scalar_series(self, entry: TensorBoardSeries) -> stock.ScalarTimeSeries:
        last = _last(entry)
        return stock.ScalarTimeSeries(**self._said(entry), last_value=None if last is None else last.value)

    def _tensor_series(self, entry: TensorBoardSeries) -> stock.TensorTimeSeries:
        return stock.TensorTimeSeries(**self._said(entry))

    def _blob_series(self, entry: TensorBoardSeries) -> stock.BlobSequenceTimeSeries:
        return stock.BlobSequenceTimeSeries(**self._said(entry), max_length=self._reader.longest(entry))

    def _said(self, entry: TensorBoardSeries) -> dict[str, Any]:
        """What is said of a series of any class."""
        metadata = self._reader.metadata(entry)
        return {
            "max_step": entry.last_step,
            "max_wall_time": entry.last_wall_time,
            "plugin_content": metadata.plugin_data.content,
            "description": metadata.summary_description,
            "display_name": metadata.display_name,
        }


class UnavailableError(errors.PublicError):
    """The data cannot be reached for now."""

    http_code = 503


class UndecodableError(errors.PublicError):
    """A value is damaged."""

    http_code = 422


@contextmanager
def _public_errors() -> Iterator[None]:
    """Our errors as TensorBoard's."""
    try:
        yield
    except NotFound as error:
        raise errors.NotFoundError(str(error)) from error
    except InvalidArgument as error:
        raise errors.InvalidArgumentError(str(error)) from error
    except Undecodable as error:
        raise UndecodableError(str(error)) from error
    except InsightError as error:
        raise UnavailableError(str(error)) from error


def _limit(downsample: int | None) -> int:
    if not isinstance(downsample, int):
        raise TypeError(f"downsample must be an int, not {downsample!r}")
    if downsample < 0:
        raise InvalidArgument(f"downsample must not be negative; got {downsample}")
    return downsample


def _flat(found: Mapping[str, Mapping[str, TensorBoardSeries]]) -> list[TensorBoardSeries]:
    return [entry for tags in found.values() for entry in tags.values()]


def _last(entry: TensorBoardSeries) -> stock.ScalarDatum | None:
    """The last point, where that is known without reading; None where it is not."""
    infos = [source.info for source in entry.sources.values()]
    last = max(infos, key=attrgetter("last_step"))
    if any(info.last_value is None for info in infos) or last.last_value is None:
        return None
    return stock.ScalarDatum(last.last_step, last.last_wall_time, last.last_value)


def _array(payload: Payload) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    values = array_of(payload)
    return values if values.flags.writeable else values.copy()
