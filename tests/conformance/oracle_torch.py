"""Profiles a small training with torch, and prints what torch itself says of its operators.

``python oracle_torch.py DIRECTORY``: the trace goes to DIRECTORY/fresh.pt.trace.json; JSON on stdout: for
each name the number of calls, time and self time in ns (rounded by torch to those of the trace).
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    torch: Any = import_module("torch")
    profiler: Any = import_module("torch.profiler")
    torch.manual_seed(1)
    torch.set_num_threads(1)
    layers = torch.nn
    model = layers.Sequential(
        layers.Conv2d(1, 6, 5), layers.ReLU(), layers.MaxPool2d(2), layers.Flatten(), layers.Linear(864, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU], record_shapes=True, profile_memory=True
    ) as taken:
        for _ in range(4):
            with profiler.record_function("forward"):
                loss = layers.functional.cross_entropy(model(torch.randn(8, 1, 28, 28)), torch.arange(8))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            taken.step()
    taken.export_chrome_trace(str(Path(sys.argv[1], "fresh.pt.trace.json")))
    found = {
        one.key: [one.count, round(one.cpu_time_total * 1000), round(one.self_cpu_time_total * 1000)]
        for one in taken.key_averages()
    }
    print(json.dumps({"version": torch.__version__, "operators": found}))


if __name__ == "__main__":
    main()
