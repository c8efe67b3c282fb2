"""Puts the values of an imported run in the order of their steps, where they were not recorded in it.

The host takes a step that decreases for a restart, as in the event file of a training. Trackers keep a step
and a time with each value, and their readers sort. So values are appended while the steps and times of their
tag ascend. Where they do not, the tag is late: its values move to a file that is written again, in order.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from insight_record.events import SUMMARY, VALUE, event, summary, version_record
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE, record
from insight_record.formats.protobuf import Pieces, fields, message_field, signed, size_of, varint

_EVENTS = "events.out.tfevents.3.late"
_PLACES, _RECORDS, _ROWS = "places", "late.records", "late.rows"
_PLACE = np.dtype([("tag", "<i4"), ("session", "<i4"), ("start", "<i8"), ("end", "<i8")])  # of appended ones
_ROW = np.dtype([*_PLACE.descr, ("is_later", "<i8"), ("step", "<i8"), ("time", "<f8")])
_LENGTH, _TIME = struct.Struct("<Q"), struct.Struct("<d")
_TIME_END, _STEP_KEY = 9, 0x10  # of an event
_METADATA = 9  # of a value
_COPIED = 8 << 20  # bytes at once


class StepOrder:
    """Decides for each tag of a run whether its records may be appended, and keeps those that may not.

    ``session`` numbers the sessions of trackers that say when a training was resumed: a later one replaces
    everything from its first step on. Nothing counts before ``kept``: what came after it is cut off by the
    next process.
    """

    def __init__(self, directory: Path, kept: Mapping[str, Any]) -> None:
        self.session = 0
        self._directory = directory
        self._ends: dict[str, list[Any]] = dict(kept.get("ends", {}))  # number, last step and time by tag
        self._late: set[str] = set(kept.get("late", ()))
        self._stays: set[str] = set(kept.get("stays", ()))  # late tags that still have appended records
        self._sizes = {name: int(kept.get("sizes", {}).get(name, 0)) for name in (_PLACES, _RECORDS, _ROWS)}
        self._waiting: dict[str, Pieces] = {}  # to be appended to the files
        self._held = 0  # bytes of these
        self.is_settled = bool(kept.get("is_settled", True))  # whether late records are in order on disk

    def kept(self) -> dict[str, Any]:
        """Writes what waits, and returns what a later process needs to go on."""
        self._flush()
        return {
            "ends": self._ends,
            "late": sorted(self._late),
            "stays": sorted(self._stays),
            "sizes": self._sizes,
            "is_settled": self.is_settled,
        }

    @staticmethod
    def is_whole(directory: Path, kept: Mapping[str, Any]) -> bool:
        """Whether the files have everything that ``kept`` counts. Raises OSError for one that is missing."""
        sizes = kept.get("sizes", {})
        return all(os.stat(directory / name).st_size >= size for name, size in sizes.items() if size)

    def is_late(self, tag: str, steps: NDArray[np.int64], times: NDArray[np.float64]) -> bool:
        """Whether records with these steps and times, at least one, cannot be appended."""
        if tag in self._late:
            return True
        end = self._ends.get(tag)
        if end is not None:
            steps, times = np.append(np.int64(end[1]), steps), np.append(end[2], times)
        back = (steps[1:] < steps[:-1]) | ((steps[1:] == steps[:-1]) & (times[1:] < times[:-1]))
        if back.any():
            self._late.add(tag)
            if end is not None:
                self._stays.add(tag)
        number = len(self._ends) if end is None else end[0]
        self._ends[tag] = [number, int(steps[-1]), float(times[-1])]
        return tag in self._late

    def appended(self, tag: str, start: int, end: int) -> None:
        """Notes where the last records of a tag were appended."""
        self._append(_PLACES, [np.array([(self._ends[tag][0], self.session, start, end)], _PLACE).tobytes()])

    def keep(
        self,
        tag: str,
        steps: NDArray[np.int64],
        times: NDArray[np.float64],
        sizes: NDArray[np.int64],
        records: Pieces,
    ) -> None:
        """Keeps records of a late tag, of these sizes in bytes."""
        self._keep((self._ends[tag][0], self.session, True), steps, times, sizes, records)

    def _keep(
        self,
        place: tuple[int, int, bool],
        steps: NDArray[np.int64],
        times: NDArray[np.float64],
        sizes: NDArray[np.int64],
        records: Pieces,
    ) -> None:
        rows = np.empty(len(steps), _ROW)
        ends = self._sizes[_RECORDS] + np.cumsum(sizes)
        rows["tag"], rows["session"], rows["is_later"] = place
        rows["step"], rows["time"], rows["start"], rows["end"] = steps, times, ends - sizes, ends
        self._append(_ROWS, [rows.tobytes()])
        self._append(_RECORDS, records)
        self.is_settled = False

    def settle(self, values: Path, size: int) -> int:
        """Writes late records in order. Returns how many bytes of ``values`` count, of ``size`` before.

        ``values`` is the file that is appended to; records of late tags are taken out of it.
        """
        if self._stays:
            size = self._move(values, size)
        rows = self._table(_ROWS, _ROW)
        rows = rows[np.lexsort((rows["is_later"], rows["session"], rows["tag"]))]
        known = rows["time"][np.isfinite(rows["time"])]
        temporary = self._directory / "new"
        with open(self._directory / _RECORDS, "rb") as source, open(temporary, "wb") as file:
            file.write(version_record(b"brain.Event:2", float(known.min()) if len(known) else 0.0))
            for of_tag in np.split(rows, np.flatnonzero(np.diff(rows["tag"])) + 1):
                _write_in_order(source, file, of_tag)
        os.replace(temporary, self._directory / _EVENTS)
        self.is_settled = True
        return size

    def _move(self, values: Path, size: int) -> int:
        places = self._table(_PLACES, _PLACE)
        moves = np.isin(places["tag"], [self._ends[tag][0] for tag in self._stays])
        temporary, position = self._directory / "new", 0
        with open(values, "rb") as source, open(temporary, "wb") as file:
            for number, session, start, end in places[moves].tolist():
                _copy(source, file, position, start)
                data, position = _read(source, start, end), end
                events = np.array(list(_events(data)), [("step", "<i8"), ("time", "<f8"), ("size", "<i8")])
                columns = (events["step"], events["time"], events["size"])
                self._keep((number, session, False), *columns, [data])
            _copy(source, file, position, size)
        os.replace(temporary, values)
        lengths = np.where(moves, places["end"] - places["start"], 0)
        places["start"] -= np.cumsum(lengths) - lengths
        places["end"] -= np.cumsum(lengths)
        self._sizes[_PLACES] = 0
        self._append(_PLACES, [places[~moves].tobytes()])
        self._stays.clear()
        return size - int(lengths.sum())

    def _table(self, name: str, row: np.dtype[np.void]) -> NDArray[np.void]:
        self._flush()
        return np.fromfile(self._directory / name, row, self._sizes[name] // row.itemsize)

    def _append(self, name: str, pieces: Pieces) -> None:
        size = size_of(pieces)
        self._waiting.setdefault(name, []).extend(pieces)
        self._sizes[name] += size
        self._held += size
        if self._held > _COPIED:
            self._flush()

    def _flush(self) -> None:
        for name, pieces in self._waiting.items():
            self._directory.mkdir(exist_ok=True)
            with open(self._directory / name, "ab") as file:
                file.truncate(self._sizes[name] - size_of(pieces))
                for piece in pieces:
                    file.write(piece)
        self._waiting.clear()
        self._held = 0


def in_step_order(
    steps: NDArray[np.int64], times: NDArray[np.float64], sessions: NDArray[np.int32]
) -> NDArray[np.intp]:
    """Indices of values by step, then by time; all columns are in the order of recording.

    A step that was recorded again after steps had gone back was replaced: a training went on from an earlier
    step. Its older values stand where the host sees an attempt that a later one replaced: before the newer
    values of all steps from the first such step on. A late value whose step is new replaces none, unless it
    is of a later session.
    """
    clock = np.arange(len(steps)) if np.isnan(times).any() else times
    recorded = np.lexsort((clock, sessions))
    recorded_steps = steps[recorded]
    attempt = np.append(0, np.cumsum(recorded_steps[1:] < recorded_steps[:-1]))
    order = np.argsort(recorded_steps, kind="stable")
    rows, attempt = recorded[order], attempt[order]
    by_step = steps[rows]
    is_last = np.append(by_step[1:] != by_step[:-1], True)
    newest = attempt[is_last][np.cumsum(is_last) - is_last]
    is_old = (attempt < newest) | (by_step >= _replaced_from(steps, sessions)[rows])
    if not is_old.any():
        return rows
    is_before = by_step < by_step[is_old][0]
    return np.concatenate((rows[is_before], rows[is_old], rows[~is_before & ~is_old]))


def _replaced_from(steps: NDArray[np.int64], sessions: NDArray[np.int32]) -> NDArray[np.int64]:
    """The first step of all sessions after that of each value. The largest int64 stands for none."""
    never = np.iinfo(np.int64).max
    known, session = np.unique(sessions, return_inverse=True)
    firsts = np.full(len(known) + 1, never)
    np.minimum.at(firsts, session.reshape(-1), steps)
    later: NDArray[np.int64] = np.minimum.accumulate(firsts[::-1])[::-1][1:][session.reshape(-1)]
    return later


def _write_in_order(source: BinaryIO, file: BinaryIO, rows: NDArray[Any]) -> None:
    """Writes the records of one tag; ``rows`` are in the order of recording."""
    plugin = _metadata(_read(source, *rows[0][["start", "end"]].tolist()))
    places = rows[in_step_order(rows["step"], rows["time"], rows["session"])]
    first, places = places[0], places[1:]
    file.write(_with_metadata(_read(source, int(first["start"]), int(first["end"])), plugin))
    begins = np.append(True, places["start"][1:] != places["end"][:-1])[: len(places)]  # others follow one
    ends = np.append(begins[1:], True)[: len(places)]
    descriptor = source.fileno()
    for start, end in zip(places["start"][begins].tolist(), places["end"][ends].tolist(), strict=True):
        if end - start > _COPIED:
            _copy(source, file, start, end)
        else:  # there may be as many as records
            file.write(os.pread(descriptor, end - start, start))


def _read(source: BinaryIO, start: int, end: int) -> bytes:
    return os.pread(source.fileno(), end - start, start)


def _copy(source: BinaryIO, file: BinaryIO, start: int, end: int) -> None:
    while start < end:
        data = _read(source, start, min(end, start + _COPIED))
        if not data:
            raise OSError(f"{source.name} ends before byte {end}")
        file.write(data)
        start += len(data)


def _events(data: bytes) -> Iterator[tuple[int, float, int]]:
    """Step, time and size of each record; the host's own writer puts the time first, then the step."""
    position = 0
    while position < len(data):
        length = _LENGTH.unpack_from(data, position)[0]
        start = position + HEADER_SIZE
        [when] = _TIME.unpack_from(data, start + 1)
        at, step = start + _TIME_END, 0
        if data[at] == _STEP_KEY:
            step = signed(varint(data, at + 1, start + length)[0])
        size = HEADER_SIZE + length + FOOTER_SIZE
        yield step, when, size
        position += size


def _value(data: bytes) -> bytes:
    """The value in a record."""
    start, end = HEADER_SIZE, len(data) - FOOTER_SIZE
    for wanted in (SUMMARY, VALUE):
        start, end = next(
            (first, last) for number, _, first, last, _ in fields(data, start, end) if number == wanted
        )
    return data[start:end]


def _metadata(data: bytes) -> bytes:
    """The metadata of the value in a record, as a field; empty if it has none."""
    value = _value(data)
    found = (value[start:end] for number, _, start, end, _ in fields(value) if number == _METADATA)
    return next((message_field(_METADATA, content) for content in found), b"")


def _with_metadata(data: bytes, metadata: bytes) -> bytes:
    """The record with this metadata behind the tag of its value, unless it has some."""
    if not metadata or _metadata(data):
        return data
    value = _value(data)
    [_, _, _, tag_end, _] = next(fields(value))
    [(step, when, _)] = _events(data)
    content = b"".join(summary([value[:tag_end], metadata, value[tag_end:]]))
    return record(event(step, when, content))
