"""Reads databases of Ascend profilers: of torch_npu, MindSpore (``ascend_*_profiler_{rank}.db``) and msprof.

| table | what it has |
|---|---|
| ``TASK``, ``COMPUTE_TASK_INFO``, ``COMMUNICATION_*`` | the work of devices (``ascend_database_device.py``) |
| ``CANN_API``, ``PYTORCH_API``, ``MSTX_EVENTS`` | calls on the host (``ascend_database_host.py``) |
| ``STEP_TIME``, ``OP_MEMORY``, ``MEMORY_RECORD`` | steps; memory |
| ``StepTraceTime``, ``CommAnalyzer*`` of ``analysis.db`` | as step_trace_time.csv and communication*.json |

Texts are numbers of STRING_IDS, times ns since the epoch, sizes bytes; ``analysis.db`` has the units of the
text export. Source:
https://gitcode.com/Ascend/msprof/blob/master/docs/en/user_guide/profile_data_file_references_db.md
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from insight_profiler.building import Building, Unreadable
from insight_profiler.model import Counter
from insight_profiler.reading.ascend_communication import add_collectives, add_links
from insight_profiler.reading.ascend_database_device import DeviceTables
from insight_profiler.reading.ascend_database_host import HostTables
from insight_profiler.reading.ascend_steps import add_divided_steps
from insight_profiler.reading.ascend_timeline import Steps
from insight_profiler.reading.csv_columns import Integers, whole
from insight_profiler.reading.database_rows import DatabaseTracks, timed
from insight_profiler.reading.mindspore_files import ProfileParts
from insight_profiler.reading.sqlite_tables import Tables, integers, numbers, opened, texts

_RECORDS = r"ascend_(?:pytorch|mindspore)_profiler(?:_\d+)?\.db"
_MSPROF = r"msprof_[^/]*\.db"
_ANALYSIS = r"(?:analysis|communication_analyzer)\.db"
DATABASES = f"(?:{_RECORDS}|{_MSPROF}|{_ANALYSIS})"
_RANK = re.compile(r"_profiler_(\d+)\.db$")
_FILLED = ("slices", "allocations", "counters", "steps", "collectives", "links")
_LABELS = ("Allocated", "Reserved", "Active")
# columns of steps by those of StepTraceTime, in µs whatever the documentation says (torch_npu writes them so)
_STEP_COLUMNS = {
    "computing": "computing",
    "communication_not_overlapped": "communication_not_overlapped",
    "overlapped": "overlapped",
    "free": "free",
    "stage": "stage",
    "bubble": "bubble",
    "collective": "communication_not_overlapped_and_exclude_receive",
    "preparing": "preparing",
}
_OPERATOR = {
    "step": texts("step"),
    "type": texts("type"),
    "name": texts("hccl_op_name"),
    "group": texts("group_name"),
}


def read_databases(parts: ProfileParts, device: int) -> Steps:
    """Adds what the databases of a profile have; the steps that they mark, without what divides them. What
    cannot be read is noted, and raised as Unreadable if there is nothing else."""
    steps = Steps()
    failures: list[Unreadable] = []
    divided: list[bool] = []

    def records(tables: Tables) -> None:
        _read_records(parts.building, tables, device, steps)

    def analysis(tables: Tables) -> None:
        divided.append(_read_analysis(parts.building, tables, steps))

    for name in parts.named(_RECORDS) or parts.named(_MSPROF):
        _attempt(parts, name, records, failures)
    for name in parts.named(_ANALYSIS):
        _attempt(parts, name, analysis, failures)
    if failures and not parts.read:
        raise failures[0]
    for failure in failures:
        parts.building.notes.append(failure.note)
    return Steps() if any(divided) else steps


def set_rank(parts: ProfileParts) -> None:
    """The rank that the name of a database says, where nothing else does."""
    for name in parts.named(_RECORDS):
        if parts.building.rank < 0 and (named := _RANK.search(name)):
            parts.building.rank = int(named[1])


def _attempt(
    parts: ProfileParts, name: str, read: Callable[[Tables], object], failures: list[Unreadable]
) -> None:
    building = parts.building
    before = sum(map(building.rows, _FILLED))
    try:
        with opened(parts.files, name, building) as tables:
            read(tables)
            if sum(map(building.rows, _FILLED)) == before:
                text = f"{name} has no rows of a profile"
                raise Unreadable("no_profile_rows", text, file=name)
        parts.read.add(name)
    except Unreadable as failure:
        failures.append(failure)
    except OSError as error:
        text = f"{name} cannot be read: {error}"
        building.note("file_unreadable", text, file=name, reason=str(error))
    building.reached()


def _read_records(building: Building, tables: Tables, device: int, steps: Steps) -> None:
    _describe(building, tables)
    text = tables.texts_by_id("STRING_IDS")
    tracks = DatabaseTracks(building)
    work = DeviceTables(tables, text, tracks, device)
    work.read()
    host = HostTables(tables, text, tracks, work.launched)
    host.read()
    steps.spans.update(host.steps)
    found = timed(
        tables.table(
            "STEP_TIME", {"start": integers("startNs"), "end": integers("endNs"), "number": integers("id")}
        )
    )
    for number, start, end in zip(*(found[one].tolist() for one in ("number", "start", "end")), strict=True):
        steps.spans[number] = start, end - start
    _read_memory(building, tables, work)


def _describe(building: Building, tables: Tables) -> None:
    host = tables.table("HOST_INFO", {"name": texts("hostName")})["name"]
    building.host = building.host or str(next(iter(host), ""))
    versions = tables.table("META_DATA", {"name": texts("name"), "value": texts("value")})
    for name, value in zip(versions["name"], versions["value"], strict=True):
        if name == "SCHEMA_VERSION":
            building.facts["schema_version"] = value


def _read_memory(building: Building, tables: Tables, work: DeviceTables) -> None:
    declared = {
        "name": integers("name"),
        "size": integers("size"),
        "start": integers("allocationTime"),
        "end": integers("releaseTime"),
        "device": integers("deviceId"),
    }
    for chunk in tables.chunks("OP_MEMORY", declared):
        taken = (chunk["size"] > 0) & (chunk["start"] > 0)  # what is only freed was taken before
        building.add(
            "allocations",
            name=work.texts.places(chunk["name"][taken]),
            device=work.devices_of(chunk["device"][taken]),
            bytes=chunk["size"][taken],
            start=chunk["start"][taken],
            end=np.where(chunk["end"] > 0, chunk["end"], -1)[taken],
        )
    declared = {
        "component": integers("component"),
        "time": integers("timestamp"),
        "device": integers("deviceId"),
        **{label: integers(f"total{label}") for label in _LABELS},
    }
    counters: dict[str, int] = {}
    for chunk in tables.chunks("MEMORY_RECORD", declared):
        device = work.devices_of(chunk["device"])
        for label in _LABELS:
            for number in np.unique(chunk["component"]).tolist():
                component = work.texts.of(number)
                rows = (chunk["component"] == number) & (chunk["time"] > 0) & (chunk[label] >= 0)
                if not rows.any():
                    continue
                shown = f"{label.lower()} ({component})" if component else label.lower()
                if shown not in counters:
                    counters[shown] = building.counter(
                        Counter(shown, "memory", "bytes", int(device[rows][0]))
                    )
                building.add(
                    "counters",
                    counter=np.full(int(rows.sum()), counters[shown]),
                    time=chunk["time"][rows],
                    value=chunk[label][rows],
                )


# --- analysis.db ----------------------------------------------------------------------------------


def _read_analysis(building: Building, tables: Tables, marked: Steps) -> bool:
    """Whether it divides steps, which are added then."""
    add_collectives(building, _collectives(tables))
    add_links(building, _links(tables))
    declared = {own: numbers(theirs) for own, theirs in _STEP_COLUMNS.items()}
    found = tables.table("StepTraceTime", {"step": texts("step"), "device": integers("deviceId"), **declared})
    rows = (
        np.flatnonzero(found["device"] == found["device"][0]) if len(found["step"]) else np.empty(0, np.int64)
    )
    if not len(rows):
        return False
    steps = [str(found["step"][row]).partition(".")[0] for row in rows.tolist()]
    count = [int(step) if step.isdecimal() else place for place, step in enumerate(steps)]
    columns: dict[str, Integers] = {
        own: whole(found[own][rows] * 1000) for own in declared if np.isfinite(found[own][rows]).any()
    }
    add_divided_steps(building, count, columns, marked)
    return True


def _nested(found: Mapping[str, Any], row: int) -> tuple[str, str, str]:
    group = str(found["group"][row])
    name = str(found["name"][row])
    return str(found["step"][row]) or "step", str(found["type"][row]), f"{name}@{group}" if group else name


def _collectives(tables: Tables) -> dict[str, Any]:
    """As communication.json has it."""
    times = {"Start Timestamp(us)": texts("start_timestamp")}
    times |= {f"{title} Time(ms)": texts(f"{title.lower()}_time") for title in ("Elapse", "Transit", "Wait")}
    found: dict[str, Any] = {}
    rows = tables.table("CommAnalyzerTime", {**_OPERATOR, **times})
    for row in range(len(rows["name"])):
        step, kind, name = _nested(rows, row)
        entry = {title: rows[title][row] for title in times}
        found.setdefault(step, {}).setdefault(kind or "collective", {})[name] = {
            "Communication Time Info": entry,
            "Communication Bandwidth Info": {},
        }
    declared = {**_OPERATOR, "transport": texts("transport_type"), "size": numbers("transit_size")}
    rows = tables.table("CommAnalyzerBandwidth", declared)
    for row in range(len(rows["name"])):
        step, kind, name = _nested(rows, row)
        entry = found.get(step, {}).get(kind or "collective", {}).get(name)
        if entry is not None and np.isfinite(rows["size"][row]):
            sizes = entry["Communication Bandwidth Info"]
            # a row for each size of packets, which say the sum of the transport each
            sizes[str(rows["transport"][row])] = {"Transit Size(MB)": float(rows["size"][row])}
    return found


def _links(tables: Tables) -> dict[str, Any]:
    """As communication_matrix.json has it."""
    declared = {
        **_OPERATOR,
        "source": texts("src_rank"),
        "target": texts("dst_rank"),
        "transport": texts("transport_type"),
        "size": numbers("transit_size"),
        "time": texts("transit_time"),
    }
    rows = tables.table("CommAnalyzerMatrix", declared)
    found: dict[str, Any] = {}
    for row in range(len(rows["name"])):
        step, kind, name = _nested(rows, row)
        ends = f"{rows['source'][row]}-{rows['target'][row]}"
        found.setdefault(step, {}).setdefault(kind or "collective", {}).setdefault(name, {})[ends] = {
            "Transport Type": rows["transport"][row],
            "Transit Time(ms)": rows["time"][row],
            "Transit Size(MB)": float(rows["size"][row]),
        }
    return found
