"""Dumps of PyTorch's flight recorder, as torch 2.13 writes them: an entry for each collective of a rank."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

Entry: TypeAlias = dict[str, Any]
RANKS = 4
_START = 1_796_000_000_000_000_000


def entry(number: int, name: str = "nccl:all_reduce", size: Sequence[int] = (4,), **more: Any) -> Entry:  # noqa: ANN401
    """The collective ``number`` of the default group, completed."""
    operation = name.partition(":")[2]
    return {
        "frames": [
            {
                "name": operation,
                "filename": "/x/site-packages/torch/distributed/distributed_c10d.py",
                "line": 3245,
            },
            {"name": "step", "filename": "/home/me/train.py", "line": 40 + number},
        ],
        "record_id": number - 1,
        "pg_id": 0,
        "process_group": ("0", "default_pg"),
        "collective_seq_id": number,
        "p2p_seq_id": 0,
        "op_id": number,
        "profiling_name": name,
        "time_created_ns": _START + number * 10**9,
        "input_sizes": [list(size)],
        "input_dtypes": ["Float"],
        "output_sizes": [list(size)],
        "output_dtypes": ["Float"],
        "state": "completed",
        "time_discovered_started_ns": None,
        "time_discovered_completed_ns": None,
        "retired": True,
        "timeout_ms": 600_000,
        "is_p2p": False,
        **more,
    }


def dump(entries: Sequence[Entry], **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """The dump of a rank of a job of ``RANKS``."""
    config = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(RANKS)))}}
    return {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": list(entries), **more}


def write_dumps(
    directory: Path, dumps: Mapping[int, Mapping[str, Any]], *, as_json: bool = False, protocol: int = 2
) -> None:
    """A file for each rank."""
    for rank, held in dumps.items():
        data = json.dumps(held).encode() if as_json else pickle.dumps(held, protocol)
        (directory / f"nccl_trace_rank_{rank}").write_bytes(data)
