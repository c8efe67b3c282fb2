"""The host's own columns of the run table: how long runs took, how they ended, what users wrote."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from weakref import WeakKeyDictionary

from insight_core.formats.wall_times import latest
from insight_core.plugin import Annotations, Cell, Claim, FileName, RunColumn
from insight_core.plugin.data import DataProvider, SeriesTable

OWN = "run"  # stands for the name of a plugin
STATUS = "status"
_PATIENCE = 600.0  # seconds without a record after which a run counts as stopped, if that is more than
_SHARE = 0.05  # this share of its duration so far: who trains for days may log once an hour
_AHEAD = 86400.0  # seconds; a clock that is farther ahead tells nothing
_known: WeakKeyDictionary[DataProvider, tuple[int, Mapping[str, tuple[float, float]]]] = WeakKeyDictionary()
PRESUMED = "presumed_failure"  # by a plugin that infers it from other things than a report
_ENDS = {
    "success": "finished",
    "finished": "finished",
    "failure": "failed",
    "failed": "failed",
    PRESUMED: "failed",
}


def own_columns(
    annotations: Callable[[], Annotations], ends: Callable[[Sequence[str]], Mapping[str, str]]
) -> Sequence[RunColumn]:
    """The columns. ``ends`` is what logs say of the end of these runs, by run."""

    def status(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
        return statuses(_spans(data), ends(runs), time.time())

    def said(field: str) -> Callable[[DataProvider, Sequence[str]], Mapping[str, Cell]]:
        def values(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
            known = annotations().runs
            return {run: getattr(known[run], field) for run in runs if run in known}

        return values

    return (
        RunColumn("name", "Name", lambda _, runs: {run: run for run in runs}, {"zh-CN": "名称"}),
        RunColumn(STATUS, "Status", status, {"zh-CN": "状态"}),
        RunColumn("duration", "Duration", _durations, {"zh-CN": "时长"}, "duration"),
        RunColumn("started", "Started", _starts, {"zh-CN": "开始时间"}, "time"),
        RunColumn("updated", "Last record", _updates, {"zh-CN": "最后记录"}, "time"),
        RunColumn("mark", "Mark", said("mark"), {"zh-CN": "标记"}, "number", at_first=False),
        RunColumn("display_name", "Given name", said("display_name"), {"zh-CN": "另取的名称"}),
        RunColumn("remark", "Short note", said("remark"), {"zh-CN": "简短备注"}),
        RunColumn("note", "Note", said("note"), {"zh-CN": "备注"}),
    )


def statuses(
    spans: Mapping[str, tuple[float, float]], ends: Mapping[str, str], now: float
) -> Mapping[str, str]:
    """The status of each run: ``finished``, ``failed``, ``running`` or ``stopped``, as docs/words.md defines.

    ``spans`` are wall times of the first and last record, ``ends`` what the logs say. Without that a run is
    running while its last record is younger than ten minutes, or than 5 % of its duration so far; it has no
    status without a record with a time, or if that is more than a day ahead.
    """
    found: dict[str, str] = {}
    for run, (first, last) in spans.items():
        silence = now - last
        if silence > -_AHEAD:
            goes_on = silence < max(_PATIENCE, _SHARE * (last - first))
            found[run] = "running" if goes_on else "stopped"
    return found | {run: _ENDS[end] for run, end in ends.items() if end in _ENDS}


def _spans(data: DataProvider) -> Mapping[str, tuple[float, float]]:
    """Wall times of the first and last record, of runs with both; computed once a generation.

    Files that plugins claim beside the logs do not count: their times are those of a copy or a checkout.
    """
    generation = data.generation()
    known = _known.get(data)
    if known is None or known[0] != generation:
        known = _known[data] = generation, _spans_now(data)
    return known[1]


def _spans_now(data: DataProvider) -> dict[str, tuple[float, float]]:
    ahead = time.time() + _AHEAD
    first = {run.name: run.start_time for run in data.runs() if run.start_time is not None}
    last: dict[str, float] = {}
    for plugin in data.plugins():
        for table in data.series_tables(plugin, ["last_wall_time", "claims"]):
            if (start := first.get(table.run)) is None:
                continue
            times = _of_records(table)
            # a clock that was right at the start does not run ahead: later times are wrong
            found = latest(times, until=ahead if start <= ahead else math.inf)
            if found is not None:
                last[table.run] = max(last.get(table.run, found), found)
    return {run: (first[run], found) for run, found in last.items()}


def _of_records(table: SeriesTable) -> Sequence[float]:
    """The last wall times of the series that are not made of claimed files."""
    times = cast(Sequence[float], table.column("last_wall_time"))
    if "claims" in table.common:
        return [] if _are_files(table.common["claims"]) else times
    claims = table.column("claims")
    return [time for time, each in zip(times, claims, strict=True) if not _are_files(each)]


def _are_files(claims: object) -> bool:
    given = cast(Sequence[Claim], claims)
    return bool(given) and all(isinstance(claim, FileName) for claim in given)


def _durations(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    return {run: max(0.0, last - first) for run, (first, last) in _spans(data).items()}


def _starts(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    return {run.name: run.start_time for run in data.runs()}


def _updates(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    return {run: last for run, (_, last) in _spans(data).items()}
