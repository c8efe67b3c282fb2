"""Every step of every rank: reading their logs, tiles, ranks that hold the others up, and goodput."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from insight_profiler import insight_plugin
from insight_profiler.analysis.every_step import slow_ranks, slowest, spans_of, tiles
from insight_profiler.analysis.goodput import goodput
from insight_profiler.building import Building, Unreadable
from insight_profiler.derived.step_runs import StepRuns
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.profiles import reading
from insight_profiler.profiles.discovery import profiles_of
from insight_profiler.profiles.known import Profiles
from insight_profiler.profiles.storage import contents
from insight_profiler.reading import READERS

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.providers.local import LocalProvider
from insight_record.step_times import StepTimes
from tests.conformance.our_profiles import read_files
from tests.profile_rules import check
from tests.rank_step_logs import FILE, write_attempt
from tests.waiting import eventually

_ALL = (0, 1 << 60)
_WIDE = (1024, 4000)


def _read(directory: Path) -> Profile:
    return read_files(Files.of_directory(directory / "structured_logs"), Source.RANK_STEPS)


def _found(profile: Profile) -> dict[str, str]:
    return {state.rule.id: str(one.saw) for state in check(profile) for one in state.found}


def test_a_tile_is_the_longest_or_the_median_of_its_steps(tmp_path: Path) -> None:
    write_attempt(tmp_path, 3, range(1, 101), work=lambda rank, step: 0.5 if (rank, step) == (1, 37) else 0)
    profile = _read(tmp_path)
    single = tiles(profile, "fetch", "max", _WIDE, _ALL)
    assert single.values.shape == (3, 100)
    assert int(np.argmax(single.values)) == 1 * 100 + 36
    for statistic, reduce in (("max", np.max), ("median", np.median)):
        coarse = tiles(profile, "fetch", statistic, (1024, 10), _ALL)  # type: ignore[arg-type]
        assert np.array_equal(coarse.values, reduce(single.values.reshape(3, 10, 10), axis=2))
        assert coarse.first.tolist() == list(range(1, 101, 10))
        assert coarse.last.tolist() == list(range(10, 101, 10))
    few = tiles(profile, "fetch", "max", (2, 10), _ALL)
    assert few.ranks.tolist() == [0, 2]
    assert few.values[0].max() == single.values[:2].max()
    part = tiles(profile, "fetch", "max", _WIDE, (30, 40))
    assert np.array_equal(part.values, single.values[:, 29:40])


def test_spans_are_listed_with_the_whole_step_first(tmp_path: Path) -> None:
    write_attempt(tmp_path, 3, range(1, 10))
    assert spans_of(_read(tmp_path)) == ["step", "fwd_bwd", "fetch"]


def test_a_rank_that_is_slow_since_a_step_is_named_with_the_span_that_is_its_own(tmp_path: Path) -> None:
    """All steps are equally long, for the others wait: the span in which the rank works tells."""
    write_attempt(
        tmp_path, 8, range(1, 301), work=lambda rank, step: 0.05 if rank == 5 and step >= 120 else 0
    )
    profile = _read(tmp_path)
    [slow] = slow_ranks(profile)
    assert (slow.rank, slow.span, slow.since, slow.steps) == (5, "fetch", 120, 181)
    assert slow.more == pytest.approx(50e6, rel=0.05)
    found = _found(profile)
    assert found.keys() == {"straggler_steps"}
    assert "longer than the median of the ranks in fetch since step 120" in found["straggler_steps"]
    last = slowest(tiles(profile, "fetch", "median", _WIDE, _ALL))[-1]
    assert (last["rank"], last["share"], last["last"]) == (5, 1.0, 300)


@pytest.mark.parametrize(
    "work",
    [
        lambda _rank, _step: 0.0,
        lambda rank, step: 0.05 if rank == step % 8 else 0.0,  # each in its turn
        lambda rank, step: 0.05 if rank == 5 and step < 200 else 0.0,  # no longer
        lambda rank, step: 0.5 if rank == 5 and step % 50 == 0 else 0.0,  # now and then
        lambda _rank, step: 0.05 if step >= 120 else 0.0,  # all of them
    ],
    ids=["even", "in_turn", "recovered", "seldom", "all"],
)
def test_ranks_without_one_that_stays_slow_are_not_accused(tmp_path: Path, work: object) -> None:
    write_attempt(tmp_path, 8, range(1, 301), noise=0.1, work=work)  # type: ignore[arg-type]
    assert _found(_read(tmp_path)) == {}


def test_goodput_counts_repeated_steps_and_the_time_between_starts_as_restarting(tmp_path: Path) -> None:
    end = write_attempt(tmp_path, 4, range(1, 101), noise=0)  # 10 s
    write_attempt(tmp_path, 4, range(81, 201), attempt=1, at=end + 5, noise=0)  # 12 s
    profile = _read(tmp_path)
    attempts = goodput(profile)
    seconds = [{kind: round(ns / 1e9, 2) for kind, ns in one.times.items()} for one in attempts]
    assert seconds == [
        {"useful": 8.0, "restarting": 2.0, "stalled": 0.0, "checkpointing": 0.0},
        {"useful": 12.0, "restarting": 5.0, "stalled": 0.0, "checkpointing": 0.0},
    ]
    assert "restarts (1) cost 26 % of the time" in _found(profile)["goodput"]
    whole = tiles(profile, "step", "max", _WIDE, _ALL)
    assert whole.values.shape == (4, 200)
    assert not np.isnan(whole.values).any()


def test_goodput_tells_checkpoints_and_stalls(tmp_path: Path) -> None:
    write_attempt(
        tmp_path,
        4,
        range(1, 101),
        noise=0,
        work=lambda rank, step: 3.0 if (rank, step) == (1, 50) else 0.0,
        checkpoint=lambda step: 0.5 if step % 20 == 0 else 0.0,
    )
    profile = _read(tmp_path)
    [one] = goodput(profile)
    # 100 steps of 0.1 s; the 50th has 3 s more, of which 0.4 s are within five medians
    seconds = {kind: round(ns / 1e9, 2) for kind, ns in one.times.items()}
    assert seconds == {"useful": 10.4, "restarting": 0.0, "stalled": 2.6, "checkpointing": 2.5}
    assert "checkpoints cost 16 % of the time" in _found(profile)["goodput"]


def test_a_job_that_restarts_once_in_a_long_time_is_well(tmp_path: Path) -> None:
    end = write_attempt(tmp_path, 4, range(1, 401), checkpoint=lambda step: 0.1 if step % 100 == 0 else 0.0)
    write_attempt(tmp_path, 4, range(396, 801), attempt=1, at=end + 2)
    assert _found(_read(tmp_path)) == {}


def test_odd_lines_are_skipped_and_listed_and_a_line_that_is_being_written_is_not(tmp_path: Path) -> None:
    write_attempt(tmp_path, 3, range(1, 31))
    path = tmp_path / "structured_logs" / FILE.format(rank=1, attempt=0)
    whole = path.read_text()
    other = {"value": 7.0, "log_type_name": "step_end", "time_us": 1_796_000_000_000_000, "step": 31}
    odd = '{"step": 9, "log_type_name": "step_end" broken\n'
    path.write_text(whole + odd + json.dumps(other) + "\n" + '{"rank": 1, "step": 32, "time_us": 17960')
    profile = _read(tmp_path)
    assert [(note.code, note.values["count"], note.values["file"]) for note in profile.notes] == [
        ("lines_cut", 1, path.name)
    ]
    whole_step = tiles(profile, "step", "max", _WIDE, _ALL)
    assert whole_step.values[1, -1] == 7_000_000
    assert whole_step.last[-1] == 31


def _next(directory: Path, before: Profile) -> tuple[Profile, int]:
    """What is read of logs that were read before, and of how many bytes."""
    files = Files.of_directory(directory / "structured_logs")
    building = Building(Source.RANK_STEPS, before=before)
    READERS[Source.RANK_STEPS](files, building)
    return building.finish(), files.bytes_read


def _assert_same(one: Profile, other: Profile) -> None:
    assert one.texts == other.texts
    assert one.notes == other.notes
    for name, table in other.tables.items():
        for column, values in table.items():
            assert np.array_equal(one.tables[name][column], values), (name, column)


def test_logs_that_grow_are_read_from_where_they_ended(tmp_path: Path) -> None:
    """With a line and a step that are cut, one that is malformed, and a rank that starts later."""
    write_attempt(tmp_path, 4, range(1, 801), checkpoint=lambda step: 0.1 if step % 7 == 0 else 0.0)
    place = tmp_path / "structured_logs"
    whole = {path: path.read_bytes() for path in sorted(place.iterdir())}
    late, *others = whole
    late.unlink()
    for path in others:
        cut = len(whole[path]) * 9 // 10
        path.write_bytes(b'odd _end"\n' + whole[path][:cut])
        whole[path] = b'odd _end"\n' + whole[path]
    before = _read(tmp_path)
    for path, text in whole.items():
        path.write_bytes(text)
    after, read = _next(tmp_path, before)
    _assert_same(after, _read(tmp_path))
    grown = sum(len(whole[path]) for path in others)
    assert read - len(whole[late]) < 0.2 * grown  # a tenth, and what is read ahead
    same, read = _next(tmp_path, after)
    _assert_same(same, after)
    assert read < 0.1 * grown


@pytest.mark.parametrize("change", ["truncated", "replaced", "packed"])
def test_a_log_that_is_another_one_is_read_whole(tmp_path: Path, change: str) -> None:
    write_attempt(tmp_path, 3, range(1, 101))
    path = tmp_path / "structured_logs" / FILE.format(rank=1, attempt=0)
    whole = path.read_bytes()
    if change == "packed":
        path.write_bytes(gzip.compress(whole))
    before = _read(tmp_path)
    if change == "truncated":
        path.write_bytes(whole[: len(whole) // 2])
    elif change == "replaced":
        path.write_bytes(whole.replace(b'"time_us": 179', b'"time_us": 178') + whole[:1000])
    else:
        path.write_bytes(gzip.compress(whole + whole[: len(whole) // 2]))
    _assert_same(_next(tmp_path, before)[0], _read(tmp_path))


def test_a_job_that_runs_is_read_again_though_its_logs_never_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_GROWS", 0.1)
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    write_attempt(logs, 3, range(1, 41))
    path = logs / "structured_logs" / FILE.format(rank=1, attempt=0)
    line = path.read_bytes().splitlines(keepends=True)[-1]
    provider = LocalProvider([Logdir(str(logs))], [insight_plugin()], watch=False)
    profiles = Profiles(provider)
    last = 40
    try:
        provider.load()
        [files] = profiles.listing()

        def last_step() -> int:
            """The last step that is shown, while each look finds that the log has grown."""
            nonlocal last
            found = profiles.look(files.run, files.path, cache)
            assert found.failure is None
            last += 1
            with path.open("ab") as file:
                file.write(line.replace(b'"step": 40', b'"step": %d' % last))
            provider.load()
            return StepRuns.of(found.profile).last().max(initial=0) if found.profile else 0

        eventually(lambda: last_step() > 45)
        assert contents(cache).entries <= 2  # of what was shown before nothing is left
    finally:
        profiles.close()
        provider.close()


def test_logs_without_a_step_say_so(tmp_path: Path) -> None:
    place = tmp_path / "structured_logs"
    place.mkdir()
    (place / FILE.format(rank=0, attempt=0)).write_text('{"log_type_name": "training_start"}\n')
    with pytest.raises(Unreadable, match="has no step that has ended"):
        _read(tmp_path)


def test_what_step_times_records_is_read_alike(tmp_path: Path) -> None:
    for rank in range(3):
        with StepTimes(tmp_path, rank) as times:
            for number in range(5):
                with times.step(number), times.span("data"):
                    pass
    profile = _read(tmp_path)
    assert spans_of(profile) == ["step", "data"]
    assert tiles(profile, "step", "max", _WIDE, _ALL).values.shape == (3, 5)
    with (
        StepTimes(tmp_path, 9) as times,
        pytest.raises(ValueError, match="before the first step"),
        times.span("data"),
    ):
        pass


def test_the_logs_of_all_ranks_are_one_profile() -> None:
    tags = [f"out/structured_logs/{FILE.format(rank=rank, attempt=0)}" for rank in range(3)]
    series = [SeriesInfo(SeriesKey("run", tag), 1, 1, 0, 0, last_wall_time=1.0) for tag in tags]
    [found] = profiles_of(series)
    assert (found.path, found.source, len(found.files)) == ("out/structured_logs", Source.RANK_STEPS, 3)
