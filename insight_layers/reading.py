"""Reads payloads of many series at once: from the files where they are here, else one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import Claim, InsightError
from insight_core.plugin.data import DataProvider, PayloadPlaces, SeriesKey

_GAP = 1 << 16  # bytes between two payloads that are read rather than skipped
_SPAN = 8 << 20  # bytes that are read at once
_SERIES = 20_000  # whose places are kept
_VERIFIED = 1 << 18  # bytes of a payload whose checksum was verified when the log was scanned

_Row: TypeAlias = tuple[
    str, int, int, int, int
]  # Path, offset, bytes, identity of what is wanted, place in it.


@frozen(eq=False)
class WantedRecords:
    """Records of one series: their places in ``DataProvider.records``, and bytes of each."""

    plugin: str
    key: SeriesKey
    indices: NDArray[np.int64]
    sizes: NDArray[np.int64]


@frozen(eq=False)
class FoundPayloads:
    """Payloads of one claim of a wanted series. ``which`` are places among its ``indices``."""

    wanted: WantedRecords
    claim: Claim
    which: NDArray[np.int64]
    payloads: Sequence[bytes]


@define
class PayloadReader:
    """Reads payloads of a provider. Not thread-safe."""

    data: DataProvider
    _places: dict[tuple[str, SeriesKey], PayloadPlaces] = field(factory=dict)

    def read(self, wanted: Sequence[WantedRecords]) -> Iterator[FoundPayloads]:
        """The payloads that can be read, of each series by claim. Damaged ones are left out."""
        located = [(one, self._places_of(one.plugin, one.key)) for one in wanted]
        taken = _from_files([(one, places) for one, places in located if places is not None])
        for one, places in located:
            read: dict[Claim, list[tuple[int, bytes]]] = {}
            for which, index in enumerate(one.indices.tolist()):
                data = taken.get((id(one), which))
                if data is not None and places is not None:
                    read.setdefault(places.claims[places.parts[index]], []).append((which, data))
                    continue
                try:
                    payload = self.data.payload(one.plugin, one.key, index)
                except InsightError:  # damage is listed with its run
                    continue
                read.setdefault(payload.claim, []).append((which, payload.data))
            for claim, pairs in read.items():
                yield FoundPayloads(
                    one, claim, np.array([which for which, _ in pairs]), [data for _, data in pairs]
                )

    def offset(self, plugin: str, key: SeriesKey) -> int:
        """Where the first record of a series stands in its file; 0 where that is not known."""
        places = self._places_of(plugin, key)
        return int(places.starts[0]) if places is not None and len(places.starts) else 0

    def _places_of(self, plugin: str, key: SeriesKey) -> PayloadPlaces | None:
        """Where the payloads of a series are; None where only the provider can read them."""
        place = (plugin, key)
        try:
            table = self.data.records(plugin, key)
            known = self._places.get(place)
            if known is None or len(known.parts) != len(table.steps):
                if len(self._places) > _SERIES:
                    self._places.clear()
                known = self.data.payload_places(plugin, key)
                if known is None:
                    return None
                self._places[place] = known
            every = self.data.records(plugin, key, "all")
        except InsightError:
            return None
        # places are those of all attempts: the same records where none is hidden and files are in their order
        if table.hidden or len(known.parts) != len(table.steps):
            return None
        return known if np.array_equal(every.steps, table.steps) else None


def _from_files(located: Sequence[tuple[WantedRecords, PayloadPlaces]]) -> dict[tuple[int, int], bytes]:
    """Payloads by the identity of what is wanted and the place in it, in the order of the files."""
    rows: list[_Row] = []
    for one, places in located:
        starts = places.starts[one.indices]
        parts = places.parts[one.indices]
        small = (one.sizes > 0) & (one.sizes <= _VERIFIED) & (places.records[one.indices] >= 0)
        for which in np.flatnonzero(small).tolist():
            file = places.files[parts[which]]
            rows.append((file, int(starts[which]), int(one.sizes[which]), id(one), which))
    rows.sort()
    taken: dict[tuple[int, int], bytes] = {}
    for path, group in itertools.groupby(rows, key=lambda row: row[0]):
        try:
            with open(path, "rb") as file:
                for span in _spans([*group]):
                    begin = span[0][1]
                    file.seek(begin)
                    read = file.read(max(start + size for _, start, size, _, _ in span) - begin)
                    for _, start, size, owner, which in span:
                        part = read[start - begin : start - begin + size]
                        if len(part) == size:
                            taken[owner, which] = part
        except OSError:  # the provider says what is wrong
            continue
    return taken


def _spans(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Rows of one file in parts that are read at once."""
    begin, stop = 0, 0
    for end, (_, start, size, _, _) in enumerate(rows):
        if end > begin and (start - stop > _GAP or start + size - rows[begin][1] > _SPAN):
            yield rows[begin:end]
            begin, stop = end, 0
        stop = max(stop, start + size)
    if rows:
        yield rows[begin:]
