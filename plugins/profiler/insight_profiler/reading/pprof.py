"""Reads profiles of pprof: of Go's tools, of ``jax.profiler.save_device_memory_profile``, and others.

| part of a Profile | read as |
|---|---|
| ``sample_type``, ``default_sample_type`` | what can be chosen, each with its unit |
| ``sample`` | calls, and what was spent in the innermost |
| ``location``, ``function``, ``mapping`` | names of calls, those that were inlined too |
| ``time_nanos`` | when it was made |

Source: https://github.com/google/pprof/blob/main/proto/profile.proto
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.reading.sampled_calls import (
    Integers,
    MeasuredCalls,
    SampledCalls,
    add_calls,
    compact,
    frame_text,
    joined,
    note_deep,
    stacked,
    unit_of,
)
from insight_profiler.reading.wire_columns import (
    PADDING,
    Bytes,
    WireField,
    decode,
    fields_of,
    packed_varints,
)

_MOST = 512 << 20  # bytes of a profile, unpacked
_PIECE = 4 << 20  # bytes of samples that are decoded at once
_MOST_FRAMES = 1 << 26  # of all stacks
# fields of Profile
_TYPES, _SAMPLES, _MAPPINGS, _LOCATIONS, _FUNCTIONS, _TEXTS, _TIME, _DEFAULT = 1, 2, 3, 4, 5, 6, 9, 14
_READ = (_TYPES, _SAMPLES, _MAPPINGS, _LOCATIONS, _FUNCTIONS, _TEXTS, _TIME, _DEFAULT)


def read(files: Files, building: Building) -> None:
    """Fills a profile from one file. Raises Unreadable for one that is not such a profile."""
    (name, *_) = files.names()
    with files.open(name) as stream:
        packed = stream.read(_MOST + 1)
    if len(packed) > _MOST:
        text = f"{name} unpacks to more than {_MOST >> 20} MiB, which is not read"
        raise Unreadable("pprof_too_large", text, file=name, most=_MOST >> 20)
    try:
        fields, end = fields_of(packed, _READ)
    except ValueError as error:
        text = f"{name} is not a profile of pprof: {error}"
        raise Unreadable("no_pprof", text, file=name, reason=str(error)) from error
    if end < len(packed):
        reason = f"the last {len(packed) - end} bytes are not whole"
        building.note("truncated", f"{name} is cut: {reason}", file=name, reason=reason)
    _Profile(building, name, packed, fields).fill()


@frozen(eq=False)
class _Frames:
    """Names of calls by location: those of a location from the outermost."""

    ids: Integers  # of locations, increasing
    first: Integers  # place in ``names``; one more for an unknown location
    count: Integers
    names: NDArray[np.int32]

    def of(self, locations: Integers) -> tuple[Integers, Integers]:
        """The first name of each location, and how many it has."""
        at = np.minimum(np.searchsorted(self.ids, locations), max(len(self.ids) - 1, 0))
        is_known = self.ids[at] == locations if len(self.ids) else np.zeros(len(locations), bool)
        rows = np.where(is_known, at, len(self.ids))
        return self.first[rows], self.count[rows]


class _Profile:
    def __init__(self, building: Building, file: str, packed: bytes, fields: dict[int, WireField]) -> None:
        self._building = building
        self._file = file
        self._fields = fields
        self._calls, self._cut, self._odd, self._negative = 0, 0, 0, 0
        self._data: Bytes = np.frombuffer(packed + bytes(PADDING), np.uint8)
        cells = zip(fields[_TEXTS].begin.tolist(), fields[_TEXTS].end.tolist(), strict=True)
        self._texts = [packed[begin:end].decode("utf-8", "replace") for begin, end in cells if begin >= 0]

    def fill(self) -> None:
        """Adds the profile. Raises Unreadable where nothing can be read."""
        types = self._types()
        if not types:
            text = f"{self._file} is not a profile of pprof: it says nothing of what its samples are"
            raise Unreadable("no_pprof", text, file=self._file, reason="no sample_type")
        (times, defaults) = (self._fields[one].value.tolist() for one in (_TIME, _DEFAULT))
        if times and times[-1] > 0:
            self._building.start_ns = times[-1]
        parts = list(self._parts(types, self._frames()))
        self._note()
        if not parts:
            raise Unreadable("no_samples", f"{self._file} has no samples", file=self._file)
        names = [name for name, _ in types]
        wanted = self._text(defaults[-1]) if defaults else ""
        first = names.index(wanted) if wanted in names else len(names) - 1
        add_calls(self._building, self._file, joined(parts), first)

    def _text(self, place: int) -> str:
        return self._texts[place] if 0 <= place < len(self._texts) else ""

    def _decoded(self, number: int, wanted: tuple[int, ...]) -> tuple[dict[int, WireField], int]:
        """The fields of the messages of a field of the profile, and how many messages there are."""
        columns = self._fields[number]
        rows = np.flatnonzero(columns.begin >= 0)
        found, _ = decode(self._data, columns.begin[rows], columns.end[rows], wanted)
        return found, len(rows)

    def _types(self) -> list[tuple[str, str]]:
        """Name and unit of each value of a sample."""
        fields, count = self._decoded(_TYPES, (1, 2))
        names, units = (fields[one].last(count, 0).tolist() for one in (1, 2))
        return [(self._text(name), self._text(unit)) for name, unit in zip(names, units, strict=True)]

    def _parts(self, types: Sequence[tuple[str, str]], known: _Frames) -> Iterator[SampledCalls]:
        """The calls of some samples after the other, equal paths as one."""
        columns = self._fields[_SAMPLES]
        rows = np.flatnonzero(columns.begin >= 0)
        begin, end = columns.begin[rows], columns.end[rows]
        piece = np.cumsum(end - begin) // _PIECE
        for chosen in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(piece)) + 1):
            if len(chosen):
                yield compact(self._part(types, known, begin[chosen], end[chosen]))

    def _part(
        self, types: Sequence[tuple[str, str]], known: _Frames, begin: Integers, end: Integers
    ) -> SampledCalls:
        fields, _ = decode(self._data, begin, end, (1, 2))
        width, count = len(types), len(begin)
        owner, values = packed_varints(self._data, fields[2])
        fine = np.bincount(owner, minlength=count) == width
        table = values[fine[owner]].reshape(-1, width)
        sample, locations = packed_varints(self._data, fields[1])
        first, counts = known.of(locations)
        total = int(counts.sum())
        self._calls += total
        if self._calls > _MOST_FRAMES:
            text = (
                f"the samples of {self._file} have {self._calls} calls or more, which is over {_MOST_FRAMES}"
            )
            values_of = {"count": self._calls, "most": _MOST_FRAMES}
            raise Unreadable("stacks_too_large", text, file=self._file, **values_of)
        # the innermost location comes first: backwards, each sample begins with its outermost
        first, counts, sample = first[::-1], counts[::-1], sample[::-1]
        place = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        frames = known.names[np.repeat(first, counts) + place]
        lengths = np.bincount(sample, counts, count).astype(np.int64)[::-1]
        calls, last, cut = stacked(frames, lengths)
        last = last[::-1][fine]
        table, last = table[last >= 0], last[last >= 0]
        self._cut += cut
        self._odd += int((~fine).sum())
        self._negative += int((table < 0).any(axis=1).sum())
        counted = (
            table[:, 0].clip(0) if unit_of(types[0][1])[0] == "count" else np.zeros(len(table), np.int64)
        )
        measured = []
        for column, (name, word) in enumerate(types):
            unit, factor = unit_of(word)
            some = np.flatnonzero(table[:, column] > 0)
            measured.append(
                MeasuredCalls(name, unit, last[some], table[some, column] * factor, counted[some])
            )
        return SampledCalls(calls.caller, calls.name, measured)

    def _note(self) -> None:
        for code, number, text in (
            ("samples_odd", self._odd, "{} samples of {} have other values than it says, and are left out"),
            (
                "samples_negative",
                self._negative,
                "{} samples of {} have negative values, which are left out",
            ),
        ):
            if number:
                self._building.note(code, text.format(number, self._file), file=self._file, count=number)
        note_deep(self._building, self._file, self._cut)

    def _frames(self) -> _Frames:
        """The names of all calls."""
        fields, count = self._decoded(_LOCATIONS, (1, 2, 3, 4))
        lines = fields[4]
        inner, _ = decode(self._data, lines.begin, lines.end, (1, 2))
        called = inner[1].last(len(lines), 0).tolist()
        numbers = inner[2].last(len(lines), 0).tolist()
        functions, files = self._functions(), self._mappings()
        text = self._building.text
        named = [
            text(frame_text(*functions.get(one, ("", "")), line))
            for one, line in zip(called, numbers, strict=True)
        ]
        plain = np.flatnonzero(np.bincount(lines.message, minlength=count) == 0)
        mapping, address = (fields[one].last(count, 0) for one in (2, 3))
        places = [
            text(f"0x{at & (1 << 64) - 1:x} {files.get(own, '')}".rstrip())
            for own, at in zip(mapping[plain].tolist(), address[plain].tolist(), strict=True)
        ]
        owner = np.concatenate((lines.message, plain))
        # of a location the innermost line comes first
        order = np.lexsort((-np.arange(len(owner)), owner))
        names = np.array([*named, *places], np.int32)[order]
        counts = np.bincount(owner, minlength=count)
        ids = fields[1].last(count, 0)
        by_id = np.argsort(ids, kind="stable")
        return _Frames(
            ids[by_id],
            np.append((np.cumsum(counts) - counts)[by_id], len(names)),
            np.append(counts[by_id], 1),
            np.append(names, np.int32(text("?"))),
        )

    def _functions(self) -> dict[int, tuple[str, str]]:
        """Name and file of each function, by its id."""
        fields, count = self._decoded(_FUNCTIONS, (1, 2, 3, 4))
        ids, names, systems, files = (fields[one].last(count, 0).tolist() for one in (1, 2, 3, 4))
        return {
            one: (self._text(name) or self._text(system), self._text(file))
            for one, name, system, file in zip(ids, names, systems, files, strict=True)
        }

    def _mappings(self) -> dict[int, str]:
        """The file of each mapping, by its id."""
        fields, count = self._decoded(_MAPPINGS, (1, 5))
        ids, files = (fields[one].last(count, 0).tolist() for one in (1, 5))
        return {one: self._text(file) for one, file in zip(ids, files, strict=True)}
