"""Several processes of one training: one of them records, and no two write into one run."""

from __future__ import annotations

import errno
import fcntl
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from insight_record import SummaryCollector, SummaryRecord, locks
from insight_record.ranks import rank_of_process
from tests.recording.collector_reading import opened, scalars

_SPAWN = multiprocessing.get_context("spawn")
_OF_LAUNCHERS = ("RANK", "RANK_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "HOROVOD_RANK")


@pytest.fixture(autouse=True)
def _no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*_OF_LAUNCHERS, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "torch.distributed", raising=False)


class _Said(logging.Handler):
    """What the loggers of recording say in this process."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        logging.getLogger("insight_record").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def _in_process(end: Connection, run: Any, environment: dict[str, str], value: float) -> None:  # noqa: ANN401
    """Records one loss, and keeps running until it is asked to end."""
    os.environ.update(environment)
    said = _Said()
    end.recv()
    record = run if isinstance(run, SummaryRecord) else SummaryRecord(run)
    record.add_value("scalar", "loss", value)
    record.record(1)
    record.flush()
    end.send((str(record.log_dir), said.texts))
    end.recv()
    record.close()


@contextmanager
def _processes(*arguments: tuple[Any, dict[str, str], float]) -> Iterator[list[Connection]]:
    """Processes that wait to be told to record, each with the end of its pipe."""
    pairs = [_SPAWN.Pipe() for _ in arguments]
    running = [
        _SPAWN.Process(target=_in_process, args=(theirs, *one))
        for (_, theirs), one in zip(pairs, arguments, strict=True)
    ]
    for process in running:
        process.start()
    yield [ours for ours, _ in pairs]
    for ours, _ in pairs:
        ours.send("end")
    for process in running:
        process.join()
        assert process.exitcode == 0


def _losses(logs: Path) -> dict[str, dict[int, float]]:
    with opened(logs) as data:
        runs = sorted({info.key.run for info in data.series("scalar")})
        return {run: scalars(data, "loss", run) for run in runs}


def _files(directory: Path) -> list[Path]:
    return sorted(path for path in directory.rglob("*") if path.is_file())


def test_two_processes_that_begin_together_never_share_a_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with _processes((str(run), {}, 1.0), (str(run), {}, 2.0), (str(run), {}, 3.0)) as ends:
        for end in ends:
            end.send("go")
        found = [end.recv() for end in ends]
    losses = _losses(tmp_path)
    assert sorted(one for points in losses.values() for one in points.values()) == [1, 2, 3]
    assert all(len(points) == 1 for points in losses.values())
    assert "run" in losses
    places = {Path(place).relative_to(tmp_path).as_posix(): said for place, said in found}
    assert set(places) == set(losses)
    assert [len(said) for place, said in sorted(places.items())] == [0, 1, 1]
    assert [path.name[-3:] for path in _files(run)] == ["_MS"] * 3  # and nothing else is left


def test_a_second_process_with_a_rank_has_the_directory_of_the_rank(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with (
        SummaryCollector(run, dialect="tensorboard") as first,
        _processes((str(run), {"RANK": "1"}, 2.0)) as [end],
    ):
        first.step(1.0)
        end.send("go")
        place, said = end.recv()
    assert Path(place) == run / "rank_1"
    assert len(said) == 1
    assert str(run) in said[0]
    assert _losses(tmp_path) == {"run": {1: 1.0}, "run/rank_1": {1: 2.0}}


def test_a_record_that_is_carried_into_another_process_warns_there(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path / "run") as record, _processes((record, {}, 2.0)) as [end]:
        end.send("go")
        place, said = end.recv()
    assert (Path(place), len(said)) == (tmp_path / "run", 1)
    assert "the records of both" in said[0]


def _killed(run: str) -> None:
    record = SummaryRecord(run)
    record.add_value("scalar", "loss", 1.0)
    record.record(1)
    record.flush()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_restart_after_a_crash_goes_on_in_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    process = _SPAWN.Process(target=_killed, args=(str(tmp_path / "run"),))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with SummaryRecord(tmp_path / "run") as record:
        record.add_value("scalar", "loss", 2.0)
        record.record(2)
    assert record.log_dir == tmp_path / "run"
    assert _losses(tmp_path) == {"run": {1: 1.0, 2: 2.0}}
    assert not caplog.records


def test_after_a_writer_has_closed_another_process_may_record(tmp_path: Path) -> None:
    SummaryRecord(tmp_path / "run").close()
    with _processes((str(tmp_path / "run"), {}, 2.0)) as [end]:
        end.send("go")
        assert end.recv() == (str(tmp_path / "run"), [])


def test_records_of_one_process_share_a_directory(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SummaryRecord(tmp_path) as first, SummaryRecord(tmp_path) as second:
        assert first.log_dir == second.log_dir == tmp_path
    assert not caplog.records


def test_without_locks_of_files_it_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    monkeypatch.setattr(fcntl, "flock", refuse)
    with SummaryCollector(tmp_path / "run") as collector:
        collector.step(1.0)
    assert _losses(tmp_path) == {"run": {1: 1.0}}


def test_a_process_that_keeps_the_directory_locked_does_not_stop_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_TURN", 0.0)
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    SummaryRecord(tmp_path).close()
    os.close(held)
    assert len(_files(tmp_path)) == 1


@pytest.mark.parametrize("name", [*_OF_LAUNCHERS, "SLURM_PROCID"])
@pytest.mark.parametrize("rank", [0, 3])
def test_only_rank_0_of_a_launcher_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str, rank: int
) -> None:
    monkeypatch.setenv(name, str(rank))
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    _train(SummaryCollector, tmp_path / "run")
    assert _losses(tmp_path) == ({"run": {1: 0.5}} if rank == 0 else {})
    assert (tmp_path / "run").exists() is (rank == 0)
    assert [f"rank {rank} records nothing" in one.message for one in caplog.records] == [True] * (rank > 0)


@pytest.mark.parametrize("options", [{"rank": 3}, {"all_ranks": True}])
def test_a_rank_records_where_it_is_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setenv("RANK", "3")
    _train(lambda directory: SummaryCollector(directory, **options), tmp_path / "run")
    assert _losses(tmp_path) == {"run/rank_3" if "rank" in options else "run": {1: 0.5}}


def _train(make: Callable[[Path], SummaryCollector], directory: Path) -> None:
    def costly() -> dict[str, Any]:
        assert collector.records
        return {"w": np.ones(3)}

    with make(directory) as collector:
        collector.step(0.5, parameters=costly)
        collector.record.add_value("tensor", "t", np.zeros(2))
        collector.epoch(accuracy=0.25)
        collector.graph([{"name": "a", "op": "A"}])
    with pytest.raises(ValueError, match="closed"):
        collector.step(0.5)


def test_torch_tells_the_rank_before_any_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    state = {"available": True, "initialized": False}
    distributed = SimpleNamespace(
        is_available=lambda: state["available"],
        is_initialized=lambda: state["initialized"],
        get_rank=lambda: 2,
    )
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)
    monkeypatch.setenv("RANK", "5")
    assert rank_of_process() == 5
    state["initialized"] = True
    assert rank_of_process() == 2
    state["available"] = False
    assert rank_of_process() == 5


@pytest.mark.parametrize(
    ("environment", "rank"),
    [
        ({}, None),
        ({"RANK": "many"}, None),
        ({"RANK": "-1", "RANK_ID": "2"}, 2),
        ({"SLURM_PROCID": "1"}, None),
        ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "1"}, None),
        ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}, 1),
        ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "RANK": "0"}, 0),
    ],
)
def test_variables_of_launchers(environment: dict[str, str], rank: int | None) -> None:
    assert rank_of_process(environment) == rank


def test_the_rank_is_known_without_importing_torch(tmp_path: Path) -> None:
    assert "torch.distributed" not in sys.modules
    SummaryCollector(tmp_path / "run").close()
    assert "torch.distributed" not in sys.modules
