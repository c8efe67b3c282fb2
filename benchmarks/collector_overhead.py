"""``python -m benchmarks.collector_overhead``: what a SummaryCollector costs a training.

Two figures for each: time of the loop, and processor time in all until everything is written, for what waits
is written by a thread of its own. With and without are interleaved; a figure is the median of the rounds.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from insight_record import SummaryCollector

_ROUNDS = 5
_STEPS = 20_000  # of a loop that does nothing else
_EACH = 50  # times that something large is collected
_TORCH_STEPS = 300

Loop = Callable[[Path], float]  # seconds of the loop alone; the log is closed after it


def main() -> None:
    print(f"{'':<58}{'loop':>12}{'processor':>12}")
    nothing = dict.fromkeys(("scalar_every", "histogram_every", "gradient_every", "image_every"), 0)
    weights = {f"layer{number}": np.ones((100, 100), np.float32) for number in range(4)}
    million = {"weight": np.random.default_rng(0).normal(size=1_000_000).astype(np.float32)}
    pictures = np.random.default_rng(0).random((16, 3, 64, 64), np.float32)
    for name, steps, collecting, given in (
        ("a step at which nothing is due", _STEPS, nothing, {"parameters": weights, "inputs": pictures}),
        (
            "a step with its loss, learning rate and another number",
            _STEPS,
            {**nothing, "scalar_every": 1},
            {},
        ),
        ("a step, as a rule (numbers every 10, the rest every 100)", _STEPS, {}, {"parameters": weights}),
        (
            "a histogram of 1,000,000 float32",
            _EACH,
            {**nothing, "histogram_every": 1},
            {"parameters": million},
        ),
        (
            "16 pictures of 64 x 64 pixels in colour",
            _EACH,
            {**nothing, "image_every": 1},
            {"inputs": pictures},
        ),
    ):
        told = [_told(_bare(steps, collecting, given)) for _ in range(_ROUNDS)]
        loop, processor = (statistics.median(column) / steps for column in zip(*told, strict=True))
        print(f"{name:<58}{loop * 1e6:>9.1f} us{processor * 1e6:>9.1f} us")
    if find_spec("torch") is None:
        print("torch is not installed: nothing is said of it")
        return
    loops = {
        "without a collector": _trained(None),
        "with a collector, as it is": _trained({}),
        "all histograms and gradients every 10 steps": _trained(
            {"parameters": ".", "gradients": ".", "histogram_every": 10, "gradient_every": 10}
        ),
    }
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in loops}
    for _ in range(_ROUNDS):
        for name, one in loops.items():
            measured[name].append(_told(one))
    print(f"\nPyTorch, 1.3 million parameters on the CPU, {_TORCH_STEPS} steps, the first (graph) apart")
    for name, rounds in measured.items():
        loop, processor = (statistics.median(column) / _TORCH_STEPS for column in zip(*rounds, strict=True))
        print(f"{name:<58}{loop * 1e3:>9.3f} ms{processor * 1e3:>9.3f} ms")


def _told(loop: Loop) -> tuple[float, float]:
    """Seconds of the loop, and of processor time until everything is written."""
    directory = Path(tempfile.mkdtemp(prefix="insight-bench-"))
    try:
        began = time.process_time()
        elapsed = loop(directory)
        return elapsed, time.process_time() - began
    finally:
        shutil.rmtree(directory)


def _bare(steps: int, collecting: dict[str, Any], given: dict[str, Any]) -> Loop:
    def loop(directory: Path) -> float:
        with SummaryCollector(str(directory), **collecting) as collector:
            began = time.perf_counter()
            for _ in range(steps):
                collector.step(0.5, learning_rate=0.1, accuracy=0.5, **given)
            return time.perf_counter() - began

    return loop


def _trained(collecting: dict[str, Any] | None) -> Loop:
    def loop(directory: Path) -> float:
        import torch  # type: ignore[import-not-found,unused-ignore]

        from insight_record.torch import TorchCollector

        torch.manual_seed(0)
        torch.set_num_threads(1)
        model = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(784, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        inputs = torch.randn(64, 1, 28, 28)
        collector = (
            None if collecting is None else TorchCollector(str(directory), model, optimizer, **collecting)
        )
        for step in range(_TORCH_STEPS + 1):
            if step == 1:
                began = time.perf_counter()
            optimizer.zero_grad()
            loss = model(inputs).square().mean()
            loss.backward()
            optimizer.step()
            if collector is not None:
                collector.step(loss, inputs=inputs)
        elapsed = time.perf_counter() - began
        if collector is not None:
            collector.close()
        return elapsed

    return loop


if __name__ == "__main__":
    main()
