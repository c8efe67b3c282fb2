"""Reads one log file through a plugin's LogFormat, with a deadline for each call."""

from __future__ import annotations

import io
import json
import logging
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
from attrs import Factory, evolve, frozen
from numpy.typing import NDArray

from insight_core.formats.batch import EMPTY, Batch, Flaw
from insight_core.formats.columns import Block, Columns, never_back
from insight_core.ingest.file_record import FileRecord, Stretch
from insight_core.ingest.followed_file import HEAD, TAIL, FollowedFile, Replaced, both_ends
from insight_core.ingest.scan_ahead import FileVersion, file_version
from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.isolation import Call, Calls, Crashed, in_one_line
from insight_core.plugin import Dialect, HyperParameters, Images, LogFormat, Points, Texts
from insight_record.events import ERRORS
from insight_record.formats.reason import Reason, ReasonKind

if TYPE_CHECKING:
    from insight_core.ingest.fetching import Fetch
    from insight_core.ingest.locked_directory import ValueFiles
    from insight_core.ingest.log_values import LogValues

log = logging.getLogger(__name__)

_TURN = 1.0  # seconds that a thread waits for a call before it reads other files
_DEADLINE = 30.0  # seconds after which a call that has not returned is damage
_MOST_CALLS = 8  # of one format at a time, including calls that hang
_LONGEST_STATE = 64 << 10  # characters of JSON
_READER_STUCK = ReasonKind("reader_stuck", "{count} calls of {name} hang")
_READER_FAILED = ReasonKind("reader_failed", "{name} failed: {cause}")


class Waiting(Exception):
    """The format has not returned yet; reading continues later."""


class FormatReader:
    """A log format and its running calls."""

    def __init__(self, log_format: LogFormat, values: ValueFiles, fetch: Fetch | None = None) -> None:
        """``fetch`` is called before files are read that are mirrors of others."""
        self.format = log_format
        self.values = values
        self.fetch = fetch
        self.key = f"{log_format.name} {log_format.version}"
        self._calls = Calls(f"log format {log_format.name}")
        self._open: list[Call[_Turn]] = []  # appended to and replaced as a whole: any thread may do both

    def start(self, file: LogFile) -> Call[_Turn] | None:
        """Begins the next call; None at the limit of concurrent calls."""
        self._open = [call for call in self._open if not call.done.is_set()]
        if len(self._open) >= _MOST_CALLS:
            return None
        call = self._calls.start(f"reading {file.path}", lambda _: file.turn(), _DEADLINE)
        self._open.append(call)
        return call

    @property
    def is_stuck(self) -> bool:
        """Whether the limit is reached and no call is expected to return soon."""
        hanging = [call for call in self._open if call.is_overdue and not call.done.is_set()]
        return len(hanging) >= _MOST_CALLS


@frozen(eq=False)
class _Turn:
    """The checked result of one call, and the version of the file."""

    info: os.stat_result
    began: int  # position
    end: int
    head: Stretch
    tail: Stretch
    state: str = ""  # JSON
    values: str = ""  # see LogValues.kept
    batches: list[Batch] = Factory(list)
    error: BaseException | None = None  # raised by the format


