"""What a step costs a training with each tracker: ``python -m benchmarks.tracker_overhead [--rounds 3]``.

Each round is a process that records ten numbers at each step and then ends its run: our SummaryRecord and
SummaryWriter, the writers of torch and tensorboardX, W&B offline, and Trackio without a network. Columns are
the median time of the calls of a step, the time until the run has ended, and processor time of the process
and its children. INSIGHT_PEER_TRACKERS is the Python of an environment that has the peers.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import describe_machine

_SUMMARY_WRITER = """
from {module} import SummaryWriter
writer = SummaryWriter("runs")
def record(step, numbers):
    for name, number in numbers.items():
        writer.add_scalar(name, number, step)
def end():
    writer.close()
"""
_PROGRAMS = {
    "insight-record SummaryRecord": """
from insight_record import SummaryRecord
record_of_run = SummaryRecord("runs", dialect="tensorboard")
def record(step, numbers):
    for name, number in numbers.items():
        record_of_run.add_value("scalar", name, number)
    record_of_run.record(step)
def end():
    record_of_run.close()
""",
    "insight-record SummaryWriter": _SUMMARY_WRITER.format(module="insight_record"),
    "torch SummaryWriter": _SUMMARY_WRITER.format(module="torch.utils.tensorboard"),
    "tensorboardX SummaryWriter": _SUMMARY_WRITER.format(module="tensorboardX"),
    "wandb, offline": """
import wandb
run = wandb.init(project="bench", mode="offline", dir=".", settings=wandb.Settings(silent=True))
def record(step, numbers):
    run.log(numbers, step=step)
def end():
    run.finish()
""",
    "trackio": """
import os
os.environ["TRACKIO_DIR"] = os.getcwd()
import trackio
trackio.init(project="bench", embed=False)
def record(step, numbers):
    trackio.log(numbers, step=step)
def end():
    trackio.finish()
""",
}
_AROUND = """
import json, os, resource, sys, time
sys.path[:0] = {places!r}
names = [f"layer{{number}}/loss" for number in range(10)]
{program}
clock, took = time.perf_counter, []
def spent():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
before, began = spent(), clock()
for step in range({steps}):
    numbers = {{name: 1.0 / (step + 1) for name in names}}
    start = clock()
    record(step, numbers)
    took.append(clock() - start)
end()
ended = clock() - began
print("FOUND " + json.dumps([sorted(took)[len(took) // 2], ended, spent() - before]))
"""


def costs(python: str, program: str, steps: int) -> tuple[float, float, float]:
    """Seconds of the calls of a step, of the whole run, and of processors. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as directory:
        places = [str(Path(__file__).parents[1])]
        source = _AROUND.format(places=places, program=program, steps=steps)
        environment = {
            **os.environ,
            "WANDB_SILENT": "true",
            "HF_HUB_OFFLINE": "1",
            "PYTHONWARNINGS": "ignore",
        }
        done = subprocess.run(
            [python, "-c", source], check=True, capture_output=True, text=True, cwd=directory, env=environment
        )
        line = next(line for line in done.stdout.splitlines() if line.startswith("FOUND "))
        step, ended, processor = json.loads(line.removeprefix("FOUND "))
        return step, ended, processor


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=2000)
    options = parser.parse_args()
    peers = os.environ.get("INSIGHT_PEER_TRACKERS", sys.executable)
    print(describe_machine(Path(tempfile.gettempdir())))
    print(f"{options.steps} steps of ten numbers, median of {options.rounds}")
    print(f"{'':30} {'a step':>12} {'whole run':>12} {'processor':>12}")
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in _PROGRAMS}
    for _ in range(options.rounds):
        for name, program in _PROGRAMS.items():
            python = sys.executable if name.startswith("insight-record") else peers
            try:
                found[name].append(costs(python, program, options.steps))
            except subprocess.CalledProcessError as error:
                print(f"{name}: {error.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
    for name, rows in found.items():
        if rows:
            step, ended, processor = (statistics.median(column) for column in zip(*rows, strict=True))
            print(f"{name:30} {step * 1e6:9.1f} µs {ended:10.2f} s {processor:10.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
