"""Turns the output of a reader into a profile: relative times, sorted slices, derived tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived.collected import Collected
from insight_profiler.derived.columns import Columns, absent, set_rows, without_extras
from insight_profiler.derived.memory import set_owners
from insight_profiler.derived.nesting import (
    count_once,
    innermost,
    mark_repeated,
    nest,
    order_of,
    own_times,
)
from insight_profiler.derived.operators import (
    aggregate,
    join_arrows,
    launches,
    launching_rows,
    make_operators,
    set_scopes,
    split_kernels,
)
from insight_profiler.derived.step_times import divide_steps
from insight_profiler.derived.steps import inferred_steps, step_of
from insight_profiler.derived.upwards import nearest_marked, summed_upwards
from insight_profiler.derived.work import device_tracks, is_work
from insight_profiler.model import TABLES, Category, Profile, Side, Source, StepOrigin

_TIMES = {  # columns that count from the zero of the reader
    "slices": ("start",),
    "counters": ("time",),
    "arrows": ("time",),
    "steps": ("start",),
    "allocations": ("start", "end"),
    "segments": ("start", "end"),
    "annotations": ("start",),
    "collectives": ("start",),
    "links": ("start",),
}
_ALWAYS_KNOWN = {"slices", "counters", "arrows"}
_EPOCH = 10**17  # ns: times before March 1973 do not count from the epoch
_WITH_INFERRED_STEPS = {Source.MINDSPORE, Source.ASCEND, Source.MINDINSIGHT}


def derive(building: Collected, is_complete: bool) -> Profile:
    """The profile that a building holds."""
    tables = {name: building.table(name) for name in building.table_names()}
    zero, duration = _rebase(tables)
    start = building.start_ns + zero
    origin = building.step_origin
    if "slices" in tables:
        _in_order(tables)
        _nest(tables)
        if "steps" not in tables and building.source in _WITH_INFERRED_STEPS:
            origin = _infer(tables, origin)
    if "steps" in tables:
        _sort_steps(tables)
        origin = origin or StepOrigin.RECORDED
        for name in {"collectives", "links"} & tables.keys():
            _set_steps(tables[name], tables["steps"])
    if "slices" in tables:
        _relate(tables, building)
    if "counters" in tables:
        counter, time = (tables["counters"][name] for name in ("counter", "time"))
        is_next = counter[1:] > counter[:-1]
        if not (is_next | ((counter[1:] == counter[:-1]) & (time[1:] >= time[:-1]))).all():
            _reorder(tables["counters"], np.lexsort((time, counter)))
    return Profile(
        source=building.source,
        start_ns=start if start >= _EPOCH else 0,
        duration_ns=duration,
        host=building.host,
        worker=building.worker,
        rank=building.rank,
        world_size=building.world_size,
        platform=building.platform,
        step_origin=origin,
        is_complete=is_complete,
        devices=tuple(building.devices),
        tracks=tuple(building.tracks),
        counters=tuple(building.counters),
        notes=tuple(building.notes),
        facts=dict(building.facts),
        documents=dict(building.documents),
        texts=building.all_texts(),
        tables={name: without_extras(name, table) for name, table in tables.items() if name in TABLES},
    )


def _taken(table: Columns, rows: NDArray[np.int64]) -> Columns:
    return {name: column[rows] for name, column in table.items()}


def _reorder(table: Columns, rows: NDArray[np.int64]) -> None:
    """Sorts a table in place, one column after another: there are never two of a long table."""
    for name in table:
        table[name] = table[name][rows]


def _rebase(tables: dict[str, Columns]) -> tuple[int, int]:
    """Has times count from the earliest; which that was, and how long it is to the last."""
    firsts, lasts = [], []
    for table, columns in _TIMES.items():
        for column in columns if table in tables else ():
            times = tables[table][column]
            known = times if table in _ALWAYS_KNOWN else times[times != -1]
            if len(known):
                firsts.append(int(known.min()))
                lasts.append(int(known.max()))
        if table in ("slices", "steps") and table in tables:
            lengths = np.maximum(tables[table]["duration"], 0)
            ends = (tables[table]["start"] + lengths)[tables[table]["start"] != -1]
            lasts.extend([int(ends.max())] if len(ends) else [])
    if not firsts:
        return 0, 0
    zero = min(firsts)
    for table, columns in _TIMES.items():
        for column in columns if table in tables else ():
            times = tables[table][column]
            is_known = True if table in _ALWAYS_KNOWN else times != -1
            tables[table][column] = np.where(is_known, times - zero, -1)
    return zero, max(lasts) - zero


def _set_steps(table: Columns, steps: Columns) -> None:
    """The numbers of the steps in which communication began, where the log does not name them."""
    asked = np.flatnonzero((table["step"] < 0) & (table["start"] >= 0))
    rows = step_of(table["start"][asked], steps["start"], steps["duration"])
    set_rows(table, "step", asked, np.where(rows >= 0, steps["number"][rows], -1))


def _in_order(tables: dict[str, Columns]) -> None:
    slices = tables["slices"]
    order = order_of(slices["track"], slices["start"], slices["duration"])
    if not bool((np.diff(order) > 0).all()):
        _reorder(slices, order)
        if "flows" in tables:
            place = np.empty(len(order), np.int64)
            place[order] = np.arange(len(order))
            for name in ("source", "target"):
                rows = tables["flows"][name]
                tables["flows"][name] = np.where(rows >= 0, place[rows], -1)


def _nest(tables: dict[str, Columns]) -> None:
    slices = tables["slices"]
    nesting = nest(slices["track"], slices["start"], slices["duration"])
    slices["depth"], slices["parent"], slices["self"] = nesting.depth, nesting.parent, nesting.own


def _infer(tables: dict[str, Columns], origin: StepOrigin) -> StepOrigin:
    slices = tables["slices"]
    begins, durations = inferred_steps(slices["operator"], slices["start"], slices["duration"])
    if not len(begins):
        return origin
    tables["steps"] = {
        name: np.full(len(begins), absent(name, kind), kind) for name, kind in TABLES["steps"].items()
    }
    tables["steps"].update(number=np.arange(1, len(begins) + 1), start=begins, duration=durations)
    return StepOrigin.INFERRED


def _sort_steps(tables: dict[str, Columns]) -> None:
    steps = tables["steps"]
    order = np.lexsort((steps["number"], steps["start"]))
    tables["steps"] = _taken(steps, order)
    if "lanes" in tables:
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        rows = tables["lanes"]["step"]
        tables["lanes"]["step"] = np.where(rows >= 0, place[rows], -1)


def _relate(tables: dict[str, Columns], building: Collected) -> None:
    """Flows, operators, kernels, steps: all that comes of slices in order."""
    slices = tables["slices"]
    end = slices["start"] + slices["duration"]
    device_of = np.array([track.device for track in building.tracks] or [-1], np.int32)
    flows = tables.get("flows") or {name: np.empty(0, kind) for name, kind in TABLES["flows"].items()}
    if "arrows" in tables:
        arrows = tables.pop("arrows")
        ends = innermost(
            slices["track"], slices["start"], end, slices["parent"], arrows["track"], arrows["time"]
        )
        found = join_arrows(arrows, ends)
        flows = {name: np.concatenate((flows[name], found[name])) for name in flows}
    set_scopes(slices, flows, building.all_texts(), building.text)
    of_devices = device_tracks(building.tracks, building.devices)
    work = is_work(slices, of_devices)
    side = np.where(work, Side.DEVICE, Side.HOST).astype(np.uint8)
    count_once(slices, building.all_texts())
    mark_repeated(slices, building.all_texts())
    operators = make_operators(slices, side, device_of[slices["track"]], tables.get("operators"))

    is_operator = slices["operator"] >= 0
    is_runtime = slices["category"] == Category.RUNTIME
    around = nearest_marked(is_operator, slices["parent"])
    flows = launches(slices, flows, work)
    if len(flows["source"]):
        tables["flows"] = flows
    launched = launching_rows(slices, flows, work)

    if operators is not None:
        tables["operators"] = operators
        _sum_operators(slices, operators, launched, around, is_operator, is_runtime)
    if "kernels" in tables:
        launcher = _operator_at(launched, slices["operator"], around)
        kernels = split_kernels(slices, launcher, tables["kernels"])
        aggregate(kernels, slices["kernel"], slices, None)
        tables["kernels"] = kernels
    if "allocations" in tables:
        set_owners(tables["allocations"], slices, operators, building.all_texts(), building.text)
    if "steps" in tables:
        divide_steps(tables["steps"], slices, launched, building, of_devices, work)


def _operator_at(
    rows: NDArray[np.int32], operator: NDArray[np.int32], around: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The operator that a row is a call of, or else that of the innermost call around it, or -1."""
    places = np.maximum(rows, 0)
    outer = around[places]
    own = operator[places]
    found = np.where(own >= 0, own, np.where(outer >= 0, operator[np.maximum(outer, 0)], -1))
    return np.where(rows >= 0, found, -1).astype(np.int32)


def _sum_operators(
    slices: Columns,
    operators: Columns,
    launched: NDArray[np.int32],
    around: NDArray[np.int32],
    is_operator: NDArray[np.bool_],
    is_runtime: NDArray[np.bool_],
) -> None:
    # what lies between two operators (functions of Python) is time of the outer one
    counted = is_operator | is_runtime
    parent = np.where(counted, around, -1).astype(np.int32)
    aggregate(operators, slices["operator"], slices, own_times(slices["duration"], parent))

    works = np.flatnonzero(launched >= 0)
    if len(works):
        spent = np.zeros(len(launched), np.int64)
        np.add.at(spent, launched[works], slices["duration"][works])
        whole = summed_upwards(spent, slices["parent"])
        calls = np.flatnonzero(is_operator)
        for name, rows, times in (
            ("device_total", calls, whole[calls]),
            ("device_self", works, slices["duration"][works]),
        ):
            place = (
                slices["operator"][rows]
                if rows is calls
                else _operator_at(launched[rows], slices["operator"], around)
            )
            summed = np.zeros(len(operators["calls"]), np.int64)
            np.add.at(summed, place[place >= 0], times[place >= 0])
            operators[name] = np.where(operators[name] < 0, summed, operators[name])
