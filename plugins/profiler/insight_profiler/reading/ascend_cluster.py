"""Reads what msprof-analyze found about the ranks of a job: ``cluster_analysis_output``.

| database | as text | what it has |
|---|---|---|
| ``ClusterStepTraceTime`` | ``cluster_step_trace_time.csv`` | steps of ranks (µs), without those of stages |
| ``ClusterCommunicationTime``, ``...Bandwidth`` | ``cluster_communication.json`` | collectives of each rank |
| ``ClusterCommunicationMatrix`` | ``cluster_communication_matrix.json`` | links between ranks of the job |
| ``ClusterBaseInfo``, ``HostInfo``, ``RankDeviceMap`` | | size of the job, hosts |

Times of communication are in ms but for the start (µs since the epoch), MB have 10^6 bytes. Older versions
name the tables ``ClusterCommAnalyzer...``. The database counts; of what it lacks, the text does. Source:
https://gitcode.com/Ascend/msprof-analyze (``cluster_analyse/common_func/tables_config.py``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.claims import CLUSTER_FILES
from insight_profiler.files import Files
from insight_profiler.model import StepOrigin
from insight_profiler.reading.ascend_communication import PARTS_OF_SDMA, SINGLE_CALL, SUMS
from insight_profiler.reading.ascend_steps import complete_division
from insight_profiler.reading.csv_columns import Floats, Integers, decimals, whole
from insight_profiler.reading.mindinsight_cluster import kind_of
from insight_profiler.reading.mindspore_files import ProfileParts
from insight_profiler.reading.sqlite_tables import Columns, Declared, Tables, integers, numbers, opened, texts

_DATABASE, _COMMUNICATION, _MATRIX, _STEPS = (re.escape(name) for name in CLUSTER_FILES)
_STEP_COLUMNS = {  # by those of the text, whose names the database has in small letters
    "computing": "Computing",
    "communication_not_overlapped": "Communication(Not Overlapped)",
    "overlapped": "Overlapped",
    "free": "Free",
    "stage": "Stage",
    "bubble": "Bubble",
    "collective": "Communication(Not Overlapped and Exclude Receive)",
    "preparing": "Preparing",
}
_TIMES = {
    "start": "Start Timestamp(us)",
    "elapsed": "Elapse Time(ms)",
    "transit": "Transit Time(ms)",
    "wait": "Wait Time(ms)",
}
_OPERATOR = {"step": texts("step"), "name": texts("hccl_op_name"), "group": texts("group_name")}
_RANK = {"rank": integers("rank_id")}
_MEGA, _MS = 1e6, 1_000_000
_FILLED = ("rank_steps", "collectives", "links")


def read(files: Files, building: Building) -> None:
    """Reads the analysis of a job. Raises Unreadable if no file is readable."""
    parts = ProfileParts(files, building)
    building.platform = "npu"
    failures: list[Unreadable] = []
    for name in parts.named(_DATABASE):
        try:
            with opened(files, name, building) as tables:
                _read_database(building, tables)
            parts.read.add(name)
        except Unreadable as failure:
            failures.append(failure)
    if not building.rows("rank_steps"):
        parts.attempt(_STEPS, lambda name: _read_steps(parts, name))
    if not building.rows("collectives"):
        parts.attempt(_COMMUNICATION, lambda name: _read_communication(building, parts.json(name)))
    if not building.rows("links"):
        parts.attempt(_MATRIX, lambda name: _read_matrix(building, parts.json(name)))
    if not any(map(building.rows, _FILLED)):
        if failures:
            raise failures[0]
        parts.require_something()
        names = ", ".join(sorted(parts.read))
        raise Unreadable("no_profile_rows", f"{names} has no rows of a profile", file=names)
    building.notes += [failure.note for failure in failures]


# --- the database ---------------------------------------------------------------------------------


def _read_database(building: Building, tables: Tables) -> None:
    declared: dict[str, Declared] = {
        own: numbers(re.sub(r"[^a-z]+", "_", title.lower()).strip("_"))
        for own, title in _STEP_COLUMNS.items()
    }
    named = {"step": texts("step"), "kind": texts("type"), "rank": texts("index"), "pp": integers("pp_index")}
    found = tables.table("ClusterStepTraceTime", {**named, **declared})
    times = {own: whole(found[own] * 1000) for own in declared if np.isfinite(found[own]).any()}
    _add_steps(building, found["kind"], found["rank"], found["step"], times, found["pp"])

    declared = {
        "start": numbers("start_timestamp"),
        "elapsed": numbers("elapsed_time", "elapse_time"),
        "transit": numbers("transit_time"),
        "wait": numbers("wait_time"),
    }
    found = _first(
        tables, "ClusterCommunicationTime", "ClusterCommAnalyzerTime", {**_OPERATOR, **_RANK, **declared}
    )
    sizes = _first(
        tables,
        "ClusterCommunicationBandwidth",
        "ClusterCommAnalyzerBandwidth",
        {
            **_OPERATOR,
            **_RANK,
            "transport": texts("band_type", "transport_type"),
            "size": numbers("transit_size"),
        },
    )
    _add_collectives(building, found, sizes)
    matrix = _first(
        tables,
        "ClusterCommunicationMatrix",
        "ClusterCommAnalyzerMatrix",
        {
            **_OPERATOR,
            "source": integers("src_rank"),
            "target": integers("dst_rank"),
            "transport": texts("transport_type"),
            "size": numbers("transit_size"),
            "elapsed": numbers("transit_time"),
        },
    )
    _add_links(building, matrix)
    _describe(building, tables)


def _first(tables: Tables, name: str, older: str, declared: Mapping[str, Declared]) -> Columns:
    return tables.table(name if name in tables else older, declared)


def _describe(building: Building, tables: Tables) -> None:
    """The size of the job and the hosts of its ranks."""
    info = tables.table("ClusterBaseInfo", {"key": texts("key"), "value": texts("value")})
    for key, value in zip(info["key"], info["value"], strict=True):
        if key == "distributed_args":
            with suppress(ValueError, TypeError, AttributeError):
                size = json.loads(value).get("world_size")
                building.world_size = size if type(size) is int and size > 0 else building.world_size
    hosts = tables.table("HostInfo", {"id": texts("hostUid"), "name": texts("hostName")})
    by_id = dict(zip(hosts["id"], hosts["name"], strict=True))
    devices = tables.table("RankDeviceMap", {"rank": integers("rankId"), "host": texts("hostUid")})
    for rank, host in zip(devices["rank"].tolist(), devices["host"], strict=True):
        if name := by_id.get(host):
            _fact(building, rank, "host", name)


# --- as text --------------------------------------------------------------------------------------


def _read_steps(parts: ProfileParts, name: str) -> None:
    cells = parts.cells(name)
    times = {
        own: cells.nanoseconds(title, unit="us") for own, title in _STEP_COLUMNS.items() if title in cells
    }
    stages, is_known = (
        decimals(cells.texts("PP Index"), 0) if "PP Index" in cells else (np.zeros(cells.count, int), False)
    )
    pipeline = np.where(is_known, stages, -1)
    kinds, ranks, steps = (np.array(cells.texts(title), object) for title in ("Type", "Index", "Step"))
    _add_steps(parts.building, kinds, ranks, steps, times, pipeline)


def _entries(found: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str, Mapping[str, Any]]]:
    """Step, operator, its group, rank or link, and what is said of these."""
    for steps in found.values():
        for step, operators in steps.items():
            for operator, by_key in operators.items():
                name, _, group = operator.partition("@")
                for key, info in by_key.items():
                    yield step, name, group, key, info


def _columns(rows: Sequence[Sequence[object]], **kinds: type) -> Columns:
    """Columns of rows: texts as objects, the rest as float64, NaN for what is no number."""
    found: Columns = {}
    for place, (name, kind) in enumerate(kinds.items()):
        column = np.empty(len(rows), object if kind is str else np.float64)
        column[:] = [
            row[place] if kind is str or isinstance(row[place], (int, float)) else np.nan for row in rows
        ]
        found[name] = column
    return found


def _read_communication(building: Building, found: Mapping[str, Any]) -> None:
    times, sizes = [], []
    for step, name, group, rank, info in _entries(found):
        if not rank.isdecimal():
            continue
        told = info.get("Communication Time Info") or {}
        times.append((step, name, group, int(rank), *(told.get(title) for title in _TIMES.values())))
        for transport, link in (info.get("Communication Bandwidth Info") or {}).items():
            sizes.append((step, name, group, int(rank), transport, link.get("Transit Size(MB)")))
    place: dict[str, type] = {"step": str, "name": str, "group": str, "rank": int}
    _add_collectives(
        building,
        _columns(times, **place, **dict.fromkeys(_TIMES, float)),
        _columns(sizes, **place, transport=str, size=float),
    )


def _read_matrix(building: Building, found: Mapping[str, Any]) -> None:
    rows = []
    for step, name, group, ends, link in _entries(found):
        source, _, target = ends.partition("-")
        if source.isdecimal() and target.isdecimal():
            kind = str(link.get("Transport Type") or "")
            spent, size = link.get("Transit Time(ms)"), link.get("Transit Size(MB)")
            rows.append((step, name, group, int(source), int(target), kind, size, spent))
    kinds: dict[str, type] = {"step": str, "name": str, "group": str, "source": int, "target": int}
    _add_links(building, _columns(rows, **kinds, transport=str, size=float, elapsed=float))


# --- both -----------------------------------------------------------------------------------------


def _fact(building: Building, rank: int, name: str, value: object) -> None:
    building.documents.setdefault("ranks", {}).setdefault(str(rank), {})[name] = value


def _numbers_of(steps: NDArray[Any]) -> Integers:
    """Steps by their texts, ``step12`` or ``12``; of texts without a number by the order of these."""
    distinct, rows = np.unique(steps.astype(str), return_inverse=True)
    found = [re.search(r"\d+", text) for text in distinct.tolist()]
    known = [int(one[0][:18]) if one else -1 for one in found]
    return np.array(known, np.int64)[rows] if len(steps) else np.empty(0, np.int64)


def _add_steps(
    building: Building,
    kinds: NDArray[Any],
    ranks: NDArray[Any],
    steps: NDArray[Any],
    times: Mapping[str, Integers],
    pipeline: NDArray[Any],
) -> None:
    """Table ``rank_steps``, and as ``steps`` those of the job: of each the rank that took longest."""
    rows = np.flatnonzero((kinds == "rank") & np.array([text.isdecimal() for text in ranks], bool))
    if not len(rows):
        return
    columns = {name: column[rows] for name, column in times.items()}
    rank = np.array([int(text) for text in ranks[rows]], np.int64)
    number = np.maximum(_numbers_of(steps[rows]), 0)  # of one step, which msprof does not number
    duration = complete_division(columns, len(rows))
    building.add("rank_steps", rank=rank, number=number, duration=duration, **columns)
    order = np.lexsort((rank, -duration, number))
    longest = order[np.unique(number[order], return_index=True)[1]]
    told = {name: column[longest] for name, column in columns.items()}
    building.add("steps", number=number[longest], duration=duration[longest], **told)
    building.step_origin = StepOrigin.RECORDED
    distinct, firsts = np.unique(rank, return_index=True)
    if len(set(pipeline[rows][firsts].tolist())) > 1:
        for one, stage in zip(distinct.tolist(), pipeline[rows][firsts].tolist(), strict=True):
            if stage >= 0:
                _fact(building, one, "stage", stage)


def _are_operators(names: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([not name.startswith(SUMS) for name in names], bool)


def _microseconds(column: Floats) -> Integers:
    """Times since the epoch in ns: as floats they have the digits of µs only."""
    known = np.where(column > 0, column, 0.0)
    return np.where(known > 0, whole(np.floor(known)) * 1000 + whole(known % 1 * 1000), -1)


def _milliseconds(column: Floats) -> Integers:
    return np.where(np.isfinite(column) & (column >= 0), whole(np.nan_to_num(column) * _MS), -1)


def _add_collectives(building: Building, found: Columns, sizes: Columns) -> None:
    """Table ``collectives``, whose rows name their rank."""
    rows = np.flatnonzero(_are_operators(found["name"]))
    if not len(rows):
        return
    building.add(
        "collectives",
        step=_numbers_of(found["step"][rows]),
        rank=whole(found["rank"][rows].astype(np.float64)),
        name=building.texts(found["name"][rows]),
        kind=building.texts(map(kind_of, found["name"][rows])),
        start=_microseconds(found["start"][rows]),
        bytes=_bytes_of(found, sizes)[rows],
        **{name: _milliseconds(found[name][rows]) for name in ("elapsed", "transit", "wait")},
    )


def _bytes_of(found: Columns, sizes: Columns) -> Floats:
    """What each collective sent over all transports; NaN if no size is known. ``SDMA`` is the sum of some of
    the others, and a transport has a row for each size of packets that says its sum."""
    keys = ("step", "name", "group", "rank")
    place = {key: row for row, key in enumerate(zip(*(found[name].tolist() for name in keys), strict=True))}
    row = np.array(
        [place.get(key, -1) for key in zip(*(sizes[name].tolist() for name in keys), strict=True)], np.int64
    )
    used = np.flatnonzero((row >= 0) & np.isfinite(sizes["size"])) if len(row) else row
    if not len(used):
        return np.full(len(found["name"]), np.nan)
    transports, kind = np.unique(sizes["transport"][used].astype(str), return_inverse=True)
    table = np.full((len(found["name"]), len(transports)), np.nan)
    table[row[used], kind] = sizes["size"][used]
    is_part, is_sum = np.isin(transports, PARTS_OF_SDMA), transports == "SDMA"
    parts, sums = np.nansum(table[:, is_part], axis=1), np.nansum(table[:, is_sum], axis=1)
    whole_size = np.maximum(parts, sums) + np.nansum(table[:, ~(is_part | is_sum)], axis=1)
    return np.where(np.isfinite(table).any(axis=1), whole_size * _MEGA, np.nan)


def _add_links(building: Building, found: Columns) -> None:
    """Table ``links``, by ranks of the job. Single calls are in the total of their operator where there is
    one."""
    names, groups = found["name"], found["group"]
    totals = set(zip(found["step"].tolist(), groups.tolist(), names.tolist(), strict=True))
    kept = _are_operators(names)
    for row in np.flatnonzero(kept).tolist():
        call = SINGLE_CALL.fullmatch(names[row])
        kept[row] = not call or (found["step"][row], groups[row], f"{call['operator']}-total") not in totals
    rows = np.flatnonzero(kept)
    if not len(rows):
        return
    elapsed, size = _milliseconds(found["elapsed"][rows]), found["size"][rows] * _MEGA
    speed = np.full(len(rows), np.nan)
    building.add(
        "links",
        step=_numbers_of(found["step"][rows]),
        source=whole(found["source"][rows].astype(np.float64)),
        target=whole(found["target"][rows].astype(np.float64)),
        kind=building.texts(found["transport"][rows]),
        elapsed=elapsed,
        bytes=size,
        bandwidth=np.divide(size * 1e9, elapsed, out=speed, where=elapsed > 0),
    )
