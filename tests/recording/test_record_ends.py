"""However a training ends, its files have what was recorded, and whole records only."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import random
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from insight_record import SummaryRecord
from tests.recording.reading import are_whole, points

_PROGRAM = """
import os, resource, signal, sys
sys.path[:0] = {places!r}
import numpy as np
from insight_record import SummaryRecord
from insight_record.encoders.encoder import DialectName
record = SummaryRecord({logdir!r}, dialect={dialect!r}, flush_seconds={flush_seconds})
def add(step):
    record.add_value("scalar", "loss", step)
    record.record(step)
"""


def run(logdir: Path, body: str, *, dialect: str = "mindspore", flush_seconds: float = 60) -> Any:  # noqa: ANN401
    """A program that records into ``logdir`` and then runs ``body``."""
    places = [path for path in sys.path if path] + [str(Path(__file__).parents[2])]
    program = _PROGRAM.format(places=places, logdir=str(logdir), dialect=dialect, flush_seconds=flush_seconds)
    return subprocess.run(
        [sys.executable, "-c", program + body], capture_output=True, text=True, check=False, timeout=60
    )


EXPECTED = [(step, float(step)) for step in range(1000)]
_RECORDING = "for step in range(1000): add(step)\n"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 0),
        ("sys.exit(3)", 3),
        ("raise ValueError('of the training')", 1),
        ("del record", 0),
        ("record = None; import gc; gc.collect(); os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("record.flush(); os.kill(os.getpid(), signal.SIGKILL)", -9),
        ("record.flush(); os._exit(0)", 0),
        ("with record: 1 / 0", 1),
        ("import atexit; atexit.register(add, 1000)", 0),
    ],
)
def test_whatever_ends_it_all_records_are_there(tmp_path: Path, body: str, status: int) -> None:
    done = run(tmp_path, _RECORDING + body)
    assert done.returncode == status, done.stderr
    last = [(1000, 1000.0)] if "1000)" in body else []
    assert points(tmp_path) == EXPECTED + last
    assert are_whole(tmp_path)


def test_values_are_in_the_file_soon(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, flush_seconds=0.05) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(0)
        deadline = time.monotonic() + 20
        while not points(tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_nothing_is_written_before_it_is_due(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, flush_seconds=1000) as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(0)
        time.sleep(0.2)
        assert points(tmp_path) == []
        record.flush()
        assert points(tmp_path) == [(0, 1.0)]


@pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])
def test_killed_at_any_moment(tmp_path: Path, dialect: str, request: pytest.FixtureRequest) -> None:
    """What ``flush`` returned for is there, and what else is in the file are the records after it, the last
    of them perhaps cut off: the kernel may end a write wherever it is."""
    rounds = request.config.getoption("--kill-rounds") or 10
    draw = random.Random(request.config.getoption("--kill-seed"))
    for number in range(rounds):
        logdir = tmp_path / f"r{number}"
        places = [path for path in sys.path if path] + [str(Path(__file__).parents[2])]
        program = _PROGRAM.format(places=places, logdir=str(logdir), dialect=dialect, flush_seconds=0.001)
        body = (
            "step = 0\n"
            "while True:\n"
            "    for _ in range(200):\n"
            "        if step % 50 == 0: record.add_value('tensor', 't', np.full(5000, step))\n"
            "        add(step)\n"
            "        step += 1\n"
            "    record.flush()\n"
            "    print(step, flush=True)\n"
        )
        running = subprocess.Popen([sys.executable, "-c", program + body], stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(draw.uniform(0, 0.3))
        running.send_signal(signal.SIGKILL)
        said = running.stdout.read().split()
        running.wait()
        running.stdout.close()
        flushed = int(said[-1]) if said and said[-1].isdigit() else 200
        found = points(logdir, may_be_cut=True)
        assert len(found) >= flushed, number
        assert found == [(step, float(step)) for step in range(len(found))], number
        shutil.rmtree(logdir)


def _limited(size: int) -> Any:  # noqa: ANN401
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    return before


def _fill(record: SummaryRecord, large: bool) -> None:
    for step in range(100_000):
        record.add_value("scalar", "loss", step)
        if large and step % 1000 == 999:
            record.add_value("tensor", "t", np.zeros(3_000_000))
        record.record(step)
    record.flush()


@pytest.mark.parametrize("large", [False, True])
def test_a_full_disk_names_the_file_and_leaves_whole_records(tmp_path: Path, large: bool) -> None:
    record = SummaryRecord(tmp_path, flush_seconds=0)
    before = _limited(100_000)
    try:
        with pytest.raises(OSError, match=r"summary\.\d+") as caught:
            _fill(record, large)
        assert caught.value.filename == str(record.path)
        for call in (record.flush, lambda: record.record(0), lambda: record.add_value("scalar", "a", 1.0)):
            with pytest.raises(OSError, match="File too large"):
                call()
        with pytest.raises(OSError, match="File too large"):
            record.close()
        record.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert are_whole(tmp_path)
    found = points(tmp_path)
    assert found == [(step, float(step)) for step in range(len(found))]
    assert len(found) > 900


def test_an_error_of_the_training_is_not_hidden_by_one_of_the_disk(tmp_path: Path) -> None:
    def train() -> None:
        with SummaryRecord(tmp_path / "logs") as record:
            record.add_value("scalar", "loss", 1.0)
            record.record(0)
            shutil.rmtree(tmp_path / "logs")
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError) as caught:
        train()
    assert "logs" in caught.value.__notes__[0]


def test_a_directory_that_goes_ends_the_training_soon(tmp_path: Path) -> None:
    """A file that was removed would take whatever is written, for nobody."""
    record = SummaryRecord(tmp_path / "logs", flush_seconds=0)
    shutil.rmtree(tmp_path / "logs")
    deadline = time.monotonic() + 20

    def train() -> None:
        while time.monotonic() < deadline:
            record.add_value("scalar", "loss", 1.0)
            record.record(0)

    for told in (train, record.flush, record.close):
        with pytest.raises(FileNotFoundError, match="logs"):
            told()


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        SummaryRecord(tmp_path / "file")


def test_interrupted_while_it_is_made_it_is_silent_at_the_end(tmp_path: Path) -> None:
    """A failing finalizer would be reported on stderr; nothing must fail."""
    program = f"""
