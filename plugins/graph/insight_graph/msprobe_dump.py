"""Reads ``dump.json`` of msprobe (mindstudio-probe): statistics of the tensors of each call, as computed.

Source: the files that version 26.2.0 writes for the task ``statistics``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from insight_core.plugin import ReasonKind
from insight_core.plugin.worker import decode_apart
from insight_graph.tensor_statistics import MOST_ROWS, TensorStatistics
from insight_graph.unreadable import cause_in_json

MOST_JSON = 192 << 20  # bytes of a file
_SIDES = {"input_args": "input", "input_kwargs": "input", "input": "input", "output": "output"}
_VALUES = {"max": "Max", "min": "Min", "mean": "Mean", "norm": "Norm"}
_DIRECTIONS = ("forward", "backward", "parameters_grad")
_DEEPEST = 20  # lists in each other
_DUMP_BYTES = ReasonKind("graph_dump_bytes", "the dump has more than {most:,} bytes: it is not read")
_NOT_MSPROBE = ReasonKind("graph_not_msprobe", "the file is not a dump of msprobe: {cause}")
_DUMP_TOO_LARGE = ReasonKind("graph_dump_too_large", "the dump has more than {most:,} rows: it is not read")


def statistics_of_json(data: bytes) -> TensorStatistics:
    """Raises ValueError for bytes that are not such a file, and for more than MOST_ROWS tensors."""
    if len(data) > MOST_JSON:
        raise ValueError(_DUMP_BYTES(most=MOST_JSON))
    found: TensorStatistics = decode_apart("insight_graph.msprobe_dump:parsed", data)
    return found


def parsed(data: bytes) -> TensorStatistics:
    """See ``statistics_of_json``, which calls it in a worker if the file is large."""
    try:
        content = json.loads(data)
        calls = content["data"].items()
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        cause = cause_in_json(error)
        raise ValueError(_NOT_MSPROBE(cause=cause)) from None
    keys: list[tuple[str, str, str, int]] = []
    tensors: list[Mapping[str, Any]] = []
    for name, call in calls:
        for section, held in call.items() if isinstance(call, dict) else ():
            for slot, tensor in _tensors(held, (), 0):
                keys.append((str(name), _SIDES.get(section) or str(section), ".".join(slot) or "0", 0))
                tensors.append(tensor)
        if len(tensors) > MOST_ROWS:
            raise ValueError(_DUMP_TOO_LARGE(most=MOST_ROWS))
    return TensorStatistics(
        keys,
        [_type_of(name) for name, _, _, _ in keys],
        [str(one.get("dtype", "")).removeprefix("torch.") for one in tensors],
        [str(one.get("shape", "")) for one in tensors],
        {
            key: np.array([_number(one.get(name)) for one in tensors], np.float64)
            for key, name in _VALUES.items()
        },
        {key: np.full(len(tensors), np.nan) for key in ("nan", "negative_inf", "positive_inf")},
    )


def _tensors(
    held: object, slot: tuple[str, ...], depth: int
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """Tensors in lists and mappings, each with its place in these."""
    if isinstance(held, dict) and "Max" in held:
        yield slot, held
    elif depth < _DEEPEST and (isinstance(held, list) or (isinstance(held, dict) and "type" not in held)):
        for place, one in enumerate(held) if isinstance(held, list) else held.items():
            yield from _tensors(one, (*slot, str(place)), depth + 1)


def _type_of(name: str) -> str:
    """``Conv2d`` of ``Module.conv.Conv2d.forward.0`` and ``conv2d`` of ``Functional.conv2d.0.forward``."""
    parts = [part for part in name.split(".")[1:] if part not in _DIRECTIONS and not part.isdigit()]
    return parts[-1] if parts else ""


def _number(value: object) -> float:
    """A number; NaN where none is written."""
    try:
        return float(value) if isinstance(value, (int, float, str)) else float("nan")
    except (ValueError, OverflowError):
        return float("nan")
