"""Folds directories that only have hyperparameters and results, as ``add_hparams`` writes, into runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np
from attrs import evolve

from insight_core.formats.batch import Batch
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import StoredBlock
from insight_core.ingest.fetching import Fetch, FilePart
from insight_core.ingest.followed_file import Replaced
from insight_core.ingest.found import Found, FoundFile
from insight_core.plugin import Dialect, FileChanged, SummaryPlugin
from insight_core.store.claims import ClaimedBlock, FileState, assign
from insight_core.store.segment import FileOrder
from insight_core.store.sessions import RESULTS, has_results, run_above

_BY_TIME = re.compile(r"(?:^|/)[0-9]+\.[0-9]+$")  # the name of a run that may be a part of the run above
_WITHIN = re.compile(r"(?:^|/)[0-9]+\.[0-9]+(?=/)")  # such a directory above a run
_HPARAMS = SummaryPlugin(RESULTS)


class NotPart(Exception):
    """A file turns out to be of a run of its own."""


def step_of_part(blocks: Iterable[ClaimedBlock]) -> int | None:
    """The only step of the numbers of a file that has records of hyperparameters besides.

    None without a number. Raises NotPart if there are other values or several steps, Lost.
    """
    found: int | None = None
    for claim, block in blocks:
        if claim == _HPARAMS:
            continue
        if not block.layout[0]:
            raise NotPart
        if isinstance(block, StoredBlock):
            series, _ = block.tables()
            steps = np.concatenate([series["first_step"], series["last_step"]])
        else:
            steps = block.columns.steps
        if len(steps):
            found = steps[0].item() if found is None else found
            if (steps != found).any():
                raise NotPart
    return found


def has_points(blocks: Iterable[ClaimedBlock]) -> bool:
    """Whether a file has other values than records of hyperparameters."""
    return any(not isinstance(claim, SummaryPlugin) or claim != _HPARAMS for claim, _ in blocks)


def is_part(content: FileState) -> bool:
    """Whether a file that was read may be a part of the run above. Raises Lost."""
    if content.dialect is not Dialect.TENSORBOARD or content.sessions:
        return False
    if content.blocks and not has_results(content.metadata):
        return False
    try:
        step_of_part(content.blocks)
    except NotPart:
        return False
    return True


class Folding:
    """Which directories count as parts of the run above them. Readers of files refute it in any thread."""

    def __init__(self, *, is_on: bool = True, fetch: Fetch | None = None) -> None:
        """With ``is_on`` False every directory is a run of its own; ``fetch`` is for files in a mirror."""
        self._fetch = fetch
        self._is_on = is_on
        self._refuted: dict[str, tuple[int, int]] = {}  # device and inode of files, by path
        self._steps: dict[str, dict[str, int | None]] = {}  # of files, by part and path; None: no number yet
        self._recalled: dict[str, tuple[FoundFile, Callable[[], FileState]]] = {}  # by part, until ``check``
        self._undecided: dict[str, list[tuple[str, str]]] = {}  # keys of files of runs with several parts
        self.is_outdated = False  # a file was refuted since ``applied``

    def applied(self, found: Found, has_points: Callable[[tuple[str, str]], bool]) -> Found:
        """``found`` with the files of parts in the runs above.

        Several directories below one run are trials, unless that run has points of its own; ``has_points``
        returns that for the key of one of its files, as far as it is read.
        """
        self.is_outdated = False
        parts, self._undecided = self._decided(found, has_points)
        self._steps = {part: known for part, known in self._steps.items() if part in parts}
        self._recalled = {part: known for part, known in self._recalled.items() if part in parts}
        return _folded(found, parts) if parts or self._undecided else found

    def folded(self, found: Found, has_points: Callable[[tuple[str, str]], bool]) -> Found:
        """The same in any thread, without an effect on what is read: files that were not read yet are looked
        into."""
        parts = self._parts(found)
        unread = [each for each in found.files.values() if each.run in parts and not self._is_known(each)]
        looked = Folding(fetch=self._fetch)
        for file in unread:
            looked._look_into(file._replace(part=file.run))
        looked._refuted |= self._refuted
        several = {above for above, count in Counter(looked._parts(found).values()).items() if count > 1}
        keys = {key for key in found.files if key[0] in several}
        with_points = {key for key in keys if has_points(key) or looked._has_points(found.files[key])}
        return _folded(found, looked._decided(found, with_points.__contains__)[0])

    def _is_known(self, file: FoundFile) -> bool:
        is_read = file.path in self._steps.get(file.run, {}) or self._is_recalled(file.run, file)
        return is_read or self._is_refuted(file)

    def _is_recalled(self, part: str, file: FoundFile) -> bool:
        known = self._recalled.get(part)
        return known is not None and known[0].path == file.path

    def _look_into(self, file: FoundFile) -> None:
        with suppress(NotPart):
            for blocks, batch in _values_of(file, self._fetch):
                if batch.session_step is not None:
                    self.refute(file)
                self.check(file, blocks, batch.metadata)

    def _has_points(self, file: FoundFile) -> bool:
        return file.format is not None or any(
            has_points(blocks) for blocks, _ in _values_of(file, self._fetch)
        )

    def _decided(
        self, found: Found, has_points: Callable[[tuple[str, str]], bool]
    ) -> tuple[dict[str, str], dict[str, list[tuple[str, str]]]]:
        """The runs above parts; the keys of files of runs with several parts but without a point so far."""
        parts = self._parts(found)
        several: dict[str, list[tuple[str, str]]] = {
            above: [] for above, count in Counter(parts.values()).items() if count > 1
        }
        for key in found.files if several else ():
            if key[0] in several:
                several[key[0]].append(key)
        undecided = {above: keys for above, keys in several.items() if not any(map(has_points, keys))}
        return {part: above for part, above in parts.items() if above not in undecided}, undecided

    def is_due(self, has_points: Callable[[tuple[str, str]], bool]) -> bool:
        """Whether ``applied`` returns something else now."""
        return self.is_outdated or any(any(map(has_points, keys)) for keys in self._undecided.values())

    def _parts(self, found: Found) -> dict[str, str]:
        """The run above each directory that may be a part of it."""
        parts = self.may_be(found.runs)
        if not parts:
            return parts
        with_files = set()
        others = {run for run, _ in found.named}
        for (run, _path), file in found.files.items():
            if run in parts:
                with_files.add(run)
                if (
                    file.format is not None
                    or file.dialect is not Dialect.TENSORBOARD
                    or self._is_refuted(file)
                ):
                    others.add(run)
        return {run: above for run, above in parts.items() if run in with_files and run not in others}

    def _is_refuted(self, file: FoundFile) -> bool:
        known = self._refuted.get(file.path)
        if known is not None and known != file.version[:2]:
            self._refuted.pop(file.path, None)
            return False
        return known is not None

    def may_be(self, runs: Collection[str]) -> dict[str, str]:
        """The run above each of these runs whose name is that of a part."""
        if not self._is_on:
            return {}
        named = [run for run in runs if run[-1:].isdigit() and _BY_TIME.search(run)]
        found = {run: above for run in named if (above := run_above(run)) in runs and above != run}
        for run in runs if found else ():
            for each in _WITHIN.finditer(run):
                found.pop(run[: each.end()], None)
        return found

    # --- the reader's side ------------------------------------------------------------------------

    def check(
        self, file: FoundFile, blocks: Iterable[ClaimedBlock], metadata: Mapping[str, Metadata]
    ) -> None:
        """Looks at values of a file, before they count in the run above. Raises NotPart, Lost.

        Values come in several parts if the file grows; those of the first have hyperparameters.
        """
        earlier = self._recalled.pop(file.part, None)
        if earlier is not None:
            content = earlier[1]()
            self.check(earlier[0], content.blocks, content.metadata)
        known = self._steps.setdefault(file.part, {})
        try:
            blocks = list(blocks)
            step = step_of_part(blocks)
            if blocks and file.path not in known and not has_results(metadata):
                raise NotPart
            if step is not None and any(other not in (None, step) for other in known.values()):
                raise NotPart
        except NotPart:
            self.refute(file)
        if blocks:
            known[file.path] = known.get(file.path) if step is None else step

    def recall(self, file: FoundFile, content: Callable[[], FileState]) -> None:
        """Notes the only file of a part that an earlier process read: it is looked at when more is read of
        the part."""
        self._recalled[file.part] = file, content

    def refute(self, file: FoundFile) -> None:
        """Notes that a file is of a run of its own. Raises NotPart."""
        self._refuted[file.path] = file.version[:2]
        self.is_outdated = True
        raise NotPart

    def forget(self, file: FoundFile) -> None:
        """Forgets what was read of a file, because it is read again."""
        self._steps.get(file.part, {}).pop(file.path, None)
        if self._is_recalled(file.part, file):
            self._recalled.pop(file.part, None)


def _values_of(file: FoundFile, fetch: Fetch | None) -> Iterator[tuple[list[ClaimedBlock], Batch]]:
    """What an event file has, as far as it can be read."""
    from insight_core.ingest.event_file import EventFile  # not needed where a loader reads

    reader = EventFile(file.path, file.dialect)
    with suppress(OSError, Replaced, FileChanged):
        if fetch is not None:
            fetch([FilePart(file.path, grows=True)])
        while (batch := reader.read()) is not None:
            yield list(assign(batch, (batch.metadata,), "")), batch


def _folded(found: Found, parts: Mapping[str, str]) -> Found:
    runs = {run: newest for run, newest in found.runs.items() if run not in parts}
    for part, above in parts.items():
        runs[above] = max(runs[above], found.runs[part])
    files = {}
    for file in found.files.values():
        kept = _as_part(file, parts[file.run]) if file.run in parts else file
        files[(kept.run, kept.path)] = kept
    damage = {(parts.get(run, run), name): flaw for (run, name), flaw in found.damage.items()}
    return evolve(found, files=files, runs=runs, damage=damage)


def _as_part(file: FoundFile, above: str) -> FoundFile:
    """A file of a part as one of the run above: names are unique in a directory only."""
    directory = file.run.rpartition("/")[2]
    return file._replace(run=above, part=file.run, order=order_of_part(file.order, directory))


def order_of_part(order: FileOrder, directory: str) -> FileOrder:
    """The place of a file of a part among the files of the run above."""
    seconds, numbers = order
    return seconds, f"{numbers}\0{directory}"
