"""Which files are console logs of which run, what makes a run, and what table and findings say of them."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import insight_console
import pytest
from insight_console.failures import failures
from insight_console.source import OpenLog

from insight_core.plugin import RunColumn, hookimpl
from insight_core.plugin.testing import EventWriter, HostClient, host_of

LOGS = Path(__file__).parent / "fixtures" / "logs"
TRAINING = "INFO torch 2.9, cuda 12.8\nepoch 1 step 10 loss 0.5\n"
HOUR = 3600.0


def _write(path: Path, content: str | bytes = TRAINING, age: float = 0.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    changed = 1_790_000_000 - age
    os.utime(path, (changed, changed))
    return path


def _curve(directory: Path, last: float = 1_780_000_000) -> None:
    with EventWriter(directory) as writer:
        writer.scalar("loss", 0, 1.0, wall_time=last - 10)
        writer.scalar("loss", 1, 0.5, wall_time=last)


def _files(root: Path, *, built_ins: bool = False) -> dict[str, set[str]]:
    with host_of(insight_console, logdir=root, built_ins=built_ins) as host:
        found: dict[str, set[str]] = {}
        for run, tag, _, _ in host.get("/data/plugin/console/files").json()["files"]:
            found.setdefault(run, set()).add(tag)
        return found


def test_a_log_belongs_to_the_nearest_run_above_it(tmp_path: Path) -> None:
    for run in ("a", "b"):
        _curve(tmp_path / run)
    _write(tmp_path / "a" / "train.log")
    _write(tmp_path / "a" / "logs" / "deep" / "stderr.txt", "only a word\n")
    _write(tmp_path / "a" / "torchelastic" / "x_1" / "attempt_0" / "1" / "stderr.log")
    _write(tmp_path / "b" / "slurm-12.out", "hello\n")
    assert _files(tmp_path) == {
        "a": {"train.log", "logs/deep/stderr.txt", "torchelastic/x_1/attempt_0/1/stderr.log"},
        "b": {"slurm-12.out"},
    }


@pytest.mark.parametrize("parent_is_a_run", [False, True])
def test_a_log_belongs_to_the_run_next_to_it_that_has_its_name(tmp_path: Path, parent_is_a_run: bool) -> None:
    """Whether or not the directory of both is a run, and at any depth."""
    for run in ("run1", "deep/lr0.01", "run10"):
        _curve(tmp_path / run)
    if parent_is_a_run:
        _curve(tmp_path)
    (tmp_path / "notes").mkdir()
    for name in ("run1.log", "run1_log.txt", "run1.log.2", "deep/lr0.01.out", "run1/own.log"):
        _write(tmp_path / name)
    for name in ("run2.log", "notes.log"):  # runs of these names are not there
        _write(tmp_path / name, "nothing of interest\n")
    found = _files(tmp_path)
    others = found.pop(".", set())
    assert found == {
        "run1": {"../run1.log", "../run1_log.txt", "../run1.log.2", "own.log"},
        "deep/lr0.01": {"../lr0.01.out"},
    }
    assert others == ({"run2.log", "notes.log"} if parent_is_a_run else set())


def test_a_log_belongs_to_a_run_whose_own_files_lie_in_a_run_below_it(tmp_path: Path) -> None:
    """The state of a Hugging Face Trainer is of the directory above its checkpoint, which has event files."""
    _curve(tmp_path / "out/checkpoint-5")
    state = {"log_history": [{"loss": 0.5, "step": 1}], "global_step": 1}
    (tmp_path / "out/checkpoint-5/trainer_state.json").write_text(json.dumps(state))
    _write(tmp_path / "out.log")
    assert _files(tmp_path, built_ins=True) == {"out": {"../out.log"}}


def test_a_log_named_like_a_run_says_how_that_run_ends(tmp_path: Path) -> None:
    """Its directory is no run of its own, and its lines can be read."""
    _curve(tmp_path / "run1")
    _write(tmp_path / "run1.log", (LOGS / "shape.log").read_bytes())
    with host_of(insight_console, logdir=tmp_path, built_ins=True) as host:
        assert list(host.get("/data/runs").json()) == ["run1"]
        assert _column(host, "run/status") == {"run1": "failed"}
        lines = host.get("/data/plugin/console/lines", run="run1", tag="../run1.log").json()["lines"]
        assert lines[-1][1].startswith("RuntimeError: mat1 and mat2")


def test_jobs_of_slurm_belong_to_the_only_run_below_them(tmp_path: Path) -> None:
    _curve(tmp_path / "one" / "outputs" / "version_0")
    for run in ("a", "b"):
        _curve(tmp_path / "several" / run)
    _curve(tmp_path / "inside")
    _curve(tmp_path / "inside" / "eval")
    for place in ("one", "several", "inside"):
        _write(tmp_path / place / "slurm-7.out", "no words of training\n")
    assert _files(tmp_path) == {
        "one/outputs/version_0": {"../../slurm-7.out"},
        "several": {"slurm-7.out"},  # which of them wrote it is not known
        "inside": {"slurm-7.out"},
    }


def test_a_log_moves_to_a_run_that_comes_later(tmp_path: Path) -> None:
    _write(tmp_path / "run1.log")
    with host_of(insight_console, logdir=tmp_path) as host:
        listed = host.get("/data/plugin/console/files").json()["files"]
        assert [row[:2] for row in listed] == [[".", "run1.log"]]
        _curve(tmp_path / "run1")
        host.load()
        listed = host.get("/data/plugin/console/files").json()["files"]
        assert [row[:2] for row in listed] == [["run1", "../run1.log"]]


def test_a_directory_with_only_console_logs_of_training_is_a_run(tmp_path: Path) -> None:
    _write(tmp_path / "hydra" / "2026-11-29" / "train.log")
    _write(tmp_path / "jobs" / "slurm-1.out", "no words of training\n")
    _write(tmp_path / "jobs" / "slurm-2.out", "nor here\n")
    _write(tmp_path / "elastic" / "id_1" / "attempt_0" / "0" / "stdout.log", "x\n")
    _write(tmp_path / "failed" / "out.log", (LOGS / "shape.log").read_bytes())
    assert _files(tmp_path) == {
        "hydra/2026-11-29": {"train.log"},
        "jobs": {"slurm-1.out", "slurm-2.out"},
        "elastic/id_1": {"attempt_0/0/stdout.log"},
        "failed": {"out.log"},
    }


def test_logs_of_systems_and_data_make_no_runs(tmp_path: Path) -> None:
    for number in range(40):
        _write(
            tmp_path / "var" / f"service{number}" / "access.log",
            '10.0.0.1 - - [29/Nov/2026:20:00:00 +0000] "GET /train HTTP/1.1" 200 512 "-" "curl"\n' * 50,
        )
        _write(tmp_path / "data" / f"day{number}" / "station.log", "2026-11-29 20:00 12.5 3.4 0.1\n" * 100)
    _write(tmp_path / "sys" / "syslog.log", "Nov 29 20:00:00 host cron[12]: (root) CMD (run-parts)\n" * 20)
    assert _files(tmp_path) == {}


def test_what_others_read_and_what_is_no_text_is_left_alone(tmp_path: Path) -> None:
    _curve(tmp_path / "run")
    _write(tmp_path / "run" / "binary.log", bytes(range(256)) * 8)
    _write(tmp_path / "run" / "empty.log", b"")
    _write(tmp_path / "run" / "journal.log", '{"op_code": 0, "worker_id": "x", "study_name": "s"}\n')
    _write(tmp_path / "run" / "old.log.2", gzip.compress(TRAINING.encode()))
    _write(tmp_path / "run" / "latin.log", b"caf\xe9 step 3\n")
    assert _files(tmp_path, built_ins=True) == {"run": {"old.log.2", "latin.log"}}


def test_a_directory_of_very_many_logs_is_one_run(tmp_path: Path) -> None:
    for number in range(300):
        _write(tmp_path / f"slurm-{number}.out")
    assert {run: len(tags) for run, tags in _files(tmp_path).items()} == {".": 300}


@pytest.fixture
def failed(tmp_path: Path) -> Iterator[tuple[Path, Any]]:
    _curve(tmp_path / "run")
    _write(tmp_path / "run" / "train.log", (LOGS / "shape.log").read_bytes())
    with host_of(insight_console, logdir=tmp_path, built_ins=True) as host:
        yield tmp_path, host


def _column(host: HostClient, column: str) -> dict[str, Any]:
    answer = host.get("/data/run_columns", column=column).json()
    [found] = answer["columns"]
    return {
        run: value for run, value in zip(answer["runs"], found["values"], strict=True) if value is not None
    }


def _findings(host: HostClient) -> list[dict[str, Any]]:
    found = host.get("/data/plugin/diagnose/findings").json()["findings"]
    return [one for one in found if one["rule"].startswith("console_")]


def test_a_failed_run_has_its_last_lines_a_status_and_a_finding(failed: tuple[Path, HostClient]) -> None:
    _, host = failed
    said = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x7 and 8x2)"
    lines = _column(host, "console/failure")["run"].split("\n")
    assert (lines[0], lines[1], lines[-1]) == (said, "", said)
    assert _column(host, "run/status") == {"run": "failed"}
    [finding] = _findings(host)
    assert (finding["rule"], finding["severity"], finding["runs"]) == ("console_traceback", "error", ["run"])
    details = finding["saw"]["details"]
    assert (details["file"], details["line"], details["said"]) == ("train.log", ":7", said)
    assert details["code"] == " [/home/user/project/train.py:9]"
    state = finding["place"]["state"]
    opened = host.get("/data/plugin/console/lines", run="run", tag=state["file"], at=state["at"]).json()
    texts = {number: text for number, text, *_ in opened["lines"]}
    assert texts[opened["found"]].startswith("Traceback")


def test_a_run_that_goes_on_has_not_failed(failed: tuple[Path, HostClient]) -> None:
    root, host = failed
    later = _write(root / "run" / "restarted.log", age=-HOUR)
    host.load()
    assert _column(host, "console/failure") == {}
    assert _column(host, "run/status") == {"run": "stopped"}
    assert _findings(host) == []
    later.unlink()
    host.load()
    assert _column(host, "run/status") == {"run": "failed"}
    with EventWriter(root / "run" / "events.out.tfevents.1790000001.later") as writer:
        writer.scalar("loss", 2, 0.4, wall_time=1_790_000_000 + HOUR)
    host.load()
    assert _column(host, "console/failure") == {}


def test_series_of_failed_runs_are_looked_through_once_a_generation(
    failed: tuple[Path, HostClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, host = failed
    ctx = host.context("console")
    assert list(failures(ctx)) == ["run"]

    def counted(*_: object, **__: object) -> None:
        raise AssertionError("the series are looked through again")

    with monkeypatch.context() as patch:
        patch.setattr(type(ctx.data), "series_tables", counted)
        assert list(failures(ctx)) == ["run"]
    with EventWriter(root / "run" / "events.out.tfevents.1790000001.later") as writer:
        writer.scalar("loss", 2, 0.4, wall_time=1_790_000_000 + HOUR)
    host.load()
    assert failures(ctx) == {}


def test_a_log_that_could_not_be_read_is_read_again(
    failed: tuple[Path, HostClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = failed[1].context("console")

    def refused(*_: object) -> bytes:
        raise OSError("the file system is away")

    with monkeypatch.context() as patch:
        patch.setattr(OpenLog, "read", refused)
        assert failures(ctx) == {}
    assert list(failures(ctx)) == ["run"]


def test_only_the_last_attempt_of_torchrun_counts(tmp_path: Path) -> None:
    failed = (LOGS / "rank1_stderr.log").read_bytes()
    _curve(tmp_path / "run")
    _write(tmp_path / "run" / "attempt_0" / "1" / "stderr.log", failed)
    _write(tmp_path / "run" / "attempt_1" / "1" / "stdout.log", age=-1)
    with host_of(insight_console, logdir=tmp_path, built_ins=True) as host:
        assert _column(host, "console/failure") == {}
    shutil.move(
        tmp_path / "run" / "attempt_0" / "1" / "stderr.log",
        tmp_path / "run" / "attempt_1" / "1" / "stderr.log",
    )
    with host_of(insight_console, logdir=tmp_path, built_ins=True) as host:
        assert _column(host, "console/failure")["run"].startswith("RuntimeError: rank 1 has no data")


def test_what_logs_report_goes_before_what_the_console_lets_presume(failed: tuple[Path, HostClient]) -> None:
    root, _ = failed
    reporting = ModuleType("reporting")

    @hookimpl
    def insight_run_columns() -> list[RunColumn]:
        return [RunColumn("status", "Status", lambda data, runs: dict.fromkeys(runs, "success"))]

    reporting.insight_run_columns = insight_run_columns  # type: ignore[attr-defined]
    for modules in ((insight_console, reporting), (reporting, insight_console)):
        with host_of(*modules, logdir=root) as host:
            assert _column(host, "run/status") == {"run": "finished"}
            assert _column(host, "console/status") == {"run": "presumed_failure"}


def test_a_run_of_wandb_has_no_second_run_for_its_console(tmp_path: Path) -> None:
    shutil.copytree(LOGS.parents[3] / "importers/tests/fixtures/wandb", tmp_path, dirs_exist_ok=True)
    [store] = tmp_path.glob("wandb/*/*.wandb")
    _write(store.parent / "files" / "output.log", TRAINING)
    for place in (store.parent / "logs", tmp_path / "wandb"):
        _write(place / "debug.log", "2026-11-30 INFO MainThread:1 [wandb_setup.py:_flush():81] step, loss\n")
        _write(place / "debug-internal.log", '{"time":"x","level":"INFO","msg":"stream: step, loss"}\n')
    with host_of(insight_console, logdir=tmp_path, built_ins=True) as host:
        assert set(_column(host, "run/name")) == {"wandb/adam abcd1234"}
    assert _files(tmp_path) == {f"wandb/{store.parent.name}": {"files/output.log"}}  # without the importer
