"""Processes that send what they record: killed, forked, two of one run, and what they say at their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.processes import free_port
from insight_record import push
from insight_record.sending.spool import Spool
from tests.receivers import TOKEN, Receivers, written
from tests.recording.reading import points
from tests.waiting import PATIENCE, eventually

_TRAINING = """
import os, sys, time
from insight_record import SummaryWriter
writer = SummaryWriter("run", to=sys.argv[1])
print(os.getpid(), flush=True)
for step in range(10**6):
    writer.add_scalar("loss", float(step), step)
    writer.flush()
    time.sleep(0.001)
"""


def _started(code: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_what_a_killed_training_left_is_pushed_later(
    host: Receivers, spools: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = _started(_TRAINING, host.start())
    eventually(lambda: written(host.place))
    [spool] = spools.iterdir()
    assert push.main([str(spool), host.url]) == 1  # while the training sends it itself
    assert "sends it already" in capsys.readouterr().err
    host.stop()
    size = sum(map(len, written(host.place).values()))
    eventually(lambda: sum(map(len, written(spool).values())) > size + 1000)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    host.start()
    assert push.main([str(spool), host.url]) == 0
    left = {name: data for name, data in written(spool).items() if name != ".sending"}
    assert written(host.place) == left
    found = points(host.place, run="run", may_be_cut=True)
    assert found == [(step, float(step)) for step in range(len(found))]


_FORKING = """
import os, sys
from insight_record import SummaryRecord
record = SummaryRecord("run", to=sys.argv[1])
record.add_value("scalar", "loss", 0.0)
record.record(0)
child = os.fork()
if child == 0:
    record.add_value("scalar", "loss", 1.0)
    record.record(1)
    record.close()
    sys.exit(0)
os.waitpid(child, 0)
record.add_value("scalar", "loss", 2.0)
record.record(2)
"""


def test_a_forked_process_and_its_parent_send_each_file_once(host: Receivers, spools: Path) -> None:
    process = _started(_FORKING, host.start())
    _, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told
    assert sorted(points(host.place, run="run")) == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert len(written(host.place)) == 2
    assert [*spools.iterdir()] == []


def test_the_end_of_a_process_says_what_was_not_sent(spools: Path) -> None:
    writes = "SummaryWriter('run', to=sys.argv[1]).add_scalar('a', 1, 1)"
    code = f"import sys\nfrom insight_record import SummaryWriter\n{writes}"
    process = _started(code, f"http://127.0.0.1:{free_port()}")
    _, told = process.communicate(timeout=PATIENCE)
    [spool] = spools.iterdir()
    assert process.returncode == 0
    assert f"python -m insight_record.push {spool} http://127.0.0.1" in told
    assert TOKEN not in told
    assert (spool.stat().st_mode & 0o777) == 0o700
    assert points(spool, "a", "run") == [(1, 1.0)]


def test_two_processes_with_one_run_have_a_file_each(host: Receivers, spools: Path) -> None:
    code = _FORKING.replace("os.fork()", "1").replace("os.waitpid(child, 0)", "")
    url = host.start()
    both = [_started(code, url) for _ in range(2)]
    for process in both:
        _, told = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, told
    assert len(written(host.place)) == 2
    assert sorted(points(host.place, run="run")) == [(0, 0.0), (0, 0.0), (2, 2.0), (2, 2.0)]


def test_only_one_process_sends_a_spool(tmp_path: Path) -> None:
    first, second = Spool(tmp_path), Spool(tmp_path)
    assert first.claim()
    assert first.claim()
    assert not second.claim()
    first.forget()
    assert second.claim()
