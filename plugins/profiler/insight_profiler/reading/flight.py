"""Reads dumps of torch's flight recorder: the last collectives of each rank of a job, a file for each rank
(``nccl_trace_rank_3``, ``comm_lib_trace_rank_3``, torchtitan's ``rank_3``), pickles or JSON.

Pickles are decoded as data, as those of memory snapshots. Of several dumps of a rank in one directory there
is only the last, for torch writes over it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.snapshot import decoded

_MOST = 256 << 20  # bytes of a JSON file
_RANK = re.compile(r"rank_(\d+)")
_COMPLETED = "completed"


def read(files: Files, building: Building) -> None:
    """Fills a profile from the dumps of all ranks. Raises Unreadable where none can be read."""
    found, failures = 0, []
    groups: dict[str, list[int]] = {}
    for name in sorted(files.names(), key=_rank_of):
        try:
            dump = _of_json(files, name) if files.peek(name) == b"{" else _of_pickle(files, name)
        except Unreadable as error:
            failures.append(error)
            building.note(error.note.code, error.note.text, **error.note.values)
            continue
        found += 1
        _add(building, _rank_of(name), dump, groups)
    if not found:
        raise failures[0]
    building.documents["groups"] = {name: sorted(set(ranks)) for name, ranks in groups.items()}
    building.documents["ranks"] = sorted(_rank_of(name) for name in files.names())


def _rank_of(name: str) -> int:
    found = _RANK.search(name)
    return int(found[1]) if found else -1


@frozen(eq=False)
class _Dump:
    """Entries in columns; ``group``, ``name``, ``state``, ``sizes`` and ``types`` are places in ``texts``.

    ``stacks`` are the frames (name, file, line) of each stack, the innermost first.
    """

    columns: Mapping[str, NDArray[np.int64]]
    texts: Sequence[str]
    stacks: Sequence[Sequence[tuple[str, str, int]]]
    config: Mapping[str, Any]
    status: Mapping[str, Any]


def _of_pickle(files: Files, name: str) -> _Dump:
    reader, held = decoded(files, name)
    entries = reader.columns()["entries"]
    texts = list(reader.names())

    def texts_of(*columns: str) -> NDArray[np.int64]:
        """The places of texts for lists, several of them as one text; equal lists are written once."""
        sums = np.stack([reader.sums(entries[column]) for column in columns], axis=1)
        _, first, places = np.unique(sums, axis=0, return_index=True, return_inverse=True)
        start = len(texts)
        for row in first.tolist():
            texts.append(_shown(*(reader.value(int(entries[column][row])) for column in columns)))
        return start + places.reshape(-1)

    frames, (stack_frames, ends) = reader.frame_table(), reader.stack_frames()
    names = reader.names()
    table = [(names[name], names[file], int(line)) for name, file, line in frames.tolist()]
    starts = np.append(0, ends[:-1]).astype(int)
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
    kept = entries["is_p2p"] != 1
    return _Dump(
        {column: values[kept] for column, values in columns.items()},
        texts,
        [
            [table[frame] for frame in stack_frames[start:end].tolist()]
            for start, end in zip(starts, ends.tolist(), strict=True)
        ],
        _mapping(held.get("pg_config")),
        _mapping(held.get("pg_status")),
    )


def _of_json(files: Files, name: str) -> _Dump:
    try:
        held = json.loads(files.text(name, _MOST))
    except ValueError as error:
        text = f"{name} cannot be read as JSON: {error}"
        raise Unreadable("broken_flight", text, file=name, reason=str(error)) from None
    entries = held.get("entries") if isinstance(held, dict) else None
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise Unreadable("no_flight", f"{name} is no dump of a flight recorder", file=name)
    texts: dict[str, int] = {}
    stacks: dict[tuple[tuple[str, str, int], ...], int] = {}
    rows = []
    for one in entries:
        if one.get("is_p2p"):
            continue
        frames = tuple(
            (str(frame.get("name")), str(frame.get("filename")), int(frame.get("line") or 0))
            for frame in one.get("frames") or ()
            if isinstance(frame, dict)
        )
        words = (
            _shown(one.get("process_group")),
            str(one.get("profiling_name", "")),
            str(one.get("state", "")),
            _shown(one.get("input_sizes"), one.get("output_sizes")),
            _shown(one.get("input_dtypes"), one.get("output_dtypes")),
        )
        group, called, state, sizes, types = (texts.setdefault(word, len(texts)) for word in words)
        rows.append(
            (
                group,
                int(one.get("collective_seq_id") or 0),
                called,
                state,
                int(one.get("time_created_ns") or 0),
                sizes,
                types,
                stacks.setdefault(frames, len(stacks)) if frames else -1,
            )
        )
    order = ("group", "sequence", "name", "state", "created", "sizes", "types", "stack")
    table = np.array(rows, np.int64).reshape(-1, len(order))
    columns = {name: table[:, at] for at, name in enumerate(order)}
    return _Dump(
        columns, list(texts), list(stacks), _mapping(held.get("pg_config")), _mapping(held.get("pg_status"))
    )


def _add(building: Building, rank: int, dump: _Dump, groups: dict[str, list[int]]) -> None:
    texts = np.append(building.texts(dump.texts), np.int32(-1))
    base = building.rows("stacks")
    distinct = list(dict.fromkeys(frame for stack in dump.stacks for frame in stack))
    if distinct:
        names, files, lines = zip(*distinct, strict=True)
        start = building.add("frames", name=building.texts(names), file=building.texts(files), line=lines)
        placed = {frame: start + place for place, frame in enumerate(distinct)}
    first = building.rows("stack_frames")
    frames = [placed[frame] for stack in dump.stacks for frame in stack]
    if frames:
        building.add("stack_frames", frame=frames)
        building.add("stacks", end=first + np.cumsum([len(stack) for stack in dump.stacks]))
    columns = dict(dump.columns)
    stack = columns.pop("stack")
    sequence, group = columns.pop("sequence"), columns.pop("group")
    state = np.where(
        sequence <= _last_completed(dump, group), building.text(_COMPLETED), texts[columns.pop("state")]
    )
    building.add(
        "flights",
        rank=np.full(len(sequence), rank),
        group=texts[group],
        sequence=sequence,
        name=texts[columns["name"]],
        state=state,
        created=columns["created"],
        sizes=texts[columns["sizes"]],
        types=texts[columns["types"]],
        stack=np.where(stack >= 0, base + stack, -1),
    )
    for number in np.unique(group).tolist():
        said = dump.texts[number]
        own = said.split(" ", 1)[0]
        told = dump.config.get(own, dump.config.get("") if own == "0" else None)
        if isinstance(told, dict):
            groups.setdefault(said, []).extend(_ranks(told.get("ranks")))


def _last_completed(dump: _Dump, group: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each entry the last collective of its group of which torch noted that it was completed; -1 where it
    did not. Gloo's entries never change their state."""
    known = {}
    for number in np.unique(group).tolist():
        told = dump.status.get(dump.texts[number].split(" ", 1)[0])
        last = told.get("last_completed_collective") if isinstance(told, dict) else None
        known[number] = int(last) if isinstance(last, int | str) and str(last).lstrip("-").isdigit() else -1
    return np.array([known[number] for number in group.tolist()], np.int64)


def _ranks(said: object) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", said if isinstance(said, str) else str(said or ""))]


def _mapping(held: object) -> Mapping[str, Any]:
    return held if isinstance(held, dict) else {}


def _shown(*held: object) -> str:
    """Lists as one reads them; several, of inputs and outputs, with an arrow unless they are equal."""
    parts = [" ".join(_plain(one) for one in part) if isinstance(part, list | tuple) else "" for part in held]
    return " → ".join(dict.fromkeys(parts)).strip(" →")


def _plain(one: object) -> str:
    return " x ".join(map(str, one)) or "scalar" if isinstance(one, list | tuple) else str(one)
