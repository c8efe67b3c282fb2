"""What is drawn of a range, against a look at every slice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.analysis import lanes, window
from insight_profiler.analysis.lanes import kept_lanes
from insight_profiler.analysis.window import ShownSlices, slices_between
from insight_profiler.building import Building
from insight_profiler.model import Category, Profile, Source, Track
from insight_profiler.profiles.storage import load, save


def _profile(seed: int, count: int = 3000) -> Profile:
    """Two tracks; on the first lie shorter slices within longer ones."""
    chance = np.random.default_rng(seed)
    building = Building(Source.CHROME)
    tracks = [building.track(Track("thread", name)) for name in ("a", "b")]
    names = building.texts(f"name {number}" for number in range(7))
    for track in tracks:
        gaps = chance.integers(1, 2000, count)
        durations = np.minimum(chance.lognormal(4, 2, count).astype(np.int64), 50_000)
        starts = np.cumsum(gaps + np.concatenate(([0], durations[:-1])))
        building.add(
            "slices",
            track=np.full(count, track),
            start=starts,
            duration=durations,
            name=names[chance.integers(0, 7, count)],
            category=np.full(count, Category.OTHER),
        )
        inner = np.flatnonzero(durations > 10)
        building.add(
            "slices",
            track=np.full(len(inner), track),
            start=starts[inner] + 1,
            duration=durations[inner] // 2,
            name=names[chance.integers(0, 7, len(inner))],
            category=np.full(len(inner), Category.OPERATOR),
        )
    return building.finish()


def _inside(profile: Profile, start: int, end: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    slices = profile.tables["slices"]
    return np.flatnonzero((slices["start"] <= end) & (slices["start"] + slices["duration"] >= start))


def _covers(shown: ShownSlices, row: int, profile: Profile) -> bool:
    """Whether something drawn on the lane of the slice stands over all of it."""
    slices, columns = profile.tables["slices"], shown.columns
    begin = slices["start"][row]
    end = begin + slices["duration"][row]
    on_lane = (columns["track"] == slices["track"][row]) & (columns["depth"] == slices["depth"][row])
    around = (columns["start"] <= begin) & (columns["start"] + columns["duration"] >= end)
    return bool((on_lane & around).any())


@pytest.mark.parametrize("part", [1.0, 0.3, 0.01, 0.0005])
@pytest.mark.parametrize("many_lanes", [0, 500])
def test_a_profile_that_is_kept_is_drawn_as_from_all_of_its_slices(
    part: float, many_lanes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "_MANY", 0)
    monkeypatch.setattr(lanes, "_AT_ONCE", 1000)
    monkeypatch.setattr(window, "_MANY_LANES", many_lanes)
    for seed in range(3):
        profile = _profile(seed)
        save(evolve(profile, tables={**profile.tables, **kept_lanes(profile)}), tmp_path / "kept")
        for width in (1500, 500, 100):
            start = profile.duration_ns // 3 if part < 1 else 0
            asked = start, start + int(part * profile.duration_ns), width
            kept, made = slices_between(load(tmp_path / "kept"), *asked), slices_between(profile, *asked)
            assert kept.count == made.count
            for name, column in made.columns.items():
                assert np.array_equal(kept.columns[name], column), (name, width)


def test_a_kept_profile_is_drawn_without_a_look_at_each_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "_MANY", 0)
    profile = _profile(0)
    count = len(profile.tables["slices"]["start"])
    kept = evolve(profile, tables={**profile.tables, **kept_lanes(profile)})
    monkeypatch.setattr(lanes, "_by_lane", pytest.fail)
    assert slices_between(kept, 0, kept.duration_ns, 1500).count == count
    memory = window._known[kept].nbytes
    for width in (10_000, 10_000_000):  # at scales in between, and at the finest
        assert slices_between(kept, kept.duration_ns // 2, kept.duration_ns, width).count <= count
    assert window._known[kept].nbytes == memory, "what is drawn is mapped"


def test_the_lanes_that_were_used_last_are_kept_within_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = [_profile(seed, 100) for seed in range(3)]

    def ask(place: int) -> None:
        profile = profiles[place]
        slices_between(profile, 0, profile.duration_ns, 100)

    def kept() -> list[int]:
        return [place for place, profile in enumerate(profiles) if profile in window._known]

    window._known.clear()
    ask(0)
    size = window._known[profiles[0]].nbytes
    assert size > 100 * 20
    monkeypatch.setattr(window, "_MOST_KEPT", size * 2)
    ask(1)
    ask(0)
    ask(2)
    assert kept() == [0, 2]
    monkeypatch.setattr(window, "_MOST_KEPT", 1)
    ask(1)
    assert kept() == [1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("part", [1.0, 0.3, 0.01, 0.0005])
@pytest.mark.parametrize("at_once", [7, 1 << 19])
def test_every_slice_of_the_range_is_drawn_or_stands_in_one_that_is(
    seed: int, part: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "_AT_ONCE", at_once)
    profile = _profile(seed)
    whole = profile.duration_ns
    start = whole // 3
    end = start + max(1, int(whole * part))
    shown = slices_between(profile, start, end, 300)
    rows = _inside(profile, start, end)
    assert all(_covers(shown, int(row), profile) for row in rows)
    column = max(1, (end - start) // 300)
    # a group at the edge has slices beyond it, from the same cell
    beyond = len(_inside(profile, start - column, end + column))
    assert len(rows) <= shown.count <= beyond

    slices, columns = profile.tables["slices"], shown.columns
    alone = columns["merged"] == 1
    ids = columns["id"][alone]
    assert (columns["start"][alone] == slices["start"][ids]).all()
    assert (columns["duration"][alone] == slices["duration"][ids]).all()
    assert (columns["name"] == slices["name"][columns["id"]]).all()
    wide = rows[slices["duration"][rows] >= column]
    assert set(wide.tolist()) <= set(ids.tolist())


@pytest.mark.parametrize("width", [10, 100, 1000])
def test_a_lane_has_no_more_narrow_things_than_columns(width: int) -> None:
    profile = _profile(9)
    end = profile.duration_ns
    columns = slices_between(profile, 0, end, width).columns
    column = end // width
    for track in (0, 1):
        for depth in (0, 1):
            lane = (columns["track"] == track) & (columns["depth"] == depth)
            narrow = columns["duration"][lane] < column
            assert narrow.sum() <= width + 1
            begins = columns["start"][lane]
            ends = begins + columns["duration"][lane]
            assert (begins[1:] >= ends[:-1]).all()


def test_what_stands_for_several_is_called_after_the_longest() -> None:
    building = Building(Source.CHROME)
    track = building.track(Track("thread", "a"))
    names = building.texts(["short", "long", "short again"])
    building.add("slices", track=[track] * 3, start=[0, 10, 40], duration=[5, 20, 5], name=names)
    shown = slices_between(building.finish(), 0, 45_000, 45)
    assert shown.columns["merged"].tolist() == [3]
    assert shown.columns["name"].tolist() == [1]
    assert shown.columns["duration"].tolist() == [45]


def test_of_some_tracks_only() -> None:
    profile = _profile(1)
    columns = slices_between(profile, 0, profile.duration_ns, 100, [1]).columns
    assert set(columns["track"].tolist()) == {1}
    assert not len(slices_between(profile, 0, profile.duration_ns, 100, []).columns["id"])
    nothing = slices_between(profile, profile.duration_ns + 10, profile.duration_ns + 20, 100)
    assert nothing.count == 0
