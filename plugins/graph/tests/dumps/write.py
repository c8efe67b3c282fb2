"""Writes the dumps next to this file: of one network, and with a weight that is one per cent larger.

pip install torch==2.13.0 mindstudio-probe==26.2.0
python write.py && python write.py scaled
"""

# mypy: disable-error-code="import-not-found,import-untyped,misc"

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import torch
from msprobe.pytorch import PrecisionDebugger
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(144, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(torch.relu(self.conv(x)).flatten(1))


def main(name: str, factor: float) -> None:
    """The debugger writes one dump in a process."""
    torch.manual_seed(0)
    net, example = Net(), torch.randn(2, 1, 8, 8)
    with torch.no_grad():
        net.fc.weight.mul_(factor)
    with tempfile.TemporaryDirectory() as folder:
        debugger = PrecisionDebugger(task="statistics", level="mix", dump_path=folder)
        debugger.start(model=net)
        net(example).sum().backward()
        debugger.stop()
        debugger.step()
        [dump] = Path(folder).rglob("dump.json")
        Path(name).write_text(json.dumps(json.loads(dump.read_text())) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["scaled"]:
        main("scaled.json", 1.01)
    else:
        main("base.json", 1.0)
