"""The environment of a training and the load of the machine, as texts, columns and scalars of the run."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import pytest

import insight_host
import insight_record.system_counters as counting
from insight_record import SummaryCollector, SummaryRecord, SummaryWriter
from insight_record.accelerators import Gpus, Npus
from insight_record.environment import command_line, environment_cells, git_changes, git_commit, package_list
from insight_record.system_counters import counters_of_system
from insight_record.system_metrics import SystemMetrics
from tests.recording.accumulated import accumulated
from tests.waiting import eventually


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A git repository with one commit and a change."""
    place = tmp_path / "checkout"
    place.mkdir()
    file = place / "train.py"
    file.write_text("rate = 1\n")
    _git(place, "init", "-q")
    _git(place, "add", ".")
    _git(place, "commit", "-qm", "first")
    file.write_text("rate = 2  # ```\n")
    return place


def _git(place: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", "-C", str(place), *identity, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_the_commit_is_that_of_git_in_checkouts_and_worktrees(checkout: Path, tmp_path: Path) -> None:
    commit = _git(checkout, "rev-parse", "HEAD")
    (checkout / "deep/er").mkdir(parents=True)
    _git(checkout, "worktree", "add", "-q", str(tmp_path / "other"))
    assert git_commit(checkout / "deep/er") == git_commit(tmp_path / "other") == commit
    _git(checkout, "pack-refs", "--all")
    assert git_commit(checkout) == commit
    _git(checkout, "checkout", "-q", "--detach")
    assert git_commit(checkout) == commit
    assert git_commit(Path("/proc")) is None


def test_changes_are_those_of_git_and_bounded(checkout: Path, tmp_path: Path) -> None:
    assert git_changes(checkout) == _git(checkout, "diff", "HEAD") + "\n"
    cut = git_changes(checkout, 40)
    assert cut is not None
    assert cut.endswith("... more than 40 bytes: cut off here\n")
    _git(checkout, "checkout", "-q", ".")
    assert git_changes(checkout) is None
    assert git_changes(tmp_path) is None


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("train.py --lr 0.1 --token abc --epochs 3", "train.py --lr 0.1 --token *** --epochs 3"),
        ("train.py --api-key=abc PASSWORD=x secret", "train.py --api-key=*** PASSWORD=*** secret"),
        ("train.py --use-token --lr 1", "train.py --use-token --lr 1"),
    ],
)
def test_secrets_of_the_command_line_are_hidden(arguments: str, shown: str) -> None:
    assert command_line(arguments.split()) == shown


def test_packages_are_those_of_pip() -> None:
    listed = package_list().splitlines()
    assert f"pytest=={pytest.__version__}" in listed


