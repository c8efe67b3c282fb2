"""Reads frames of the scalar routes as docs/http_api.md describes them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load


def frames_of(body: bytes) -> list[bytes]:
    """The frames of a ``cards`` answer."""
    found = []
    while body:
        size = int.from_bytes(body[:4], "little")
        found.append(body[4 : 4 + size])
        assert len(found[-1]) == size
        body = body[4 + size :]
    return found


def metadata_of(frame: bytes) -> dict[str, Any]:
    header = json.loads(frame[8 : 8 + int.from_bytes(frame[:8], "little")])
    return {name: json.loads(text) for name, text in header["__metadata__"].items()}


def series_of(frame: bytes) -> list[dict[str, Any]]:
    """The series of a frame with ``steps`` and ``values`` (and ``wall_times``) as arrays."""
    metadata, columns = metadata_of(frame), load(frame)
    taken: dict[str, int] = {}

    def take(name: str, count: int) -> NDArray[Any]:
        start = taken.get(name, 0)
        taken[name] = start + count
        part = columns[name][start : start + count] if count else np.empty(0)
        assert len(part) == count
        return part

    steps = []
    for written in metadata["steps"]:
        count, column = written["count"], written.get("column")
        if column == "steps":
            steps.append(take(column, count))
        elif count:
            deltas = take(column, count - 1).astype(np.int64) if column else np.ones(count - 1, np.int64)
            steps.append(written["first"] + written["stride"] * np.concatenate(([0], np.cumsum(deltas))))
        else:
            steps.append(np.empty(0, np.int64))
    found = []
    for described in metadata["series"]:
        own = steps[described["steps"]]
        count = len(own)
        if "range" in described:
            codes = take("high", count).astype(np.int64) * 256 + take("low", count)
            values = _values(codes, described["range"], **metadata["codes"])
        else:
            values = take(described["values"], count)
        wall = {"wall_times": take("wall_times", count)} if metadata["codes"]["times"] else {}
        found.append({**described, "steps": own, "values": values, **wall})
    assert {name: len(column) for name, column in columns.items() if len(column)} == {
        name: count for name, count in taken.items() if count
    }
    return found


def _values(
    codes: NDArray[np.int64], bounds: list[float], *, top: int, log: bool, times: bool
) -> NDArray[Any]:
    low, high = bounds
    share = codes / top
    with np.errstate(all="ignore"):
        if log:
            values: NDArray[np.float64] = np.exp(np.log(low) * (1 - share) + np.log(high) * share)
        else:
            values = low * (1 - share) + high * share
    values[codes == 0], values[codes == top] = low, high
    for code, value in enumerate((0.0, np.nan, np.inf, -np.inf), top + 1):
        values[codes == code] = value
    return values
