"""Reads communication of an NPU: ``communication.json`` and ``communication_matrix.json``.

``{step: {"p2p" or "collective": {operator: {"Communication Time Info": {...}, "Communication Bandwidth
Info": {transport: {...}}}}}}``, and ``{... {operator: {"0-1": {"Transport Type": ..., "Transit Size(MB)":
...}}}}``. Times in ms but for the start (µs since the epoch), MB of 10^6 bytes. The transport ``SDMA`` is
the sum of HCCS, PCIE and SIO, and counts only where it says more than these. In the matrix ranks are
numbered within their group, which is the part of the name after the ``@``; it has the sum of the calls of an
operator (``allReduce-total@...``), and some single calls that are in it (``-top1``, ``-middle``,
``-bottom1``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from insight_profiler.building import Building
from insight_profiler.reading.csv_columns import nanoseconds
from insight_profiler.reading.mindspore_files import ProfileParts

_MEGA = 1_000_000
SUMS = "Total Op Info"  # among the operators: their sums
_KINDS = ("p2p", "collective")
SINGLE_CALL = re.compile(r"(?P<operator>.*)-(?:top|middle|bottom)\d*(?P<group>@.*)?", re.DOTALL)
PARTS_OF_SDMA = ("HCCS", "PCIE", "SIO")


def read_communication(parts: ProfileParts) -> None:
    """Tables ``collectives`` and ``links``."""
    building = parts.building
    parts.attempt(r"communication\.json", lambda name: add_collectives(building, parts.json(name)))
    parts.attempt(r"communication_matrix\.json", lambda name: add_links(building, parts.json(name)))


def _entries(found: Mapping[str, Any]) -> Iterator[tuple[int, str, str, Mapping[str, Any]]]:
    """Step, kind, operator, what is said of it; -1 for a step without a number."""
    for step, kinds in found.items():
        number = re.search(r"\d+", step)
        for kind in _KINDS:
            for operator, info in (kinds.get(kind) or {}).items():
                if not operator.startswith(SUMS):
                    yield int(number[0]) if number else -1, kind, operator, info


def _value(info: Mapping[str, Any], stem: str) -> Any:  # noqa: ANN401  any JSON
    """The value of a key that begins so; units follow it, ``Elapse Time(ms)`` or ``Elapsed Time(ms)``."""
    return next((value for key, value in info.items() if key.startswith(stem)), None)


def _megabytes(info: Mapping[str, Any]) -> float:
    size = _value(info, "Transit Size")
    return float(size) * _MEGA if isinstance(size, (int, float)) else math.nan


def _bytes(info: Mapping[str, Any]) -> float:
    """What a collective sent over all transports; NaN if no size is known."""
    sizes = {kind: _megabytes(one) for kind, one in (info.get("Communication Bandwidth Info") or {}).items()}
    known = {kind: size for kind, size in sizes.items() if not math.isnan(size)}
    if not known:
        return math.nan
    sum_of_parts = math.fsum(known.pop(kind, 0.0) for kind in PARTS_OF_SDMA)
    return max(known.pop("SDMA", 0.0), sum_of_parts) + math.fsum(known.values())


def add_collectives(building: Building, found: Mapping[str, Any]) -> None:
    """Table ``collectives``, of what ``communication.json`` says."""
    rows = []
    for step, kind, operator, info in _entries(found):
        times = info.get("Communication Time Info") or {}
        rows.append(
            (
                step,
                building.text(operator.partition("@")[0]),
                building.text(kind),
                nanoseconds(_value(times, "Start Timestamp"), "us"),
                nanoseconds(_value(times, "Elapse"), "ms"),
                nanoseconds(_value(times, "Wait Time(ms)"), "ms"),
                nanoseconds(_value(times, "Transit Time"), "ms"),
                _bytes(info),
            )
        )
    if rows:
        columns = ("step", "name", "kind", "start", "elapsed", "wait", "transit", "bytes")
        building.add("collectives", **dict(zip(columns, map(np.array, zip(*rows, strict=True)), strict=True)))


def add_links(building: Building, found: Mapping[str, Any]) -> None:
    """Table ``links``, of what ``communication_matrix.json`` says."""
    rows = []
    entries = list(_entries(found))
    sums = {(step, kind, operator) for step, kind, operator, _ in entries}
    for step, kind, operator, info in entries:
        call = SINGLE_CALL.fullmatch(operator)
        if call and (step, kind, f"{call['operator']}-total{call['group'] or ''}") in sums:
            continue
        group = building.text(operator.partition("@")[2])
        for ends, link in info.items():
            source, _, target = ends.partition("-")
            if not (source.isdecimal() and target.isdecimal()):
                continue
            spent, size = nanoseconds(_value(link, "Transit Time"), "ms"), _megabytes(link)
            rows.append(
                (
                    step,
                    int(source),
                    int(target),
                    building.text(str(_value(link, "Transport Type") or "")),
                    spent,
                    size,
                    size / spent * 1e9 if spent > 0 else math.nan,
                    group,
                )
            )
    if rows:
        columns = ("step", "source", "target", "kind", "elapsed", "bytes", "bandwidth", "group")
        building.add("links", **dict(zip(columns, map(np.array, zip(*rows, strict=True)), strict=True)))
