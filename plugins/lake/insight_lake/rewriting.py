"""Makes segments of other segments: without some runs, or several joined."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import ProviderSettings
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_lake.delta import LakeSegment, LakeVersion
from insight_lake.provider import LakeProvider
from insight_lake.records import RecordColumns
from insight_lake.store import LakeStore
from insight_lake.writing import SegmentDraft, write_series

_NONE = np.zeros(0, np.int64)


def _every_point(
    series: Hashable,
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    values: NDArray[np.float32] | NDArray[np.float64],
    query: ScalarQuery,
    *,
    total: int | None = None,
) -> ScalarColumns:
    """Implements ``AnswerScalars`` for queries of all points."""
    assert query == ScalarQuery(attempts="all")
    count = len(steps)
    return ScalarColumns(
        steps, wall_times, values, count, total or count, 0, count, 0.0, (0.0, 0.0), _NONE, _NONE, (0, 0, 0)
    )


def open_whole(store: LakeStore, version: LakeVersion) -> LakeProvider:
    """A version of a lake as it is stored: every point and payload, by the names of plugins that it has."""
    provider = LakeProvider(store, ProviderSettings({}, 0.0, answer_scalars=_every_point))
    provider.followed.show(version)
    return provider


class StoredRecords:
    """Implements ``RecordSource``: payloads stay where they are."""

    def __init__(self, data: LakeProvider) -> None:
        self._data = data

    def columns(self, plugin: str, key: SeriesKey) -> RecordColumns:
        """See RecordSource."""
        return self._data.record_columns(plugin, key)


def rewritten(
    store: LakeStore, segments: Sequence[LakeSegment], without: Collection[str] = ()
) -> LakeSegment | None:
    """Joins segments into one, without some runs, and stores it; returns None if no run is left."""
    data = open_whole(store, LakeVersion.of(segments))
    try:
        stored = {name: one for name, one in data.lake().runs().items() if name not in without}
        if not stored:
            return None
        with store.drafts() as directory:
            draft = SegmentDraft(directory)
            write_series(draft, data, list(stored), StoredRecords(data))
            draft.add_runs(
                [one.run for one in stored.values()],
                data,
                {name: one.note for name, one in stored.items()},
            )
            payloads = {each.key: each for one in segments for each in one.payloads}
            return draft.store(store, [each for key, each in payloads.items() if key in draft.copied])
    finally:
        data.close()
