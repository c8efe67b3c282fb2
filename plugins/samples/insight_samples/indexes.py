"""Keeps the indexes of sources: made in the background by workers, in the cache for the next start."""

from __future__ import annotations

import io
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from typing import BinaryIO

from attrs import evolve, frozen

from insight_core.plugin import InsightError, PluginContext, Reason
from insight_core.plugin.worker import WorkerLimits, Workers
from insight_samples.indexing import PART, index_part
from insight_samples.packing import Columns, IndexPart, unpacked
from insight_samples.part_cache import PartCache, is_by_number, tail_of
from insight_samples.sources import SampleFile, SampleSource, opened, place_of
from insight_samples.summaries import Summary, summary_of

_HERE = 1 << 20  # bytes of a part that costs less to index here than to send
_MEMORY = 192 << 20  # bytes of columns that are kept
_LIMITS = WorkerLimits(memory=2 << 30, seconds=120.0, deadline=None, answer=256 << 20)
_AT_ONCE = 2
_SUMMARIES = 4096  # of steps that are kept
_JOINED = 8  # parts of a file whose rows of a step are summarised together
_GROWS = 8 << 20  # bytes of a last part up to which it is made again when the file has grown

PartKey = tuple[str, str, str, int]  # run, source, file, start


@frozen
class IndexedPart:
    """A part of a file without its columns, which ``SampleIndexes.columns`` gives."""

    file: SampleFile
    part: IndexPart
    tail: bytes


@frozen
class SourceIndex:
    """What is known of a source: its parts in the order of the files, and how much of its bytes they are."""

    source: SampleSource
    parts: Sequence[IndexedPart]
    indexed: int
    errors: Sequence[tuple[SampleFile, Reason]]

    @property
    def is_whole(self) -> bool:
        """Whether every file is indexed to its end."""
        return self.indexed >= self.source.nbytes

    @property
    def rows(self) -> int:
        """Samples that are known."""
        return sum(one.part.rows for one in self.parts)


class _Indexed:
    """The parts of a file that are known, and the size and time that it had."""

    def __init__(self) -> None:
        self.parts: list[IndexedPart] = []
        self.size = self.end = 0
        self.changed = 0.0
        self.error: Reason | None = None


