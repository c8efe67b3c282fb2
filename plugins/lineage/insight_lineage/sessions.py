"""The hparams of all runs: metrics of a session, and the cells of its row."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence

from attrs import define, field

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import SeriesInfo
from insight_lineage.hparams import (
    END_TAG,
    EXPERIMENT_TAG,
    START_TAG,
    STATUSES,
    Metric,
    Session,
    metrics_of,
    session_of,
    status_of,
)
from insight_lineage.mindspore import Cell, Cells
from insight_lineage.names import hyperparameter
from insight_lineage.scalars import Scalars
from insight_lineage.table import Problem

_OF_FILE = f"{START_TAG}/"  # what a log format read; the rest of the tag is the file
_DIFFERS = ReasonKind("lineage_differs", "{name} is {value} in {file}, but {other} in {before}, which counts")
_LONGEST = 60  # characters of a value in a text
_OF_THE_MACHINE = "system/"  # tags of its load, which insight-record samples


@define(eq=False)
class _Written:
    """What one run has of hparams, and what of it could not be read."""

    metrics: Sequence[Metric] | None = None  # of its experiment
    session: Session | None = None
    status: str | None = None
    problems: list[Problem] = field(factory=list)


@define(eq=False)
class Sessions:
    """Not for several threads at once."""

    _written: dict[str, _Written] = field(factory=dict)
    _readers: dict[str, set[str]] = field(factory=dict)  # sessions whose metrics lie in a run, by run

    def forget(self) -> None:
        """Drops everything read so far."""
        self._written.clear()
        self._readers.clear()

    def take(self, run: str, infos: Iterable[SeriesInfo]) -> bool:
        """What a run has now; whether metrics of other runs may have changed by it."""
        before = self._written.pop(run, _Written())
        now = _Written()
        started = ended = -math.inf  # seconds since the epoch
        files: dict[str, Session] = {}  # of settings and logs next to the event files, by their names
        for info in infos:
            try:
                if info.key.tag == EXPERIMENT_TAG:
                    now.metrics = metrics_of(info.content)
                elif info.key.tag == START_TAG:
                    now.session, started = session_of(info.content), info.last_wall_time
                elif info.key.tag.startswith(_OF_FILE):
                    files[info.key.tag.removeprefix(_OF_FILE)] = session_of(info.content)
                elif info.key.tag == END_TAG:
                    now.status, ended = status_of(info.content), info.last_wall_time
            except ValueError as error:
                now.problems.append(Problem(run, info.key.tag, Reason.of(error)))
        if ended < started:  # an earlier session of the run
            now.status = None
        if files:
            now.session = _joined(now, files, run)
        if now.metrics is not None or now.session is not None or now.problems:
            self._written[run] = now
        return before.metrics != now.metrics

    def all(self) -> list[str]:
        """Names of runs that have a session."""
        return [run for run, written in self._written.items() if written.session is not None]

    def reading(self, runs: Iterable[str]) -> set[str]:
        """The sessions with metrics in these runs."""
        return {session for run in runs for session in self._readers.get(run, ())}

    def around(self, runs: Collection[str]) -> set[str]:
        """The sessions that these runs are within, or that have metrics in them."""
        found = self.reading(runs)
        for run in runs:
            while run != ".":
                run = posixpath.dirname(run) or "."
                if run in self._written and self._written[run].session is not None:
                    found.add(run)
        return found

    def problems(self) -> list[Problem]:
        """Records that could not be read."""
        return [problem for written in self._written.values() for problem in written.problems]

    def cells(self, run: str, scalars: Scalars, below: Callable[[str], Sequence[str]]) -> Cells:
        """The cells of a session; ``below`` lists the runs within a run, itself first."""
        written = self._written.get(run)
        if written is None or written.session is None:
            return {}
        session = written.session
        cells: Cells = {
            "source": "hparams",
            "status": written.status or STATUSES[0],
            "session_group": session.group or run,
            "session": run,
        }
        cells.update((hyperparameter(name), value) for name, value in session.hparams.items())
        metrics = self._metrics(run)
        if metrics is None:  # no experiment says which: all scalars that are not of the machine
            metrics = [
                Metric("" if inner == run else posixpath.relpath(inner, run), tag)
                for inner in below(run)
                for tag in scalars.tags_of(inner)
                if not tag.startswith(_OF_THE_MACHINE)
            ]
            self._read_by(run, below(run))
        scalars.load(metric.tag for metric in metrics)
        for metric in metrics:
            place = metric.run(run)
            self._read_by(run, [place])
            value = scalars.last(place, metric.tag)
            if value is not None:
                cells[_free(metric.column, cells)] = value
        return cells

    def _read_by(self, session: str, runs: Iterable[str]) -> None:
        for run in runs:
            self._readers.setdefault(run, set()).add(session)

    def _metrics(self, run: str) -> Sequence[Metric] | None:
        """Of the experiment of the run, else of the nearest run above it that has one."""
        place = run
        while True:
            written = self._written.get(place)
            if written is not None and written.metrics is not None:
                return written.metrics
            if place == ".":
                return None
            place = posixpath.dirname(place) or "."


def _joined(written: _Written, files: Mapping[str, Session], run: str) -> Session:
    """The hyperparameters of a run from all its files. The log of the run goes before files next to it; a
    value that differs is a problem."""
    first = written.session
    hparams: dict[str, Cell] = {} if first is None else dict(first.hparams)
    origins = dict.fromkeys(hparams, "*tfevents*")
    # what a user gave this training goes before config.json, which may be that of a model
    for file in sorted(files, key=lambda name: (posixpath.basename(name).startswith("config"), name)):
        for name, value in files[file].hparams.items():
            if name not in hparams:
                hparams[name], origins[name] = value, file
            elif str(hparams[name]) != str(value):
                other, before = hparams[name], origins[name]
                told = {"value": str(value)[:_LONGEST], "other": str(other)[:_LONGEST]}
                written.problems.append(
                    Problem(run, _OF_FILE + file, _DIFFERS(name=name, file=file, before=before, **told))
                )
    return Session(hparams, "" if first is None else first.group)


def _free(name: str, taken: Container[str]) -> str:
    """The name, or with a number where another group and tag have made the same of it."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}#{number}"
    return free
