"""A million scalars recorded: ``python -m benchmarks.bench_recording [--rounds 3] [--scalars N]``.

Each round is a process of its own that records some scalars a step, as a training loop does, and ends with
everything in the file: ``SummaryRecord`` in either dialect, ``SummaryWriter``, and,
each in its own environment,
torch's SummaryWriter (INSIGHT_PEER_TORCH, where tensorboard is installed as well) and tensorboardX
(INSIGHT_PEER_TENSORBOARD). Rounds take turns. A figure is the median of scalars a second, from the first one
until ``close`` returned.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from benchmarks.machine import describe_machine

_TAGS = (1, 10)  # scalars of a step
_WANTED = 300_000  # scalars a second

_OURS = """
from insight_record import SummaryRecord
record = SummaryRecord({directory!r}, dialect={dialect!r})
add = record.add_value
start = time.perf_counter()
for step in range(steps):
    for name in names:
        add("scalar", name, values[step])
    record.record(step)
record.close()
"""
_PEER = """
from {module} import SummaryWriter
writer = SummaryWriter({directory!r})
add = writer.add_scalar
start = time.perf_counter()
for step in range(steps):
    for name in names:
        add(name, values[step], step)
writer.close()
"""
_AROUND = """
import sys, time
sys.path[:0] = {places!r}
names = [f"layer{{number}}/loss" for number in range({tags})]
steps = {scalars} // {tags}
values = [1.0 / (step + 1) for step in range(steps)]
{body}
print(steps * {tags} / (time.perf_counter() - start))
"""


@frozen
class Contender:
    python: str
    body: str
    places: tuple[str, ...] = ()
    module: str = ""
    dialect: str = ""
    environment: Mapping[str, str] = {}

    def rate(self, scalars: int, tags: int) -> float:
        """Scalars a second of one process. Raises CalledProcessError when it fails."""
        with tempfile.TemporaryDirectory() as directory:
            body = self.body.format(directory=directory, module=self.module, dialect=self.dialect)
            program = _AROUND.format(places=list(self.places), tags=tags, scalars=scalars, body=body)
            done = subprocess.run(
                [self.python, "-c", program],
                check=True,
                capture_output=True,
                text=True,
                env={**os.environ, **self.environment},
            )
        return float(done.stdout)


def contenders() -> dict[str, Contender]:
    here = (str(Path(__file__).parents[1]),)
    found = {
        f"SummaryRecord, {dialect}": Contender(sys.executable, _OURS, here, dialect=dialect)
        for dialect in ("mindspore", "tensorboard")
    }
    found["SummaryWriter"] = Contender(
        sys.executable, _PEER, here, module="insight_record", dialect="tensorboard"
    )
    if python := os.environ.get("INSIGHT_PEER_TORCH"):
        found["torch SummaryWriter"] = Contender(python, _PEER, module="torch.utils.tensorboard")
    if python := os.environ.get("INSIGHT_PEER_TENSORBOARD"):
        found["tensorboardX"] = Contender(python, _PEER, module="tensorboardX")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scalars", type=int, default=1_000_000, help="of ours; peers have a tenth")
    options = parser.parse_args()
    print(describe_machine(Path(tempfile.gettempdir())))
    good = True
    for tags in _TAGS:
        rates: dict[str, list[float]] = {name: [] for name in contenders()}
        for _ in range(options.rounds):
            for name, contender in contenders().items():
                count = options.scalars if contender.dialect else options.scalars // 10
                rates[name].append(contender.rate(count, tags))
        for name, found in rates.items():
            median = statistics.median(found)
            spread = f"{min(found):,.0f} to {max(found):,.0f}"
            print(f"{tags:3} scalars a step  {name:28} {median:12,.0f} /s  ({spread})")
            good &= not name.startswith("Summary") or median >= _WANTED
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
