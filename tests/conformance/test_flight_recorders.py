"""Jobs that hang, as PyTorch's torchfrtrace and this host tell of the same dumps."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
from pathlib import Path
from typing import TypeAlias

import pytest
from insight_profiler.analysis.hangs import hangs
from insight_profiler.files import Files
from insight_profiler.model import Source

from tests.conformance.our_profiles import read_files
from tests.flight_dumps import RANKS, Entry, dump, entry, write_dumps

Job: TypeAlias = dict[int, list[Entry]]
_LAST, _ODD = 5, 2  # the collective in which they hang, the rank with the fault
_MODULE = "torch.distributed.flight_recorder.fr_trace"


def _entry(number: int, backend: str) -> Entry:
    """Of gloo, whose state never changes, or of NCCL."""
    state = "scheduled" if backend == "gloo" else "completed" if number < _LAST else "started"
    return entry(number, f"{backend}:all_reduce", (8,), state=state)


def _job(plant: str, backend: str) -> Job:
    job = {rank: [_entry(number, backend) for number in range(1, _LAST + 1)] for rank in range(RANKS)}
    odd = job[_ODD][-1]
    match plant:
        case "skips":
            job[_ODD].pop()
        case "sizes":
            odd["input_sizes"] = odd["output_sizes"] = [[16]]
        case "types":
            odd["input_dtypes"] = odd["output_dtypes"] = ["Half"]
        case "name":
            odd["profiling_name"] = f"{backend}:broadcast"
    return job


def _write(directory: Path, job: Job, backend: str) -> None:
    dumps = {}
    for rank, entries in job.items():
        called = len(entries)
        completed = called if backend == "gloo" else _LAST - 1  # gloo counts what was called
        status = {"0": {"last_enqueued_collective": called, "last_completed_collective": completed}}
        dumps[rank] = dump(entries, pg_status=status)
    write_dumps(directory, dumps)


# A rank of a job with gloo; when its collectives have ended, or fail, or take too long, it writes its dump.
_RANK = """
import os, sys, threading, time
import torch
import torch.distributed as dist
from torch._C import _distributed_c10d as recorder
directory, plant, rank, ranks, odd, last = *sys.argv[1:3], *map(int, sys.argv[3:])
dist.init_process_group("gloo", init_method=f"file://{directory}/meeting", rank=rank, world_size=ranks)
def work():
    for number in range(1, last + 1):
        is_planted = (rank, number) == (odd, last)
        if is_planted and plant == "skips":
            return
        if is_planted and plant == "late":
            time.sleep(2)
        dist.all_reduce(torch.ones(16 if is_planted and plant == "sizes" else 8))
thread = threading.Thread(target=work, daemon=True)
thread.start()
thread.join(60)
with open(f"{directory}/nccl_trace_rank_{rank}", "wb") as file:
    file.write(recorder._dump_fr_trace())
os._exit(0)
"""


def _python() -> str:
    python = os.environ.get("INSIGHT_PEER_TORCH")
    if not python:
        pytest.skip("INSIGHT_PEER_TORCH names no Python with PyTorch; see `make conformance`")
    return python


def _of_torchfrtrace(directory: Path, *flags: str) -> list[tuple[str, int, list[int]]]:
    """What it says, as (fault, number of the collective, ranks)."""
    python = _python()
    command = [python, "-m", _MODULE, str(directory), "-p", "nccl_trace_rank_", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=directory)
    if "No module named" in done.stderr:
        pytest.skip(f"{python} has no {_MODULE}, or not what it needs")
    assert not done.returncode, done.stderr
    words = {"SIZE_OR_SYNTAX": "sizes", "COLLECTIVE_DTYPE": "types", "COLLECTIVE_TYPE": "name"}
    found = []
    for part in re.split(r"(?=Not all ranks joining|Collective sequence number)", done.stdout + done.stderr):
        number = re.search(r"sequence number: (\d+)", part)
        if number and (missing := re.search(r"missing ranks: \{([\d, ]+)\}", part)):
            found.append(("skips", int(number[1]), [int(one) for one in missing[1].split(",")]))
        if number and (culprit := re.search(r"Culprit rank (\d+); Error type: (\w+)_MISMATCH", part)):
            found.append((words[culprit[2]], int(number[1]), [int(culprit[1])]))
    return found


def _of_ours(directory: Path) -> list[tuple[str, int, list[int]]]:
    [group] = hangs(read_files(Files.of_directory(directory), Source.FLIGHT))
    found = [("skips", group.sequence, [one.rank for one in group.missing])] if group.missing else []
    for difference in group.differences:
        few = min(difference.said.values(), key=len)
        found.append((difference.what, difference.sequence, list(few)))
    return found


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
@pytest.mark.parametrize("plant", ["healthy", "skips", "sizes", "types", "name"])
def test_torchfrtrace_names_the_same_rank_and_collective(tmp_path: Path, plant: str, backend: str) -> None:
    _write(tmp_path, _job(plant, backend), backend)
    expected = [] if plant == "healthy" else [(plant, _LAST, [_ODD])]
    assert _of_ours(tmp_path) == expected
    assert _of_torchfrtrace(tmp_path) == expected


@pytest.mark.parametrize("plant", ["healthy", "skips", "sizes", "late"])
def test_dumps_that_gloo_wrote_name_the_same_rank(tmp_path: Path, plant: str) -> None:
    """Ranks that came late and were waited for are in step: neither accuses one."""
    environment = {**os.environ, "TORCH_FR_BUFFER_SIZE": "1000", "OMP_NUM_THREADS": "1"}
    numbers = [[str(number) for number in (rank, RANKS, _ODD, _LAST)] for rank in range(RANKS)]
    ranks = [
        subprocess.Popen(
            [_python(), "-c", _RANK, str(tmp_path), plant, *each], env=environment, stderr=subprocess.DEVNULL
        )
        for each in numbers
    ]
    for rank in ranks:
        rank.wait(timeout=300)  # gloo ends the process of one whose sizes differ, and leaves no dump of it
    logs = sorted(tmp_path.glob("nccl_trace_rank_*"))
    if not logs:
        pytest.skip(f"PyTorch of {_python()} writes no dumps")
    expected = [] if plant in ("healthy", "late") else [(plant, _LAST, [_ODD])]
    (tmp_path / "meeting").unlink(missing_ok=True)
    assert _of_ours(tmp_path) == expected
    for path in logs:  # torchfrtrace fails with a KeyError on the group's name as gloo writes it
        held = pickle.loads(path.read_bytes())
        [group] = held["pg_config"].values()
        held["pg_config"] = {"0": {**group, "name": "0", "desc": "default_pg"}}
        path.write_bytes(pickle.dumps(held, 2))
    assert _of_ours(tmp_path) == expected
    assert _of_torchfrtrace(tmp_path, "--allow-incomplete-ranks") == expected
