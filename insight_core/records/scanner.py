"""A chunk of an event file to columns: numbers decoded, everything else as locators.

Python reads one event of each shape; numpy reads all events that look like it. Two events have the
same shape when they are of equal length and differ only in their time, step, numbers and tags.
"""

from __future__ import annotations

import numpy as np
from attrs import Factory, define, evolve, frozen
from numpy.typing import NDArray

from insight_core.api import Dialect
from insight_core.records.columns import Slots, TagNames, ValueColumns, form_of
from insight_core.records.crc32c import LONGEST_ROW, masked_crc32c
from insight_core.records.framing import FOOTER_SIZE, HEADER_SIZE, Frames, find_header, walk
from insight_core.records.shape import Shape
from insight_core.records.wire import Event, Malformed, Metadata, read_event

_FEWEST_ALIKE = 8  # fewer events of one length are read one by one
_MOST_MISSES = 64  # shapes that few events have; then the rest of that length are read one by one
BAD_DATA = "the checksum of the record's data is wrong"
BAD_HEADER = "the checksum of a record's length is wrong"
_VERIFIED_PAYLOAD = 256 * 1024  # bytes; a longer event without numbers is verified when it is served


@frozen
class Flaw:
    """A stretch of a file that holds no readable record."""

    offset: int
    reason: str
    skipped: int = 0


@define
class Batch:
    """What a chunk held. ``end``, ``wanted`` and ``header_is_bad`` as in Frames, ``end`` in the file."""

    end: int
    wanted: int = 0
    header_is_bad: bool = False
    dialect: Dialect | None = None
    columns: list[ValueColumns] = Factory(list)
    metadata: dict[str, Metadata] = Factory(dict)
    flaws: list[Flaw] = Factory(list)
    first_wall_time: float | None = None  # smallest finite one


class Scanner:
    """Scans the chunks of one file. Knows its dialect, from the version record or as ``guess`` says."""

    def __init__(self, guess: Dialect) -> None:
        self.dialect = guess
        self.names = TagNames()

    def scan(self, chunk: bytes, base: int, known: int = 0) -> Batch:
        """The whole records of ``chunk``, which begins at offset ``base`` of the file.

        A bad header after a good record is skipped when the chunk holds a good one further on, of a
        record that fits in the ``known`` bytes of the file from ``base`` on; that of the first
        record is left to the caller.
        """
        frames = walk(chunk)
        flaws: list[Flaw] = []
        pieces = [frames]
        while frames.header_is_bad and len(pieces[0].starts):
            after = find_header(chunk, frames.end + 1, max(known, len(chunk)) - frames.end)
            if after is None:
                break
            flaws.append(Flaw(base + frames.end, BAD_HEADER, after - frames.end))
            frames = walk(chunk, after)
            pieces.append(frames)
        if len(pieces) > 1:
            frames = evolve(
                frames,
                starts=np.concatenate([piece.starts for piece in pieces]),
                lengths=np.concatenate([piece.lengths for piece in pieces]),
            )
        batch = Batch(base + frames.end, frames.wanted, frames.header_is_bad, flaws=flaws)
        if len(frames.starts):
            self._read_version(chunk, frames, base, batch)
            _ChunkReader(self, chunk, frames, base, batch).read()
        return batch

    def scan_long(self, view: object, base: int, batch: Batch, *, verified: bool) -> bool:
        """Reads one event through ``view`` (len, [i], [a:b]) without fetching its payloads.

        Returns whether it has numbers, which must be verified before they are trusted; with
        ``verified`` they are taken.
        """
        slots: list[Slots] = []
        try:
            event = read_event(view, self.dialect)
        except Malformed as error:
            batch.flaws.append(Flaw(base - HEADER_SIZE, f"malformed event: {error}", len(view) + 16))  # type: ignore[arg-type]
            return False
        if not verified and any(form_of(value) for value in event.values):
            return True
        self.take(event, 0, base, batch, slots)
        batch.columns.extend(self.names.sorted_by_tag(slots))
        return False

    def _read_version(self, chunk: bytes, frames: Frames, base: int, batch: Batch) -> None:
        if base:
            return
        start, length = int(frames.starts[0]), int(frames.lengths[0])
        try:
            version = read_event(memoryview(chunk)[start : start + length], None).version
        except Malformed:
            return
        if version is not None:
            ours = "mindspore" in version.lower()
            batch.dialect = self.dialect = Dialect.MINDSPORE if ours else Dialect.TENSORBOARD

    def take(self, event: Event, index: int, base: int, batch: Batch, slots: list[Slots]) -> None:
        """Collects the values of one event that begins at offset ``base`` of the file."""
        _note_wall_time(batch, np.array([event.wall_time]))
        for place, value in enumerate(event.values):
            if value.metadata is not None and value.metadata.plugin:
                tag = value.tag.decode("utf-8", "backslashreplace")
                batch.metadata.setdefault(tag, value.metadata)
            if not value.field:
                continue
            form = form_of(value)
            slots.append(
                Slots(
                    np.array([self.names.key(value.tag, value.field)]),
                    np.array([(index << 20) + place]),
                    np.array([event.step]),
                    np.array([event.wall_time]),
                    np.array([value.number_value if form else 0.0]),
                    np.array([form], np.uint8),
                    np.array([base - HEADER_SIZE]),
                    np.array([base + value.start]),
                    np.array([value.size]),
                )
            )


