"""What is known of the records of series, read a part at a time: a coarse picture first, then all of it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from weakref import WeakValueDictionary

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from insight_core.plugin import Claim, InsightError
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_layers.histograms import measured_histograms
from insight_layers.measured import MEASURED, NOT_FINITE, UNREADABLE, MeasuredRecords, measured_tensors
from insight_layers.names import values_name
from insight_layers.reading import FoundPayloads, PayloadReader, WantedRecords

LASTING = 3  # Records at the end that are to show a fault, so that one alone is none.
GROWN = 100.0  # Times the usual size of early records: gradients that large explode.
_ZEROS, _SIZE = MEASURED.index("zeros"), MEASURED.index("size")
_FIRST_LOOK = 16  # records of a series that are read first, at even distances
_PORTION = 4 << 20  # bytes of payloads that are read and decoded at a time
_MOST_BYTES = 320 << 20  # of what is kept of all series
_RECORD = 8 * 3 + 4 * len(MEASURED) + 6  # bytes that are kept of a record


class SharedSteps:
    """Columns of steps, one for all series that have the same: so they are compared by identity.

    Columns that nobody holds any more are forgotten.
    """

    def __init__(self) -> None:
        self._known: WeakValueDictionary[bytes, NDArray[np.int64]] = WeakValueDictionary()

    def of(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """The one column of these steps."""
        return self._known.setdefault(steps.tobytes(), steps)


@define(eq=False)
class Digest:
    """The records of one series: columns of those that were read. Steps are in rising order.

    ``numbers`` is float32[records, MEASURED], NaN where not read or not known; ``flags`` uint8[records];
    ``prints`` uint32[records] are checksums of the payloads: records with equal ones are the same.
    """

    plugin: str
    key: SeriesKey
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    sizes: NDArray[np.int64]
    numbers: NDArray[np.float32]
    flags: NDArray[np.uint8]
    read: NDArray[np.bool_]
    prints: NDArray[np.uint32]
    offset: int = 0  # of the first record in its file, where that is known

    @classmethod
    def of(
        cls, data: DataProvider, plugin: str, key: SeriesKey, steps: SharedSteps, before: Digest | None = None
    ) -> Digest:
        """The series as it is now, with what is known from ``before`` if it has only grown since."""
        table = data.records(plugin, key)
        count = len(table.steps)
        if before is not None:
            known = len(before.steps)
            if known == count and np.array_equal(before.steps, table.steps):
                return before
        made = cls(
            plugin,
            key,
            steps.of(table.steps),
            table.wall_times,
            table.sizes,
            np.full((count, len(MEASURED)), np.nan, np.float32),
            np.zeros(count, np.uint8),
            np.zeros(count, bool),
            np.zeros(count, np.uint32),
        )
        if before is not None and known <= count:
            same = np.array_equal(before.steps, table.steps[:known]) and np.array_equal(
                before.wall_times, table.wall_times[:known]
            )
            if same:
                made.numbers[:known] = before.numbers
                made.flags[:known] = before.flags
                made.read[:known] = before.read
                made.prints[:known] = before.prints
                made.offset = before.offset
        return made

    @property
    def gaps(self) -> NDArray[np.bool_] | None:
        """Which records were read; None if all were."""
        return None if self.read.all() else self.read

    @property
    def is_settled(self) -> bool:
        """Whether a few of all records were read, and those are known between which a fault begins."""
        return bool(self.read[self._coarse].all()) and self.between() is None

    @property
    def _stride(self) -> int:
        return 1 << max(0, (max(len(self.steps), 1) - 1) // _FIRST_LOOK).bit_length()

    @property
    def _coarse(self) -> NDArray[np.int64]:
        """The records that are read first."""
        count = len(self.steps)
        ends = [count - 1] if count else []
        every = np.arange(0, count, self._stride, dtype=np.int64)
        return np.unique(np.append(every, ends).astype(np.int64))

    def next(self, low: int, high: int) -> NDArray[np.int64]:
        """Records to read next among those of the steps from ``low`` to ``high``.

        First a few of all, then the middle between a healthy record and a bad one after it, then those
        between the ones that are known.
        """
        count = len(self.steps)
        stride, coarse = self._stride, self._coarse
        left = coarse[~self.read[coarse]]
        if len(left):
            return left
        if (middle := self.between()) is not None:
            return np.array([middle])
        window = np.searchsorted(self.steps, [low, high + 1]).tolist()
        for begin, end in (window, (0, count)):
            if self.read[begin:end].all():
                continue
            for power in range(stride.bit_length() - 1, -1, -1):
                step = 1 << power
                level = np.arange(-(-begin // step) * step, end, step)
                left = level[~self.read[level]]
                if len(left):
                    return left
        return np.empty(0, np.int64)

    def between(self) -> int | None:
        """The record in the middle of two between which a fault begins; None if all beginnings are known.

        A fault begins at the first record that is not finite, and where records begin that are to the end
        all zero, all as the last one, all far larger than the early ones, or all not finite.
        """
        places = np.flatnonzero(self.read)
        if not len(places):
            return None
        odd = np.flatnonzero(self.flags[places] & NOT_FINITE)
        begins = [int(odd[0])] if len(odd) else []
        is_sound = (self.flags[places] & UNREADABLE) == 0
        zeros = self.numbers[places, _ZEROS] >= 1
        same = self.prints[places] == self.prints[places[-1]]
        sizes = self.numbers[places, _SIZE]
        early = sizes[: max(2, len(sizes) // 3)]
        early = early[early > 0]
        grown = sizes >= GROWN * float(np.quantile(early, 0.25)) if len(early) else zeros
        for lasts in (zeros, same, grown, (self.flags[places] & NOT_FINITE) > 0):
            others = np.flatnonzero(~lasts & is_sound)
            begin = int(others[-1]) + 1 if len(others) else 0
            if len(places) - begin >= LASTING:
                begins.append(begin)
        for begin in begins:
            last = int(places[begin - 1]) if begin else -1
            if places[begin] - last > 1:
                return (last + int(places[begin])) // 2
        return None

    def take(
        self, indices: NDArray[np.int64], measured: MeasuredRecords, payloads: Sequence[bytes] = ()
    ) -> None:
        """Keeps what these records say."""
        largest = float(np.finfo(np.float32).max)
        self.numbers[indices] = np.clip(measured.numbers, -largest, largest)
        self.flags[indices] = measured.flags
        self.read[indices] = True
        if payloads:
            self.prints[indices] = [zlib.crc32(data) for data in payloads]


@frozen
class ReadSoFar:
    """How many records of some series were read, and how many of these could not be."""

    records: int
    read: int
    unreadable: int


class Digests:
    """Digests of the series of one provider; those that were looked at last are kept. Not thread-safe.

    ``histograms`` is the plugin of histograms; all other series are of tensors.
    """

    def __init__(self, data: DataProvider, histograms: str) -> None:
        self._data, self._histograms = data, histograms
        self._reader = PayloadReader(data)
        self.steps = SharedSteps()
        self._known: dict[tuple[str, SeriesKey], Digest] = {}
        self._records = 0  # of these

    def of(self, plugin: str, key: SeriesKey) -> Digest | None:
        """The digest of a series as it is now; None if it is gone."""
        place = (plugin, key)
        before = self._known.pop(place, None)
        self._records -= 0 if before is None else len(before.steps)
        try:
            made = Digest.of(self._data, plugin, key, self.steps, before)
        except InsightError:
            return None
        if made.offset == 0 and len(made.steps):
            made.offset = self._reader.offset(plugin, key)
        self._known[place] = made  # the latest stand last
        self._records += len(made.steps)
        return made

    def read(
        self, digests: Sequence[Digest], low: int, high: int, *, seconds: float, most: int | None = None
    ) -> ReadSoFar:
        """Reads records of these series for about so long, those of the steps from ``low`` to ``high`` first.

        ``most``: no more records of a series than about these.
        """
        end = time.monotonic() + seconds
        open_ = list(digests)
        while open_:
            wanted, still = [], []
            for one in open_:
                if most is not None and np.count_nonzero(one.read) >= most and one.between() is None:
                    continue
                indices = one.next(low, high)
                if len(indices):
                    wanted.append(WantedRecords(one.plugin, one.key, indices, one.sizes[indices]))
                    still.append(one)
            open_ = still
            known = {(one.plugin, one.key): one for one in open_}
            for part in _portions(wanted):
                for asked in part:
                    known[asked.plugin, asked.key].take(asked.indices, _unreadable(len(asked.indices)))
                for found, measured in _measured([*self._reader.read(part)], self._histograms):
                    digest = known[found.wanted.plugin, found.wanted.key]
                    digest.take(found.wanted.indices[found.which], measured, found.payloads)
                if time.monotonic() >= end:
                    self._forget(digests)
                    return so_far(digests)
        self._forget(digests)
        return so_far(digests)

    def _forget(self, but: Iterable[Digest]) -> None:
        """Drops digests that were not looked at for longest, beyond the bytes that are kept."""
        if self._records * _RECORD <= _MOST_BYTES:
            return
        kept = {(one.plugin, one.key) for one in but}
        for place, one in list(self._known.items()):
            if place not in kept:
                self._records -= len(one.steps)
                del self._known[place]
            if self._records * _RECORD <= _MOST_BYTES:
                return


def so_far(digests: Iterable[Digest]) -> ReadSoFar:
    """How much of these was read."""
    records = read = unreadable = 0
    for one in digests:
        records += len(one.steps)
        read += int(np.count_nonzero(one.read))
        unreadable += int(np.count_nonzero(one.flags & UNREADABLE))
    return ReadSoFar(records, read, unreadable)


def _measured(
    read: Sequence[FoundPayloads], histograms: str
) -> Iterator[tuple[FoundPayloads, MeasuredRecords]]:
    """What payloads say; histograms of one claim all at once."""
    together: dict[Claim, list[FoundPayloads]] = {}
    for found in read:
        if found.wanted.plugin == histograms:
            together.setdefault(found.claim, []).append(found)
        else:
            yield found, measured_tensors(found.claim, found.payloads, values_name(found.wanted.key.tag).kind)
    for claim, several in together.items():
        measured = measured_histograms(claim, [data for found in several for data in found.payloads])
        begin = 0
        for found in several:
            end = begin + len(found.payloads)
            yield found, MeasuredRecords(measured.numbers[begin:end], measured.flags[begin:end])
            begin = end


def _unreadable(count: int) -> MeasuredRecords:
    found = MeasuredRecords.empty(count)
    found.flags[:] = UNREADABLE
    return found


def _portions(wanted: Sequence[WantedRecords]) -> Iterator[list[WantedRecords]]:
    """What is wanted in parts of a few MiB. Several series together, as files hold them side by side."""
    part: list[WantedRecords] = []
    size = 0
    for one in wanted:
        ends = np.cumsum(np.maximum(one.sizes, 1))
        begin = 0
        while begin < len(one.indices):
            before = int(ends[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(ends, before + _PORTION - size, "right")))
            part.append(WantedRecords(one.plugin, one.key, one.indices[begin:end], one.sizes[begin:end]))
            size += int(ends[end - 1]) - before
            if size >= _PORTION:
                yield part
                part, size = [], 0
            begin = end
    if part:
        yield part
