"""Writes event files as training does, in either dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

import insight_authoring.testing.wire as wire
from insight_authoring.testing.scalar_block import Form, scalar_events
from insight_authoring.testing.tensors import (
    histogram_proto,
    histogram_tensor,
    mindspore_histogram,
    mindspore_tensor,
    tensorflow_tensor,
)
from insight_core.plugin import Dialect, PluginNameEnum
from insight_record.formats.framing import record

START_TIME = 1_700_000_000.0  # Wall time of the first event of a writer, in seconds since the epoch.

_FILE_NAMES = {
    Dialect.TENSORBOARD: "events.out.tfevents.{seconds}.test.{number}",
    Dialect.MINDSPORE: "events.out.events.summary.{seconds}.{number}.test_MS",
}
_HISTO, _MINDSPORE_HISTOGRAM = 5, 9  # fields of a value
_EVENT_FILE = re.compile(r"tfevents|summary\.\d+")


class EventWriter:
    """Writes one event file. Not thread-safe.

    ``target`` is the file (its name must be one of an event file) or the directory of the run,
    which is made; there, every writer opens a file of its own. ``wall_time`` of a value (seconds since
    the epoch) is by default ``start_time`` plus its step. ``flush`` shows what was written to readers.
    """

    def __init__(
        self,
        target: str | PathLike[str],
        dialect: Dialect | str = Dialect.TENSORBOARD,
        *,
        start_time: float = START_TIME,
        version: bool = True,
        append: bool = False,
    ) -> None:
        self.dialect = Dialect(dialect)
        self.start_time = start_time
        self.path = _event_path(Path(target), self.dialect, start_time)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._tags: set[str | bytes] = set()
        self._file = open(self.path, "ab" if append else "wb")  # noqa: SIM115
        if version and not append:
            self.event(wire.version_event(self.dialect, start_time))

    def scalar(self, tag: str, step: int, value: float, wall_time: float | None = None) -> None:
        """A float32: ``simple_value``, or ``scalar_value`` in MindSpore's dialect."""
        self.values(step, [wire.scalar_value(tag, value, self.dialect)], wall_time)

    def scalars_tf2(
        self,
        tag: str,
        step: int,
        value: float,
        wall_time: float | None = None,
        *,
        double: bool = False,
        packed: bool = False,
        display_name: str = "",
        description: str = "",
    ) -> None:
        """A scalar as TensorFlow 2 writes it: a tensor, and metadata with the first one of a tag."""
        first = self._first(tag, wire.metadata("scalars", 1, display_name, description))
        tensor = wire.number_tensor(value, double=double, packed=packed)
        self.values(step, [wire.tensor_value(tag, tensor, first)], wall_time)

    def text(
        self, tag: str, step: int, text: str, wall_time: float | None = None, *, plugin: str = ""
    ) -> None:
        """Writes a text that belongs to a summary plugin, by default TensorBoard's own."""
        first = self._first(tag, wire.metadata(plugin, 2) if plugin else wire.metadata("text", 2))
        self.values(step, [wire.tensor_value(tag, wire.text_tensor([text.encode()]), first)], wall_time)

    def image(
        self,
        tag: str,
        step: int,
        encoded: bytes,
        width: int,
        height: int,
        wall_time: float | None = None,
        *,
        channels: int = 3,
    ) -> None:
        """An encoded picture (PNG bytes), taken as it is."""
        self.values(step, [wire.image_value(tag, encoded, width, height, channels)], wall_time)

    def images_tf2(
        self,
        tag: str,
        step: int,
        encoded: Sequence[bytes],
        width: int,
        height: int,
        wall_time: float | None = None,
        *,
        display_name: str = "",
        description: str = "",
    ) -> None:
        """A batch of pictures as TensorFlow 2 writes it: a tensor of strings, their size first."""
        first = self._first(tag, wire.metadata("images", 3, display_name, description))
        tensor = wire.text_tensor([b"%d" % width, b"%d" % height, *encoded])
        self.values(step, [wire.tensor_value(tag, tensor, first)], wall_time)

    def histogram(self, tag: str, step: int, values: ArrayLike, wall_time: float | None = None) -> None:
        """Values in buckets, as torch counts them, or MindSpore in its dialect."""
        if self.dialect is Dialect.MINDSPORE:
            encoded = wire.value(tag, _MINDSPORE_HISTOGRAM, mindspore_histogram(values))
        else:
            encoded = wire.value(tag, _HISTO, histogram_proto(values))
        self.values(step, [encoded], wall_time)

    def histogram_tf2(
        self,
        tag: str,
        step: int,
        values: ArrayLike,
        wall_time: float | None = None,
        *,
        bins: int = 30,
        display_name: str = "",
        description: str = "",
    ) -> None:
        """Values in buckets as TensorFlow 2 writes them: a tensor of edges and counts."""
        first = self._first(tag, wire.metadata("histograms", 2, display_name, description))
        self.values(step, [wire.tensor_value(tag, histogram_tensor(values, bins), first)], wall_time)

    def tensor(
        self,
        tag: str,
        step: int,
        values: ArrayLike,
        wall_time: float | None = None,
        *,
        plugin: str = PluginNameEnum.TENSOR,
        dtype: str | None = None,
        shape: Sequence[int] | None = None,
        typed: bool = False,
    ) -> None:
        """A tensor. MindSpore's is float32 whatever its type; metadata of TensorFlow's names ``plugin``.

        The rest is as in ``tensorflow_tensor``; in MindSpore's dialect ``typed`` means nothing.
        """
        if self.dialect is Dialect.MINDSPORE:
            encoded = wire.tensor_value(tag, mindspore_tensor(values, dtype=dtype, shape=shape))
        else:
            first = self._first(tag, wire.metadata(plugin, 2))
            tensor = tensorflow_tensor(values, dtype=dtype, shape=shape, typed=typed)
            encoded = wire.tensor_value(tag, tensor, first)
        self.values(step, [encoded], wall_time)

    def values(self, step: int, values: Iterable[bytes], wall_time: float | None = None) -> None:
        """One event with all of these values, encoded by ``insight_authoring.testing.wire``."""
        self.event(wire.event(step, self._time(step, wall_time), wire.summary(values)))

    def session_start(self, step: int, wall_time: float | None = None) -> None:
        """The mark that TensorFlow 1 sessions leave when training (re)starts at a step."""
        self.event(wire.session_event(step, self._time(step, wall_time)))

    def scalar_block(
        self,
        tags: Sequence[str],
        steps: ArrayLike,
        values: ArrayLike,
        wall_times: ArrayLike | None = None,
        *,
        form: Form = "simple",
    ) -> None:
        """Many scalars at once: ``values`` is of shape (steps, tags); see ``scalar_events``."""
        step_column = np.asarray(steps, np.int64)
        times = self.start_time + step_column if wall_times is None else wall_times
        first = not self._tags.issuperset(tags)
        self._tags.update(tags)
        self.raw(
            scalar_events(tags, step_column, values, times, dialect=self.dialect, form=form, first=first)
        )

    def event(self, payload: bytes) -> None:
        """One framed record around the bytes of an ``Event``."""
        self._file.write(record(payload))

    def raw(self, data: bytes) -> None:
        """Bytes without a frame."""
        self._file.write(data)

    def flush(self) -> None:
        """Writes what is buffered into the file."""
        self._file.flush()

    def close(self) -> None:
        """Flushes and closes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _time(self, step: int, wall_time: float | None) -> float:
        return self.start_time + step if wall_time is None else wall_time

    def _first(self, tag: str, encoded: bytes) -> bytes:
        """Metadata for the first value of a tag, nothing for the others."""
        if tag in self._tags:
            return b""
        self._tags.add(tag)
        return encoded


def _event_path(target: Path, dialect: Dialect, start_time: float) -> Path:
    if _EVENT_FILE.search(target.name) and not target.is_dir():
        return target
    number = 0
    while True:
        name = _FILE_NAMES[dialect].format(seconds=int(start_time), number=number)
        if not (target / name).exists():
            return target / name
        number += 1