class SampleIndexes:
    """The indexes of all sources that somebody looked at. For any thread."""

    def __init__(self, ctx: PluginContext) -> None:
        self._ctx = ctx
        self._cache = PartCache(ctx)
        self._workers = Workers(_LIMITS, _AT_ONCE, idle=20.0)
        self._changed = threading.Condition()
        self._files: dict[tuple[str, str, str], _Indexed] = {}
        self._wanted: OrderedDict[tuple[str, str], SampleSource] = OrderedDict()  # that are not yet known
        self._columns: OrderedDict[PartKey, IndexPart] = OrderedDict()
        self._held = 0  # bytes of these columns
        self._summaries: OrderedDict[tuple[str, str, int], tuple[object, Summary]] = OrderedDict()
        self._threads: list[threading.Thread] = []
        self._busy: set[tuple[str, str, str]] = set()
        self._is_closed = False
        ctx.on_close(self.close)

    def close(self) -> None:
        """Ends what is under way."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._workers.close()

    def of(self, source: SampleSource, seconds: float = 0.0) -> SourceIndex:
        """The index of a source, after waiting for at most so many seconds for what is missing."""
        ends = time.monotonic() + seconds
        with self._changed:
            if not self._is_known(source):
                self._wanted[source.run, source.name] = source
                self._wanted.move_to_end((source.run, source.name))
                self._start()
                self._changed.notify_all()
            while not self._is_known(source) and not self._is_closed:
                left = ends - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            return self._answer(source)

    def columns(self, one: IndexedPart, names: Collection[str] | None = None) -> Columns:
        """The columns of a part, from memory, the cache or the file itself.

        With ``names`` at least these, which are not held: for a look at all parts.
        """
        key = (*self._key(one.file), one.part.start)
        with self._changed:
            part = self._columns.get(key)
            if part is not None and part.end == one.part.end:
                self._columns.move_to_end(key)
                return part.columns
        part = self._cache.known(one.file, one.part, names)
        if part is None:
            part, tail = self._make(one.file, one.part.start, one.part.end - one.part.start)
            self._cache.keep(one.file, part, tail)
            names = None
        if names is None:
            self._hold(key, part)
        return part.columns

    def summary(
        self, step: tuple[str, str, int], parts: Sequence[IndexedPart], make: Callable[[], Summary]
    ) -> Summary:
        """The summary of a step of a run and source, made again when its parts have changed."""
        version = tuple((one.file.id, one.file.changed, one.part.start, one.part.end) for one in parts)
        with self._changed:
            known = self._summaries.get(step)
        if known is not None and known[0] == version:
            return known[1]
        found = make()
        with self._changed:
            self._summaries[step] = version, found
            self._summaries.move_to_end(step)
            while len(self._summaries) > _SUMMARIES:
                self._summaries.popitem(last=False)
        return found

    def _is_known(self, source: SampleSource) -> bool:
        return all(self._is_done(file) for file in source.files)

    def _is_done(self, file: SampleFile) -> bool:
        known = self._files.get(self._key(file))
        return (
            known is not None
            and (known.size, known.changed) == (file.size, file.changed)
            and known.end >= file.size
        )

    def _answer(self, source: SampleSource) -> SourceIndex:
        parts: list[IndexedPart] = []
        errors: list[tuple[SampleFile, Reason]] = []
        indexed = 0
        for file in source.files:
            known = self._files.get(self._key(file))
            if known is None:
                continue
            parts += [evolve(one, file=file) for one in known.parts]
            indexed += min(known.end, file.size)
            if known.error is not None:
                errors.append((file, known.error))
        return SourceIndex(source, parts, indexed, errors)

    def _start(self) -> None:
        while len(self._threads) < _AT_ONCE and not self._is_closed:
            thread = threading.Thread(target=self._work, name="samples-index", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _next(self) -> SampleFile | None:
        """The file to go on with: of the source that was asked for last, from both ends of the steps."""
        for name, source in list(reversed(self._wanted.items())):
            missing = [file for file in source.files if not self._is_done(file)]
            waiting = [file for file in missing if self._key(file) not in self._busy]
            if not missing:
                del self._wanted[name]
            elif waiting:
                return waiting[-1] if len(waiting) % 2 else waiting[0]
        return None

    @staticmethod
    def _key(file: SampleFile) -> tuple[str, str, str]:
        return file.key.run, file.key.tag, file.id

    def _work(self) -> None:
        while True:
            with self._changed:
                file = self._next()
                while file is None and not self._is_closed:
                    self._changed.wait(60.0)
                    file = self._next()
                if self._is_closed or file is None:
                    return
                self._busy.add(self._key(file))
            try:
                self._grow(file)
            except (InsightError, ValueError, OSError) as error:
                self._note(file, error)
            finally:
                with self._changed:
                    self._busy.discard(self._key(file))
                    self._changed.notify_all()

    def _note(self, file: SampleFile, error: Exception) -> None:
        with self._changed:
            known = self._files.setdefault(self._key(file), _Indexed())
            known.error = Reason.of(error) if isinstance(error, InsightError) else _reason(error)
            known.size, known.changed, known.end = file.size, file.changed, file.size

    def _grow(self, file: SampleFile) -> None:
        """Indexes the next part of a file; from its beginning if it was replaced or truncated."""
        with self._changed:
            known = self._files.setdefault(self._key(file), _Indexed())
            parts, is_same = list(known.parts), (known.size, known.changed) == (file.size, file.changed)
            known.error = None
        if parts and not is_same and not self._goes_on(file, parts[-1]):
            parts = []
        if parts and parts[-1].part.end - parts[-1].part.start < _GROWS:
            start = parts.pop().part.start  # the last part grows
        else:
            start = parts[-1].part.end if parts else 0
        part = self._cache.part(file, start)
        tail = tail_of(self._ctx, file, part) if part is not None else b""
        if part is None or (part.end < min(file.size, start + PART) and not is_by_number(file)):
            part, tail = self._make(file, start)
            part = self._joined(parts, part)
            self._cache.keep(file, part, tail)
            self._hold((*self._key(file), start), part)
        end = file.size if is_by_number(file) else part.end
        is_last = is_by_number(file) or part.end - part.start < PART or part.end >= file.size
        with self._changed:
            known.parts = [*parts, IndexedPart(file, evolve(part, columns={}), tail)]
            # what is behind the last whole line is read again when the file has grown
            known.end = file.size if is_last else end
            known.size, known.changed = file.size, file.changed

    def _joined(self, parts: Sequence[IndexedPart], part: IndexPart) -> IndexPart:
        """The part with summaries of the rows that earlier parts of the file have of its steps, too; without
        those of steps that many of them have."""
        found = dict(part.summaries)
        for step in part.summaries:
            before = [one for one in parts if one.part.has(step)]
            if len(before) > _JOINED:
                del found[step]
            elif before:
                found[step] = summary_of([*map(self.columns, before), part.columns], step)
        return evolve(part, summaries=found)

    def _goes_on(self, file: SampleFile, last: IndexedPart) -> bool:
        return (
            not is_by_number(file)
            and file.size >= last.part.end
            and tail_of(self._ctx, file, last.part) == last.tail
        )

    def _make(self, file: SampleFile, start: int, most: int = PART) -> tuple[IndexPart, bytes]:
        size = file.size if is_by_number(file) else file.size - start
        if size <= _HERE:
            with opened(self._ctx, file, start) as stream:
                part = index_part(stream, file.path, start, file.step, most)
        else:
            arguments = {"path": file.path, "start": start, "step": file.step, "most": most}
            packed_part = self._workers.call(
                "insight_samples.indexing:indexed", arguments, self._opener(file, start)
            )
            part, _ = unpacked(io.BytesIO(packed_part))
        return part, tail_of(self._ctx, file, part)

    def _opener(self, file: SampleFile, start: int) -> Callable[[str], BinaryIO]:
        def open_file(_: str) -> BinaryIO:
            stream = self._ctx.own.open_payload(place_of(self._ctx, file), offset=start)
            if stream.file.seekable():
                stream.file.seek(start)
            return stream.file

        return open_file

    def _hold(self, key: PartKey, part: IndexPart) -> None:
        with self._changed:
            before = self._columns.pop(key, None)
            self._columns[key] = part
            self._held += part.nbytes - (0 if before is None else before.nbytes)
            while self._held > _MEMORY and len(self._columns) > 1:
                self._held -= self._columns.popitem(last=False)[1].nbytes


def _reason(error: Exception) -> Reason:
    said = error.args[0] if error.args else str(error)
    return said if isinstance(said, Reason) else Reason(str(error))
