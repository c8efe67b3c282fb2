"""Profiles that are kept: written and read back, damaged, shrunk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from attrs import fields
from insight_profiler.analysis.overview import first_overview
from insight_profiler.building import Building
from insight_profiler.model import Counter, Device, Profile, Source, Track
from insight_profiler.profiles.prepared import prepared
from insight_profiler.profiles.storage import UnusableProfile, clear, contents, key_of, load, save, shrink
from safetensors.numpy import load_file

from insight_core.plugin import encode_json


def _profile() -> Profile:
    building = Building(
        Source.TORCH, host="vm", rank=3, facts={"schema": 1}, documents={"pipeline": {"a": [1]}}
    )
    building.device(Device("V100", "gpu", {"memory": 16}))
    building.track(Track("thread", "thread 7 (主线程)", order=2))
    building.counter(Counter("Allocated", "memory", "bytes", 0))
    building.note("cut", "cut off", file="a.json")
    building.add(
        "slices", track=[0, 0], start=[0, 5], duration=[10, 2], name=building.texts(["a\udc80", "b"])
    )
    building.add("counters", counter=[0], time=[3], value=[np.nan])
    building.add("kernels", name=[1], occupancy=[12.5])
    building.add("operators", name=[0], type=[0], side=[0], calls=[2], total=[12], self=[10])
    return building.finish()


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    profile = _profile()
    save(profile, tmp_path / "kept/one")
    found = load(tmp_path / "kept/one")
    for name in (field.name for field in fields(Profile)):
        if name != "tables":
            assert getattr(found, name) == getattr(profile, name), name
    assert found.tables.keys() == profile.tables.keys()
    for name, table in profile.tables.items():
        assert found.tables[name].keys() == table.keys()
        for column, values in table.items():
            kept = found.tables[name][column]
            assert kept.dtype == values.dtype
            np.testing.assert_array_equal(kept, values)
            assert not kept.flags.writeable
            assert kept.flags.aligned


def test_tables_are_safetensors(tmp_path: Path) -> None:
    save(_profile(), tmp_path / "one")
    assert load_file(tmp_path / "one/tables.safetensors")["slices.duration"].tolist() == [10, 2]


def test_saving_again_replaces(tmp_path: Path) -> None:
    save(_profile(), tmp_path / "one")
    save(Building(Source.CHROME).finish(), tmp_path / "one")
    assert load(tmp_path / "one").tables == {}
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.parametrize("name", ["tables.safetensors", "profile.json"])
@pytest.mark.parametrize("size", [0, 4, 60])
def test_what_is_damaged_is_told(tmp_path: Path, name: str, size: int) -> None:
    save(_profile(), tmp_path / "one")
    os.truncate(tmp_path / "one" / name, size)
    with pytest.raises(UnusableProfile, match="damaged"):
        load(tmp_path / "one")


def test_another_version_is_told(tmp_path: Path) -> None:
    save(_profile(), tmp_path / "one")
    facts = tmp_path / "one/profile.json"
    facts.write_bytes(facts.read_bytes().replace(b'"version":', b'"version":9'))
    with pytest.raises(UnusableProfile, match="version"):
        load(tmp_path / "one")


def test_what_another_version_read_just_now_is_shown_if_it_says_enough(tmp_path: Path) -> None:
    save(_profile(), tmp_path / "one")
    facts = tmp_path / "one/profile.json"
    facts.write_bytes(facts.read_bytes().replace(b'"version":', b'"version":9'))
    assert load(tmp_path / "one", is_new=True).tables.keys() == _profile().tables.keys()
    tables = tmp_path / "one/tables.safetensors"
    tables.write_bytes(tables.read_bytes().replace(b'"slices.parent"', b'"slices.orphan"'))
    with pytest.raises(UnusableProfile, match="start it again"):
        load(tmp_path / "one", is_new=True)


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")


def test_the_longest_unused_goes_first(tmp_path: Path) -> None:
    for number, name in enumerate(["a", "b", "c"]):
        save(_profile(), tmp_path / name)
        os.utime(tmp_path / name / "profile.json", (1000 + number, 1000 + number))
    load(tmp_path / "a")  # of use just now
    each = contents(tmp_path).bytes // 3
    shrink(tmp_path, 2 * each + 10)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    shrink(tmp_path, 0, spared=[tmp_path / "c"])
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_all_is_counted_and_cleared(tmp_path: Path) -> None:
    save(_profile(), tmp_path / "a")
    held = contents(tmp_path)
    assert held.entries == 1
    assert held.bytes == sum(path.stat().st_size for path in (tmp_path / "a").iterdir())
    assert clear(tmp_path) == held
    assert contents(tmp_path).entries == 0
    assert contents(tmp_path / "absent").entries == 0


def test_keys_tell_profiles_apart() -> None:
    assert len(key_of("a", 1)) == 32
    assert key_of("a", 1) == key_of("a", 1)
    assert key_of("a", 1) != key_of("a", 2)
    key_of("lone \udc80")


def test_a_profile_that_was_read_is_kept_with_its_overview(tmp_path: Path) -> None:
    profile = _profile()
    save(prepared(profile), tmp_path / "one")
    kept = load(tmp_path / "one")
    made = first_overview(profile)
    assert made["biggest"]
    assert kept.documents["overview"] == json.loads(encode_json(made))
    assert first_overview(kept) is kept.documents["overview"]
