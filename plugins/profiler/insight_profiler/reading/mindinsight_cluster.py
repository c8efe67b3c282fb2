"""Reads communication of a rank from MindSpore's ``hccl_raw_{rank}.csv``.

A row for each step, and one of means, which is not read: ``step_num, communication_cost, wait_cost,
link_info, communication_operator_cost``. Costs are in ms, sizes in KB of 1000 bytes. ``link_info`` is
``{"1-0": {"SDMA": [cost, size, bandwidth]}}``; its bandwidth is the sum of those of all operators and no
bandwidth of anything, so it is made of size and cost. ``communication_operator_cost`` is ``{operator:
[step, cost, wait, links as above]}``; it may be absent.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from insight_profiler.reading.csv_columns import nanoseconds
from insight_profiler.reading.mindspore_files import ProfileParts

_KILO = 1000
_COLLECTIVES = ("step", "name", "kind", "transit", "wait", "bytes")
_LINKS = ("step", "source", "target", "kind", "elapsed", "bytes")
_P2P = ("send", "receive", "recv")


def read_communication(parts: ProfileParts) -> None:
    """Tables ``collectives`` and ``links``."""
    parts.attempt(r"hccl_raw_\d+\.csv", lambda name: _hccl(parts, name))


def kind_of(operator: str) -> str:
    """What a communication operator is by its name."""
    return "p2p" if any(word in operator.lower() for word in _P2P) else "collective"


def _hccl(parts: ProfileParts, name: str) -> None:
    building = parts.building
    collectives: list[tuple[int, int, int, int, int, float]] = []
    links: list[tuple[int, int, int, int, int, float]] = []
    with parts.csv(name) as file:
        for cells in file.chunks(64):
            rows = zip(
                cells.texts("step_num"),
                cells.texts("communication_cost"),
                cells.texts("wait_cost"),
                cells.texts("link_info"),
                cells.texts("communication_operator_cost"),
                strict=True,
            )
            for step_text, cost, wait, link_text, operators in rows:
                if not step_text.isdecimal():
                    continue
                step = int(step_text)
                for source, target, label, spent, size in _links(json.loads(link_text or "{}")):
                    links.append((step, source, target, building.text(label), spent, size))
                found: dict[str, list[Any]] = (
                    json.loads(operators) if operators else {"": [step, cost, wait, {}]}
                )
                for operator, values in found.items():
                    transit, waited = (nanoseconds(value, "ms") for value in values[1:3])
                    size = math.fsum(size for *_, size in _links(values[3]))
                    collectives.append(
                        (
                            step,
                            building.text(operator),
                            building.text(kind_of(operator)),
                            transit,
                            waited,
                            size,
                        )
                    )
    if collectives:
        columns = dict(zip(_COLLECTIVES, map(np.array, zip(*collectives, strict=True)), strict=True))
        is_known = (columns["transit"] >= 0) & (columns["wait"] >= 0)
        elapsed = np.where(is_known, columns["transit"] + columns["wait"], -1)
        building.add("collectives", elapsed=elapsed, **columns)
    if links:
        columns = dict(zip(_LINKS, map(np.array, zip(*links, strict=True)), strict=True))
        unknown = np.full(len(columns["bytes"]), np.nan)
        bandwidth = np.divide(
            columns["bytes"] * 1e9, columns["elapsed"], out=unknown, where=columns["elapsed"] > 0
        )
        building.add("links", bandwidth=bandwidth, **columns)


def _links(found: dict[str, Any]) -> list[tuple[int, int, str, int, float]]:
    """Source, target, kind, time (ns), bytes."""
    return [
        (
            int(ends.partition("-")[0]),
            int(ends.partition("-")[2]),
            kind,
            nanoseconds(cost, "ms"),
            size * _KILO,
        )
        for ends, by_kind in found.items()
        for kind, (cost, size, *_) in by_kind.items()
    ]
