"""Which runs failed by the ends of their console logs; what was read of a log is kept until it changes."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from threading import Lock
from weakref import WeakKeyDictionary

from attrs import evolve, frozen

from insight_console.endings import READ, LogEnding, ending_of, last_lines
from insight_console.source import ConsoleFile, OpenLog, log_files
from insight_core.plugin import Cell, FileName, InsightError, PluginContext, RunColumn
from insight_core.plugin.data import SeriesKey

_TOGETHER = 120.0  # seconds between the last changes of logs of one start
_SLACK = 60.0  # seconds by which times of files and of records may differ
_MOST_FILES = 64  # of a run that are looked at: those of the ranks of a node
_SECONDS = 2.0  # for an answer of the run table: the host waits five, and asks again when the logs change
_ATTEMPT = re.compile(r"(?:^|/)attempt_(\d+)/")
_FAILURE = RunColumn("failure", "Failure", titles={"zh-CN": "失败原因"}, order=-1)
_STATUS = RunColumn("status", "Status by console", titles={"zh-CN": "控制台状态"}, at_first=False)
_ONE_FAILED = 0.5  # seconds that it may take to see whether a run failed, so that the table begins with why


@frozen
class RunFailure:
    """The log that says why a run failed, the ending that it has, and its last lines."""

    file: ConsoleFile
    ending: LogEnding
    lines: Sequence[str]


class _Known:
    """What is known of logs and of the runs that they say failed."""

    def __init__(self) -> None:
        self.lock = Lock()
        # by run and tag: size and time of the log, and how it ends
        self.by_key: dict[SeriesKey, tuple[int, float, LogEnding | None, Sequence[str]]] = {}
        # by run: generation of the data and time of the log, and whether the run went on after it
        self.gone_on: dict[str, tuple[int, float, bool]] = {}


_lock = Lock()
_by_context: WeakKeyDictionary[PluginContext, _Known] = WeakKeyDictionary()


def failures(
    ctx: PluginContext, runs: Collection[str] | None = None, seconds: float = math.inf
) -> Mapping[str, RunFailure]:
    """The runs of these, or of all, that failed and did not go on; those that are looked at in time."""
    ends = time.monotonic() + seconds
    with _lock:
        known = _by_context.setdefault(ctx, _Known())
    by_run: dict[str, list[ConsoleFile]] = {}
    for file in log_files(ctx, runs):
        by_run.setdefault(file.run, []).append(file)
    found: dict[str, RunFailure] = {}
    for run, files in by_run.items():
        if time.monotonic() > ends:
            break
        said = [one for file in _of_last_start(files) if (one := _said(ctx, known, file)) is not None]
        if said:
            found[run] = min(said, key=lambda one: (one.ending.rank, one.file.changed))
    gone_on = _gone_on(ctx, known, found)
    return {run: failure for run, failure in found.items() if run not in gone_on}


def _of_last_start(files: Sequence[ConsoleFile]) -> Sequence[ConsoleFile]:
    """Of the logs of a run, newest first, those that changed last together, of torchrun's last attempt."""
    attempts = [int(found[1]) if (found := _ATTEMPT.search(file.tag)) else None for file in files]
    last = max((one for one in attempts if one is not None), default=None)
    return [
        file
        for file, attempt in zip(files, attempts, strict=True)
        if attempt in (None, last) and file.changed >= files[0].changed - _TOGETHER
    ][:_MOST_FILES]


def _said(ctx: PluginContext, known: _Known, file: ConsoleFile) -> RunFailure | None:
    before = known.by_key.get(file.key)
    if before is None or before[:2] != (file.size, file.changed):
        try:
            with OpenLog(ctx, file.key) as log:
                offset = max(0, log.size - READ)
                tail = log.read(offset, READ)
        except (InsightError, OSError):  # gone, replaced meanwhile, or away: it is looked at again
            return None
        ending = ending_of(tail, offset)
        lines = last_lines(tail) if ending is not None else []
        before = file.size, file.changed, ending, lines
        with known.lock:
            known.by_key[file.key] = before
    return None if before[2] is None else RunFailure(file, before[2], before[3])


def _gone_on(ctx: PluginContext, known: _Known, found: Mapping[str, RunFailure]) -> set[str]:
    """Runs that recorded something after the end of the log that says that they failed.

    The series of a run are looked through once a generation: the page asks with each start of it, for all
    runs, more than once.
    """
    ended = {run: (ctx.data.generation(), failure.file.changed) for run, failure in found.items()}
    new = {run: at for run, at in ended.items() if known.gone_on.get(run, ())[:2] != at}
    gone_on = _recorded_after(ctx, {run: changed + _SLACK for run, (_, changed) in new.items()})
    with known.lock:
        known.gone_on.update({run: (*at, run in gone_on) for run, at in new.items()})
        return {run for run in found if known.gone_on[run][2]}


def _recorded_after(ctx: PluginContext, ends: Mapping[str, float]) -> set[str]:
    """The runs that recorded something after these wall times."""
    gone_on: set[str] = set()
    for plugin in ctx.data.plugins():
        runs = [run for run in ends if run not in gone_on]
        if plugin == ctx.name or not runs:
            continue
        for table in ctx.data.series_tables(plugin, ["last_wall_time", "claims"], runs=runs):
            times: Iterable[float] = table.column("last_wall_time")  # type: ignore[assignment]
            claims: Iterable[Sequence[object]] = table.column("claims")  # type: ignore[assignment]
            for last, each in zip(times, claims, strict=True):
                if last > ends[table.run] and not all(isinstance(claim, FileName) for claim in each):
                    gone_on.add(table.run)
                    break
    return gone_on


def columns(ctx: PluginContext) -> Sequence[RunColumn]:
    """``failure``, why a run failed and its last lines, and ``status``, where there are console logs."""
    if ctx.name not in ctx.data.plugins():
        return ()
    return evolve(_FAILURE, at_first=bool(failures(ctx, seconds=_ONE_FAILED))), _STATUS


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of the runs that failed, as far as they are known within two seconds."""
    found = failures(ctx, runs, _SECONDS)
    return {
        "failure": {run: "\n".join([one.ending.said, "", *one.lines]) for run, one in found.items()},
        "status": dict.fromkeys(found, "presumed_failure"),
    }
