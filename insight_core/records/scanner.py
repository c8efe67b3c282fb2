"""A chunk of an event file to columns: numbers decoded, everything else as locators.

Python reads one event of each shape; numpy reads all events that look like it. Two events have the
same shape when they are of equal length and differ only in their time, step, numbers and tags.
"""

from __future__ import annotations

import numpy as np
from attrs import Factory, define, frozen
from numpy.typing import NDArray

from insight_core.api import Dialect
from insight_core.records.crc32c import LONGEST_ROW, difference, mask_array, masked_crc32c
from insight_core.records.framing import FOOTER_SIZE, HEADER_SIZE, Frames, walk
from insight_core.records.wire import Event, Malformed, Metadata, Value, read_event

_FEWEST_ALIKE = 8  # fewer events of one length are read one by one
_VERIFIED_PAYLOAD = 256 * 1024  # bytes; a longer event without numbers is verified when it is served


@frozen(eq=False)
class ValueColumns:
    """The values of one tag and field in a chunk, in file order; columns of equal length."""

    tag: str
    field: str
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64] | NDArray[np.float32] | None  # None: payloads, not numbers
    records: NDArray[np.int64]  # offset of the record in the file
    starts: NDArray[np.int64]  # offset of the payload in the file
    sizes: NDArray[np.int64]  # bytes of the payload


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


@define
class _Slots:
    """Values of one shape, by column: what the scanner collects before it sorts them by tag."""

    keys: NDArray[np.int64]
    order: NDArray[np.int64]  # place in the file: event, then value in the event
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]
    forms: NDArray[np.uint8]
    records: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]


_PAYLOAD, _SINGLE, _DOUBLE = 0, 1, 2  # forms of a value


