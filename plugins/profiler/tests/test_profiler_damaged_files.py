"""Real profiles with bytes lost, changed and put in: what can be read is, and nothing else comes of it."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from typing import BinaryIO

import pytest
from insight_profiler.building import Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Source

from tests.conformance.our_profiles import read_files

_PLACES = {
    "mindinsight_fixtures/run_1/normal_run/profiler": Source.MINDINSIGHT,
    "mindinsight_fixtures/run_2/normal_run/profiler": Source.MINDINSIGHT,
    "mindinsight_fixtures/cluster_propose": Source.MINDINSIGHT,
    "mindinsight_fixtures/parallel_strategy": Source.MINDINSIGHT,
    "mindspore_profile/minddata": Source.MINDINSIGHT,
    "mindspore_profile/graph_new": Source.MINDSPORE,
    "mindspore_profile/pynative_new": Source.MINDSPORE,
    "keras/fit/train/plugins/profile": Source.XPLANE,
}
_ROUNDS = 12
_LONGEST = 300_000  # bytes of a file, so that rounds are short
_STRANGE = [b"N/A", b"-1", b"9" * 30, b"null", b'"', b"\n", b",", b"{}", b"\0", b"\xff\xfe"]


def _damaged(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    place = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            return data[:place]
        case 1:
            return data[:place] + data[place + chance.randrange(200) :]
        case 2:
            return data[:place] + chance.choice(_STRANGE) + data[place:]
        case _:
            changed = bytearray(data)
            for _ in range(chance.choice([1, 5, 50])):
                changed[chance.randrange(len(data))] = chance.randrange(256)
            return bytes(changed)


def _opener(contents: dict[str, bytes]) -> Callable[[str], BinaryIO]:
    return lambda name: io.BytesIO(contents[name])


@pytest.mark.parametrize("place", _PLACES)
def test_damage_is_noted_and_no_more(pytestconfig: pytest.Config, place: str) -> None:
    directory = pytestconfig.rootpath.parent / "shared/data" / place
    if not directory.is_dir():
        pytest.skip(f"the profiles at {directory} are not on this machine")
    whole = {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.stat().st_size < _LONGEST
    }
    refused: set[str] = set()
    for seed in range(_ROUNDS):
        chance = random.Random(seed)
        contents = dict(whole)
        for name in chance.sample(sorted(whole), min(3, len(whole))):
            contents[name] = _damaged(contents[name], chance)
        files = Files({name: len(data) for name, data in contents.items()}, _opener(contents))
        try:
            profile = read_files(files, _PLACES[place], 1)
        except Unreadable as error:
            refused.add(error.note.code)
        else:
            for name, table in profile.tables.items():
                assert len({len(column) for column in table.values()}) == 1, name
            assert all(note.code and note.text for note in profile.notes)
    assert refused <= {"nothing_readable", "no_xplane"}
