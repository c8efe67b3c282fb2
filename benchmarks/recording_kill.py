"""What ``kill -9`` loses of a ``SummaryWriter``: ``python -m benchmarks.recording_kill [--rounds 100]``.

Each round is a process that records the time since it began, about a thousand times a second without a flush,
and is killed at a random moment. Lost is the time from the last value in the file to the last one for which
``add_scalar`` returned.
"""

from __future__ import annotations

import argparse
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.machine import describe_machine
from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider
from tests.support.points import scalar_points

_TRAINING = """
import mmap, struct, sys, time
from insight_record import SummaryWriter
file = open(sys.argv[2], "r+b")
said = mmap.mmap(file.fileno(), 8)
began = time.monotonic()
writer = SummaryWriter(sys.argv[1])
for step in range(10**9):
    now = time.monotonic() - began
    writer.add_scalar("seconds", now, step)
    said[:] = struct.pack("<d", now)
    time.sleep(0.001)
"""


def seconds_lost(alive: float) -> float:
    """Seconds of values lost by a process that was killed after so many; AssertionError for a wrong log."""
    with tempfile.TemporaryDirectory() as place:
        said = Path(place, "said")
        said.write_bytes(bytes(8))
        process = subprocess.Popen([sys.executable, "-c", _TRAINING, f"{place}/run", str(said)])
        while said.read_bytes() == bytes(8):
            time.sleep(0.01)
        time.sleep(alive)
        process.send_signal(signal.SIGKILL)
        process.wait()
        last = float(struct.unpack("<d", said.read_bytes())[0])
        provider = LocalProvider([Logdir(place)], [], reload_interval=0)
        try:
            provider.load()
            claims = [name for name in provider.plugins() if name.endswith("_value")]
            points = scalar_points(provider, "run", "seconds", plugin=claims[0]) if claims else []
        finally:
            provider.close()
        assert [step for step, _ in points] == list(range(len(points))), "a value is missing between others"
        return last - (points[-1][1] if points else 0.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    options = parser.parse_args()
    print(describe_machine(Path(tempfile.gettempdir())))
    draw = random.Random(1)
    found = sorted(seconds_lost(draw.uniform(0, 4)) for _ in range(options.rounds))
    median, largest = statistics.median(found), found[-1]
    print(f"{len(found)} x kill -9: lost {median:.2f} s (median), at most {largest:.2f} s")
    return 0 if largest <= 1.1 else 1  # the write itself takes time


if __name__ == "__main__":
    sys.exit(main())
