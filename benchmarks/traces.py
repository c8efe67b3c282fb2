"""Writes traces as torch.profiler does, of a known size: ``python -m benchmarks.traces 111 trace.json``.

Each step has operators in operators on one thread, their backward on another, the calls of the runtime that
launch kernels, the kernels on two streams, arrows between all of them, and what was allocated.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

_BASE = 1_790_857_026_000_000_000  # ns, as torch counts since some time before
_BEGIN = 4_364_375_274_000_000  # ns from there
_STEP = 95_000_000  # ns
_OPERATORS = (
    "convolution",
    "batch_norm",
    "relu_",
    "add_",
    "max_pool2d",
    "linear",
    "cross_entropy_loss",
    "mean",
)
_LAYERS = 160  # operators of a step, forward

_HEAD = f"""{{
  "schemaVersion": 1,
  "deviceProperties": [
    {{"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16945512448, "computeMajor": 7}}
  ],
  "record_shapes": 1, "profile_memory": 1, "host_name": "bench",
  "distributedInfo": {{"backend": "nccl", "rank": 0, "world_size": 2}},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": {_BASE},
  "traceEvents": [
  {{"ph": "M", "name": "process_name", "ts": 0.000, "pid": 17, "tid": 0, "args": {{"name": "python"}}}}"""
_TAIL = """
  ],
  "traceName": "bench.pt.trace.json"
}
"""


def _time(ns: int) -> str:
    return f"{ns // 1000}.{ns % 1000:03d}"


def _slice(category: str, name: str, pid: int, tid: int, start: int, duration: int, arguments: str) -> str:
    return (
        f',\n  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid},\n'
        f'    "ts": {_time(start)}, "dur": {_time(duration)},\n'
        f'    "args": {{\n      {arguments}\n    }}\n  }}'
    )


def _arrow(mark: str, category: str, number: int, tid: int, at: int, pid: int = 17) -> str:
    return (
        f',\n  {{\n    "ph": "{mark}", "id": {number}, "pid": {pid}, "tid": {tid}, "ts": {_time(at)},\n'
        f'    "cat": "{category}", "name": "{category}", "bp": "e"\n  }}'
    )


def _step(number: int) -> Iterator[str]:
    begin = _BEGIN + number * _STEP
    yield _slice(
        "user_annotation", f"ProfilerStep#{number}", 17, 17, begin, _STEP - 1_000, f'"External id": {number}'
    )
    for layer in range(_LAYERS):
        name = _OPERATORS[layer % len(_OPERATORS)]
        size = 64 << layer % 4
        for is_backward in (False, True):
            at = begin + (_STEP // 2 if is_backward else 0) + layer * 250_000 + 1_000
            yield from _operator(number, layer, name, size, at, is_backward=is_backward)


def _operator(step: int, layer: int, name: str, size: int, at: int, *, is_backward: bool) -> Iterator[str]:
    thread, stream = (18, 20) if is_backward else (17, 7)
    number = ((step * _LAYERS + layer) * 2 + is_backward) * 4
    shapes = f'"Input Dims": [[32, {size}, 56, 56], [{size}, {size}, 3, 3], [], [], []]'
    types = '"Input type": ["float", "float", "", "ScalarList", "Scalar"]'
    outer = f"autograd::engine::evaluate_function: {name}" if is_backward else f"aten::{name}"
    inner = f"aten::{name}_backward" if is_backward else f"aten::_{name}"
    yield _slice("cpu_op", outer, 17, thread, at, 200_137, f'"External id": {number}, {shapes}, {types}')
    yield _slice(
        "cpu_op", inner, 17, thread, at + 10_011, 150_003, f'"External id": {number + 1}, {shapes}, {types}'
    )
    call = f'"External id": {number + 1}, "cbid": 211, "correlation": {number + 2}'
    yield _slice("cuda_runtime", "cudaLaunchKernel", 17, thread, at + 60_017, 8_009, call)
    kernel = (
        f'"queued": 0, "device": 0, "context": 1, "stream": {stream}, "correlation": {number + 2},\n'
        f'      "registers per thread": 56, "shared memory": 4096, "blocks per SM": 9.8,\n'
        f'      "warps per SM": 39.2, "grid": [{size}, 4, 1], "block": [128, 1, 1],\n'
        f'      "est. achieved occupancy %": 51, '
        f'"External id": {number + 1}'
    )
    long = f"void cudnn::winograd::generateWinogradTilesKernel<{layer % 40}, float, float>(float const*, int)"
    yield _slice("kernel", long, 0, stream, at + 70_023, 180_001, kernel)
    yield _arrow("s", "ac2g", number + 2, thread, at + 60_017)
    yield _arrow("f", "ac2g", number + 2, stream, at + 70_023, 0)
    yield _arrow("f" if is_backward else "s", "fwdbwd", step * _LAYERS + layer, thread, at)
    sign = "-" if is_backward else ""
    yield (
        f',\n  {{\n    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 17,\n'
        f'    "tid": {thread}, "ts": {_time(at + 20_001)}, "args": {{"Total Reserved": 1073741824, '
        f'"Total Allocated": {1 << 29}, "Bytes": {sign}{size << 10}, "Addr": {layer + 140_000_000_000_000}, '
        f'"Device Id": 0, "Device Type": 1}}\n  }}'
    )


def host_events(step: int, begin: int) -> str:
    """What the host does in a step that begins at ``begin`` (ns): operators, calls of the runtime, memory.
    All of it takes about 80 ms."""
    parts: list[str] = []
    for layer in range(_LAYERS):
        name = _OPERATORS[layer % len(_OPERATORS)]
        at = begin + layer * 250_000 + 1_000
        for is_backward in (False, True):
            later = _LAYERS * 250_000 if is_backward else 0
            events = list(_operator(step, layer, name, 64 << layer % 4, at + later, is_backward=is_backward))
            parts += [*events[:3], *events[6:]]  # without the kernel, and the arrow to it
    return "".join(parts)


def write_trace(path: Path, megabytes: float) -> int:
    """Writes whole steps until there are ``megabytes``; returns how many."""
    steps = 0
    with path.open("w", encoding="ascii") as file:
        written = file.write(_HEAD)
        while written < megabytes * 1e6 - len(_TAIL):
            written += file.write("".join(_step(steps)))
            steps += 1
        file.write(_TAIL)
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("path", type=Path)
    chosen = parser.parse_args()
    print(f"{write_trace(chosen.path, chosen.megabytes)} steps")


if __name__ == "__main__":
    main()
