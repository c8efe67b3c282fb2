"""Decodes one dump of torch's flight recorder, a pickle or JSON, into columns.

Pickles are decoded as data, as those of memory snapshots.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.building import Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.snapshot import decoded

_MOST = 256 << 20  # bytes of a JSON file
_MIX = np.int64(0x1E3779B97F4A7C15)  # odd: sums of several columns as one
_SHOWN = 40  # characters of a damaged value
_ORDER = ("group", "sequence", "name", "state", "created", "sizes", "types", "stack")


@frozen(eq=False)
class Dump:
    """Entries in columns; ``group``, ``name``, ``state``, ``sizes`` and ``types`` are places in ``texts``.

    ``frames`` are name and file (places in ``texts``) and line of each frame, shape (frames, 3). Stack ``i``
    is ``stack_frames`` up to ``ends[i]``, the innermost first.
    """

    columns: Mapping[str, NDArray[np.int64]]
    texts: Sequence[str]
    frames: NDArray[np.int64]
    stack_frames: NDArray[np.int64]
    ends: NDArray[np.int64]
    config: Mapping[str, Any]
    status: Mapping[str, Any]


def dump_of(files: Files, name: str) -> Dump:
    """A dump. Raises Unreadable for what is none, is cut or damaged, or would run code."""
    try:
        return _of_json(files, name) if files.peek(name) == b"{" else _of_pickle(files, name)
    except OSError as error:
        reason = f"{name}: {error.strerror or error}"
        raise Unreadable("unreadable_file", f"a file cannot be read: {reason}", reason=reason) from None


def _of_pickle(files: Files, name: str) -> Dump:
    reader, held = decoded(files, name)
    entries = reader.columns()["entries"]
    if "entries" not in held:
        raise _no_flight(name)
    texts = list(reader.names())

    def texts_of(*columns: str) -> NDArray[np.int64]:
        """The places of texts for lists, several of them as one text; equal lists are written once."""
        sums = np.zeros(len(entries["list"]), np.int64)
        for column in columns:
            sums = sums * _MIX + reader.sums(entries[column])
        _, first, places = np.unique(sums, return_index=True, return_inverse=True)
        start = len(texts)
        for row in first.tolist():
            texts.append(_shown(*(reader.value(int(entries[column][row])) for column in columns)))
        return start + places

    stack_frames, ends = reader.stack_frames()
    columns = {
        "group": texts_of("process_group"),
        "sequence": entries["collective_seq_id"],
        "name": entries["profiling_name"],
        "state": entries["state"],
        "created": entries["time_created_ns"],
        "sizes": texts_of("input_sizes", "output_sizes"),
        "types": texts_of("input_dtypes", "output_dtypes"),
        "stack": entries["frames"],
    }
    for column in ("name", "state"):  # damage may have put a number there
        columns[column] = np.where(columns[column] < len(texts), columns[column], -1)
    odd = np.flatnonzero((columns["sequence"] < 0) & (columns["group"] >= 0))
    if len(odd):
        raise _damaged_entry(name, int(odd[0]), "collective_seq_id", None)
    kept = entries["is_p2p"] != 1
    return Dump(
        {column: values[kept] for column, values in columns.items()},
        texts,
        reader.frame_table().astype(np.int64),
        stack_frames.astype(np.int64),
        ends,
        _mapping(held.get("pg_config")),
        _mapping(held.get("pg_status")),
    )


def _of_json(files: Files, name: str) -> Dump:
    try:
        held = json.loads(files.text(name, _MOST))
    except (ValueError, RecursionError) as error:
        text = f"{name} cannot be read as JSON: {error}"
        raise Unreadable("broken_flight", text, file=name, reason=str(error)) from None
    entries = held.get("entries") if isinstance(held, dict) else None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise _no_flight(name)
    texts: dict[str, int] = {}
    frames: dict[tuple[int, int, int], int] = {}
    stacks: dict[tuple[int, ...], int] = {}
    rows = []

    def place(text: str) -> int:
        return texts.setdefault(text, len(texts))

    for at, one in enumerate(entries):
        if one.get("is_p2p"):
            continue
        stack = tuple(
            frames.setdefault(_frame(frame, place, name, at), len(frames))
            for frame in one.get("frames") or ()
            if isinstance(frame, dict)
        )
        rows.append(
            (
                place(_shown(one.get("process_group"))),
                _number(one, "collective_seq_id", name, at),
                place(str(one.get("profiling_name", ""))),
                place(str(one.get("state", ""))),
                _number(one, "time_created_ns", name, at),
                place(_shown(one.get("input_sizes"), one.get("output_sizes"))),
                place(_shown(one.get("input_dtypes"), one.get("output_dtypes"))),
                stacks.setdefault(stack, len(stacks)) if stack else -1,
            )
        )
    table = np.array(rows, np.int64).reshape(-1, len(_ORDER))
    return Dump(
        {column: table[:, at] for at, column in enumerate(_ORDER)},
        list(texts),
        np.array(list(frames), np.int64).reshape(-1, 3),
        np.array([frame for stack in stacks for frame in stack], np.int64),
        np.cumsum([len(stack) for stack in stacks], dtype=np.int64),
        _mapping(held.get("pg_config")),
        _mapping(held.get("pg_status")),
    )


def _frame(frame: Mapping[str, Any], place: Callable[[str], int], name: str, at: int) -> tuple[int, int, int]:
    line = _number(frame, "line", name, at)
    return place(str(frame.get("name"))), place(str(frame.get("filename"))), line


def _number(held: Mapping[str, Any], key: str, name: str, at: int) -> int:
    """An int64, 0 where there is nothing. Raises Unreadable for what is no such number."""
    value = held.get(key)
    if value is None:
        return 0
    if isinstance(value, int) and 0 <= value < 1 << 63:
        return int(value)
    raise _damaged_entry(name, at, key, value)


def _damaged_entry(name: str, at: int, key: str, value: object) -> Unreadable:
    shown = repr(value)[:_SHOWN]
    text = f"{name}: entry {at} is damaged: {key} is {shown}"
    return Unreadable("flight_entry", text, file=name, entry=at, key=key, value=shown)


def _no_flight(name: str) -> Unreadable:
    return Unreadable("no_flight", f"{name} is no dump of a flight recorder", file=name)


def _mapping(held: object) -> Mapping[str, Any]:
    return held if isinstance(held, dict) else {}


def _shown(*held: object) -> str:
    """Lists as one reads them; several, of inputs and outputs, with an arrow unless they are equal."""
    parts = [" ".join(_plain(one) for one in part) if isinstance(part, list | tuple) else "" for part in held]
    return " → ".join(dict.fromkeys(parts)).strip(" →")


def _plain(one: object) -> str:
    return " x ".join(map(str, one)) or "scalar" if isinstance(one, list | tuple) else str(one)