class LogFile(FollowedFile):
    """Reads one file, a call at a time, with the interface of EventFile."""

    def __init__(self, path: str, reader: FormatReader) -> None:
        super().__init__(path, None)
        self._reader = reader
        self._state = "null"  # JSON
        self._call: Call[_Turn] | None = None
        self._is_postponed = False  # until other calls of the format have returned
        self._failed = False
        self._values: LogValues | None = None  # until there are any
        self._kept_values = ""  # see LogValues.kept

    @property
    def values_path(self) -> str:
        """The path of the event file with the texts, pictures and hyperparameters; empty without any."""
        return "" if self._values is None else self._values.path

    @property
    def is_waiting(self) -> bool:
        """Whether reading continues as soon as a running call returns."""
        if self._call is not None:
            return not self._call.is_overdue
        return self._is_postponed and not self._reader.is_stuck

    def read(self, may_scan_ahead: bool = False) -> Batch | None:
        """The next points; None at the end of the file. Raises Replaced, Waiting, OSError."""
        if self._call is None:
            self._call = self._reader.start(self)
            self._is_postponed = self._call is None
            if self._call is None:
                if self._reader.is_stuck:
                    reason = _READER_STUCK(count=_MOST_CALLS, name=self._name)
                    self._known.tail = Flaw(self.position, reason)
                raise Waiting
        call = self._call
        if not call.done.wait(min(_TURN, call.left())):
            if call.is_overdue:
                text = f"{self._name} has not returned for {call.deadline:.0f} s"
                reason = Reason(text, "reader_slow", name=self._name, seconds=round(call.deadline))
                if self._known.tail is None or self._known.tail.reason != reason:
                    log.warning("%s: %s", self.path, reason)
                self._known.tail, self._grew = Flaw(self.position, reason), -math.inf
            raise Waiting
        self._call = None
        if call.error is not None:
            raise call.error
        return self._apply(cast(_Turn, call.value))

    @property
    def _name(self) -> str:
        return f"the log format {self._reader.format.name}"

    # --- in a thread of the format ---

    def turn(self) -> _Turn:
        """Calls the format once. Raises Replaced, OSError."""
        with io.BufferedReader(_NamedFile(open_regular(self.path), self.path)) as stream:
            descriptor = stream.raw.fileno()
            info = os.fstat(descriptor)
            known = [self._known.head, self._known.end]
            self._check_identity(info)
            if not all(stretch.is_in(descriptor) for stretch in known):
                raise Replaced
            before = both_ends(descriptor, info)
            began = self.position
            try:
                stream.seek(began)
                given, state = self._reader.format.read(cast(BinaryIO, stream), json.loads(self._state))
                items = list(given)  # it may read on as it is gone through
                end = stream.tell()
                if end < began:
                    raise ValueError(f"it went back from byte {began} to byte {end}")
                batches, text = self._taken(items, state, began)
            except BaseException as error:  # SystemExit too: the thread is the plugin's
                return _Turn(info, began, began, known[0], known[1], error=error)
            if file_version(os.fstat(descriptor)) != file_version(info):
                known += before
            head = Stretch.of(descriptor, 0, min(HEAD, end))
            tail = Stretch.of(descriptor, max(0, end - TAIL), end)
            # checked last: a file that was rewritten during the call gives a mixture of old and new
            if not all(stretch.is_in(descriptor) for stretch in known):
                raise Replaced
            values = "" if self._values is None else self._values.kept()
            return _Turn(info, began, end, head, tail, text, values, batches)

    def _taken(self, items: Sequence[object], state: object, began: int) -> tuple[list[Batch], str]:
        """What the format gave, checked, and the state as JSON."""
        points: list[Points] = []
        others: list[Texts | Images | HyperParameters] = []
        flaws: list[Flaw] = []
        for item in items:
            if isinstance(item, Flaw):
                flaws.append(Flaw(int(item.offset), Reason.of(item.reason), int(item.skipped)))
            elif isinstance(item, Points):
                points.append(item)
            elif isinstance(item, (Texts, Images, HyperParameters)):
                others.append(item)
            else:
                known = "Points, Texts, Images, HyperParameters or a Flaw"
                raise TypeError(f"it returned a {type(item).__name__}, not {known}")
        text = json.dumps(state, allow_nan=False)
        if len(text) > _LONGEST_STATE:
            raise ValueError(f"its state has {len(text)} characters; at most {_LONGEST_STATE} are kept")
        batches = [Batch(0, Dialect.TENSORBOARD, blocks_of(points), flaws=flaws)]
        if others:
            batches += self._kept(others, began)
        return batches, text

    def _kept(self, items: Sequence[Texts | Images | HyperParameters], began: int) -> list[Batch]:
        if self._values is None:
            self._values = self._new_values()
        return self._values.add(items, began)

    def _new_values(self) -> LogValues:
        from insight_core.ingest.log_values import LogValues  # most formats have none

        return LogValues(self._reader.values, self.path, self._reader.fetch)

    # --- in the loader's thread ---

    def _apply(self, turn: _Turn) -> Batch | None:
        self._look_at(turn.info)
        self._known.size, self._failed = -1, False
        if turn.error is not None:
            self._fail(turn.error)
            # retried when the file changes, or at the next start
            self._note_complete(*file_version(turn.info)[2:])
            return None
        batch = _joined(turn)
        self._known.flaws.extend([flaw for flaw in batch.flaws if flaw.offset < turn.end])
        self._state, self._kept_values = turn.state, turn.values
        self._known.position, self._known.head, self._known.end = turn.end, turn.head, turn.tail
        is_done = turn.end >= self.size or turn.end == turn.began
        self._known.tail = None
        if is_done:
            self._known.tail = self._tail_of(turn, batch.flaws)
            self._note_complete(*file_version(turn.info)[2:])
        batch.tail, batch.flaws = self._known.tail, []
        return batch if batch.blocks or not is_done else None

    def _tail_of(self, turn: _Turn, flaws: Sequence[Flaw]) -> Flaw | None:
        """The reason why the rest of the file was not read."""
        if not self.size:
            return Flaw(0, EMPTY)
        if turn.end >= self.size:
            return None
        named = [flaw for flaw in flaws if flaw.offset >= turn.end]
        unfinished = Reason("the end is not finished", "end_unfinished")
        return named[0] if named else Flaw(turn.end, unfinished, self.size - turn.end)

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, Exception):
            error = Crashed(in_one_line(error))
        cause = Reason.of(error if isinstance(error, ValueError) else in_one_line(error))
        if not isinstance(error, ValueError):
            log.error("%s failed to read %s", self._name, self.path, exc_info=error)
        self._failed, self._grew = True, -math.inf
        reason = _READER_FAILED(name=self._name, cause=cause)
        self._known.tail = Flaw(self.position, reason, max(0, self.size - self.position))

    def record(self) -> FileRecord | None:
        """The state of file and format from which a later start can resume; None while bytes are unread."""
        record = None if self._failed else super().record()
        return record and evolve(record, state=f"{self._reader.key}\n{self._kept_values}\n{self._state}")

    def resume(self, record: FileRecord, version: FileVersion) -> bool:
        """Resumes from the state of an earlier reader; returns False if the file has changed."""
        key, _, rest = record.state.partition("\n")
        values, _, state = rest.partition("\n")
        if key != self._reader.key:
            return False
        known = self._new_values() if values else None
        if known is not None and not known.resume(values):
            return False
        if not super().resume(record, version):
            if known is not None:
                known.discard()
            return False
        self._values, self._state, self._kept_values = known, state, values
        return True

    def discard(self) -> None:
        """Deletes the event file with the values: the log is read again, or was deleted."""
        if self._values is not None:
            self._values.discard()


