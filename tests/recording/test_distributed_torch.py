"""Four processes of ``torch.distributed`` (gloo), of which one is killed: no value twice, no run shared."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording.accumulated import accumulated

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.frameworks

_RANKS, _STEPS, _KILLED_AFTER = 4, 40, 10
_TRAINING = """
import os, signal, sys
import torch
import torch.distributed as distributed
from insight_record import SummaryWriter
from insight_record.torch import TorchCollector

rank, place = int(sys.argv[1]), sys.argv[2]
distributed.init_process_group("gloo", init_method=f"file://{place}/store", rank=rank, world_size=4)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1))
first, second = (torch.optim.SGD(model.parameters(), lr=rate) for rate in (0.1, 0.2))
collector = TorchCollector(
    f"{place}/runs/collected",
    model,
    {"a": first, "b": second},
    dialect="tensorboard",
    scalar_every=1,
    graph=False,
)
shared = SummaryWriter(f"{place}/runs/shared")
own = SummaryWriter(f"{place}/runs/own", per_rank=True)
for step in range(1, 41):
    if step <= 10:
        first.zero_grad()
        loss = model(torch.ones(2, 3)).sum()
        loss.backward()
        first.step()
    collector.step(float(step))
    shared.add_scalar("loss", float(step), step)
    own.add_scalar("loss", float(100 * rank + step), step)
    if rank == 3 and step == 10:
        own.flush()
        os.kill(os.getpid(), signal.SIGKILL)
for each in (collector, shared, own):
    each.close()
os._exit(0)  # the group waits for the process that was killed
"""


def test_four_processes_and_one_is_killed(tmp_path: Path, repository: Path) -> None:
    (tmp_path / "runs").mkdir()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _TRAINING, str(rank), str(tmp_path)],
            cwd=repository,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(_RANKS)
    ]
    ended = [process.communicate(timeout=300)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0, -signal.SIGKILL], ended
    runs = {run: read["scalars"] for run, read in accumulated(tmp_path / "runs").items()}
    assert runs.keys() == {"collected", "shared", *(f"own/rank_{rank}" for rank in range(_RANKS))}
    expected = [(step, step) for step in range(1, _STEPS + 1)]
    assert runs["shared"] == {"loss": expected}
    assert runs["collected"]["loss"] == expected
    assert {"learning_rate/a", "learning_rate/b"} <= runs["collected"].keys()
    for rank in range(_RANKS):
        last = _KILLED_AFTER if rank == 3 else _STEPS
        assert runs[f"own/rank_{rank}"] == {
            "loss": [(step, 100 * rank + step) for step in range(1, last + 1)]
        }
    assert sum("records nothing" in text for text in ended) == 3