class Scanner:
    """Scans the chunks of one file. Knows its dialect, from the version record or as ``guess`` says."""

    def __init__(self, guess: Dialect) -> None:
        self.dialect = guess
        self._keys: dict[tuple[bytes, str], int] = {}
        self._names: list[tuple[str, str]] = []

    def scan(self, chunk: bytes, base: int) -> Batch:
        """Everything in ``chunk``, which begins at offset ``base`` of the file, up to its last whole record."""
        frames = walk(chunk)
        batch = Batch(base + frames.end, frames.wanted, frames.header_is_bad)
        if len(frames.starts):
            self._read_version(chunk, frames, base, batch)
            _ChunkReader(self, chunk, frames, base, batch).read()
        return batch

    def scan_long(self, view: object, base: int, batch: Batch, *, verified: bool) -> bool:
        """Reads one event through ``view`` (len, [i], [a:b]) without fetching its payloads.

        Returns whether it has numbers, which must be verified before they are trusted; with
        ``verified`` they are taken.
        """
        slots: list[_Slots] = []
        try:
            event = read_event(view, self.dialect)
        except Malformed as error:
            batch.flaws.append(Flaw(base - HEADER_SIZE, f"malformed event: {error}", len(view) + 16))  # type: ignore[arg-type]
            return False
        if not verified and any(_form(value) for value in event.values):
            return True
        self._take(event, 0, base, batch, slots)
        batch.columns.extend(self._columns(slots))
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

    def _key(self, tag: bytes, field: str) -> int:
        key = self._keys.get((tag, field))
        if key is None:
            key = self._keys[(tag, field)] = len(self._names)
            self._names.append((tag.decode("utf-8", "backslashreplace"), field))
        return key

    def _take(self, event: Event, index: int, base: int, batch: Batch, slots: list[_Slots]) -> None:
        """Collects the values of one event that begins at offset ``base`` of the file."""
        _note_wall_time(batch, np.array([event.wall_time]))
        for place, value in enumerate(event.values):
            if value.metadata is not None and value.metadata.plugin:
                tag = value.tag.decode("utf-8", "backslashreplace")
                batch.metadata.setdefault(tag, value.metadata)
            if not value.field:
                continue
            form = _form(value)
            slots.append(
                _Slots(
                    np.array([self._key(value.tag, value.field)]),
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

    def _columns(self, slots: list[_Slots]) -> list[ValueColumns]:
        """The collected values, sorted by tag and place in the file."""
        if not slots:
            return []
        whole = _Slots(*(np.concatenate([getattr(s, name) for s in slots]) for name in _Slots.__slots__ if name != "__weakref__"))
        by_tag = np.lexsort((whole.order, whole.keys))
        keys = whole.keys[by_tag]
        edges = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
        columns = []
        for first, last in zip(edges[:-1], edges[1:], strict=True):
            part = by_tag[first:last]
            tag, field = self._names[int(keys[first])]
            forms = whole.forms[part]
            for some in _same_form(forms):
                chosen = part if some is None else part[some]
                form = int(whole.forms[chosen[0]])
                values = None if form == _PAYLOAD else whole.values[chosen]
                columns.append(
                    ValueColumns(
                        tag,
                        field,
                        whole.steps[chosen],
                        whole.wall_times[chosen],
                        values.astype(np.float32) if values is not None and form == _SINGLE else values,
                        whole.records[chosen],
                        whole.starts[chosen],
                        whole.sizes[chosen],
                    )
                )
        return columns


def _same_form(forms: NDArray[np.uint8]) -> list[NDArray[np.intp] | None]:
    """Places of each form, in file order; None stands for all."""
    if (forms == forms[0]).all():
        return [None]
    edges = [0, *(np.flatnonzero(np.diff(forms.astype(np.int8))) + 1).tolist(), len(forms)]
    return [np.arange(a, b) for a, b in zip(edges[:-1], edges[1:], strict=True)]


def _form(value: Value) -> int:
    if value.number == "<f":
        return _SINGLE
    return _DOUBLE if value.number or value.number_value is not None else _PAYLOAD


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
        self._slots: list[_Slots] = []

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
        self._batch.columns.extend(self._scanner._columns(self._slots))

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
            self._flaw(index, "the checksum of the record's data is wrong")
            return None
        try:
            layout = read_event(event, self._scanner.dialect)
        except Malformed as error:
            sound = not unread or self._is_whole(index)
            self._flaw(index, f"malformed event: {error}" if sound else "the checksum of the record's data is wrong")
            return None
        if unread and any(_form(value) for value in layout.values) and not self._is_whole(index):
            self._flaw(index, "the checksum of the record's data is wrong")
            return None
        _resolve_numbers(event, layout)
        self._scanner._take(layout, index, self._base + int(self._starts[index]), self._batch, self._slots)
        return layout

    def _read_alike(self, events: NDArray[np.intp], length: int) -> None:
        """Reads events of equal length, one shape after the other."""
        windows = np.lib.stride_tricks.sliding_window_view(self._bytes, length)
        rows = windows[self._starts[events]]
        while len(events):
            layout = self._read_one(int(events[0]))
            if layout is not None and len(events) > 1 and _is_regular(layout):
                shape = _Shape(layout, rows[0])
                alike = shape.matches(rows[1:])
                chosen = np.flatnonzero(alike) + 1
                if len(chosen):
                    self._read_shape(shape, events[chosen], rows[chosen])
                rest = np.flatnonzero(~alike) + 1
            else:
                rest = np.arange(1, len(events))
            events = events[rest]
            if len(events) < _FEWEST_ALIKE or len(rest) and not _is_worth_it(layout):
                for index in events.tolist():
                    self._read_one(index)
                return
            rows = rows[rest]

    def _read_shape(self, shape: _Shape, events: NDArray[np.intp], rows: NDArray[np.uint8]) -> None:
        batch = self._batch
        tag_ids, representatives = shape.tags(rows)
        good = shape.checksums(rows, tag_ids, representatives) == self._footers(events, rows.shape[1])
        if not good.all():
            for index in events[~good].tolist():
                self._flaw(index, "the checksum of the record's data is wrong")
            events, rows, tag_ids = events[good], rows[good], tag_ids[good]
            if not len(events):
                return
        wall_times, steps = shape.wall_times(rows), shape.steps(rows)
        _note_wall_time(batch, wall_times)
        starts = self._base + self._starts[events]
        for place, value in enumerate(shape.values):
            keys = [
                self._scanner._key(row[value.tag_start : value.tag_start + len(value.tag)].tobytes(), value.field)
                for row in representatives
            ]
            self._slots.append(
                _Slots(
                    np.array(keys, np.int64)[tag_ids],
                    (events.astype(np.int64) << 20) + place,
                    steps,
                    wall_times,
                    shape.numbers(rows, value),
                    np.full(len(rows), _form(value), np.uint8),
                    starts - HEADER_SIZE,
                    starts + value.start,
                    np.full(len(rows), value.size, np.int64),
                )
            )

    def _footers(self, events: NDArray[np.intp], length: int) -> NDArray[np.uint32]:
        at = (self._starts[events] + length)[:, None] + np.arange(FOOTER_SIZE)
        stored: NDArray[np.uint32] = self._bytes[at].view("<u4")[:, 0]
        return stored


def _resolve_numbers(event: memoryview, layout: Event) -> None:
    for value in layout.values:
        if value.number:
            raw = np.frombuffer(event, value.number, 1, value.number_start)
            value.number_value = float(raw[0])


def _is_regular(layout: Event) -> bool:
    """Whether events of this shape can be read by column: numbers in place, and nothing else."""
    return bool(layout.values) and all(v.number and v.metadata is None for v in layout.values)


def _is_worth_it(layout: Event | None) -> bool:
    return layout is None or _is_regular(layout) or any(v.metadata is not None for v in layout.values)


class _Shape:
    """Where the time, step, tags and numbers are in events that look like one."""

    def __init__(self, layout: Event, row: NDArray[np.uint8]) -> None:
        self.layout, self.values = layout, layout.values
        self._row = row
        compared = np.ones(len(row), bool)
        self._varint = slice(layout.step_start, layout.step_start + layout.step_size)
        self._tag_columns = np.concatenate(
            [np.arange(v.tag_start, v.tag_start + len(v.tag), dtype=np.intp) for v in self.values]
        )
        numbers = [np.arange(v.number_start, v.number_start + np.dtype(v.number).itemsize) for v in self.values]
        free = list(numbers)
        if layout.wall_start >= 0:
            free.append(np.arange(layout.wall_start, layout.wall_start + 8))
        if layout.step_start >= 0:
            free.append(np.arange(layout.step_start, layout.step_start + layout.step_size))
        self._free = np.concatenate(free).astype(np.intp)
        compared[self._free] = False
        compared[self._tag_columns] = False
        self._compared = np.flatnonzero(compared)

    def matches(self, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = (rows[:, self._compared] == self._row[self._compared]).all(axis=1)
        if self.layout.step_start >= 0:
            goes_on = rows[:, self._varint] >= 0x80
            same &= goes_on[:, :-1].all(axis=1) & ~goes_on[:, -1]
        return same

    def tags(self, rows: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        """For each row the index of a row with the same tags, and these rows."""
        if not len(self._tag_columns):
            return np.zeros(len(rows), np.intp), rows[:1]
        packed = np.ascontiguousarray(rows[:, self._tag_columns])
        if (packed == packed[0]).all():
            return np.zeros(len(rows), np.intp), rows[:1]
        _, first, inverse = np.unique(
            packed.view(np.dtype((np.void, packed.shape[1])))[:, 0], return_index=True, return_inverse=True
        )
        return inverse.reshape(-1), rows[first]

    def checksums(
        self, rows: NDArray[np.uint8], tag_ids: NDArray[np.intp], representatives: NDArray[np.uint8]
    ) -> NDArray[np.uint32]:
        """The masked checksum of each row, from that of the row with the same tags."""
        length = rows.shape[1]
        whole = np.array([masked_crc32c(row.tobytes()) for row in representatives], np.uint32)
        plain = _unmask(whole)
        base = self._row[self._free]
        terms = difference(representatives[:, self._free], base, self._free, length) ^ plain
        return mask_array(difference(rows[:, self._free], base, self._free, length) ^ terms[tag_ids])

    def wall_times(self, rows: NDArray[np.uint8]) -> NDArray[np.float64]:
        start = self.layout.wall_start
        if start < 0:
            return np.zeros(len(rows))
        return np.ascontiguousarray(rows[:, start : start + 8]).view("<f8")[:, 0].astype(np.float64)

    def steps(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        steps = np.zeros(len(rows), np.uint64)
        if self.layout.step_start >= 0:
            for i in range(self.layout.step_size):
                part = rows[:, self.layout.step_start + i].astype(np.uint64) & np.uint64(0x7F)
                steps |= part << np.uint64(7 * i)
        return steps.view(np.int64)

    def numbers(self, rows: NDArray[np.uint8], value: Value) -> NDArray[np.float64]:
        width = np.dtype(value.number).itemsize
        raw = np.ascontiguousarray(rows[:, value.number_start : value.number_start + width])
        return raw.view(value.number)[:, 0].astype(np.float64)


def _unmask(stored: NDArray[np.uint32]) -> NDArray[np.uint32]:
    rotated = stored - np.uint32(0xA282EAD8)
    return (rotated >> np.uint32(17)) | (rotated << np.uint32(15))