class _NamedFile(io.FileIO):
    """A file opened by descriptor whose ``name`` is the path."""

    def __init__(self, descriptor: int, path: str) -> None:
        super().__init__(descriptor, "rb")
        self.name = path


def _joined(turn: _Turn) -> Batch:
    batch = Batch(turn.end, Dialect.TENSORBOARD)
    for each in turn.batches:
        batch.blocks += each.blocks
        batch.flaws += each.flaws
        for tag, metadata in each.metadata.items():
            batch.metadata[tag] = batch.metadata.get(tag, metadata).continued(metadata)
    batch.first_wall_time = min(filter(None, map(_first, batch.blocks)), default=None)
    return batch


def blocks_of(points: Sequence[Points]) -> list[Block]:
    """The points by tag, concatenated. Raises ValueError or TypeError for invalid columns."""
    by_tag: dict[str, list[list[NDArray[Any]]]] = {}
    for each in points:
        if not isinstance(each.tag, str) or not each.tag:
            raise TypeError(f"{each.tag!r} is not a tag")
        columns = [_column(each, "steps", np.int64), _column(each, "wall_times", np.float64)]
        columns.append(_column(each, "values", np.float64))
        errors = None if each.errors is None else _column(each, "errors", np.float64)
        if len({len(column) for column in (*columns, *([] if errors is None else [errors]))}) > 1:
            raise ValueError(f"the columns of {each.tag!r} are not equally long")
        if len(columns[0]):
            by_tag.setdefault(each.tag, []).append(columns)
        if errors is not None and (known := ~np.isnan(errors)).any():
            by_tag.setdefault(each.tag + ERRORS, []).append(
                [column[known] for column in (*columns[:2], errors)]
            )
    if not by_tag:
        return []
    steps_of = [np.concatenate([columns[0] for columns in parts]) for parts in by_tag.values()]
    every = [columns for parts in by_tag.values() for columns in parts]
    whole = Columns(*(np.concatenate(columns) for columns in zip(*every, strict=True)))
    ends = np.cumsum([len(steps) for steps in steps_of])
    ascending = np.array([never_back(steps) for steps in steps_of])
    return [Block("simple_value", tuple(by_tag), ends, ascending, whole)]


def _column(points: Points, name: str, dtype: type[Any]) -> NDArray[Any]:
    given = getattr(points, name)
    if given is None and name == "wall_times":
        return np.full(len(np.asarray(points.steps)), np.nan)
    given = np.asarray(given)
    if given.dtype == dtype and given.ndim == 1:
        return given
    kinds = "iub" if dtype is np.int64 else "iubf"
    if given.ndim != 1 or (given.size and given.dtype.kind not in kinds):
        raise TypeError(f"the {name} of {points.tag!r} are not a column of {dtype.__name__}")
    return given.astype(dtype)


def _first(block: Block) -> float | None:
    wall_times = block.columns.wall_times
    finite = wall_times[np.isfinite(wall_times)]
    return float(finite.min()) if len(finite) else None
