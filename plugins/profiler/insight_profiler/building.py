"""A profile under construction: readers fill it, and it becomes a profile."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from insight_profiler.derived.collected import Collected
from insight_profiler.derived.derive import derive
from insight_profiler.model import Note, Profile


class Unreadable(Exception):
    """Nothing of a profile could be read: a code with values, and the same in English."""

    def __init__(self, code: str, text: str, **values: object) -> None:
        super().__init__(text)
        self.note = Note(code, values, text)


@define(eq=False)
class Building(Collected):
    """What readers fill.

    Columns of a chunk are of equal length. One that is left out holds -1, NaN where numbers are floats, 0
    where they have no sign, and Category.OTHER for ``category``.

    Times of slices, counters, allocations, collectives, arrows and steps count from the zero of the reader,
    in int64 nanoseconds; ``start_ns`` says when that was, since the epoch (0: the times themselves count from
    there, or nobody knows). ``finish`` has them count from the earliest. In lanes and batches they stay
    as they are given.

    A slice names its operator and kernel by their rows, as ``add`` returned them; where a row holds -1
    for calls, total, self, minimum or maximum, these are computed from its slices. Slices with a
    ``type`` and without an operator make operators of their own. Flows name slices by their rows as they
    were added.
    """

    progress: Callable[[Building], None] | None = None  # called by `reached`
    before: Profile | None = None  # of the same files, when they were shorter
    _before_finish: list[Callable[[], None]] = field(factory=list, init=False)

    def reached(self) -> None:
        """Readers of long files call this now and then: a place at which one may look at what there is."""
        if self.progress is not None:
            self.progress(self)

    def before_finish(self, complete: Callable[[], None]) -> None:
        """Registers a step that every ``finish`` runs first: work over all tracks or rows, too long for each
        chunk that is added."""
        self._before_finish.append(complete)

    def finish(self, *, is_complete: bool = True) -> Profile:
        """The profile as it is now. Adding may go on afterwards."""
        for complete in self._before_finish:
            complete()
        return derive(self, is_complete)
