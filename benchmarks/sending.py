"""``python -m benchmarks.sending``: what it costs a training to send its run instead of writing it.

Processor time of the training's process alone; the host is another one. With and without are interleaved; a
figure is the median of the rounds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.processes import free_port
from insight_record import SummaryWriter

_ROUNDS = 7
_POINTS, _TAGS = 100_000, 10  # as fast as they can be recorded
_SECONDS, _PER_SECOND = 20, 100  # of a training that records now and then
_TOKEN = "a-token-of-the-benchmark"


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        os.environ |= {"INSIGHT_RECORD_TOKEN": _TOKEN, "INSIGHT_RECORD_SPOOL": directory}
        process, url = _host(place)
        dead = f"http://127.0.0.1:{free_port()}"
        places = {"into a directory": "", "sent": url, "host is away": dead}
        try:
            rounds = [{name: _fast(place, to) for name, to in places.items()} for _ in range(_ROUNDS)]
            slow = {name: _slow(place, to) for name, to in places.items()}
        finally:
            process.terminate()
            process.wait()
    print(f"{'':<20}{'loop':>14}{'processor':>14}{f'{_PER_SECOND} points/s':>24}")
    for name in places:
        loop, processor = (statistics.median(one[name][column] for one in rounds) for column in (0, 1))
        each = f"{slow[name] * 1e3:.0f} ms per 1,000"
        print(f"{name:<20}{loop * 1e6:>11.2f} us{processor * 1e6:>11.2f} us{each:>24}")


def _host(place: Path) -> tuple[subprocess.Popen[str], str]:
    token = place / "token"
    token.touch(mode=0o600)
    token.write_text(_TOKEN)
    flags = ["--receive", str(place / "in"), "--receive-token-file", str(token), "--port", "0", "--no-cache"]
    process = subprocess.Popen(
        [sys.executable, "-m", "insight_core.cli", *flags, "--state-dir", str(place / "state")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    [url] = [word for word in process.stdout.readline().split() if word.startswith("http")]
    return process, url.partition("?")[0]


def _writer(place: Path, to: str) -> SummaryWriter:
    return SummaryWriter("run" if to else place / "local", to=to)


def _fast(place: Path, to: str) -> tuple[float, float]:
    """Seconds of a point: of the thread that records, and of a processor until everything is written."""
    writer = _writer(place, to)
    begin, own = time.process_time(), time.thread_time()
    for step in range(_POINTS // _TAGS):
        for tag in range(_TAGS):
            writer.add_scalar(f"tag{tag}", 1.0, step)
    loop = time.thread_time() - own
    writer.close()
    return loop / _POINTS, (time.process_time() - begin) / _POINTS


def _slow(place: Path, to: str) -> float:
    """Seconds of a processor for 1,000 points that are recorded in tens."""
    writer = _writer(place, to)
    begin = time.process_time()
    for step in range(_SECONDS * _PER_SECOND // _TAGS):
        for tag in range(_TAGS):
            writer.add_scalar(f"tag{tag}", 1.0, step)
        time.sleep(_TAGS / _PER_SECOND)
    writer.close()
    return (time.process_time() - begin) / (_SECONDS * _PER_SECOND) * 1000


if __name__ == "__main__":
    main()
