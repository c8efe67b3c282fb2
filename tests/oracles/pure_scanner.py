"""What the compiled scanner does, in Python: a chunk of an event file to columns.

Numbers are decoded, everything else becomes locators.

Python reads one event of each shape; numpy reads all events that look like it. Two events have the
same shape when they are of equal length and differ only in their time, step, numbers and tags.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.batch import (
    BAD_DATA,
    BAD_HEADER,
    CUT_MEANWHILE,
    Batch,
    Flaw,
    header_cut_off,
    malformed_event,
    record_cut_off,
)
from insight_core.formats.dialects import Dialect
from insight_core.formats.event import Event, Malformed, Metadata, dialect_of, read_event
from insight_core.ingest.scanner.columns import NumberTags, form_of
from insight_core.ingest.scanner.holes import MOST_RETRIED, has_header
from insight_core.ingest.scanner.pages import Pages, is_whole
from insight_record.formats.crc32c import masked_crc32c
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE, LONGEST_READ, find_header
from tests.oracles.event_shape import EventShape
from tests.oracles.record_frames import LONGEST_ROW, Frames, next_data, walk
from tests.oracles.tag_columns import Slots, TagNames

_FEWEST_ALIKE = 8  # fewer events of one length are read one by one
_MOST_MISSES = 64  # shapes that few events have; then the rest of that length are read one by one
_SHORTEST_CHUNK = 1 << 16  # bytes read after a long record: there may be another one, and then they are lost


class PureScanner:
    """Scans one file, about ``chunk`` bytes a call.

    ``dialect`` is as the version record says, before and without it as ``guess`` says.
    """

    def __init__(self, guess: Dialect, chunk: int, number_plugins: frozenset[str] = frozenset()) -> None:
        self.dialect = guess
        self._names = TagNames()
        self._numbers = NumberTags(number_plugins)
        self._chunk = chunk
        self._reach = chunk  # bytes to read next
        self._end = 0  # of the last scan
        self._searched = 0  # offset before which no good header follows a bad one
        self._unfit: int | None = None  # offset of one before it whose record does not fit in the file

    def scan(self, descriptor: int, position: int, size: int, until: int | None = None) -> Batch:
        """The records from offset ``position`` on of a file known to have ``size`` bytes, up to the first one
        that begins at ``until`` or later; raises OSError.

        A bad header is skipped when a good one follows. Without one, a later scan searches again, at least at
        ``position``: pages of network file systems are zeros until their bytes arrive.
        """
        until = size if until is None else until
        if position != self._end:
            self._searched, self._unfit = 0, None
            self._numbers.is_complete = False
        elif self._searched > position and has_header(descriptor, position):
            self._searched, self._unfit = 0, None
        before = self._searched, self._unfit, self._reach
        batch = Batch(position, self.dialect)
        events = _EventReader(self._names, self._numbers, batch)
        spent = 0
        while spent < self._chunk and batch.end < min(size, until) and batch.tail is None:
            start = max(batch.end, self._searched)
            if start > batch.end:  # twelve zeros are not a good header: a hole holds none
                start = max(start, next_data(descriptor, start, size) - HEADER_SIZE + 1)
            wanted = min(self._reach, size - start)
            chunk = os.pread(descriptor, wanted, start)
            spent += max(len(chunk), _SHORTEST_CHUNK)
            self._reach = min(self._chunk, self._reach * 8)
            if not chunk:
                batch.tail = Flaw(batch.end, CUT_MEANWHILE)
                break
            size = start + len(chunk) if len(chunk) < wanted else size
            offset = 0 if start == batch.end else self._skip(batch, chunk, start, 0, size)
            while offset is not None:
                frames = walk(chunk, offset, until - start)
                events.read(chunk, start, frames)
                batch.end = start + frames.end
                if frames.header_is_bad:
                    offset = self._skip(batch, chunk, start, frames.end + 1, size)
                    continue
                offset = None
                if frames.wanted > size - batch.end:
                    batch.tail = record_cut_off(batch.end, size, frames.wanted)
                elif frames.wanted > LONGEST_READ + HEADER_SIZE + FOOTER_SIZE:
                    events.read_long(descriptor, batch.end, frames.wanted)
                    batch.end += frames.wanted
                    self._reach = _SHORTEST_CHUNK
                elif frames.wanted:
                    self._reach = max(self._reach, frames.wanted)
                elif batch.end < until and batch.end < size == start + len(chunk):
                    batch.tail = header_cut_off(batch.end, size)
        if (session := events.next_session()) is not None:  # it begins another batch
            self._searched, self._unfit, self._reach = before
            return self.scan(descriptor, position, size, session)
        events.settle()
        self._end = batch.end
        self.dialect = batch.dialect
        return batch

    def _skip(self, batch: Batch, chunk: bytes, start: int, offset: int, size: int) -> int | None:
        """Goes on to the first good header of the chunk, or notes that the chunk has none."""
        found, unfit = find_header(chunk, offset, size - start)
        if unfit is not None and self._unfit is None:
            self._unfit = start + unfit
        if found is not None:
            batch.flaws.append(Flaw(batch.end, BAD_HEADER, start + found - batch.end))
            batch.end = start + found
            self._searched, self._unfit = 0, None
            return found
        self._searched = start + max(offset, len(chunk) - HEADER_SIZE + 1)
        if start + len(chunk) == size:
            batch.tail = Flaw(batch.end, BAD_HEADER, size - batch.end)
            if self._searched - batch.end <= MOST_RETRIED:
                self._searched = 0
            elif self._unfit is not None:
                self._searched = self._unfit
            self._unfit = None
        return None


_Place: TypeAlias = tuple[int, int]  # offset of a record, and number of a value in it


class _EventReader:
    """Reads framed events into a batch."""

    def __init__(self, names: TagNames, numbers: NumberTags, batch: Batch) -> None:
        self._names = names
        self._numbers = numbers
        self._batch = batch
        self._slots: list[Slots] = []
        # by tag: the places of the first and the last value with this metadata
        self._metadata: dict[str, dict[Metadata, tuple[_Place, _Place]]] = {}
        self._sessions: list[tuple[int, int]] = []  # offset of the record in which one begins, and its step
        self._chunk = memoryview(b"")
        self._bytes = np.empty(0, np.uint8)
        self._starts = self._lengths = np.empty(0, np.int64)  # of the events, in the chunk
        self._base = 0  # of the chunk, in the file

    def read(self, chunk: bytes, base: int, frames: Frames) -> None:
        """Reads the whole records of a chunk that begins at offset ``base`` of the file."""
        if not len(frames.starts):
            return
        self._chunk = memoryview(chunk)
        self._bytes = np.frombuffer(chunk, np.uint8)
        self._starts, self._lengths, self._base = frames.starts, frames.lengths, base
        if base + int(frames.starts[0]) == HEADER_SIZE:
            dialect = dialect_of(self._event(0)) if self._is_whole(0) else None
            self._batch.dialect = dialect or self._batch.dialect
        lengths, inverse, counts = np.unique(self._lengths, return_inverse=True, return_counts=True)
        by_length = np.argsort(inverse, kind="stable")
        edge = 0
        for length, count in zip(lengths.tolist(), counts.tolist(), strict=True):
            events = by_length[edge : edge + count]
            edge += count
            if count < _FEWEST_ALIKE or length > LONGEST_ROW:
                for index in events.tolist():
                    self._read_one(index)
            else:
                self._read_alike(events, length)

    def read_long(self, descriptor: int, position: int, wanted: int) -> None:
        """Reads a record without fetching its payloads; numbers are taken once it is verified."""
        start, length = position + HEADER_SIZE, wanted - HEADER_SIZE - FOOTER_SIZE
        try:
            event = read_event(Pages(descriptor, start, length), self._batch.dialect)
        except Malformed as error:
            sound = is_whole(descriptor, start, length)
            self._flaw(position, wanted, malformed_event(error) if sound else BAD_DATA)
            return
        is_checked = event.starts_session or any(form_of(value) for value in event.values)
        if is_checked and not is_whole(descriptor, start, length):
            self._flaw(position, wanted, BAD_DATA)
            return
        self._take(event, start)

    def next_session(self) -> int | None:
        """The offset of the first record in which a session begins after values; None without one."""
        if not self._sessions:
            return None
        firsts = [int(slots.records.min()) for slots in self._slots if len(slots.records)]
        later = [record for record, _ in self._sessions if firsts and record > min(firsts)]
        return min(later, default=None)

    def settle(self) -> None:
        """Everything read is in the batch."""
        batch = self._batch
        batch.flaws.sort(key=lambda flaw: flaw.offset)
        batch.session_step = min((step for _, step in self._sessions), default=None)
        by_place = sorted(self._metadata.items(), key=lambda item: min(item[1].values()))
        batch.metadata = {tag: _joined(found) for tag, found in by_place}
        self._numbers.learn(batch.metadata)
        batch.blocks = self._names.sorted_by_tag(self._slots, self._numbers)

    def _take(self, event: Event, start: int) -> None:
        """Collects the values of one event that begins at offset ``start`` of the file."""
        record = start - HEADER_SIZE
        self._note_wall_times(np.array([event.wall_time]))
        if event.starts_session:
            self._sessions.append((record, event.step))
        for place, value in enumerate(event.values):
            self._note_metadata(value.tag, value.metadata, (record, place), (record, place))
            if not value.field:
                continue
            form = form_of(value)
            self._slots.append(
                Slots(
                    np.array([self._names.key(value.tag, value.field)]),
                    np.array([place]),
                    np.array([event.step]),
                    np.array([event.wall_time]),
                    np.array([value.number_value if form else 0.0]),
                    np.array([form], np.uint8),
                    np.array([record]),
                    np.array([start + value.start]),
                    np.array([value.size]),
                )
            )

    def _note_wall_times(self, wall_times: NDArray[np.float64]) -> None:
        finite = wall_times[np.isfinite(wall_times) & (wall_times > 0)]
        if len(finite):
            first = float(finite.min())
            known = self._batch.first_wall_time
            self._batch.first_wall_time = first if known is None else min(first, known)

    def _note_metadata(self, tag: bytes, metadata: Metadata | None, first: _Place, last: _Place) -> None:
        if metadata is not None and metadata.plugin:
            known = self._metadata.setdefault(tag.decode("utf-8", "backslashreplace"), {})
            before = known.get(metadata, (first, last))
            known[metadata] = min(before[0], first), max(before[1], last)

    def _event(self, index: int) -> memoryview:
        start, length = int(self._starts[index]), int(self._lengths[index])
        return self._chunk[start : start + length]

    def _flaw(self, position: int, size: int, reason: str) -> None:
        self._batch.flaws.append(Flaw(position, reason, size))

    def _flaw_of(self, index: int, reason: str) -> None:
        position = self._base + int(self._starts[index]) - HEADER_SIZE
        self._flaw(position, int(self._lengths[index]) + HEADER_SIZE + FOOTER_SIZE, reason)

    def _is_whole(self, index: int) -> bool:
        after = int(self._starts[index] + self._lengths[index])
        stored = int.from_bytes(self._chunk[after : after + FOOTER_SIZE], "little")
        return masked_crc32c(self._event(index)) == stored

    def _read_one(self, index: int) -> Event | None:
        """Reads an event by itself; returns its layout if it is sound."""
        if not self._is_whole(index):
            self._flaw_of(index, BAD_DATA)
            return None
        try:
            layout = read_event(self._event(index), self._batch.dialect)
        except Malformed as error:
            self._flaw_of(index, malformed_event(error))
            return None
        self._take(layout, self._base + int(self._starts[index]))
        return layout

    def _read_alike(self, events: NDArray[np.intp], length: int) -> None:
        """Reads events of equal length, one shape after the other."""
        windows = np.lib.stride_tricks.sliding_window_view(self._bytes, length)
        rows = windows[self._starts[events]]
        misses = 0
        while len(events):
            first, layout = rows[0], self._read_one(int(events[0]))
            events, rows = events[1:], rows[1:]
            if layout is not None and _is_regular(layout) and len(events):
                shape = EventShape(layout, first)
                alike = shape.matches(rows)
                misses += int(np.count_nonzero(alike)) < _FEWEST_ALIKE
                if alike.any():
                    self._read_shape(shape, events[alike], rows[alike])
                    events, rows = events[~alike], rows[~alike]
            if len(events) < _FEWEST_ALIKE or misses > _MOST_MISSES or not _is_worth_it(layout):
                for index in events.tolist():
                    self._read_one(index)
                return

    def _read_shape(self, shape: EventShape, events: NDArray[np.intp], rows: NDArray[np.uint8]) -> None:
        tag_ids, representatives = shape.tags(rows)
        good = shape.checksums(rows, tag_ids, representatives) == self._footers(events, rows.shape[1])
        if not good.all():
            for index in events[~good].tolist():
                self._flaw_of(index, BAD_DATA)
            events, rows = events[good], rows[good]
            if not len(events):
                return
            tag_ids, representatives = shape.tags(rows)
        wall_times, steps = shape.wall_times(rows), shape.steps(rows)
        self._note_wall_times(wall_times)
        starts = self._base + self._starts[events]
        records = starts - HEADER_SIZE  # ascending
        firsts = records[np.unique(tag_ids, return_index=True)[1]]
        lasts = records[::-1][np.unique(tag_ids[::-1], return_index=True)[1]]
        for place, value in enumerate(shape.values):
            tags = [
                row[value.tag_start : value.tag_start + len(value.tag)].tobytes() for row in representatives
            ]
            for tag, first, last in zip(tags, firsts.tolist(), lasts.tolist(), strict=True):
                self._note_metadata(tag, value.metadata, (first, place), (last, place))
            keys = [self._names.key(tag, value.field) for tag in tags]
            self._slots.append(
                Slots(
                    np.array(keys, np.int64)[tag_ids],
                    np.full(len(rows), place),
                    steps,
                    wall_times,
                    shape.numbers(rows, value),
                    np.full(len(rows), form_of(value), np.uint8),
                    starts - HEADER_SIZE,
                    starts + value.start,
                    np.full(len(rows), value.size, np.int64),
                )
            )

    def _footers(self, events: NDArray[np.intp], length: int) -> NDArray[np.uint32]:
        at = (self._starts[events] + length)[:, None] + np.arange(FOOTER_SIZE)
        stored: NDArray[np.uint32] = self._bytes[at].view("<u4")[:, 0]
        return stored


def _joined(found: Mapping[Metadata, tuple[_Place, _Place]]) -> Metadata:
    """The metadata of a tag, out of the places of all that differ."""
    first = min(found, key=lambda metadata: found[metadata][0])
    in_order = sorted(found, key=lambda metadata: found[metadata][1])
    return functools.reduce(Metadata.continued, in_order, first)


def _is_regular(layout: Event) -> bool:
    """Whether events of this shape can be read by column: numbers in place, and nothing else."""
    return bool(layout.values) and not layout.starts_session and all(v.number for v in layout.values)


def _is_worth_it(layout: Event | None) -> bool:
    return layout is None or _is_regular(layout) or any(v.metadata is not None for v in layout.values)
