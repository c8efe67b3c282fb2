"""Writes traces of all ranks of a job as torch.profiler does: ``python -m benchmarks.cluster_traces 64 100
DIR``.

In each step a rank computes, sends to the next rank and receives from the one before, and then all wait in an
all-reduce for the slowest. A slow rank and a slow link can be planted. All times are known: ``Job`` has them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from benchmarks.traces import host_events

MS = 1_000_000  # ns
MESSAGE = 8 << 20  # elements of 4 bytes that a rank sends to the next
REDUCED = 16 << 20  # elements of 4 bytes that all reduce
_BASE = 1_790_857_026_000_000_000  # ns
_BEGIN = 5_000 * MS  # ns from there
_COMPUTE = 90 * MS
_BANDWIDTH = 20e9  # bytes a second of a healthy link
_REDUCTION = 6 * MS  # of the all-reduce after the slowest has come
_KERNELS = 8  # of a step
_NOISE = 0.02


@frozen(eq=False)
class Job:
    """What is written. ``compute`` is [rank, step], ``transfer`` the time of the link from each rank to the
    next by step, both in ns."""

    compute: NDArray[np.int64]
    transfer: NDArray[np.int64]
    begins: NDArray[np.int64] = field(init=False)  # of the steps, and the end of the last

    def __attrs_post_init__(self) -> None:
        longest = (self.compute + self.transfer + self.received).max(axis=0) + _REDUCTION + MS
        object.__setattr__(self, "begins", _BEGIN + np.concatenate(([0], np.cumsum(longest))))

    @property
    def received(self) -> NDArray[np.int64]:
        """Time in which each rank receives from the one before, by step."""
        return np.roll(self.transfer, 1, axis=0)

    @property
    def ranks(self) -> int:
        """How many ranks there are."""
        return len(self.compute)

    @property
    def waits(self) -> NDArray[np.int64]:
        """Time of each rank in communication, by step: its transfers, and the all-reduce until all are
        there."""
        ends = self.begins[1:] - MS
        return ends - self.begins[:-1] - self.compute


def job(
    ranks: int,
    steps: int,
    seed: int = 0,
    slow_rank: int | None = None,
    slow_link: int | None = None,
) -> Job:
    """A job with some noise, in which one rank computes 1.4 times as long, and the link from one rank to
    the next has a third of the bandwidth."""
    random = np.random.default_rng(seed)
    compute = _COMPUTE * random.normal(1, _NOISE, (ranks, steps)).clip(0.9, 1.1)
    transfer = 4 * MESSAGE / _BANDWIDTH * 1e9 * random.normal(1, _NOISE, (ranks, steps)).clip(0.9, 1.1)
    if slow_rank is not None:
        compute[slow_rank] *= 1.4
    if slow_link is not None:
        transfer[slow_link] *= 3
    whole = 8 * _KERNELS  # so that kernels have a whole number of ns
    return Job((compute // whole * whole).astype(np.int64), transfer.astype(np.int64))


def _microseconds(ns: int) -> float:
    return ns / 1000


def _slice(
    category: str, name: str, pid: int, tid: int, start: int, duration: int, **said: object
) -> dict[str, Any]:
    times = {"ts": _microseconds(start), "dur": _microseconds(duration)}
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, **times, "args": said}


def _events(job: Job, rank: int) -> Iterator[dict[str, Any]]:
    """Steps, kernels and communication of a rank."""
    group = {"dtype": "Float", "Group size": job.ranks, "Process Group Name": "0"}
    for step, begin in enumerate(job.begins[:-1].tolist()):
        end = int(job.begins[step + 1])
        yield _slice("user_annotation", f"ProfilerStep#{step}", 17, 17, begin, end - begin)
        at, part = begin, int(job.compute[rank, step]) // _KERNELS
        for kernel in range(_KERNELS):
            yield _slice("kernel", f"gemm_{kernel}", 0, 7, at, part, device=0, stream=7)
            at += part
        for name, peers, own in (
            ("send", {"Dst Rank": (rank + 1) % job.ranks}, job.transfer),
            ("recv", {"Src Rank": (rank - 1) % job.ranks}, job.received),
        ):
            size = {"In msg nelems": MESSAGE, "Out msg nelems": MESSAGE}
            said = {"Collective name": name, **group, **size, **peers, "device": 0, "stream": 20}
            yield _slice("kernel", "ncclDevKernel_SendRecv()", 0, 20, at, int(own[rank, step]), **said)
            at += int(own[rank, step])
        size = {"In msg nelems": REDUCED, "Out msg nelems": REDUCED}
        said = {"Collective name": "allreduce", **group, **size, "device": 0, "stream": 20}
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL()"
        yield _slice("kernel", name, 0, 20, at, end - MS - at, **said)


def write_job(directory: Path, job: Job, megabytes: float = 0) -> list[Path]:
    """Writes ``rank{n}.1.pt.trace.json`` of each rank, padded to ``megabytes`` by what the host does, which
    is the same on all ranks; returns their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    steps = job.begins[:-1].tolist()
    padding = ""
    if megabytes:
        one = host_events(0, int(steps[0]))
        count = min(len(steps), max(1, round(megabytes * 1e6 / len(one))))
        padding = "".join(host_events(step, int(begin)) for step, begin in enumerate(steps[:count]))
    body = padding.encode("ascii")
    paths = []
    for rank in range(job.ranks):
        head = {
            "schemaVersion": 1,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": job.ranks},
            "deviceProperties": [
                {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85_000_000_000}
            ],
            "baseTimeNanoseconds": _BASE,
        }
        events = ",\n".join(json.dumps(event) for event in _events(job, rank))
        path = directory / f"rank{rank}.1.pt.trace.json"
        with path.open("wb") as file:
            file.write(f'{json.dumps(head)[:-1]}, "traceEvents": [\n{events}'.encode("ascii"))
            file.write(body)
            file.write(b"\n]}\n")
        paths.append(path)
    return paths


def write_slow_job(directory: Path, ranks: int, megabytes: float) -> list[Path]:
    """Writes a job with a slow rank, a third of all, and a slow link, from the half of all on. Traces of 0
    megabytes have 20 steps and nothing of what the host does; others as many steps as fill them."""
    steps = max(1, round(megabytes * 1e6 / len(host_events(0, 0)))) if megabytes else 20
    slow = job(ranks, steps, slow_rank=ranks // 3, slow_link=ranks // 2)
    return write_job(directory, slow, megabytes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ranks", type=int)
    parser.add_argument("megabytes", type=float, help="of each rank; 0: twenty steps, nothing of the host")
    parser.add_argument("directory", type=Path)
    chosen = parser.parse_args()
    paths = write_slow_job(chosen.directory, chosen.ranks, chosen.megabytes)
    print(f"{len(paths)} ranks, {sum(path.stat().st_size for path in paths) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
