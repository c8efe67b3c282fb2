"""Decides which directories are runs, and of which run each file is that plugins claim."""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from insight_core.ingest.file_patterns import AwaitedFile, FilePattern, Match
from insight_core.plugin import FileName, LogFormat

_MOST_BELOW = 100  # runs below a directory whose settings are theirs


class TakenFile(NamedTuple):
    """A file of a run that plugins claim."""

    directory: str  # of the run, relative to the logdir
    tag: str  # the path relative to that; with .. where the file is above
    claims: tuple[tuple[str, FileName], ...]  # by plugin
    format: LogFormat | None  # that reads it


def all_runs(
    awaited: Sequence[AwaitedFile],
    holding: set[str],
    tells: Callable[[AwaitedFile, Callable[[bytes], bool]], bool],
) -> set[str]:
    """All directories that are runs; ``holding`` are those with event files. ``tells``: whether a function
    accepts the first bytes of a file. Sets the runs of files that these are not around."""

    def added(files: Sequence[AwaitedFile], known: set[str]) -> set[str]:
        sure = known.union(*(_made_runs(each, holding) for each in files))
        return sure.union(
            directory
            for each in files
            for directory, accepts in _to_be_told(each, sure)
            if tells(each, accepts)
        )

    around, apart = _parted(awaited, holding)
    runs = added(around, holding)
    if apart:
        _set_runs(apart, runs)
        runs = added(apart, runs)
    return runs


def _parted(
    awaited: Sequence[AwaitedFile], holding: set[str]
) -> tuple[Sequence[AwaitedFile], list[AwaitedFile]]:
    """The files, and apart from these those whose run may not be around them: which directories are runs has
    to be known before."""
    if not any(pattern.lies_apart for each in awaited for pattern, _ in each.matches):
        return awaited, []
    places = {""}
    for place in {*holding, *(os.path.dirname(each.name) for each in awaited)}:
        while place not in places:
            places.add(place)
            place = os.path.dirname(place)
    around: list[AwaitedFile] = []
    apart: list[AwaitedFile] = []
    for each in awaited:
        may_be = any(pattern.lies_apart for pattern, _ in each.matches)
        is_apart = may_be and (_goes_below(each) or not places.isdisjoint(_named_runs(each)))
        (apart if is_apart else around).append(each)
    return around, apart


def _set_runs(apart: Iterable[AwaitedFile], runs: set[str]) -> None:
    """Sets the run of each file that has one which is not around it: the one that its name says, or the only
    one below its directory."""
    in_order = sorted(runs)
    for each in apart:
        each.run = next((run for run in _named_runs(each) if run in runs), None)
        if each.run is None and _goes_below(each):
            names = each.name.split("/")[:-1]
            below = _below("/".join(names), in_order)
            if len(below) == 1 and _nearest(names, range(len(names), -1, -1), runs) is None:
                each.run = below[0]


def _goes_below(awaited: AwaitedFile) -> bool:
    return any(pattern.claim.run_below for pattern, _ in awaited.matches)


def _named_runs(awaited: AwaitedFile) -> list[str]:
    """The directories next to a file that its name names (``FileName.of_run``)."""
    above, _, name = awaited.name.rpartition("/")
    patterns = sorted({pattern.claim.of_run for pattern, _ in awaited.matches} - {""})
    found = [match[1] for each in patterns if (match := re.fullmatch(each, name))]
    return [f"{above}/{one}" if above else one for one in found if one]


def _made_runs(awaited: AwaitedFile, holding: set[str]) -> set[str]:
    """Directories that are runs because of this file; ``holding`` are directories with event files."""
    names = awaited.name.split("/")
    return {
        _run_of(names, above, holding)
        for pattern, above in awaited.matches
        if pattern.claim.makes_run is True and not _is_apart(awaited, pattern)
    }


def _is_apart(awaited: AwaitedFile, pattern: FilePattern) -> bool:
    """Whether the run of a file is not around it."""
    return awaited.run is not None and pattern.lies_apart


