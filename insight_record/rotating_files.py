"""The event files of one record: the current file, and a new one after ``max_file_size``."""

from __future__ import annotations

import errno
import itertools
import logging
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from insight_record.encoders import encoder_of
from insight_record.encoders.encoder import EncodedValue, EventEncoder
from insight_record.event_file import EventFileWriter, new_file
from insight_record.events import event, summary, version_record
from insight_record.formats.framing import pieces_record
from insight_record.formats.protobuf import Pieces, size_of, text_field
from insight_record.locks import one_at_a_time, written_elsewhere
from insight_record.queued_records import RecordedColumns
from insight_record.scalars import scalar_records

log = logging.getLogger(__name__)

_TAG = 1  # of a value of a summary
_numbers = itertools.count()


class EventFiles:
    """Writes queued records. Not thread-safe. Every OSError names the file or the directory.

    Lineage goes into a separate file, as in MindSpore, and so do values that only the other dialect can
    hold. If another process already writes into the directory, a warning is logged; ``claim`` then chooses
    another directory.
    """

    def __init__(
        self,
        directory: Path,
        dialect: EventEncoder,
        prefix: str,
        suffix: str,
        rank: int,
        max_file_size: int | None,
        has_room: Callable[[], bool] | None = None,
    ) -> None:
        """``has_room`` says before each write whether it may be made."""
        self.path: Path | None = None  # of the last file of events
        self._directory = directory
        self._dialect = dialect
        self._prefix, self._suffix, self._rank = prefix, suffix, rank
        self._max_file_size = max_file_size
        self._has_room = has_room
        self._file: EventFileWriter | None = None
        self._lineage: EventFileWriter | None = None
        self._other: EventFiles | None = None
        self._seconds = 0  # in the name of the last file: readers take files in their order
        self._checked = False  # whether another process writes here
        self._begun: set[str] = set()  # tags that have their metadata in this file
        self._joined: dict[bytes, bytes] = {}  # see ``EventEncoder.joined``

    def claim(self, own: Sequence[str]) -> Path:
        """Creates the first file and returns its directory: the requested one or, if another process writes
        into it, the first unused of its subdirectories ``own``.
        """
        wanted = self._directory
        wanted.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(wanted):
            for name in (None, *own):
                self._directory = wanted if name is None else wanted / name
                file = self._made()
                other = written_elsewhere(self._directory)
                if other is None:
                    break
                file.remove()
                self._file = None
        self._checked = True
        if self._file is None:
            raise FileExistsError(errno.EEXIST, "other processes write into it", str(self._directory))
        if self._directory != wanted:
            log.warning(
                "another process records into %s, so this one records into %s; "
                "to choose, give each process its rank or a directory of its own",
                wanted,
                self._directory,
            )
        return self._directory

    def open(self) -> EventFileWriter:
        """The current file, created if necessary."""
        if self._file is None:
            file = self._made()
            if not self._checked and (other := written_elsewhere(self._directory)) is not None:
                log.warning(
                    "another process writes %s, and this one %s: the run contains the records of both",
                    other,
                    file.path.name,
                )
            self._checked = True
        return self._made()

    def _made(self) -> EventFileWriter:
        if self._file is None:
            now = time.time()
            number = next(_numbers)

            def path(seconds: int, host: str) -> Path:
                return self._directory / self._dialect.file_name(
                    self._prefix, self._suffix, seconds, self._rank, host, os.getpid(), number
                )

            first = version_record(self._dialect.version, now)
            self._file, self._seconds = new_file(path, max(int(now), self._seconds + 1), first)
            self.path = self._file.path
            self._begun.clear()
        return self._file

    def has_room(self) -> bool:
        """Whether records may be written, or are to be dropped."""
        return self._has_room is None or self._has_room()

    def write(self, records: RecordedColumns) -> None:
        """Writes records in order, into as many files as ``max_file_size`` requires. Raises OSError."""
        with np.errstate(all="ignore"):  # settings of the training do not apply here
            steps, wall_times, layout, layouts, numbers, others = records
            scalars = scalar_records(self._dialect, layouts, layout, steps, wall_times, numbers)
            data = scalars.data.data
            done = 0
            for index, values in others:
                self._write_scalars(data, scalars.ends, done, index + 1)
                done = index + 1
                for value in self._dialect.joined(values, self._joined):
                    self._write_value(int(steps[index]), float(wall_times[index]), value)
            self._write_scalars(data, scalars.ends, done, len(steps))

    def sync(self) -> None:
        """Returns when the open files are on disk (fsync). Raises OSError."""
        for file in (self._file, self._lineage, self._other):
            if file is not None:
                file.sync()

    def close(self) -> None:
        """Closes the files; the next record starts new ones."""
        for file in (self._file, self._lineage, self._other):
            if file is not None:
                file.close()
        self._file = self._lineage = self._other = None
        self._checked = False

    def _write_scalars(self, data: memoryview, ends: NDArray[np.int64], first: int, last: int) -> None:
        """Writes the records from ``first`` to before ``last``, into as many files as necessary."""
        start = int(ends[first - 1]) if first else 0
        stop = int(ends[last - 1]) if last else 0
        while start < stop:
            after_one = int(ends[np.searchsorted(ends, start, "right")])
            file = self._with_room(after_one - start)
            until = stop
            if self._max_file_size is not None and stop - start > self._max_file_size - file.size:
                fitting = int(np.searchsorted(ends, start + self._max_file_size - file.size, "right"))
                until = max(after_one, int(ends[fitting - 1]) if fitting else 0)
            file.write([data[start:until]])
            start = until

    def _write_value(self, step: int, wall_time: float, value: EncodedValue) -> None:
        if value.place == "other dialect":
            self._files_of_other_dialect()._write_value(step, wall_time, value._replace(place="summary"))
            return
        content = value.encode()
        if value.place == "lineage":
            self._lineage_file().write(pieces_record([event(step, wall_time), *content]))
            return
        if value.place == "event":
            body = content
        else:
            self._with_room(size_of(content) + len(value.metadata))
            first = b"" if value.tag in self._begun else value.metadata
            self._begun.add(value.tag)
            body = summary([text_field(_TAG, value.tag) + first, *content])
        records: Pieces = pieces_record([event(step, wall_time), *body])
        self._with_room(size_of(records)).write(records)

    def _with_room(self, size: int) -> EventFileWriter:
        """The current file, or a new one if it has no room for ``size`` bytes."""
        file = self.open()
        if self._max_file_size is None or file.is_new or file.size + size <= self._max_file_size:
            return file
        file.sync()
        file.close()
        self._file = None
        return self.open()

    def _files_of_other_dialect(self) -> EventFiles:
        """The files of values that only the other dialect can hold."""
        if self._other is None:
            other = encoder_of("tensorboard" if self._dialect.name == "mindspore" else "mindspore")
            self._other = EventFiles(
                self._directory, other, self._prefix, other.suffix, self._rank, self._max_file_size
            )
            self._other._checked = True  # this record has claimed the directory
        return self._other

    def _lineage_file(self) -> EventFileWriter:
        if self._lineage is None:

            def path(seconds: int, host: str) -> Path:
                name = f"{self._prefix}.out.events.summary.{seconds}.{self._rank}.{host}_lineage"
                return self._directory / name

            self._lineage, _ = new_file(path, int(time.time()), b"")
        return self._lineage
