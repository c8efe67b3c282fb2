"""Traces with very many tracks: work that grows with their number, not with its square."""

from __future__ import annotations

from pathlib import Path

import pytest
from insight_profiler.model import Track
from insight_profiler.reading import json_events, trace_tracks

from tests.chrome_traces import read_trace, slice_of


def test_labels_of_tracks_are_made_once_however_many_windows_a_trace_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracks = 2000
    made = 0

    def counted(*arguments: object, **named: object) -> Track:
        nonlocal made
        made += 1
        return Track(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(trace_tracks, "Track", counted)
    monkeypatch.setattr(json_events, "_WINDOW", 4096)  # some fifty windows
    profile = read_trace(tmp_path, [slice_of("work", at, 1, tid=at) for at in range(tracks)])
    assert [track.label for track in profile.tracks[:3]] == ["process 1", "thread 0", "thread 1"]
    assert len(profile.tracks) == tracks + 1
    assert made <= 3 * tracks
