"""Records values by kind and name, and by step, into event files."""

from __future__ import annotations

import logging
import os
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import index
from pathlib import Path
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from insight_record.argument_checks import INT64, named, number_of
from insight_record.encoders import encoder_of
from insight_record.encoders.encoder import DialectName, EncodedValue
from insight_record.event_file import host_name
from insight_record.events import LONGEST_VALUE
from insight_record.ranks import rank_of_process
from insight_record.rotating_files import EventFiles
from insight_record.sending.destination import Destination, destination_of
from insight_record.writer import Closed, RecordWriter

if TYPE_CHECKING:
    from typing_extensions import Self  # Python 3.10 has it nowhere

    from insight_record.sending.sender import Sender

log = logging.getLogger(__name__)

_OTHERS = ("_lineage", "_explain")  # of MindSpore
_MOST_NAMES = 100_000  # names that were checked
_SPOOLED_FILE = 64 << 20  # bytes after which a file that is sent is continued in another, and can be deleted
_LEAST, _LARGEST = INT64.start, INT64.stop - 1  # steps

_all: weakref.WeakSet[SummaryRecord] = weakref.WeakSet()


class Closing(ABC):
    """A context manager that calls ``close`` at the end of ``with``."""

    @abstractmethod
    def close(self) -> None:
        """Ends the recording; called at the end of the ``with``, whether the body failed or not."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception as ours:
            if error is None:
                raise
            # the error of the training has priority
            told = f"The summaries were not all written: {type(ours).__name__}: {ours}"
            if sys.version_info >= (3, 11):
                error.add_note(told)
            else:
                log.error(told)


class SummaryRecord(Closing):
    """Writes event files into ``log_dir``, created if necessary, in a background thread. Thread-safe.

    ``dialect``: "mindspore" for MindInsight, "tensorboard" for TensorBoard; insight-host reads both.
    ``file_prefix`` and ``file_suffix`` are parts of the file names. After ``max_file_size`` bytes a new
    file is started. With ``rank`` the files go into the directory of that rank, ``rank_0``, ``rank_1``, ...
    If another process writes into the directory, they go into a subdirectory, named after the rank if
    known, else after host and process, with a warning in the log. ``log_dir`` is the directory in use.

    At most ``queue_size`` values wait to be written (an array counts as one value per 4 KiB); then
    ``record`` waits ("block"), or drops the record and counts it in ``dropped`` ("drop"). A value is in the
    file, visible to readers, at most ``flush_seconds`` after it was recorded; ``flush()`` returns when
    everything recorded survives a crash of process and machine.

    An invalid value raises where it is added. An error of the disk is an OSError with the file name, raised
    by the next call and all later ones; the file then ends with a complete record. At the end of the
    interpreter everything recorded is written. After a fork, or after pickling into another process, the
    record writes a separate file there; records that were not written yet are written by the process that
    recorded them.

    With ``to="https://HOST"`` (or a ``Destination``, or the variable ``INSIGHT_RECORD_TO``) ``log_dir`` is a
    relative path and names the run on that host: files wait in a temporary directory, and a thread sends
    them. A host that is away or slow stops nothing; ``close()`` waits while it takes data, and logs what it
    has not taken and how to send it later. Where too much waits, records are dropped and counted in
    ``dropped``.
    """

    _is_muted = False

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        *,
        dialect: DialectName = "mindspore",
        file_prefix: str = "events",
        file_suffix: str | None = None,
        max_file_size: int | None = None,
        queue_size: int = 65_536,
        on_full: Literal["block", "drop"] = "block",
        flush_seconds: float = 1.0,
        rank: int | None = None,
        to: str | Destination | None = None,
    ) -> None:
        self._options: dict[str, Any] = {
            "log_dir": os.fspath(log_dir),
            "dialect": dialect,
            "file_prefix": file_prefix,
            "file_suffix": file_suffix,
            "max_file_size": max_file_size,
            "queue_size": queue_size,
            "on_full": on_full,
            "flush_seconds": flush_seconds,
            "rank": rank,
            "to": to,
        }
        self._set_up(**self._options)
        try:
            self._open()
        except BaseException:  # not fully constructed: nothing to write at exit
            self._at_end.detach()
            self._files.close()
            raise

    def _open(self) -> None:
        """Makes the first file, in a directory into which no other process writes."""
        own = [f"process_{host_name()}_{os.getpid()}"]
        known = rank_of_process()
        if self._options["rank"] is None and known is not None:
            own.insert(0, f"rank_{known}")
        place = self._files.claim(own).relative_to(self._directory)
        if place != Path():
            self.log_dir /= place
            self._options |= {"log_dir": os.fspath(self.log_dir), "rank": None}

    def _set_up(
        self,
        log_dir: str | os.PathLike[str],
        *,
        dialect: str,
        file_prefix: str,
        file_suffix: str | None,
        max_file_size: int | None,
        queue_size: int,
        on_full: str,
        flush_seconds: float,
        rank: int | None,
        to: str | Destination | None,
    ) -> None:
        self._dialect = encoder_of(dialect)
        suffix = self._dialect.suffix if file_suffix is None else file_suffix
        _check_name_part("file_prefix", file_prefix)
        _check_name_part("file_suffix", suffix)
        if suffix.endswith(_OTHERS):
            raise ValueError(f"file_suffix must not end with {suffix!r}: such files have no events")
        max_file_size = None if max_file_size is None else _whole("max_file_size", max_file_size, 1)
        queue_size = _whole("queue_size", queue_size, 1)
        rank = None if rank is None else _whole("rank", rank, 0)
        if on_full not in ("block", "drop"):
            raise ValueError(f"on_full must be 'block' or 'drop', not {on_full!r}")
        if isinstance(flush_seconds, str) or not 0 <= flush_seconds <= 86400:
            raise ValueError(f"flush_seconds must be 0 to 86400, not {flush_seconds!r}")
        self.log_dir = Path(log_dir) if rank is None else Path(log_dir) / f"rank_{rank}"
        self._directory, has_room = self.log_dir.absolute(), None
        destination = None if self._is_muted else destination_of(to)
        self._sender: Sender | None = None
        if destination is not None:
            from insight_record.sending.sender import sender_for  # few recordings need it

            self._sender = sender_for(destination)
            self._directory, has_room = self._sender.directory(self.log_dir), self._sender.has_room
            max_file_size = _SPOOLED_FILE if max_file_size is None else max_file_size
        self._files = EventFiles(
            self._directory, self._dialect, file_prefix, suffix, rank or 0, max_file_size, has_room
        )
        self._writer = RecordWriter(self._files, queue_size, on_full == "drop", flush_seconds)
        self._good_names: set[str] = set()
        self._at_end = weakref.finalize(self, self._writer.close)
        _all.add(self)

    def add_value(self, plugin: str, name: str, value: object) -> None:
        """Adds a value to the next record.

        ``plugin`` is its kind: scalar, image, histogram, tensor, graph, train_lineage, eval_lineage,
        dataset_graph, custom_lineage_data, hparams, loss_landscape; in the tensorboard dialect also text.
        Raises ValueError or TypeError, with kind and name, for an invalid value, and ValueError after
        ``close``.
        """
        writer = self._writer
        if writer.error is not None or writer.closed:
            self._refuse()
        if plugin == "scalar":
            try:
                number = value if type(value) is float else number_of(value)
                if name not in self._good_names:
                    self._check_name(name)
            except (TypeError, ValueError) as error:
                raise named(error, plugin, name) from None
            writer.add_number(name, number)
            return
        try:
            self._check_name(name)
            values = self._dialect.values(plugin, name, value)
            for one in values:
                if one.size > LONGEST_VALUE and plugin != "histogram":  # of which only buckets are written
                    raise ValueError(f"it takes {one.size} bytes; at most {LONGEST_VALUE} can be written")
        except (TypeError, ValueError) as error:
            raise named(error, plugin, name) from None
        writer.add(values)

    def record(self, step: SupportsIndex, wall_time: float | None = None) -> None:
        """Records the values added since the last record, with ``step`` (an int64) and the wall time.

        ``wall_time`` is in seconds since the epoch, now by default. Without values nothing is recorded.
        """
        writer = self._writer
        if writer.error is not None or writer.closed:
            self._refuse()
        try:
            seconds = time() if wall_time is None else float(wall_time)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"a wall time is a number of seconds, not {wall_time!r}") from None
        try:
            writer.record(step, seconds)
        except Closed:
            self._refuse()
        except TypeError:
            raise TypeError(f"a step is a whole number, not {step!r}") from None
        except OverflowError:
            raise ValueError(f"a step is a whole number of 64 bits, not {step}") from None

    def put(
        self,
        step: int,
        wall_time: float,
        others: Sequence[EncodedValue],
        *scalars: Any,  # noqa: ANN401
    ) -> None:
        """Records one event at once, apart from the values that were added.

        It is for interfaces that have a call for each value, and for other threads than that of the training.
        ``scalars`` are names and numbers in turns; ``others`` were checked. Raises
        ValueError for an invalid name or step, and as ``record`` does.
        """
        writer = self._writer
        if writer.error is not None or writer.closed:
            self._refuse()
        if not _LEAST <= step <= _LARGEST:
            raise ValueError(f"a step is a whole number of 64 bits, not {step}")
        try:
            for name in scalars[::2]:
                if name not in self._good_names:
                    self._check_name(name)
            writer.put((step, wall_time, [*others] or None, *scalars))
        except Closed:
            self._refuse()

    def put_numbers(self, step: int, wall_time: float, numbers: Mapping[str, float]) -> None:
        """Records scalars by tag as one event, apart from the values that were added; see ``put``."""
        self.put(step, wall_time, (), *chain.from_iterable(numbers.items()))

    def put_value(self, step: int, wall_time: float, plugin: str, name: str, value: object) -> None:
        """Records one value of any kind but scalar at once; see ``put`` and ``add_value``."""
        self.put(step, wall_time, self._dialect.values(plugin, name, value))

    @property
    def path(self) -> Path | None:
        """The file written last; None before the first. With ``to`` it is deleted once the host has it."""
        return self._files.path

    @property
    def dropped(self) -> int:
        """Number of records dropped because the queue was full, or with ``to`` what waits to be sent."""
        return self._writer.dropped

    def flush(self) -> None:
        """Returns when everything recorded is on disk."""
        if self._writer.closed:
            self._refuse()
        self._writer.flush()

    def close(self) -> None:
        """Writes everything recorded. Values that were added but not recorded are dropped."""
        was_closed = self._writer.closed
        self._writer.close()
        self._at_end.detach()
        if self._sender is not None and not was_closed:
            self._sender.wait(self.log_dir)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self._options)

    def _refuse(self) -> None:
        self._writer.check()
        raise ValueError(f"the summary record of {self.log_dir} is closed")

    def _check_name(self, name: object) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a name is text, not {type(name).__name__}")
        if not name:
            raise ValueError("a name must not be empty")
        name.encode()  # UnicodeEncodeError is a ValueError
        if len(self._good_names) >= _MOST_NAMES:
            self._good_names.clear()
        self._good_names.add(name)


def _whole(argument: str, number: SupportsIndex, least: int) -> int:
    try:
        found = int(index(number))
    except TypeError:
        raise TypeError(f"{argument} must be a whole number, not {number!r}") from None
    if found < least:
        raise ValueError(f"{argument} must be {least} or more, not {found}")
    return found


def _check_name_part(argument: str, text: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{argument} must be text, not {type(text).__name__}")
    if "/" in text or os.sep in text or "\0" in text:
        raise ValueError(f"{argument} is a part of a file's name, not {text!r}")


def _reopened(kind: type[SummaryRecord], options: dict[str, Any]) -> SummaryRecord:
    """Unpickles a record in another process; its file is created with the first record."""
    record = kind.__new__(kind)
    record._options = options
    record._set_up(**options)
    return record


def _begin_in_child() -> None:
    for record in list(_all):
        record._writer.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
