"""How many points an answer holds where nobody has said how many: as many as TensorBoard's page can take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from attrs import frozen


@frozen
class Budget:
    """``points`` of all series of an answer; at least ``of_each``, which TensorBoard itself would show."""

    points: int
    of_each: int

    def limit(self, counts: Sequence[int]) -> int | None:
        """The largest number of points of each that keeps to the budget, where series have ``counts``.

        None is all. Counts are 0 where they are not known: a data server of TensorBoard's has sampled.
        """
        if sum(counts) <= self.points:
            return None
        ascending = np.sort(np.asarray(counts, np.int64))
        shorter = np.cumsum(ascending) - ascending  # points of all that are shorter: they are taken whole
        room = (self.points - shorter) // np.arange(len(ascending), 0, -1)
        return max(int(room[np.argmax(room < ascending)]), self.of_each)


# TensorBoard makes each point a Python object, and its page takes about a second for so many.
SCALARS = Budget(100_000, 1000)
TENSORS = Budget(1000, 100)


class Sampled:
    """What had to be left out of answers, for the page to say so. ``changed`` is called when that begins."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._of: dict[str, tuple[int, int]] = {}

    def note(self, plugin: str, shown: int, points: int) -> None:
        """``shown`` points of a series of ``points``, of TensorBoard's plugin of that name."""
        with self._lock:
            known = self._of.get(plugin)
            least, most = known or (shown, points)
            self._of[plugin] = min(shown, least), max(points, most)
        if known is None:
            self._changed()

    def __call__(self) -> Mapping[str, Mapping[str, int]]:
        """By plugin, the least that was shown of a series and how long the longest is."""
        with self._lock:
            return {name: {"shown": shown, "points": points} for name, (shown, points) in self._of.items()}