def _note_wall_time(batch: Batch, wall_times: NDArray[np.float64]) -> None:
    finite = wall_times[np.isfinite(wall_times) & (wall_times > 0)]
    if len(finite):
        first = float(finite.min())
        if batch.first_wall_time is None or first < batch.first_wall_time:
            batch.first_wall_time = first


class _ChunkReader:
    """Reads the framed events of one chunk into its batch."""

    def __init__(self, scanner: Scanner, chunk: bytes, frames: Frames, base: int, batch: Batch) -> None:
        self._scanner = scanner
        self._chunk = memoryview(chunk)
        self._bytes = np.frombuffer(chunk, np.uint8)
        self._starts, self._lengths = frames.starts, frames.lengths
        self._base = base
        self._batch = batch
        self._slots: list[Slots] = []

    def read(self) -> None:
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
        self._batch.flaws.sort(key=lambda flaw: flaw.offset)
        self._batch.columns.extend(self._scanner.names.sorted_by_tag(self._slots))

    def _event(self, index: int) -> memoryview:
        start, length = int(self._starts[index]), int(self._lengths[index])
        return self._chunk[start : start + length]

    def _flaw(self, index: int, reason: str) -> None:
        offset = self._base + int(self._starts[index]) - HEADER_SIZE
        skipped = int(self._lengths[index]) + HEADER_SIZE + FOOTER_SIZE
        self._batch.flaws.append(Flaw(offset, reason, skipped))

    def _is_whole(self, index: int) -> bool:
        after = int(self._starts[index] + self._lengths[index])
        stored = int.from_bytes(self._chunk[after : after + FOOTER_SIZE], "little")
        return masked_crc32c(self._event(index)) == stored

    def _read_one(self, index: int) -> Event | None:
        """Reads an event by itself; returns its layout if it is sound."""
        event = self._event(index)
        unread = len(event) > _VERIFIED_PAYLOAD
        if not unread and not self._is_whole(index):
            self._flaw(index, BAD_DATA)
            return None
        try:
            layout = read_event(event, self._scanner.dialect)
        except Malformed as error:
            sound = not unread or self._is_whole(index)
            self._flaw(index, f"malformed event: {error}" if sound else BAD_DATA)
            return None
        if unread and any(form_of(value) for value in layout.values) and not self._is_whole(index):
            self._flaw(index, BAD_DATA)
            return None
        self._scanner.take(layout, index, self._base + int(self._starts[index]), self._batch, self._slots)
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
                shape = Shape(layout, first)
                alike = shape.matches(rows)
                misses += int(np.count_nonzero(alike)) < _FEWEST_ALIKE
                if alike.any():
                    self._read_shape(shape, events[alike], rows[alike])
                    events, rows = events[~alike], rows[~alike]
            if len(events) < _FEWEST_ALIKE or misses > _MOST_MISSES or not _is_worth_it(layout):
                for index in events.tolist():
                    self._read_one(index)
                return

    def _read_shape(self, shape: Shape, events: NDArray[np.intp], rows: NDArray[np.uint8]) -> None:
        batch = self._batch
        tag_ids, representatives = shape.tags(rows)
        good = shape.checksums(rows, tag_ids, representatives) == self._footers(events, rows.shape[1])
        if not good.all():
            for index in events[~good].tolist():
                self._flaw(index, BAD_DATA)
            events, rows, tag_ids = events[good], rows[good], tag_ids[good]
            if not len(events):
                return
        wall_times, steps = shape.wall_times(rows), shape.steps(rows)
        _note_wall_time(batch, wall_times)
        starts = self._base + self._starts[events]
        for place, value in enumerate(shape.values):
            tags = [
                row[value.tag_start : value.tag_start + len(value.tag)].tobytes() for row in representatives
            ]
            if value.metadata is not None and value.metadata.plugin:
                for tag in tags:
                    batch.metadata.setdefault(tag.decode("utf-8", "backslashreplace"), value.metadata)
            keys = [self._scanner.names.key(tag, value.field) for tag in tags]
            self._slots.append(
                Slots(
                    np.array(keys, np.int64)[tag_ids],
                    (events.astype(np.int64) << 20) + place,
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


def _is_regular(layout: Event) -> bool:
    """Whether events of this shape can be read by column: numbers in place, and nothing else."""
    return bool(layout.values) and all(v.number for v in layout.values)


def _is_worth_it(layout: Event | None) -> bool:
    return layout is None or _is_regular(layout) or any(v.metadata is not None for v in layout.values)
