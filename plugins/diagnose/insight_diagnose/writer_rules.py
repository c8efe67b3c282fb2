"""Rules about who wrote a run, and when: several writers at once, restarts, and pauses."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns
from insight_core.plugin.findings import Examined, Finding
from insight_diagnose.examined_curves import busiest, found_in, lines_at_once

_TAGS = 4  # series with most points, of which each is looked at
_PAUSE = 1800.0  # seconds
_USUAL = 10.0  # times the longest usual distance between points
_KEPT = 60.0  # seconds: a walk over all files is not made for each run
_Files = dict[str, list[tuple[int, str]]]
_WALKED: WeakKeyDictionary[DataProvider, tuple[float, _Files]] = WeakKeyDictionary()
_WALKING = Lock()
# the host, then in most cases the process and a number of the file, and a suffix
_FILE = re.compile(r"tfevents\.(\d{9,11})\.(?:([^/]+)\.\d+\.\d+(?:\D[^/]*)?|([^/]+?)(?:\.\d+)*(?:\.v2)?)$")
_WRITERS = ReasonKind(
    "diagnose_two_writers",
    "{writers} processes{names} write {tag} at the same time since step {step}: their {points} points are "
    "drawn as one line, and none is hidden",
)
_RESTARTED = ReasonKind(
    "diagnose_restarted",
    "written again from step {step} on, at {time}{names}; earlier points that are hidden: {hidden}",
)
_RESTARTED_OFTEN = ReasonKind(
    "diagnose_restarted_often",
    "written again {count} times, the last time from step {step} on, at {time}{names}; earlier points that "
    "are hidden: {hidden}",
)
_PURGED = ReasonKind(
    "diagnose_purged",
    "a session began at step {step}, at {time}{names}; earlier points that it purged: {hidden}",
)
_PAUSED = ReasonKind(
    "diagnose_paused", "nothing was written for {hours:g} hours after step {step}, from {begin} to {end}"
)


def one_process_writes(examined: Examined) -> Iterator[Finding]:
    """Several processes that log into the directory of one run at the same time."""
    for key in busiest(examined, _TAGS):
        columns = examined.read(key)
        mixed = [] if columns is None else lines_at_once(examined, key, columns)
        if not mixed:
            continue
        step = int(mixed[1].steps[0])  # of the second one that began
        names = sorted({name for line in mixed for name in _hosts(examined, float(line.wall_times[0]))})
        yield found_in(
            key,
            "warning",
            _WRITERS(
                writers=_most_at_once(mixed),
                tag=key.tag,
                step=step,
                points=sum(len(line.steps) for line in mixed),
                names=_listed(names),
            ),
            Reason(
                "give each process a directory of its own, or log from one of the ranks only; end a process "
                "that was left over",
                "diagnose_two_writers_change",
            ),
            (step, max(int(line.steps[-1]) for line in mixed)),
        )
        return


def run_was_restarted(examined: Examined) -> Iterator[Finding]:
    """Points that a restart overwrote or a session purged: from which step on, when, and by whom."""
    for key in busiest(examined, _TAGS):
        columns = examined.read(key)
        if columns is None or not len(columns.restarts) or not columns.hidden:
            continue
        count, step = len(columns.restarts), int(columns.restarts[-1])
        place = int(np.searchsorted(columns.steps, step))
        if place == len(columns.steps):
            continue
        at = float(columns.wall_times[place])
        names, hidden = _listed(_hosts(examined, at)), columns.hidden
        details = {"step": step, "time": _clock(at), "names": names, "hidden": hidden}
        if columns.purged == columns.hidden:
            saw = _PURGED(**details)
        elif count > 1:
            saw = _RESTARTED_OFTEN(**details, count=count)
        else:
            saw = _RESTARTED(**details)
        yield found_in(
            key,
            "hint",
            saw,
            Reason(
                "if it was not on purpose, look why the process ended; write checkpoints more often, so that "
                "less is lost",
                "diagnose_restarted_change",
            ),
            (step, int(columns.steps[-1])),
        )
        return


def run_was_interrupted(examined: Examined) -> Iterator[Finding]:
    """A long pause between two points, far longer than pauses of this run usually are."""
    for key in busiest(examined, 1):
        columns = examined.read(key)
        if columns is None or len(columns.steps) < 20 or (np.diff(columns.wall_times) < 0).any():
            continue
        pauses = np.diff(columns.wall_times)
        pauses[np.isin(columns.steps[1:], columns.restarts)] = 0  # hidden points were written in between
        place = int(np.nanargmax(pauses)) if np.isfinite(pauses).any() else 0
        pause = float(pauses[place])
        usual = np.partition(pauses, -4)[-4:-1].max() if len(pauses) < 200 else np.quantile(pauses, 0.98)
        if not (pause >= _PAUSE and pause > _USUAL * usual):
            continue
        step, end = int(columns.steps[place]), int(columns.steps[place + 1])
        begin, again = columns.wall_times[place : place + 2].tolist()
        yield found_in(
            key,
            "hint",
            _PAUSED(hours=float(f"{pause / 3600:.2g}"), step=step, begin=_clock(begin), end=_clock(again)),
            Reason(
                "look whether the process was ended and queued again, or waited: for data, for other ranks, "
                "or for a debugger",
                "diagnose_paused_change",
            ),
            (step, end),
        )


def _most_at_once(lines: Sequence[ScalarColumns]) -> int:
    """Returns the largest number of lines that are written at one time."""
    moments = [float(line.wall_times.min()) for line in lines]
    return max(
        sum(bool(line.wall_times.min() <= moment < line.wall_times.max()) for line in lines)
        for moment in moments
    )


def _clock(wall_time: float) -> str:
    """A wall time for people, in UTC."""
    try:
        return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(wall_time))
    except (ValueError, OverflowError, OSError):
        return "?"


def _hosts(examined: Examined, wall_time: float) -> list[str]:
    """The machine whose event file began last before a time, by the name of the file; none if not known."""
    files = _files_of(examined.ctx.data, wall_time).get(examined.run, ())
    found = [one for one in files if one[0] <= wall_time + 1]
    return [max(found)[1]] if found else []


def _files_of(data: DataProvider, wall_time: float) -> Mapping[str, Sequence[tuple[int, str]]]:
    """When each event file of each run began, and on which machine, by their names.

    A walk over all files, of which there may be very many, serves questions about wall times before it, and
    all questions for a minute.
    """
    with _WALKING:  # others wait for a walk that is under way
        now = time.time()
        walked, files = _WALKED.get(data, (0.0, _Files()))
        if walked > wall_time + _KEPT or 0 <= now - walked < _KEPT:
            return files
        files = _Files()
        for file in data.run_files() or ():
            if (named := _FILE.search(file.path)) is not None:
                files.setdefault(file.run, []).append((int(named[1]), named[2] or named[3]))
        _WALKED[data] = now, files
        return files


def _listed(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