import shutil, sys
sys.path[:0] = {[path for path in sys.path if path] + [str(Path(__file__).parents[2])]!r}
from insight_record import SummaryRecord
from insight_record.rotating_files import EventFiles
opened = EventFiles.open
def interrupted(files):
    opened(files)
    raise KeyboardInterrupt
EventFiles.open = interrupted
try:
    SummaryRecord({str(tmp_path / "logs")!r})
except KeyboardInterrupt:
    shutil.rmtree({str(tmp_path / "logs")!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_after_it_is_closed_nothing_is_taken(tmp_path: Path) -> None:
    record = SummaryRecord(tmp_path)
    record.add_value("scalar", "loss", 1.0)
    record.close()
    record.close()
    for call in (record.flush, lambda: record.record(0), lambda: record.add_value("scalar", "a", 1.0)):
        with pytest.raises(ValueError, match="is closed"):
            call()
    assert points(tmp_path) == []


def test_what_was_taken_while_another_thread_closes_is_there(tmp_path: Path) -> None:
    for number in range(20):
        record = SummaryRecord(tmp_path / str(number), queue_size=4, flush_seconds=60)
        taken: list[int] = []
        running = threading.Event()

        def work(record: SummaryRecord = record, taken: list[int] = taken, running: Any = running) -> None:  # noqa: ANN401
            with suppress(ValueError):  # that it is closed
                while True:
                    record.add_value("scalar", "loss", 0.5)
                    record.record(len(taken))
                    taken.append(len(taken))
                    running.set()

        thread = threading.Thread(target=work)
        thread.start()
        assert running.wait(10)
        record.close()
        thread.join(10)
        assert [step for step, *_ in points(tmp_path / str(number), "loss")] == taken


def test_several_threads(tmp_path: Path) -> None:
    def work(number: int) -> None:
        for step in range(500):
            record.add_value("scalar", f"t{number}", step)
            record.record(step)

    with SummaryRecord(tmp_path, queue_size=100, flush_seconds=0.01) as record:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number in range(4):
        assert [value for _, value in points(tmp_path, f"t{number}")] == list(range(500))


def test_an_interrupted_write_leaves_whole_records(tmp_path: Path, monkeypatch: Any) -> None:  # noqa: ANN401
    """As by Ctrl-C while the interpreter exits and the writing thread has ended."""
    from insight_record.event_file import EventFileWriter
    from insight_record.events import version_record
    from insight_record.formats.framing import record

    file = EventFileWriter(
        tmp_path / "events.out.events.summary.1_MS", version_record(b"MindSpore.Event:1", 0.0)
    )
    write = os.write

    def interrupted(descriptor: int, data: Any) -> int:  # noqa: ANN401
        write(descriptor, data[: len(data) // 2])
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        file.write([record(bytes(100))])
    assert are_whole(tmp_path)


def _child(record: SummaryRecord, first: int) -> None:
    for step in range(first, first + 5):
        record.add_value("scalar", "loss", step)
        record.record(step)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_other_processes_write_files_of_their_own(tmp_path: Path, method: str) -> None:
    body = (
        "import multiprocessing\n"
        "from tests.recording.test_record_ends import _child\n"
        "if __name__ == '__main__':\n"
        "    for step in range(5): add(step)\n"
        f"    context = multiprocessing.get_context({method!r})\n"
        "    children = [context.Process(target=_child, args=(record, 100 * n)) for n in (1, 2)]\n"
        "    for child in children: child.start()\n"
        "    for child in children: child.join()\n"
        "    assert [child.exitcode for child in children] == [0, 0]\n"
        "    for step in range(5, 10): add(step)\n"
    )
    script = tmp_path / "script.py"
    places = [str(Path(__file__).parents[2]), *(path for path in sys.path if path)]
    guarded = _PROGRAM.format(
        places=places, logdir=str(tmp_path / "logs"), dialect="mindspore", flush_seconds=60
    )
    guarded = guarded.replace("record = ", "if __name__ == '__main__': record = ")
    script.write_text(guarded + body)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "logs").iterdir())) == 3
    expected = [*range(10), *range(100, 105), *range(200, 205)]
    assert sorted(points(tmp_path / "logs")) == [(step, float(step)) for step in expected]
    assert are_whole(tmp_path / "logs")


def test_a_bare_fork_writes_what_it_flushes(tmp_path: Path) -> None:
    body = (
        "add(0)\n"
        "if (child := os.fork()) == 0:\n"
        "    add(1); record.flush(); os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "add(2)\n"
    )
    done = run(tmp_path, body)
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == 2
    assert sorted(points(tmp_path)) == [(0, 0.0), (1, 1.0), (2, 2.0)]


def test_a_pickled_record_starts_again_with_its_options(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, dialect="tensorboard", rank=3, queue_size=7) as record:
        with pickle.loads(pickle.dumps(record)) as other:
            assert other.path is None
            other.add_value("scalar", "loss", 1.0)
            other.record(0)
        assert other.path is not None
        assert other.path.parent == record.log_dir
        assert other.path != record.path


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel")
def test_a_process_that_is_closed_has_no_thread_and_no_file(tmp_path: Path) -> None:
    before, threads = len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
    record = SummaryRecord(tmp_path)
    record.add_value("scalar", "loss", 1.0)
    record.record(0)
    record.close()
    deadline = time.monotonic() + 20
    while len(os.listdir("/proc/self/task")) > threads:  # its very last moments
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/fd")) == before
    assert not multiprocessing.active_children()
