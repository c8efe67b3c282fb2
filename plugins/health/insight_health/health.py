"""What is known of the layers of a provider: read a part at a time, and kept."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from attrs import define, field

from insight_core.plugin.data import DataProvider
from insight_health.digests import Digests, ReadSoFar
from insight_health.layers import layers_of
from insight_health.tracks import ScalarPoints, Tracks
from insight_health.verdicts import BadLayer, bad_layers

_SECONDS = 0.5  # of reading, at a time
EVERY_STEP = (-(1 << 62), 1 << 62)  # A window of steps.


@define(eq=False)
class Health:
    """What is known of the layers of one provider. Thread-safe."""

    data: DataProvider
    digests: Digests
    scalars: ScalarPoints
    lock: threading.Lock = field(factory=threading.Lock)
    rest: float = 0.0  # seconds that the latest answer took without reading
    _opened: tuple[tuple[int, tuple[str, ...]], Tracks] | None = None  # of a generation and runs
    _judged: tuple[Tracks, int, list[BadLayer]] | None = None  # by how many records

    @classmethod
    def of(cls, data: DataProvider) -> Health:
        """The one of this provider."""
        with _LOCK:
            for known in _KNOWN:
                if known.data is data:
                    return known
            digests = Digests(data)
            made = cls(data, digests, ScalarPoints(data, digests.steps))
            _KNOWN.append(made)
            return made

    @property
    def patience(self) -> float:
        """Seconds of reading for one answer: where the rest of it takes long, more is read for each."""
        return max(_SECONDS, self.rest)

    def open(self, runs: Sequence[str]) -> Tracks:
        """All that is known of the layers of these runs."""
        with self.lock:
            key = (self.data.generation(), tuple(runs))
            if self._opened is None or self._opened[0] != key:
                table = layers_of(self.data, runs)
                tracks = Tracks.of(self.data, table, table.runs, self.digests, self.scalars)
                self._opened = key, tracks
            return self._opened[1]

    def faults(self, tracks: Tracks, read: ReadSoFar) -> list[BadLayer]:
        """The bad layers, by the records that were read."""
        known = self._judged
        if known is None or known[0] is not tracks or known[1] != read.read:
            self._judged = known = tracks, read.read, bad_layers(tracks, tracks.table.runs)
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
_KNOWN: deque[Health] = deque(maxlen=2)  # a process has one provider, tests have many
