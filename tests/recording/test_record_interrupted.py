"""Ctrl-C, handlers of signals and the garbage collector come between any two lines: they break no record."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest

from insight_record import SummaryRecord
from insight_record.queued_records import RecordedColumns
from tests.recording.reading import are_whole, points

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs timers that send signals")

_INTERRUPTED = """
import random, signal
from insight_record import SummaryRecord

def interrupt(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
draw = random.Random(5)
for number in range({rounds}):
    step = 0
    try:
        place = {logdir!r} + f"/{{number}}"
        with SummaryRecord(place, flush_seconds={flush_seconds}, queue_size=50) as record:
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-6, {latest}))
            while True:
                record.add_value("scalar", "a", step)
                record.add_value("scalar", "b", step)
                record.record(step)
                step += 1
    except KeyboardInterrupt:
        pass
"""


def run(program: str) -> None:
    places = [str(Path(__file__).parents[2]), *(path for path in sys.path if path)]
    program = f"import sys\nsys.path[:0] = {places!r}\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=40
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("latest", "flush_seconds"), [(3e-4, 10), (5e-3, 1e-4)])
def test_ctrl_c_at_any_moment(tmp_path: Path, latest: float, flush_seconds: float) -> None:
    """Near the beginning, when the thread starts, and later: it ends, and all records before are there."""
    rounds = 300
    run(_INTERRUPTED.format(rounds=rounds, logdir=str(tmp_path), latest=latest, flush_seconds=flush_seconds))
    for number in range(rounds):
        place = tmp_path / str(number)
        assert are_whole(place)
        for tag in ("a", "b"):
            found = points(place, tag)
            # the interrupted values may be there, or be added to a record that never was
            assert found == [(step, float(step)) for step in range(len(found))]


_HANDLED = """
import signal
from insight_record import SummaryRecord

record = SummaryRecord({logdir!r}, flush_seconds=1e-4, queue_size=100)
signals = step = 0

def handle(number, frame):
    global signals
    if signals < 300:
        record.add_value("scalar", "signals", signals)
        record.record(10**9 + signals)
        signals += 1
        if signals % 10 == 0:
            record.flush()
        signal.setitimer(signal.ITIMER_REAL, 1e-3)
    else:
        record.close()
        sys.exit()

signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 1e-3)
while True:
    record.add_value("scalar", "loss", step)
    record.record(step)
    step += 1
    if step % 1000 == 0:
        record.flush()
"""


def test_a_handler_of_signals_may_record_flush_and_close(tmp_path: Path) -> None:
    run(_HANDLED.format(logdir=str(tmp_path)))
    assert are_whole(tmp_path)
    assert sorted(value for _, value in points(tmp_path, "signals")) == [float(n) for n in range(300)]
    values = [value for _, value in points(tmp_path, "loss")]
    assert values == [float(step) for step in range(len(values))]


def test_the_garbage_collector_may_close_it_in_its_own_thread(tmp_path: Path) -> None:
    class Holder:
        """Of a cycle, which only the garbage collector takes away."""

        def __init__(self) -> None:
            self.itself = self
            self.record = SummaryRecord(tmp_path, flush_seconds=0)

    holder = Holder()
    gone, collected = threading.Event(), threading.Event()
    files: Any = holder.record._writer._files
    write = files.write

    def write_and_collect(records: RecordedColumns) -> None:
        gone.wait(20)
        gc.collect()
        write(records)
        collected.set()

    files.write = write_and_collect
    thread_of = weakref.ref(holder.record._writer)
    holder.record.add_value("scalar", "loss", 1.0)
    holder.record.record(0)
    writer: Any = thread_of()
    thread = writer._thread
    del holder, writer
    gone.set()
    assert collected.wait(20)
    assert thread.acquire(timeout=20)
    assert points(tmp_path) == [(0, 1.0)]