def test_a_collector_records_commit_command_and_changes(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    with SummaryCollector(tmp_path / "run", dialect="tensorboard", system_every=0) as collector:
        collector.step(1.0)
        eventually(lambda: "environment/changes" in accumulated(tmp_path / "run")["."]["tensors"])
    read = accumulated(tmp_path / "run")["."]
    [(_, _, _, [text])] = read["tensors"]["environment/changes"]
    assert text.decode().startswith("````diff\ndiff --git a/train.py")
    content, *_ = read["described"]["_hparams_/session_start_info"]
    assert content.session_start_info.hparams["git_commit"].string_value == git_commit(checkout)


def test_without_an_environment_there_is_neither_text_nor_column(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, dialect="tensorboard", environment=False, system_every=0) as collector:
        collector.step(1.0)
    read = accumulated(tmp_path)["."]
    assert (read["tensors"], read["described"]) == ({}, {})


def test_the_load_of_the_machine_is_recorded_next_to_the_training(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path, system_every=0.05) as writer:
        writer.add_scalar("loss", 1.0, 1)
        eventually(lambda: "system/memory_percent" in accumulated(tmp_path)["."]["scalars"])
    scalars = accumulated(tmp_path)["."]["scalars"]
    assert scalars["loss"] == [(1, 1)]
    assert all(0 < value < 100 for _, value in scalars["system/memory_percent"])
    assert all(value > 1 for _, value in scalars["system/process_memory_MB"])


def test_metrics_end_with_the_record_and_do_not_keep_it(tmp_path: Path) -> None:
    record = SummaryRecord(tmp_path, dialect="tensorboard")
    metrics = SystemMetrics(record, 0.01, environment=False)
    record.close()
    assert metrics._thread is not None
    metrics._thread.join(60)
    assert not metrics._thread.is_alive()


@pytest.mark.parametrize("every", [-1.0, float("nan"), float("inf")])
def test_a_wrong_interval_is_refused(tmp_path: Path, every: float) -> None:
    with pytest.raises(ValueError, match="system_every is a number of seconds"):
        SummaryWriter(tmp_path, system_every=every)


def test_numbers_of_proc_are_those_of_psutil_like_counters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two readings of a made-up /proc: rates and shares follow from their difference."""
    proc = tmp_path / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "net").mkdir()
    (proc / "self/statm").write_text("9 5 1 1 0 1 0\n")
    (proc / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\n")
    net = "Inter-|\n face |\n    lo: 9 0 0 0 0 0 0 0 9 0\n  eth0: {} 0 0 0 0 0 0 0 {} 0 0 0 0 0 0 0\n"
    (proc / "stat").write_text("cpu  100 0 100 700 100 0 0 0 0 0\n")
    (proc / "net/dev").write_text(net.format(0, 0))
    (proc / "diskstats").write_text("")
    seconds = iter([10.0, 12.0])
    monkeypatch.setattr(counting, "_PROC", proc)
    monkeypatch.setattr(time, "monotonic", lambda: next(seconds))
    read = counters_of_system(tmp_path)
    (proc / "stat").write_text("cpu  130 0 130 730 110 0 0 0 0 0\n")
    (proc / "net/dev").write_text(net.format(4_000_000, 2_000_000))
    found = read()
    assert found["cpu_percent"] == pytest.approx(60)
    assert found["memory_percent"] == pytest.approx(75)
    assert (found["network_received_MB_s"], found["network_sent_MB_s"]) == (2, 1)
    assert found["process_memory_MB"] == pytest.approx(5 * os.sysconf("SC_PAGE_SIZE") / 1e6)
    assert 0 < found["disk_used_percent"] <= 100


class _Nvml(types.ModuleType):
    """Two GPUs, of which the second reports no power."""

    class NVMLError(Exception):
        pass

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        answers: dict[str, Any] = {
            "nvmlInit": lambda: None,
            "nvmlDeviceGetCount": lambda: 2,
            "nvmlDeviceGetHandleByIndex": lambda number: number,
            "nvmlDeviceGetName": lambda device: b"A100" if device else "H100",
            "nvmlDeviceGetUtilizationRates": lambda device: types.SimpleNamespace(gpu=40 + device),
            "nvmlDeviceGetMemoryInfo": lambda device: types.SimpleNamespace(used=1, total=4),
            "nvmlDeviceGetPowerUsage": self._power,
            "nvmlDeviceGetTemperature": lambda device, kind: 50,
        }
        return answers[name]

    def _power(self, device: int) -> int:
        if device:
            raise self.NVMLError
        return 250_000


def test_gpus_by_nvml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", _Nvml("pynvml"))
    gpus = Gpus()
    assert gpus.names() == ["H100", "A100"]
    found = gpus.read()
    assert found.pop("gpu0/power_W") == 250
    of_one = {"load_percent": 40, "memory_percent": 25, "temperature_C": 50}
    expected = {f"gpu0/{name}": value for name, value in of_one.items()}
    assert found == expected | {f"gpu1/{name}": value for name, value in of_one.items()} | {
        "gpu1/load_percent": 41
    }


def test_npus_by_their_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "npu-smi"
    program.write_text(
        '#!/bin/sh\ncase "$2 $3" in\n'
        "'-l ') echo ' Total Count : 1\n NPU ID : 4';;\n"
        "'-t usages') echo ' NPU ID : 4\n HBM Usage Rate(%) : 7\n Aicore Usage Rate(%) : 93';;\n"
        "'-t power') echo ' NPU ID : 4\n Power Dissipation(W) : 68.5';;\n"
        "'-t temp') echo ' NPU ID : 4\n Temperature(C) : 41';;\nesac\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    npus = Npus()
    assert npus.names() == ["Ascend NPU 4"]
    assert npus.read() == {
        "npu4/load_percent": 93,
        "npu4/memory_percent": 7,
        "npu4/power_W": 68.5,
        "npu4/temperature_C": 41,
    }


def test_columns_start_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)
    assert {"command", "python", "host"} <= environment_cells().keys()


def test_the_environment_of_a_writer_is_in_columns_that_leave_tensorboards_alone(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run", environment=True) as writer:
        writer.add_configuration({"lr": 0.5})
        writer.add_scalar("loss", 1.0, 1)
    row = insight_host.open(tmp_path).hparams().to_pandas().iloc[0]
    assert (row["lr"], row["custom/host"]) == (0.5, environment_cells()["host"])
    content, *_ = accumulated(tmp_path)["run"]["described"]["_hparams_/session_start_info"]
    assert set(content.session_start_info.hparams) == {"lr"}
