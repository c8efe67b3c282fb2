"""What is known of the layers of a provider: read a part at a time, and kept."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from attrs import define, field

from insight_core.plugin.data import DataProvider
from insight_layers.digests import Digests, ReadSoFar
from insight_layers.faults import LayerFault, layer_faults
from insight_layers.table import LayerPlugins, layers_of
from insight_layers.tracks import ScalarPoints, Tracks

_MOST_OPENED = 4  # selections of runs
_SMALL = 4 << 20  # bytes of all records of a run
_SECONDS = 0.5  # of reading, at a time
EVERY_STEP = (-(1 << 62), 1 << 62)  # A window of steps.


@define(eq=False)
class LayerReader:
    """What is known of the layers of one provider. Thread-safe."""

    data: DataProvider
    plugins: LayerPlugins
    digests: Digests
    scalars: ScalarPoints
    lock: threading.Lock = field(factory=threading.Lock)
    rest: float = 0.0  # seconds that the latest answer took without reading
    _opened: dict[tuple[str, ...], tuple[int, Tracks]] = field(factory=dict)  # by runs, of a generation
    _judged: tuple[Tracks, int, list[LayerFault]] | None = None  # by how many records

    @classmethod
    def of(cls, data: DataProvider, plugins: LayerPlugins) -> LayerReader:
        """The one of this provider."""
        with _LOCK:
            for known in _KNOWN:
                if known.data is data and known.plugins == plugins:
                    return known
            digests = Digests(data, plugins.histograms)
            made = cls(data, plugins, digests, ScalarPoints(data, plugins.scalars, digests.steps))
            _KNOWN.append(made)
            return made

    @property
    def patience(self) -> float:
        """Seconds of reading for one answer: where the rest of it takes long, more is read for each."""
        return max(_SECONDS, self.rest)

    def open(self, runs: Sequence[str]) -> Tracks:
        """All that is known of the layers of these runs."""
        with self.lock:
            asked, generation = tuple(runs), self.data.generation()
            known = self._opened.pop(asked, None)
            if known is None or known[0] != generation:
                table = layers_of(self.data, self.plugins, runs)
                known = generation, Tracks.of(self.data, table, table.runs, self.digests, self.scalars)
            self._opened[asked] = known  # the latest stand last
            while len(self._opened) > _MOST_OPENED:
                del self._opened[next(iter(self._opened))]
            return known[1]

    def settled(self, run: str, *, seconds: float, most: int) -> tuple[Tracks, list[LayerFault]] | None:
        """The faults of a run, by about ``most`` records of each series and those where faults begin.

        Of small runs all records are read. None if that takes longer than ``seconds``: what was read is kept,
        and the next call goes on.
        """
        tracks = self.open([run])
        digests = tracks.digests.values()
        is_small = sum(int(digest.sizes.sum()) for digest in digests) <= _SMALL
        read = self.read(tracks, seconds=seconds, most=None if is_small else most)
        with self.lock:
            if (is_small and read.read < read.records) or not all(one.is_settled for one in digests):
                return None
            return tracks, self.faults(tracks, read)

    def faults(self, tracks: Tracks, read: ReadSoFar) -> list[LayerFault]:
        """The bad layers, by the records that were read."""
        known = self._judged
        if known is None or known[0] is not tracks or known[1] != read.read:
            self._judged = known = tracks, read.read, layer_faults(tracks, tracks.table.runs)
        return known[2]

    def read(
        self,
        tracks: Tracks,
        window: tuple[int, int] = EVERY_STEP,
        *,
        seconds: float = _SECONDS,
        most: int | None = None,
    ) -> ReadSoFar:
        """Reads records in so many seconds, those of steps in the window first. ``tracks`` then show them."""
        with self.lock:
            return self.digests.read([*tracks.digests.values()], *window, seconds=seconds, most=most)


_LOCK = threading.Lock()
_KNOWN: deque[LayerReader] = deque(maxlen=2)  # a process has one provider, tests have many
