"""TensorBoard's DataProvider interface over ours, for plugins in this process.

``insight_tensorboard.view`` converts values, here as for gRPC clients.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, NotRequired, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np
from tensorboard import errors
from tensorboard.data import provider as tb

from insight_core.plugin import InsightError, InvalidArgument, NotFound, Undecodable
from insight_core.plugin.data import DataProvider, Payload
from insight_tensorboard.hosted.context import UNSAID
from insight_tensorboard.hosted.requests import SCALARS, TENSORS, Budget, Sampled
from insight_tensorboard.view.catalog import TensorBoardSeries
from insight_tensorboard.view.numbers import Numbers
from insight_tensorboard.view.series_reader import SeriesReader
from insight_tensorboard.view.translation import (
    BLOB_SEQUENCE,
    SCALAR,
    TENSOR,
    TensorBoardKind,
    array_of,
)

Made = TypeVar("Made")
Entries: TypeAlias = Mapping[str, Mapping[str, TensorBoardSeries]]  # by run and tag


class UnavailableError(errors.PublicError):
    """The data are unavailable at the moment."""

    http_code = 503


class UndecodableError(errors.PublicError):
    """A value is damaged."""

    http_code = 422


class _Asked(TypedDict):
    """Arguments of a listing."""

    experiment_id: str
    plugin_name: str
    run_tag_filter: NotRequired[tb.RunTagFilter | None]


class _AskedPoints(_Asked):
    """Arguments of reading: at most ``downsample`` points of each series."""

    downsample: NotRequired[int | None]


ByRunAndTag: TypeAlias = dict[str, dict[str, Made]]


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


class TensorBoardDataProvider(tb.DataProvider):
    """Answers from ``provider``; ``experiment_id`` is ignored, because there is one experiment.

    ``changed`` is called when ``sampled`` begins to name a plugin. Raises PublicErrors of TensorBoard.
    """

    def __init__(self, provider: DataProvider, changed: Callable[[], None] = lambda: None) -> None:
        self._reader = SeriesReader(provider)
        self.sampled = Sampled(changed)

    def __str__(self) -> str:
        return f"insight_host.DataProvider({self._reader.location()!r})"

    @_public_errors()
    def experiment_metadata(self, ctx: object = None, *, experiment_id: str) -> tb.ExperimentMetadata:
        """The location of the data."""
        return tb.ExperimentMetadata(data_location=self._reader.location())

    @_public_errors()
    def list_plugins(self, ctx: object = None, *, experiment_id: str) -> Collection[str]:
        """TensorBoard's names of plugins that have series."""
        return self._reader.plugins()

    @_public_errors()
    def list_runs(self, ctx: object = None, *, experiment_id: str) -> Sequence[tb.Run]:
        """Runs that have events, the earliest first."""
        return [tb.Run(name, name, start) for start, name in self._reader.runs()]

    @_public_errors()
    def list_scalars(self, ctx: object = None, **asked: Unpack[_Asked]) -> ByRunAndTag[tb.ScalarTimeSeries]:
        """Scalar series, by run and tag."""

        def described(entry: TensorBoardSeries) -> tb.ScalarTimeSeries:
            last = _last(entry)
            return tb.ScalarTimeSeries(**self._said(entry), last_value=None if last is None else last.value)

        return _each(self._entries(SCALAR, asked), described)

    @_public_errors()
    def list_tensors(self, ctx: object = None, **asked: Unpack[_Asked]) -> ByRunAndTag[tb.TensorTimeSeries]:
        """Tensor series, by run and tag."""
        return _each(self._entries(TENSOR, asked), lambda entry: tb.TensorTimeSeries(**self._said(entry)))

    @_public_errors()
    def list_blob_sequences(
        self, ctx: object = None, **asked: Unpack[_Asked]
    ) -> ByRunAndTag[tb.BlobSequenceTimeSeries]:
        """Series of blob sequences, by run and tag."""

        def described(entry: TensorBoardSeries) -> tb.BlobSequenceTimeSeries:
            return tb.BlobSequenceTimeSeries(**self._said(entry), max_length=self._reader.longest(entry))

        return _each(self._entries(BLOB_SEQUENCE, asked), described)

    @_public_errors()
    def read_scalars(
        self, ctx: object = None, **asked: Unpack[_AskedPoints]
    ) -> ByRunAndTag[list[tb.ScalarDatum]]:
        """Points of scalar series, by run and tag."""
        entries = _flat(self._entries(SCALAR, asked))
        read: ByRunAndTag[list[tb.ScalarDatum]] = {}
        for entry, numbers in self._reader.numbers(entries, self._limit(asked, entries, SCALARS)):
            read.setdefault(entry.key.run, {})[entry.key.tag] = _data_of(numbers)
        return read

    @_public_errors()
    def read_last_scalars(self, ctx: object = None, **asked: Unpack[_Asked]) -> ByRunAndTag[tb.ScalarDatum]:
        """The last point of scalar series, by run and tag."""
        entries = _flat(self._entries(SCALAR, asked))
        found = [(entry, datum) for entry in entries if (datum := _last(entry)) is not None]
        for entry, numbers in self._reader.numbers([entry for entry in entries if _last(entry) is None], 1):
            found += [(entry, datum) for datum in _data_of(numbers)]
        last: ByRunAndTag[tb.ScalarDatum] = {}
        for entry, datum in found:
            last.setdefault(entry.key.run, {})[entry.key.tag] = datum
        return last

    @_public_errors()
    def read_tensors(
        self, ctx: object = None, **asked: Unpack[_AskedPoints]
    ) -> ByRunAndTag[list[tb.TensorDatum]]:
        """Values of tensor series, by run and tag; damaged ones are omitted."""
        found = self._entries(TENSOR, asked)
        limit = self._limit(asked, _flat(found), TENSORS)

        def read(entry: TensorBoardSeries) -> list[tb.TensorDatum]:
            return [tb.TensorDatum(*point) for point in self._reader.values(entry, limit, _array)]

        return _each(found, read)

    @_public_errors()
    def read_blob_sequences(
        self, ctx: object = None, **asked: Unpack[_AskedPoints]
    ) -> ByRunAndTag[list[tb.BlobSequenceDatum]]:
        """Keys of the blobs of series, by run and tag."""
        limit = _given_limit(asked)

        def read(entry: TensorBoardSeries) -> list[tb.BlobSequenceDatum]:
            return [
                tb.BlobSequenceDatum(step, wall_time, tuple(map(tb.BlobReference, keys)))
                for step, wall_time, keys in self._reader.blob_keys(entry, limit)
            ]

        return _each(self._entries(BLOB_SEQUENCE, asked), read)

    @_public_errors()
    def read_blob(self, ctx: object = None, *, blob_key: str) -> bytes:
        """The bytes of one blob."""
        return self._reader.blob(blob_key)

    def _entries(self, data_class: int, asked: _Asked | _AskedPoints) -> Entries:
        named = asked.get("run_tag_filter")
        runs, tags = (None, None) if named is None else (named.runs, named.tags)
        return self._reader.entries(TensorBoardKind(asked["plugin_name"], data_class), runs, tags)

    def _limit(self, asked: _AskedPoints, entries: Sequence[TensorBoardSeries], budget: Budget) -> int:
        """The maximum number of points of each series: as asked, or as many as keep to the budget."""
        given = _given_limit(asked)
        if given != UNSAID:
            return given
        counts = [sum(source.info.kept for source in entry.sources.values()) for entry in entries]
        limit = budget.limit(counts)
        if limit is None:
            return UNSAID
        if limit < max(counts):
            self.sampled.note(asked["plugin_name"], limit, max(counts))
        return limit

    def _said(self, entry: TensorBoardSeries) -> dict[str, Any]:
        """The description that series of all classes have."""
        metadata = self._reader.metadata(entry)
        return {
            "max_step": entry.last_step,
            "max_wall_time": entry.last_wall_time,
            "plugin_content": metadata.plugin_data.content,
            "description": metadata.summary_description,
            "display_name": metadata.display_name,
        }