def _to_be_told(awaited: AwaitedFile, runs: set[str]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Directories outside ``runs`` that become runs if a function accepts the first bytes of the file.

    Also returns these functions.
    """
    names = awaited.name.split("/")
    found = []
    # a function says the same for another pattern of its plugin: that of the most names counts
    asked: set[tuple[str, object]] = set()
    placed: set[str] = set()  # plugins of which an earlier pattern has found a run around the file
    for pattern, above in _of_own_format(awaited.matches):
        makes_run, plugin = pattern.claim.makes_run, pattern.plugin
        if plugin in placed or _is_apart(awaited, pattern):
            continue
        if _nearest(names, above, runs) is not None:
            placed.update([plugin] if plugin else ())
        elif callable(makes_run) and (plugin, makes_run) not in asked:
            asked.update([(plugin, makes_run)] if plugin else ())
            found.append(("/".join(names[: above[0]]), makes_run))
    return found


def _of_own_format(matches: Iterable[Match]) -> Iterator[Match]:
    """The first match of each log format, which is the one that counts: ``checkpoint-*/state.json`` belongs
    to the directory above, and makes no run of its own by ``state.json``."""
    seen: set[LogFormat] = set()
    for match in matches:
        log_format = match[0].format
        if log_format is None or log_format not in seen:
            yield match
        if log_format is not None:
            seen.add(log_format)


def taken(
    awaited: AwaitedFile,
    holding: set[str],
    runs: set[str],
    in_order: Callable[[], Sequence[str]],
    begins_like: Callable[[Callable[[bytes], bool]], bool],
) -> list[TakenFile]:
    """A file once for each run in which plugins claim it.

    ``runs``: all directories that are runs; ``in_order`` gives them sorted. ``begins_like``: whether the file
    begins as a format wants it.
    """
    path = awaited.name
    names = path.split("/")
    found: dict[str, dict[str, FilePattern]] = {}
    plugins: set[str] = set()
    for pattern, above in awaited.matches:
        makes_run = pattern.claim.makes_run
        if pattern.plugin in plugins:
            continue
        if pattern.format is not None and callable(makes_run) and not begins_like(makes_run):
            continue
        if _is_apart(awaited, pattern):
            directory: str | None = awaited.run
        elif makes_run is True:
            directory = _run_of(names, above, holding)
        else:
            directory = _nearest(names, above, runs)
        directories = [] if directory is None else [directory]
        if directory is None and pattern.format is not None and pattern.format.runs_below:
            directories = _below("/".join(names[: above[0]]), in_order())
        for each in directories:
            plugins.add(pattern.plugin)
            found.setdefault(each, {})[pattern.plugin] = pattern
    return [
        TakenFile(
            directory,
            _relative(path, directory),
            tuple((plugin, pattern.claim) for plugin, pattern in patterns.items() if plugin),
            patterns[""].format if "" in patterns else None,
        )
        for directory, patterns in found.items()
    ]


def _relative(path: str, directory: str) -> str:
    if not directory or path.startswith(f"{directory}/"):
        return path[len(directory) + 1 if directory else 0 :]
    return posixpath.relpath(path, directory)


def _run_of(names: Sequence[str], above: Sequence[int], holding: set[str]) -> str:
    nearest = _nearest(names, above, holding)
    return "/".join(names[: above[0]]) if nearest is None else nearest


def _below(directory: str, ordered: Sequence[str]) -> list[str]:
    """The runs below a directory; none if there are too many for the directory of one training."""
    start = f"{directory}/" if directory else ""
    first = bisect_left(ordered, start)
    found = [run for run in ordered[first : first + _MOST_BELOW + 1] if run.startswith(start)]
    return found if len(found) <= _MOST_BELOW else []


def _nearest(names: Sequence[str], above: Sequence[int], directories: set[str]) -> str | None:
    for count in above:
        directory = "/".join(names[:count])
        if directory in directories:
            return directory
    return None
