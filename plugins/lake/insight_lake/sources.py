"""Runs of the source of a lake: whether they have changed, their data in portions, what cannot be read."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from attrs import frozen
from insight_remote import OBJECT_STORES

from insight_core.plugin import InvalidArgument, Reason, Unavailable
from insight_core.plugin.data import DataProvider, RunFile

PLUGIN = "scalar"  # whose context a command asks for; any would do
BATCH = 512 << 20  # bytes of log files
_MOST_RUNS = 5000  # of a batch
_AWAY = {"remote_away", "remote_refused", "source_away", "lake_away"}
_FIELDS = ("last_value", "points", "kept", "first_step", "last_step", "last_wall_time", "attempts")
COPY_OR_LEAVE = "copy them with --with-payloads, or leave them out with --numbers-only"

T = TypeVar("T")


@frozen
class FoundRun:
    """A run of the source: what tells that it has changed, its bytes, and where it is from."""

    fingerprint: str
    size: int
    source: str


def found_runs(data: DataProvider, location: str) -> tuple[dict[str, FoundRun], bool]:
    """The runs of a source by name, by their files or else by their series, and whether they have files."""
    files = data.run_files()
    return (_by_series(data, location), False) if files is None else (_by_files(files), True)


def batches(runs: Sequence[str], found: Mapping[str, FoundRun], limit: int) -> Iterator[list[str]]:
    """The runs in groups of about so many bytes of log files, and at most _MOST_RUNS."""
    return portions(runs, [max(found[run].size, limit / _MOST_RUNS) for run in runs], limit)


def portions(items: Iterable[T], sizes: Iterable[float], limit: int) -> Iterator[list[T]]:
    """The items in groups whose sizes add up to about ``limit``."""
    ends = itertools.accumulate(sizes)
    for _, group in itertools.groupby(zip(items, ends, strict=True), lambda one: one[1] // limit):
        yield [item for item, _ in group]


def is_remote(place: str) -> bool:
    """Whether this is a URL, not a path."""
    return "://" in place


def check_present(data: DataProvider) -> None:
    """Raises Unavailable if a store or server is away, of which runs would be missing."""
    for notice in data.notices():
        if notice.code in _AWAY:
            raise Unavailable(notice)


def check_locatable(sources: Iterable[str]) -> None:
    """Raises InvalidArgument if a lake cannot read payloads from where one of these logs is."""
    for source in sources:
        if is_remote(source) and source.partition(":")[0].lower() not in OBJECT_STORES:
            raise InvalidArgument(
                f"{source}: payloads such as images cannot be read from there later; {COPY_OR_LEAVE}"
            )


def unread_runs(data: DataProvider, runs: Collection[str]) -> dict[str, str]:
    """Returns the runs of which a file could not be fetched, with the reasons."""
    return {
        damage.run: f"{damage.file} {damage.reason}"
        for damage in data.damage()
        if damage.run in runs and Reason.of(damage.reason).code == "unreadable"
    }


def _by_files(run_files: Iterable[RunFile]) -> dict[str, FoundRun]:
    """Runs whose fingerprints change with the names, sizes and times of their files."""
    files: dict[str, list[tuple[str, int, int]]] = {}
    logdirs: dict[str, str] = {}
    for file in run_files:
        if file.is_store:  # its runs have no files of their own
            continue
        try:
            info = os.stat(file.path)
        except OSError:
            continue
        files.setdefault(file.run, []).append(
            (os.path.relpath(file.path, file.directory), info.st_size, info.st_mtime_ns)
        )
        logdirs.setdefault(file.run, file.location or os.path.realpath(file.logdir))
    return {
        run: FoundRun(_hashed(sorted(found)), sum(size for _, size, _ in found), logdirs[run])
        for run, found in files.items()
    }


def _by_series(data: DataProvider, location: str) -> dict[str, FoundRun]:
    """Runs whose fingerprints change with their series: their files are not on this machine."""
    found: dict[str, list[object]] = {run.name: [] for run in data.runs()}
    for plugin in sorted(map(str, data.plugins())):
        for info in data.series(plugin):
            values = [repr(getattr(info, name)) for name in _FIELDS]
            if info.key.run in found:
                found[info.key.run].append([plugin, info.key.tag, *values])
    for one in data.damage():
        if one.run in found:
            found[one.run].append([one.file, one.offset, str(one.reason)])
    return {run: FoundRun(_hashed(sorted(map(str, parts))), 0, location) for run, parts in found.items()}


def _hashed(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:32]
