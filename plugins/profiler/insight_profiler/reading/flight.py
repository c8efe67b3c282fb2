"""Reads dumps of torch's flight recorder: the last collectives of each rank of a job, a file for each rank
(``nccl_trace_rank_3``, ``comm_lib_trace_rank_3``, torchtitan's ``rank_3``), pickles or JSON.

Of several dumps of a rank in one directory there is only the last, for torch writes over it. A dump that
cannot be read is no reason to leave the others: ``documents["unreadable"]`` says of which rank and why.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.flight_dumps import Dump, dump_of

_RANK = re.compile(r"rank_(\d+)")
_COMPLETED = "completed"
_MOST_NOTES = 10  # of dumps that cannot be read


def read(files: Files, building: Building) -> None:
    """Fills a profile from the dumps of all ranks. Raises Unreadable where none can be read."""
    job = _Job(building)
    failures: dict[int, Unreadable] = {}
    names = sorted(files.names(), key=_rank_of)
    for name in names:
        try:
            job.add(_rank_of(name), dump_of(files, name))
        except Unreadable as error:
            failures[_rank_of(name)] = error
            files.cut.pop(name, None)  # nothing of it is shown
    if len(failures) == len(names):
        raise next(iter(failures.values()))
    notes = {rank: error.note for rank, error in failures.items()}
    for note in list(notes.values())[:_MOST_NOTES]:
        building.note(note.code, note.text, **note.values)
    if len(failures) > _MOST_NOTES:
        more = len(failures) - _MOST_NOTES
        building.note("flights_unreadable", f"{more} more dumps cannot be read", count=more)
    job.finish()
    building.documents["ranks"] = [_rank_of(name) for name in names if _rank_of(name) not in failures]
    building.documents["unreadable"] = {
        str(rank): {"code": note.code, "values": dict(note.values), "text": note.text}
        for rank, note in notes.items()
    }


def _rank_of(name: str) -> int:
    found = _RANK.search(name)
    return int(found[1]) if found else -1


class _Job:
    """Adds dumps to a profile. What ranks share, as their code is the same, is added once."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._frames: dict[tuple[int, int, int], int] = {}
        self._stacks: dict[bytes, int] = {}
        self._groups: dict[str, set[int]] = {}
        self._members: dict[str, list[int]] = {}  # by how the list is written

    def add(self, rank: int, dump: Dump) -> None:
        """Adds the entries of a rank."""
        texts = np.append(self._building.texts(dump.texts), np.int32(-1))
        columns = dict(dump.columns)
        group, sequence = columns["group"], columns["sequence"]
        state = texts[columns["state"]]
        # gloo counts what was called as completed
        is_gloo = np.array([text.startswith("gloo:") for text in dump.texts] + [False])[columns["name"]]
        is_done = ~is_gloo & (sequence <= self._last_completed(dump, group))
        stacks = np.append(self._numbered_stacks(dump, texts), -1)
        self._building.add(
            "flights",
            rank=np.full(len(sequence), rank),
            group=texts[group],
            sequence=sequence,
            name=texts[columns["name"]],
            state=np.where(is_done, self._building.text(_COMPLETED), state),
            created=columns["created"],
            sizes=texts[columns["sizes"]],
            types=texts[columns["types"]],
            stack=stacks[columns["stack"]],
        )
        for number in np.unique(group).tolist():
            said = dump.texts[number]
            own = said.split(" ", 1)[0]
            told = dump.config.get(own, dump.config.get("") if own == "0" else None)
            if isinstance(told, dict):
                self._groups.setdefault(said, set()).update(self._ranks(told.get("ranks")))

    def finish(self) -> None:
        """Adds what ranks share."""
        building = self._building
        building.documents["groups"] = {name: sorted(ranks) for name, ranks in self._groups.items()}
        if self._stacks:
            names, files, lines = zip(*self._frames, strict=True)
            building.add("frames", name=names, file=files, line=lines)
            frames = [np.frombuffer(stack, np.int64) for stack in self._stacks]
            building.add("stack_frames", frame=np.concatenate(frames))
            building.add("stacks", end=np.cumsum([len(stack) for stack in frames]))

    def _numbered_stacks(self, dump: Dump, texts: NDArray[np.int32]) -> NDArray[np.int64]:
        """The number of each stack of a dump in the job."""
        known = self._frames
        columns = texts[dump.frames[:, 0]], texts[dump.frames[:, 1]], dump.frames[:, 2]
        rows = zip(*(column.tolist() for column in columns), strict=True)
        placed = np.fromiter((known.setdefault(row, len(known)) for row in rows), np.int64)
        frames, start, found = placed[dump.stack_frames], 0, []
        for end in dump.ends.tolist():
            found.append(self._stacks.setdefault(frames[start:end].tobytes(), len(self._stacks)))
            start = end
        return np.array(found, np.int64)

    def _last_completed(self, dump: Dump, group: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each entry the last collective of its group of which torch noted that it was completed; -1
        where it did not."""
        numbers, places = np.unique(group, return_inverse=True)
        known = []
        for number in numbers.tolist():
            told = dump.status.get(dump.texts[number].split(" ", 1)[0])
            last = told.get("last_completed_collective") if isinstance(told, dict) else None
            known.append(int(last) if isinstance(last, int | str) and str(last).lstrip("-").isdigit() else -1)
        return np.array(known, np.int64)[places]

    def _ranks(self, said: object) -> list[int]:
        text = said if isinstance(said, str) else str(said or "")
        if text not in self._members:
            self._members[text] = [int(one) for one in re.findall(r"\d+", text)]
        return self._members[text]
