"""Reads how long each rank of a job took for each step: JSON lines of TorchTitan's structured logger and of
``insight_record.StepTimes``, a file for each start of each rank
(``structured_logs/training.global_rank_3.20260101-120000-ABC123.jsonl``).

Of a span (``step``, ``fwd_bwd``) the line of its end says all: its name, step, milliseconds and the time.
Files that have grown since they were read last are read from where they ended then.
"""

from __future__ import annotations

import re

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.derived.step_runs import StepRuns
from insight_profiler.files import Files
from insight_profiler.model import Profile
from insight_profiler.reading.step_lines import Ends, ReadFile, StepLines

_NAME = re.compile(r"(?P<source>.*)\.global_rank_(?P<rank>\d+)\.(?P<start>.*)\.jsonl$")
_MOST_NOTES = 10


def read(files: Files, building: Building) -> None:
    """Fills a profile from the files of all ranks. Raises Unreadable where none has a step."""
    starts: dict[int, list[tuple[str, str]]] = {}
    for name in files.names():
        if found := _NAME.search(name):
            starts.setdefault(int(found["rank"]), []).append((found["start"], name))
    reading = _Reading(files, building, _Before.of(building.before))
    for rank, named in sorted(starts.items()):
        for attempt, (_, name) in enumerate(sorted(named)):
            reading.add(rank, attempt, name)
            building.reached()
    if not building.rows("step_runs"):
        name = next(iter(files.names()), "structured_logs")
        raise Unreadable("no_rank_steps", f"{name} has no step that has ended", file=name)


@frozen(eq=False)
class _Before:
    """What was read of the files the last time."""

    profile: Profile | None = None
    rows: dict[str, int] = field(factory=dict)  # in step_files, by name

    @classmethod
    def of(cls, profile: Profile | None) -> _Before:
        if profile is None or "step_files" not in profile.tables:
            return cls()
        names = profile.tables["step_files"]["name"].tolist()
        return cls(profile, {profile.texts[number]: row for row, number in enumerate(names)})

    def file(self, name: str) -> ReadFile:
        """How far a file was read."""
        if self.profile is None or name not in self.rows:
            return ReadFile()
        table, row = self.profile.tables["step_files"], self.rows[name]
        return ReadFile(*(int(table[column][row]) for column in ("read", "check", "odd")))

    def ends(self, name: str, lines: StepLines, *, is_lowest: bool) -> Ends | None:
        """What was read of a file then; None for that of the lowest rank, where its times are not known."""
        if self.profile is None:
            return None
        table, row = self.profile.tables["step_files"], self.rows[name]
        runs = StepRuns.of(self.profile)
        runs = runs.chosen((runs.rank == table["rank"][row]) & (runs.attempt == table["attempt"][row]))
        took = runs.durations().astype(np.float64)
        starts = runs.starts() if is_lowest else np.zeros(len(took), np.int64)
        if len(starts) != len(took):
            return None
        numbers = np.zeros(len(self.profile.texts) + 1, np.int32)
        for text in np.unique(runs.span).tolist():
            numbers[text] = lines.number(self.profile.texts[text].encode("utf-8", "surrogatepass"))
        span = np.repeat(numbers[runs.span], runs.counts())
        return Ends(runs.steps(), starts + took.astype(np.int64), span, took)


class _Reading:
    """Adds file after file to a profile."""

    def __init__(self, files: Files, building: Building, before: _Before) -> None:
        self._files = files
        self._building = building
        self._before = before
        self._lines = StepLines()
        self._lowest = -1  # rank that has steps
        self._noted = 0

    def add(self, rank: int, attempt: int, name: str) -> None:
        """Adds a row for each span and step: of those that ran several times in a step the sum."""
        building = self._building
        is_lowest = self._lowest in (-1, rank)
        file = self._before.file(name)
        known = self._before.ends(name, self._lines, is_lowest=is_lowest) if file.read else None
        if known is None:
            file = ReadFile()
        with file.open(self._files, name) as stream:
            pieces = [known] if known is not None and file.read else []
            pieces += file.ends(stream, self._lines)
        pieces = [one for one in pieces if len(one.step)]
        if pieces:
            self._lowest = rank if is_lowest else self._lowest
            self._add_rows(rank, attempt, Ends.joined(pieces), is_lowest=is_lowest)
        if file.odd and self._noted < _MOST_NOTES:
            self._noted += 1
            text = f"{file.odd} malformed lines of {name} were skipped"
            building.note("lines_cut", text, count=file.odd, file=name)
        building.add(
            "step_files",
            name=[building.text(name)],
            rank=[rank],
            attempt=[attempt],
            read=[0 if self._files.is_packed(name) else file.read],
            check=[file.check],
            odd=[file.odd],
        )

    def _add_rows(self, rank: int, attempt: int, ends: Ends, *, is_lowest: bool) -> None:
        building = self._building
        step, span, took = ends.step, ends.span, np.rint(ends.took)
        start = ends.time - took.astype(np.int64)
        order = _order(span, step)
        step, span, took = step[order], span[order], took[order]
        first = np.flatnonzero((np.diff(step, prepend=-1) != 0) | (np.diff(span, prepend=-1) != 0))
        duration = np.add.reduceat(took, first).astype(np.float32)
        step, span = step[first], span[first]
        # consecutive steps of a span are a run
        begins = np.flatnonzero((np.diff(step, prepend=-2) != 1) | (np.diff(span, prepend=-1) != 0))
        texts = np.array([building.text(name.decode("utf-8", "replace")) for name in self._lines.names])
        base = building.rows("step_durations")
        building.add(
            "step_runs",
            rank=np.full(len(begins), rank),
            attempt=np.full(len(begins), attempt),
            span=texts[span[begins]],
            first=step[begins],
            end=base + np.append(begins[1:], len(step)),
            total=np.add.reduceat(duration.astype(np.float64), begins),
        )
        building.add("step_durations", duration=duration)
        if is_lowest:
            building.add("step_starts", start=np.minimum.reduceat(start[order], first))


def _order(span: NDArray[np.int32], step: NDArray[np.int64]) -> NDArray[np.intp]:
    """Rows by span and step."""
    # numbers of spans are small: two bytes are sorted by counting
    order = np.argsort(span.astype(np.uint16) if span.max() < 1 << 16 else span, kind="stable")
    by_span = np.diff(span[order]) != 0
    if (by_span | (np.diff(step[order]) >= 0)).all():
        return order
    return np.lexsort((step, span))
