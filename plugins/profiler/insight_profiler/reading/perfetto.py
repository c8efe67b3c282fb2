"""Reads traces of Perfetto (``*.pftrace``, ``*.perfetto-trace``): a stream of TracePacket.

| part of a packet | read as |
|---|---|
| ``track_event`` | slices, instants, points of counters, flows |
| ``track_descriptor`` | processes, threads, other tracks, counters |
| ``interned_data`` | names and categories that events name by number, until a packet clears them |
| ``clock_snapshot``, ``trace_packet_defaults`` | what timestamps count (``perfetto_clocks.py``) |
| ``compressed_packets`` | more packets, deflated |

Chunks of the stream are decoded into columns (``wire_columns.py``); begins and ends are paired at the end
(``perfetto_slices.py``). Source: https://perfetto.dev/docs/reference/trace-packet-proto
"""

from __future__ import annotations

import zlib
from typing import Final

import numpy as np
from attrs import define, field

from insight_profiler.building import Building, Unreadable
from insight_profiler.derived.operators import groups
from insight_profiler.files import Files
from insight_profiler.reading.perfetto_clocks import PerfettoClocks
from insight_profiler.reading.perfetto_slices import EventColumns, PerfettoTracks
from insight_profiler.reading.wire_columns import (
    PADDING,
    Bytes,
    FieldColumns,
    Integers,
    decode,
    packed_fixed64,
    top_level,
)

_PACKET = 1  # of a trace
_CHUNK = 8 << 20  # bytes of the stream that are decoded at once
_LONGEST = 64 << 20  # bytes of a packet, and of what one unpacks to
# fields of TracePacket
_FTRACE, _SNAPSHOT, _TIME, _SEQUENCE, _EVENT, _INTERNED, _FLAGS = 1, 6, 8, 10, 11, 12, 13
_CLEARED, _LOST, _COMPRESSED, _CLOCK, _DEFAULTS, _TRACK = 41, 42, 50, 58, 59, 60
_READ: Final = (
    _FTRACE, _SNAPSHOT, _TIME, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _CLEARED, _LOST, _COMPRESSED, _CLOCK,
    _DEFAULTS, _TRACK,
)  # fmt: skip
# fields of TrackEvent
_CATEGORY_IIDS, _KIND, _NAME_IID, _TRACK_UUID, _CATEGORIES, _NAME = 3, 9, 10, 11, 22, 23
_COUNT, _FLOWS_OLD, _ENDING_OLD, _REAL_COUNT, _FLOWS, _ENDING = 30, 36, 42, 44, 47, 48
_OF_EVENT: Final = (
    _CATEGORY_IIDS, _KIND, _NAME_IID, _TRACK_UUID, _CATEGORIES, _NAME, _COUNT, _FLOWS_OLD, _ENDING_OLD,
    _REAL_COUNT, _FLOWS, _ENDING,
)  # fmt: skip
_DEFAULT_CLOCK, _DEFAULT_EVENT = 58, 11  # of TracePacketDefaults


def read(files: Files, building: Building) -> None:
    """Raises Unreadable for a file that is not such a trace, or has nothing of one that is read."""
    (name, *_) = files.names()
    trace = _Trace(building)
    rest = b""
    with files.open(name) as stream:
        while piece := stream.read(_CHUNK):
            try:
                rest = trace.add(rest + piece)
            except ValueError as error:
                if not trace.packets:
                    text = f"{name} is not a trace of Perfetto: {error}"
                    raise Unreadable("no_perfetto", text, file=name, reason=str(error)) from error
                building.note("truncated", f"{name} is damaged: {error}", file=name, reason=str(error))
                rest = b""
                break
            if len(rest) > _LONGEST:
                break
            building.reached()
    if not trace.packets and not rest:
        raise Unreadable("empty_file", f"{name} is empty", file=name)
    if rest:
        reason = f"{len(rest)} bytes of a packet that is not whole"
        if not trace.packets:
            text = f"{name} is not a trace of Perfetto, or its first packet is cut"
            raise Unreadable("no_perfetto", text, file=name, reason=reason)
        building.note("truncated", f"{name} ends with {reason}", file=name, reason=reason)
    trace.finish(name)


@define(eq=False)
class _State:
    """What packets of a sequence refer to, until one of them clears it."""

    names: dict[int, int] = field(factory=dict)  # places of texts
    categories: dict[int, int] = field(factory=dict)
    clock: int = -1
    track: int = -1


