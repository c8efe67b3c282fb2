"""Which samples a run has: files by source, such as all steps of one directory of rollouts."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
from attrs import evolve, frozen

from insight_core.plugin import NotFound, PluginContext
from insight_core.plugin.data import RecordPlace, SeriesKey
from insight_samples.all_formats import formats_of
from insight_samples.formats import Row, SampleFormat
from insight_samples.rows import read_places

_RANGE = 256 << 10  # bytes of a file that a data server sends at a time


@frozen
class SampleFile:
    """A file of samples, as last seen. ``id`` names it in its source; ``step`` is that of its path, or 0.

    In the series ``key`` it is the record number ``nth`` of those of the step ``record``: places move as
    files appear. ``changed`` are seconds since the epoch.
    """

    id: str
    path: str
    key: SeriesKey
    record: int
    nth: int
    step: int
    size: int
    changed: float


@frozen
class SampleSource:
    """Files of a run that belong together, sorted by step."""

    run: str
    name: str
    files: Sequence[SampleFile]

    @property
    def nbytes(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def file(self, name: str) -> SampleFile:
        """The file of an id. Raises NotFound."""
        for file in self.files:
            if file.id == name:
                return file
        raise NotFound("the file of this sample is gone", code="samples_gone")


def sources_of(ctx: PluginContext, runs: Collection[str] | None = None) -> list[SampleSource]:
    """All sources of these runs, or of all, those with the most bytes first. Reads none of the files."""
    found: dict[tuple[str, str], list[SampleFile]] = {}
    for info in ctx.own.series(runs=runs):
        try:
            table = ctx.own.records(info.key)
        except NotFound:  # gone meanwhile
            continue
        tag = info.key.tag
        formats = formats_of(tag.replace("*", "0"))
        name = _source_of(tag, formats)
        by_name = _step_of(tag, formats)
        seen: dict[int, int] = {}
        for step, changed, size in zip(
            table.steps.tolist(), table.wall_times.tolist(), table.sizes.tolist(), strict=True
        ):
            nth = seen[step] = seen.get(step, -1) + 1
            path = tag.replace("*", str(step))  # a tag has * for the steps of its files
            file = SampleFile("", path, info.key, step, nth, step or by_name, size, changed)
            found.setdefault((info.key.run, name), []).append(file)
    sources = [SampleSource(run, name, _files(files)) for (run, name), files in found.items()]
    return sorted(sources, key=lambda source: (source.run, -source.nbytes, source.name))


def source_of(ctx: PluginContext, run: str, name: str) -> SampleSource:
    """The source of this name, or the largest one of the run. Raises NotFound."""
    sources = sources_of(ctx, [run])
    for source in sources:
        if source.name == name or not name:
            return source
    raise NotFound(f"run {run!r} has no samples {name!r}", code="samples_no_source", run=run, source=name)


def place_of(ctx: PluginContext, file: SampleFile) -> RecordPlace:
    """The record of a file, wherever it is by now. Raises NotFound."""
    table = ctx.own.records(file.key)
    same = np.flatnonzero(table.steps == file.record)
    if file.nth >= len(same):
        raise NotFound("the file of this sample is gone", code="samples_gone")
    return ctx.own.place_in(table, file.key, int(same[file.nth]))


@contextmanager
def opened(
    ctx: PluginContext, file: SampleFile, offset: int = 0, length: int | None = None
) -> Iterator[BinaryIO]:
    """The bytes of a file from ``offset`` on."""
    stream = ctx.own.open_payload(place_of(ctx, file), offset=offset, length=length)
    try:
        if offset and stream.file.seekable():
            stream.file.seek(offset)
        yield stream.file
    finally:
        stream.close()


def rows_at(
    ctx: PluginContext, file: SampleFile, places: Sequence[tuple[int, int]], *, has_images: bool = False
) -> list[Row | None]:
    """The rows at offsets of these sizes; None where the file has another one by now.

    Bytes of images may be left out unless ``has_images``. Raises Undecodable.
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    rows = rows_in_order(ctx, file, [places[at] for at in order], has_images=has_images)
    found: list[Row | None] = [None] * len(places)
    for at, row in zip(order, rows, strict=True):
        found[at] = row
    return found


def rows_in_order(
    ctx: PluginContext, file: SampleFile, places: Sequence[tuple[int, int]], *, has_images: bool = False
) -> Generator[Row | None]:
    """The rows at places that ascend, each when it is asked for; as ``rows_at``. To be closed."""
    with opened(ctx, file) as stream:
        if stream.seekable():
            yield from read_places(stream, file.path, places, has_images=has_images)
            return
    with io.BufferedReader(_Ranges(ctx, file), _RANGE) as ranges:  # from a data server
        yield from read_places(ranges, file.path, places, has_images=has_images)


class _Ranges(io.RawIOBase):
    """A file of a data server, which sends only the ranges that are read."""

    def __init__(self, ctx: PluginContext, file: SampleFile) -> None:
        self._ctx = ctx
        self._place = place_of(ctx, file)
        self._size = file.size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = min(len(buffer), self._size - self._at)
        if count <= 0:
            return 0
        stream = self._ctx.own.open_payload(self._place, offset=self._at, length=count)
        try:
            data = stream.file.read()
        finally:
            stream.close()
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _files(found: Sequence[SampleFile]) -> Sequence[SampleFile]:
    """Sorted by step, each with its id."""
    files = []
    seen: dict[int, int] = {}
    for file in sorted(found, key=lambda one: (one.step, one.path, one.nth)):
        number = seen[file.step] = seen.get(file.step, -1) + 1  # several files of a step: ranks, shards
        files.append(evolve(file, id=f"{file.step}.{number}" if number else str(file.step)))
    return files


def _source_of(tag: str, formats: Sequence[SampleFormat]) -> str:
    """The name of the source of a file: its path with ``*`` for the step, or what its format says."""
    for one in formats:
        if one.source and (found := re.search(one.source, tag)):
            return found[1]
        if one.steps and (step := re.search(one.steps, tag)):
            return f"{tag[: step.start(1)]}*{tag[step.end(1) :]}"
    return tag


def _step_of(tag: str, formats: Sequence[SampleFormat]) -> int:
    for one in formats:
        steps = re.findall(one.steps, tag) if one.steps else ()
        if steps:
            return int(steps[-1])
    return 0