def _each(found: Entries, make: Callable[[TensorBoardSeries], Made]) -> ByRunAndTag[Made]:
    return {run: {tag: make(entry) for tag, entry in tags.items()} for run, tags in found.items()}


def _given_limit(asked: _AskedPoints) -> int:
    downsample = asked.get("downsample")
    if not isinstance(downsample, int):
        raise TypeError(f"downsample must be an int, not {downsample!r}")
    if downsample < 0:
        raise InvalidArgument(f"downsample must not be negative; got {downsample}")
    return downsample


def _flat(found: Entries) -> list[TensorBoardSeries]:
    return [entry for tags in found.values() for entry in tags.values()]


def _data_of(numbers: Numbers) -> list[tb.ScalarDatum]:
    columns = numbers.steps.tolist(), numbers.wall_times.tolist(), numbers.values.tolist()
    return list(map(tb.ScalarDatum, *columns))


def _last(entry: TensorBoardSeries) -> tb.ScalarDatum | None:
    """The last point, where that is known without reading; None where it is not."""
    infos = [source.info for source in entry.sources.values()]
    last = max(infos, key=attrgetter("last_step"))
    if any(info.last_value is None for info in infos) or last.last_value is None:
        return None
    return tb.ScalarDatum(last.last_step, last.last_wall_time, last.last_value)


def _array(payload: Payload) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    values = array_of(payload)
    return values if values.flags.writeable else values.copy()
