"""Tells the times of packets of Perfetto, whose timestamps count by several clocks.

A snapshot has the values of clocks at one moment. Clocks below 64 are the system's and count ns; others are
of a sequence of packets (below 128) or of the trace, may have a unit, and may be incremental: each timestamp
counts from the one before it on that sequence. All are converted to the boot time.
Source: https://perfetto.dev/docs/concepts/clock-sync
"""

from __future__ import annotations

import numpy as np
from attrs import define, field

from insight_profiler.derived.operators import groups
from insight_profiler.reading.wire_columns import Bytes, FieldColumns, Integers, decode

_REALTIME, _BOOT = 1, 6
_SYSTEM, _OF_SEQUENCE = 64, 128  # clocks below
_LARGEST = 1 << 62
_NO_TIME = -1


@define(eq=False)
class _Clock:
    """One that counts from a snapshot on: ns of the boot time at ``base``, and ns for each unit."""

    base: int
    value: int
    unit: int
    is_incremental: bool


@define(eq=False)
class _Moment:
    """A clock as a snapshot has it."""

    packet: int
    sequence: int
    number: int
    clock: _Clock


@define(eq=False)
class PerfettoClocks:
    """``epoch``: ns since 1970 at which the boot time began; 0 where nothing says that."""

    epoch: int = 0
    _known: dict[tuple[int, int], _Clock] = field(factory=dict)  # by sequence (0: of the trace) and number
    _fresh: list[_Moment] = field(factory=list)  # of this chunk

    def add_snapshots(self, data: Bytes, columns: FieldColumns, sequence: Integers) -> None:
        """Snapshots of a chunk of packets, of which ``sequence`` are those of all."""
        clocks, _ = decode(data, columns.begin, columns.end, (1,))
        parts, _ = decode(data, clocks[1].begin, clocks[1].end, (1, 2, 3, 4))
        count = len(clocks[1])
        numbers, values, incremental, units = (
            parts[one].last(count, missing).tolist() for one, missing in ((1, 0), (2, 0), (3, 0), (4, 1))
        )
        by_packet: dict[int, list[int]] = {}
        for row, place in enumerate(clocks[1].message.tolist()):
            by_packet.setdefault(int(columns.message[place]), []).append(row)
        for packet, rows in sorted(by_packet.items()):
            at = {numbers[row]: values[row] * max(units[row], 1) for row in rows}
            system = [number for number in at if number < _SYSTEM]
            boot = at.get(_BOOT, at[system[0]] if system else 0)
            if _REALTIME in at and _BOOT in at and not self.epoch:
                self.epoch = at[_REALTIME] - at[_BOOT]
            for row in rows:
                unit = max(units[row], 1)
                clock = _Clock(boot, values[row], unit, bool(incremental[row]))
                self._fresh.append(_Moment(packet, int(sequence[packet]), numbers[row], clock))

    def times(self, stamps: Integers, clocks: Integers, sequence: Integers) -> Integers:
        """ns of the boot time of each packet of the chunk; -1 where it has no time."""
        has_stamp = (stamps >= 0) & (stamps < _LARGEST)
        found = np.where(has_stamp, stamps, _NO_TIME)
        is_other = has_stamp & (clocks > 0) & (clocks != _BOOT)
        chosen = np.flatnonzero(is_other)
        number = clocks[chosen]
        owner = np.where((number >= _SYSTEM) & (number < _OF_SEQUENCE), sequence[chosen], 0)
        first, place = groups([owner, number])
        for at, one in enumerate(first.tolist()):
            rows = chosen[place == at]
            found[rows] = self._converted(stamps[rows], rows, int(owner[one]), int(number[one]))
        for moment in self._fresh:
            self._learn(moment)
        self._fresh.clear()
        return np.where((found >= 0) & (found < _LARGEST), found, _NO_TIME)

    def _key(self, moment: _Moment) -> tuple[int, int]:
        is_own = _SYSTEM <= moment.number < _OF_SEQUENCE
        return (moment.sequence if is_own else 0), moment.number

    def _learn(self, moment: _Moment) -> None:
        """Keeps a snapshot for the next chunks: of the system's clocks the first, of others the last."""
        if moment.number >= _SYSTEM or self._key(moment) not in self._known:
            self._known[self._key(moment)] = moment.clock

    def _converted(self, stamps: Integers, rows: Integers, owner: int, number: int) -> Integers:
        """Times of packets (places in the chunk) that count by one clock."""
        moments = [one for one in self._fresh if self._key(one) == (owner, number)]
        found = np.full(len(stamps), _NO_TIME)
        borders = [0, *np.searchsorted(rows, [one.packet for one in moments]).tolist(), len(rows)]
        clock = self._known.get((owner, number))
        if clock is None and moments and number < _SYSTEM:
            clock = moments[0].clock  # the first snapshot of a clock of the system holds before it too
        for place, first in enumerate(borders[:-1]):
            if place:
                clock = moments[place - 1].clock
            after = borders[place + 1]
            if after <= first:
                continue
            if clock is None:  # no snapshot yet: clocks of the system count from the same zero
                found[first:after] = stamps[first:after] if number < _SYSTEM else _NO_TIME
            elif clock.is_incremental:
                values = clock.value + np.cumsum(stamps[first:after])
                found[first:after] = clock.base + (values - clock.value) * clock.unit
                clock.base, clock.value = int(found[after - 1]), int(values[-1])
            else:
                found[first:after] = clock.base + (stamps[first:after] - clock.value) * clock.unit
        return found
