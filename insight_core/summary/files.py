"""The files of one record: one that is written now, and after it another where it has become too long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from insight_core.summary.dialects import Dialect, Value
from insight_core.summary.event_file import EventFile, new_event_file
from insight_core.summary.fields import pieces_field, size_of, text_field
from insight_core.summary.frames import GRAPH, event, pieces_record, summary
from insight_core.summary.scalars import scalar_records
from insight_core.summary.waiting import Waiting

_TAG = 1  # of a value of a summary


class EventFiles:
    """Writes what waited. Not thread-safe. Every OSError names the file or the directory."""

    def __init__(
        self,
        directory: Path,
        dialect: Dialect,
        prefix: str,
        suffix: str,
        rank: int,
        max_file_size: int | None,
    ) -> None:
        self._directory = directory
        self._dialect = dialect
        self._name = (prefix, suffix, rank)
        self._max_file_size = max_file_size
        self._file: EventFile | None = None
        self.path: Path | None = None  # of the last file
        self._seconds = 0  # in the name of the last file
        self._begun: set[str] = set()  # tags that have their metadata in this file

    def open(self) -> EventFile:
        """The file that is written now, made if there is none."""
        if self._file is None:
            self._file, self._seconds = new_event_file(
                self._directory, self._dialect, *self._name, after=self._seconds
            )
            self.path = self._file.path
            self._begun.clear()
        return self._file

    def write(self, waiting: Waiting) -> None:
        steps = np.frombuffer(waiting.steps, np.int64)
        wall_times = np.frombuffer(waiting.wall_times, np.float64)
        scalars = scalar_records(
            self._dialect,
            list(waiting.layouts),
            np.frombuffer(waiting.layout, np.int64),
            steps,
            wall_times,
            np.frombuffer(waiting.numbers, np.float64) if waiting.numbers else np.empty(0),
        )
        data = scalars.data.data
        done = 0
        for index, values in waiting.others:
            self._write_scalars(data, scalars.ends, done, index + 1)
            done = index + 1
            for value in values:
                self._write_value(int(steps[index]), float(wall_times[index]), value)
        self._write_scalars(data, scalars.ends, done, len(steps))

    def sync(self) -> None:
        if self._file is not None:
            self._file.sync()

    def close(self) -> None:
        """Closes the file; the next thing written begins another."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write_scalars(self, data: memoryview, ends: NDArray[np.int64], first: int, last: int) -> None:
        """The records from ``first`` to before ``last``, in as many files as they need."""
        start = int(ends[first - 1]) if first else 0
        stop = int(ends[last - 1]) if last else 0
        while start < stop:
            file = self._with_room(int(ends[np.searchsorted(ends, start, "right")]) - start)
            until = stop
            if self._max_file_size is not None and file.size + stop - start > self._max_file_size:
                fitting = int(np.searchsorted(ends, start + self._max_file_size - file.size, "right"))
                one = int(np.searchsorted(ends, start, "right")) + 1
                until = min(stop, int(ends[max(fitting, one) - 1]))
            file.write([data[start:until]])
            start = until

    def _write_value(self, step: int, wall_time: float, value: Value) -> None:
        content = value.encode()
        if value.place == "graph":
            body = pieces_field(GRAPH, content)
        else:
            self._with_room(size_of(content) + len(value.metadata))
            first = b"" if value.tag in self._begun else value.metadata
            self._begun.add(value.tag)
            body = summary([text_field(_TAG, value.tag) + first, *content])
        records = pieces_record([event(step, wall_time), *body])
        self._with_room(size_of(records)).write(records)

    def _with_room(self, size: int) -> EventFile:
        """The file that so many bytes still go into: another one where they are too many for this."""
        file = self.open()
        if self._max_file_size is None or file.is_new or file.size + size <= self._max_file_size:
            return file
        file.sync()
        self.close()
        return self.open()
