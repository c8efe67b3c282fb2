"""Jobs that hang, by dumps of torch's flight recorder: who is missing, asks differently, came late."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from insight_profiler.analysis.hangs import GroupState, UnreadRank, hangs
from insight_profiler.building import Building, Unreadable
from insight_profiler.claims import is_flight
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading import READERS

from tests.conformance.our_profiles import read_files
from tests.flight_dumps import RANKS, Entry, dump, entry, write_dumps
from tests.profile_rules import check


def _healthy() -> dict[int, list[Entry]]:
    return {rank: [entry(sequence) for sequence in range(1, 6)] for rank in range(RANKS)}


def _stuck(but: int | None = None) -> dict[int, list[Entry]]:
    """All wait in the sixth collective, which one rank has not called."""
    job = _healthy()
    for rank, entries in job.items():
        if rank != but:
            entries.append(entry(6, state="started"))
    return job


def _read(
    directory: Path, job: Mapping[int, list[Entry]], *, as_json: bool = False, protocol: int = 2
) -> Profile:
    dumps = {rank: dump(entries) for rank, entries in job.items()}
    write_dumps(directory, dumps, as_json=as_json, protocol=protocol)
    return read_files(Files.of_directory(directory), Source.FLIGHT)


def _one(profile: Profile) -> GroupState:
    [group] = hangs(profile)
    return group


@pytest.mark.parametrize(("as_json", "protocol"), [(False, 2), (False, 5), (True, 0)])
def test_a_rank_that_skips_a_collective_is_named_with_what_it_did_last(
    tmp_path: Path, as_json: bool, protocol: int
) -> None:
    profile = _read(tmp_path, _stuck(but=2), as_json=as_json, protocol=protocol)
    group = _one(profile)
    assert (group.group, group.sequence, group.name) == ("0 default_pg", 6, "nccl:all_reduce")
    assert [one.rank for one in group.waiting] == [0, 1, 3]
    [missing] = group.missing
    assert (missing.rank, missing.sequence, missing.state) == (2, 5, "completed")
    assert missing.stack[1] == "step (/home/me/train.py:45)"
    [(rule, found)] = [(state.rule.id, one) for state in check(profile) for one in state.found]
    assert rule == "hang"
    assert "rank 2 has not called nccl:all_reduce (number 6" in str(found.saw)
    assert "train.py:45" in str(found.saw)


@pytest.mark.parametrize("job", [_healthy(), _stuck()], ids=["done", "all_in_one_collective"])
def test_ranks_that_are_in_step_accuse_nobody(tmp_path: Path, job: dict[int, list[Entry]]) -> None:
    profile = _read(tmp_path, job)
    group = _one(profile)
    assert (list(group.missing), list(group.differences), dict(group.late)) == ([], [], {})
    assert not [one for state in check(profile) for one in state.found]


@pytest.mark.parametrize(
    ("change", "what", "said"),
    [
        ({"size": (8,)}, "sizes", {"4": [0, 1, 3], "8": [2]}),
        ({"name": "nccl:broadcast"}, "name", {"nccl:all_reduce": [0, 1, 3], "nccl:broadcast": [2]}),
        ({"input_dtypes": ["Half"], "output_dtypes": ["Half"]}, "types", {"Float": [0, 1, 3], "Half": [2]}),
    ],
)
def test_ranks_that_ask_differently_are_told_apart(
    tmp_path: Path, change: dict[str, Any], what: str, said: dict[str, list[int]]
) -> None:
    job = _stuck()
    job[2][-1] = entry(6, **change, state="started")
    difference = _one(_read(tmp_path, job)).differences[0]
    assert (difference.sequence, difference.what, dict(difference.said)) == (6, what, said)


def test_collectives_that_give_each_rank_its_own_size_are_no_difference(tmp_path: Path) -> None:
    job = {rank: [entry(1, "nccl:all_to_all", (4 + rank,))] for rank in range(RANKS)}
    assert list(_one(_read(tmp_path, job)).differences) == []


def test_a_rank_that_came_late_is_told_by_its_own_clock(tmp_path: Path) -> None:
    job = _stuck()
    for one in job[1]:  # whose clock is an hour ahead
        one["time_created_ns"] += 3600 * 10**9
    job[2][-1]["time_created_ns"] += 7 * 10**9
    group = _one(_read(tmp_path, job))
    assert list(group.missing) == []
    assert group.late == {2: 7.0}


def test_what_the_recorder_no_longer_has_accuses_nobody(tmp_path: Path) -> None:
    job = _healthy()
    job[3] = job[3][3:]  # its buffer is shorter
    assert list(_one(_read(tmp_path, job)).missing) == []


def test_a_rank_without_a_dump_is_unread_and_not_accused(tmp_path: Path) -> None:
    job = _stuck(but=2)
    del job[3]
    group = _one(_read(tmp_path, job))
    assert [one.rank for one in group.missing] == [2]
    assert list(group.unread) == [UnreadRank(3)]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda whole: whole[: len(whole) * 2 // 3], "snapshot_cut"),
        (lambda whole: whole[:200] + b"\xff" * 50 + whole[250:], "snapshot_damaged"),
        (lambda _: b"", "snapshot_cut"),
        (lambda _: b'{"version": "2.10", "pg_config": {}', "broken_flight"),
        (lambda _: b'{"version": "2.10", "pg_config": {}}', "no_flight"),
        (lambda _: b'{"entries": [{"collective_seq_id": "many"}]}', "flight_entry"),
        (lambda _: pickle.dumps(dump([entry(1) | {"collective_seq_id": None}]), 2), "flight_entry"),
    ],
    ids=["cut", "changed", "empty", "cut_json", "no_entries", "odd_number", "no_number"],
)
def test_a_rank_whose_dump_cannot_be_read_is_named_with_the_cause_and_not_accused(
    tmp_path: Path, damage: Callable[[bytes], bytes], code: str
) -> None:
    job = _stuck(but=2)
    _read(tmp_path, job)
    path = tmp_path / "nccl_trace_rank_3"
    path.write_bytes(damage(path.read_bytes()))
    profile = read_files(Files.of_directory(tmp_path), Source.FLIGHT)
    group = _one(profile)
    assert [one.rank for one in group.missing] == [2]
    [unread] = group.unread
    assert unread.rank == 3
    assert unread.cause is not None
    assert unread.cause.code == code
    assert "nccl_trace_rank_3" in unread.cause.text
    assert [note.code for note in profile.notes] == [code]
    [saw] = [str(one.saw) for state in check(profile) for one in state.found]
    assert "rank 2 has not called" in saw


def test_a_job_in_step_with_an_unreadable_dump_accuses_nobody(tmp_path: Path) -> None:
    _read(tmp_path, _stuck())
    path = tmp_path / "nccl_trace_rank_3"
    path.write_bytes(path.read_bytes()[:900])
    profile = read_files(Files.of_directory(tmp_path), Source.FLIGHT)
    assert list(_one(profile).missing) == []
    assert not [one for state in check(profile) for one in state.found]


def test_many_unreadable_dumps_make_few_notes(tmp_path: Path) -> None:
    _read(tmp_path, _stuck(but=2))
    for rank in range(4, 40):
        (tmp_path / f"nccl_trace_rank_{rank}").write_bytes(b"{")
    notes = read_files(Files.of_directory(tmp_path), Source.FLIGHT).notes
    assert [note.code for note in notes] == ["broken_flight"] * 10 + ["flights_unreadable"]
    assert notes[-1].values == {"count": 26}


def test_gloo_never_says_that_a_collective_has_ended_and_the_status_of_the_group_does(tmp_path: Path) -> None:
    for rank, entries in _stuck(but=2).items():
        for one in entries:
            one["state"] = "scheduled"
        held = dump(entries) | {"pg_status": {"0": {"last_completed_collective": 5}}}
        held["pg_config"] = {"": {"name": "", "desc": "", "ranks": "[0, 1, 2, 3]"}}
        (tmp_path / f"comm_lib_trace_rank_{rank}").write_bytes(pickle.dumps(held, 2))
    group = _one(read_files(Files.of_directory(tmp_path), Source.FLIGHT))
    assert ([one.rank for one in group.missing], group.sequence) == ([2], 6)


def _of_gloo(skipping: int | None) -> dict[int, dict[str, Any]]:
    """As torch 2.13 dumped them with gloo in four processes, the last of five all_reduce without
    ``skipping``: no entry ever says that it is completed, and the status counts what was called."""
    found = {}
    for rank in range(RANKS):
        called = 4 if rank == skipping else 5
        entries = [entry(number, "gloo:all_reduce", state="scheduled") for number in range(1, called + 1)]
        status = {
            "last_enqueued_collective": called,
            "last_started_collective": -1,
            "last_completed_collective": called,
        }
        config = {"": {"name": "", "desc": "", "ranks": "[0, 1, 2, 3]"}}
        found[rank] = dump(entries, pg_config=config, pg_status={"0": status})
    return found


@pytest.mark.parametrize(("skipping", "missing", "sequence"), [(2, [2], 5), (None, [], 0)])
def test_the_status_of_gloo_hides_no_rank_that_skips_a_collective(
    tmp_path: Path, skipping: int | None, missing: list[int], sequence: int
) -> None:
    """torchfrtrace says of these dumps, their groups named as its format has it, that rank 2 is missing in
    all_reduce 5, and nothing of those in step."""
    write_dumps(tmp_path, _of_gloo(skipping))
    group = _one(read_files(Files.of_directory(tmp_path), Source.FLIGHT))
    assert ([one.rank for one in group.missing], group.sequence) == (missing, sequence)


class _Runs:
    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.place),)


def test_a_dump_that_would_run_something_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    planted = tmp_path / "was_run"
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "nccl_trace_rank_9").write_bytes(
        pickle.dumps({"version": "2.10", "entries": [_Runs(planted)]}, 2)
    )
    profile = _read(logs, _stuck(but=2))
    assert not planted.exists()
    assert [note.code for note in profile.notes] == ["snapshot_runs_code"]
    assert [one.rank for one in _one(profile).missing] == [2]


def test_a_job_of_which_nothing_can_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "nccl_trace_rank_0").write_bytes(b"{ no JSON")
    building = Building(Source.FLIGHT)
    with pytest.raises(Unreadable, match="nccl_trace_rank_0 cannot be read as JSON"):
        READERS[Source.FLIGHT](Files.of_directory(tmp_path), building)


def test_dumps_are_told_from_other_files_by_their_beginning() -> None:
    held = dump(_healthy()[0])
    assert is_flight(pickle.dumps(held, 2)[:4096])
    assert is_flight(json.dumps(held).encode()[:4096])
    assert not is_flight(b'{"traceEvents": []}')
    assert not is_flight(pickle.dumps({"segments": [], "device_traces": []}))