class _Trace:
    """A trace in the making. ``packets`` counts those that were read."""

    def __init__(self, building: Building) -> None:
        self.packets = 0
        self._building = building
        self._clocks = PerfettoClocks()
        self._tracks = PerfettoTracks(building)
        self._states: list[_State] = [_State()]
        self._current: dict[int, int] = {}  # sequence -> place of its state
        self._events = 0
        self._bad = 0
        self._ftrace = 0
        self._lost = 0

    def add(self, data: bytes) -> bytes:
        """Reads the whole packets of these bytes; what is left. Raises ValueError where they are none."""
        begins, ends, at = top_level(data, _PACKET)
        self._add_packets(data, np.array(begins, np.int64), np.array(ends, np.int64))
        return data[at:]

    def finish(self, name: str) -> None:
        """Adds what can only be told when all events are there. Raises Unreadable if there are none."""
        building = self._building
        building.start_ns = self._clocks.epoch
        self._tracks.finish()
        if not building.rows("slices") and not building.rows("counters"):
            text = f"{name} has no track events: {self.packets} packets of kinds that are not read"
            raise Unreadable("no_track_events", text, file=name, count=self.packets)
        for code, count, text in (
            ("events_odd", self._bad, "{} packets of {} are malformed, and are left out"),
            (
                "perfetto_ftrace",
                self._ftrace,
                "{} packets of {} are of the kernel (ftrace), which is not read",
            ),
            ("perfetto_lost", self._lost, "before {} packets of {} others were lost when it was recorded"),
        ):
            if count:
                building.note(code, text.format(count, name), file=name, count=count)

    def _add_packets(self, packed: bytes, begin: Integers, end: Integers, *, is_inner: bool = False) -> None:
        if not len(begin):
            return
        data = np.frombuffer(packed + bytes(PADDING), np.uint8)
        fields, is_bad = decode(data, begin, end, _READ)
        count = len(begin)
        self.packets += count
        self._bad += int(is_bad.sum())
        self._ftrace += len(np.unique(fields[_FTRACE].message))
        self._lost += int((fields[_LOST].value != 0).sum())
        if not is_inner:
            self._add_compressed(packed, fields[_COMPRESSED])
        sequence = fields[_SEQUENCE].last(count, 0)
        state = self._states_of(sequence, fields, count)
        self._intern(data, packed, fields, state)
        self._add_tracks(data, packed, fields)
        clock = fields[_CLOCK].last(count)
        defaults = np.array([one.clock for one in self._states], np.int64)[state]
        clock = np.where(clock >= 0, clock, defaults)
        self._clocks.add_snapshots(data, fields[_SNAPSHOT], sequence)
        time = self._clocks.times(fields[_TIME].last(count, -1), clock, sequence)
        self._add_events(data, packed, fields[_EVENT], state, time)

    def _add_compressed(self, packed: bytes, columns: FieldColumns) -> None:
        for begin, end in zip(columns.begin.tolist(), columns.end.tolist(), strict=True):
            unpacking = zlib.decompressobj()
            try:
                inner = unpacking.decompress(packed[begin:end], _LONGEST)
                begins, ends, _ = top_level(inner, _PACKET)
            except (zlib.error, ValueError):
                self._bad += 1
                continue
            self._bad += bool(unpacking.unconsumed_tail)
            self._add_packets(inner, np.array(begins, np.int64), np.array(ends, np.int64), is_inner=True)

    # --- what packets refer to --------------------------------------------------------------------

    def _states_of(self, sequence: Integers, fields: dict[int, FieldColumns], count: int) -> Integers:
        """int64[packets]: the place of the state of each."""
        clears = (fields[_FLAGS].last(count, 0) & 1) | (fields[_CLEARED].last(count, 0) > 0)
        found = np.empty(count, np.int64)
        order = np.argsort(sequence, kind="stable")
        ordered, begins = np.unique(sequence[order], return_index=True)
        for number, first, after in zip(
            ordered.tolist(), begins.tolist(), [*begins.tolist()[1:], count], strict=True
        ):
            rows = order[first:after]
            cleared = clears[rows].astype(np.int64)
            places = [self._current.get(number, -1)]
            if places[0] < 0:
                places[0] = self._new_state()
            places += [self._new_state() for _ in range(int(cleared.sum()))]
            found[rows] = np.array(places, np.int64)[np.cumsum(cleared)]
            self._current[number] = places[-1]
        return found

    def _new_state(self) -> int:
        self._states.append(_State())
        return len(self._states) - 1

    def _intern(self, data: Bytes, packed: bytes, fields: dict[int, FieldColumns], state: Integers) -> None:
        interned = fields[_INTERNED]
        if len(interned):
            inner, _ = decode(data, interned.begin, interned.end, (1, 2))
            for number, what in ((1, "categories"), (2, "names")):
                entries = inner[number]
                parts, _ = decode(data, entries.begin, entries.end, (1, 2))
                iids = parts[1].last(len(entries), 0).tolist()
                texts = self._inline(packed, parts[2], len(entries)).tolist()
                owners = state[interned.message[entries.message]].tolist()
                for iid, text, owner in zip(iids, texts, owners, strict=True):
                    getattr(self._states[owner], what)[iid] = text
        defaults = fields[_DEFAULTS]
        if len(defaults):
            inner, _ = decode(data, defaults.begin, defaults.end, (_DEFAULT_CLOCK, _DEFAULT_EVENT))
            events, _ = decode(data, inner[_DEFAULT_EVENT].begin, inner[_DEFAULT_EVENT].end, (_TRACK_UUID,))
            own = state[defaults.message]
            for row, clock in zip(
                inner[_DEFAULT_CLOCK].message.tolist(), inner[_DEFAULT_CLOCK].value.tolist(), strict=True
            ):
                self._states[int(own[row])].clock = clock
            for row, uuid in zip(
                events[_TRACK_UUID].message.tolist(), events[_TRACK_UUID].value.tolist(), strict=True
            ):
                self._states[int(own[inner[_DEFAULT_EVENT].message[row]])].track = uuid

    def _add_tracks(self, data: Bytes, packed: bytes, fields: dict[int, FieldColumns]) -> None:
        descriptors = fields[_TRACK]
        if len(descriptors):
            self._tracks.describe(data, packed, descriptors)

    def _inline(self, packed: bytes, columns: FieldColumns, count: int) -> Integers:
        """int64[messages]: the places of texts that stand in messages; -1 where there is none."""
        known: dict[bytes, int] = {}
        text = self._building.text
        found = np.full(count, -1)
        places = []
        for begin, end in zip(columns.begin.tolist(), columns.end.tolist(), strict=True):
            cell = packed[begin:end] if begin >= 0 else b""
            place = known.get(cell)
            if place is None:
                place = known[cell] = text(cell.decode("utf-8", "replace"))
            places.append(place)
        found[columns.message] = places
        return found

    # --- events -----------------------------------------------------------------------------------

    def _add_events(
        self, data: Bytes, packed: bytes, columns: FieldColumns, state: Integers, time: Integers
    ) -> None:
        count = len(columns)
        if not count:
            return
        fields, is_bad = decode(data, columns.begin, columns.end, _OF_EVENT)
        own = state[columns.message]
        name = self._inline(packed, fields[_NAME], count)
        name = self._interned(name, fields[_NAME_IID].last(count), own, "names")
        category = self._inline(packed, fields[_CATEGORIES], count)
        category = self._interned(category, fields[_CATEGORY_IIDS].last(count), own, "categories")
        track = fields[_TRACK_UUID].last(count, 0)
        has_track = np.zeros(count, np.bool_)
        has_track[fields[_TRACK_UUID].message] = True
        defaults = np.array([one.track for one in self._states], np.int64)[own]
        value = fields[_COUNT].last(count, 0).astype(np.float64)
        real = fields[_REAL_COUNT]
        value[real.message] = real.value.view(np.float64)
        at = time[columns.message]
        fine = ~is_bad & (at >= 0)
        self._bad += int((~fine).sum())
        order = self._events + np.arange(count)
        self._events += count
        self._tracks.add(
            EventColumns(
                np.where(has_track, track, defaults)[fine],
                at[fine],
                fields[_KIND].last(count, 0)[fine].astype(np.int8),
                name[fine].astype(np.int32),
                category[fine].astype(np.int32),
                order[fine],
                value[fine],
            )
        )
        for number in (_FLOWS_OLD, _ENDING_OLD, _FLOWS, _ENDING):
            if len(fields[number]):
                message, flow = packed_fixed64(data, fields[number])
                self._tracks.add_flows(flow, order[message])

    def _interned(self, inline: Integers, iids: Integers, state: Integers, what: str) -> Integers:
        """Texts by the number that a state gives them, where none stands in the event."""
        rows = np.flatnonzero((iids > 0) & (inline < 0))
        if not len(rows):
            return inline
        first, place = groups([state[rows], iids[rows]])
        texts = [
            getattr(self._states[owner], what).get(iid, -1)
            for owner, iid in zip(state[rows[first]].tolist(), iids[rows[first]].tolist(), strict=True)
        ]
        inline[rows] = np.array(texts, np.int64)[place]
        return inline
