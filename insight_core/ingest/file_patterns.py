"""Matches the file names that plugins claim (``FileName``), and finds the runs of the files."""

from __future__ import annotations

import fnmatch
import functools
import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import BinaryIO, NamedTuple, Self, TypeAlias

from attrs import Factory, define, frozen

from insight_core.plugin import FileName, Flaw, LogFormat, Plugin, StoreFormat

_ANY_DIRECTORIES = "**"
_MOST_EXTENSIONS = 1_000  # of names whose patterns are kept
_MOST_BELOW = 100  # runs below a directory whose settings are theirs
_WILDCARDS = re.compile(r"\*|\?|\[!?\]?[^\]]*\]")

# A pattern that matches a file's name, and the directories from which the rest of the path matches too, each
# as its depth below the logdir, the deepest first.
Match: TypeAlias = "tuple[FilePattern, Sequence[int]]"

FileCheck: TypeAlias = Callable[[BinaryIO, FileName], Iterable[Flaw]]


@frozen(eq=False)
class FilePattern:
    """The compiled claim of one plugin or log format."""

    plugin: str  # empty for formats
    claim: FileName
    directories: tuple[str | None, ...]  # a pattern of each name; None: any number of directories
    way: str  # a part of every path to such a directory
    name: str
    literal: str  # the longest part of the name's pattern that has no wildcard
    suffix: str  # the part that ends every such name, if that has no wildcard
    format: LogFormat | None
    store: StoreFormat | None

    @classmethod
    def of(cls, plugin: str, claim: FileName, any_format: LogFormat | StoreFormat | None = None) -> Self:
        """Compiles the claim of a plugin, or of a format with an empty plugin name."""
        names = claim.pattern.split("/")
        if names[-1] == _ANY_DIRECTORIES:
            names.append("*")
        parts = _WILDCARDS.split(names[-1])
        way = _WILDCARDS.split("/".join(names[:-1]))
        return cls(
            plugin,
            claim,
            tuple(None if name == _ANY_DIRECTORIES else name for name in names[:-1]),
            max((part.strip("/") for part in way), key=len),
            names[-1],
            max(parts, key=len),  # of *epoch*.png that is epoch: many names end with .png
            parts[-1],
            any_format if isinstance(any_format, LogFormat) else None,
            any_format if isinstance(any_format, StoreFormat) else None,
        )

    def above(self, directories: Sequence[str]) -> list[int]:
        """Depths of directories from which the rest of the path matches, deepest first."""
        begins = {len(directories)}  # starts of the part matched so far, from the end
        for name in reversed(self.directories):
            if name is not None:
                begins = {at - 1 for at in begins if at and _compiled(name).match(directories[at - 1])}
                continue
            for at in range(max(begins, default=0), 0, -1):
                if at in begins and not directories[at - 1].startswith("."):
                    begins.add(at - 1)
        return sorted(begins, reverse=True)


@functools.cache  # compiled when first used: most patterns never are
def _compiled(name: str) -> re.Pattern[str]:
    visible = r"(?!\.)" if name[0] in "*?[" else ""
    return re.compile(visible + fnmatch.translate(name))


class FileNames:
    """The patterns of all plugins and formats. Most names match none and are rejected quickly."""

    def __init__(
        self, plugins: Iterable[Plugin] = (), formats: Iterable[LogFormat | StoreFormat] = ()
    ) -> None:
        self._patterns: list[FilePattern] = []
        self.checks: dict[str, FileCheck] = {}  # by plugin
        self.add(plugins, formats)

    def add(self, plugins: Iterable[Plugin], formats: Iterable[LogFormat | StoreFormat] = ()) -> None:
        """Adds the patterns of these plugins and formats, for the next walk."""
        plugins = tuple(plugins)
        new = [
            FilePattern.of(plugin.name, claim)
            for plugin in plugins
            for claim in (plugin.decoder.claims if plugin.decoder else ())
            if isinstance(claim, FileName)
        ]
        new += [FilePattern.of("", claim, each) for each in formats for claim in each.files]
        self._patterns = sorted(
            [*self._patterns, *new],
            key=lambda each: (
                each.plugin,
                -each.claim.pattern.count("/"),
                -len(each.claim.pattern),
                str(each.claim),
            ),
        )
        self.checks |= {
            plugin.name: plugin.decoder.check
            for plugin in plugins
            if plugin.decoder is not None and plugin.decoder.check is not None
        }
        self._named = [each for each in self._patterns if each.claim.begins is None]
        self._suspected = [each for each in self._patterns if each.claim.begins is not None]
        self.of_any_name = [each for each in self._named if not each.literal]
        self._by_extension: dict[str, tuple[list[FilePattern], list[FilePattern]]] = {}

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def may_match(self, name: str) -> bool:
        """A fast check of a file name; False for most names that no pattern matches."""
        for pattern in self._possible(name)[0]:  # noqa: SIM110 - a generator for each name takes longer
            if pattern.literal and pattern.literal in name:
                return True
        return False

    def matching(self, name: str) -> list[FilePattern]:
        """The patterns that match a file of this name, whatever directory it is in."""
        return _those_of(self._possible(name)[0], name)

    def suspected(self, name: str) -> list[FilePattern]:
        """The patterns that match this name and claim only files that begin as they say."""
        possible = self._possible(name)[1]
        return _those_of(possible, name) if possible else []

    def _possible(self, name: str) -> tuple[list[FilePattern], list[FilePattern]]:
        """The patterns that may match names that end alike: of those by name, and of those by beginnings."""
        extension = name[name.rfind(".") :]
        possible = self._by_extension.get(extension)
        if possible is None:
            named, suspected = (
                [one for one in each if one.suffix.endswith(extension) or extension.endswith(one.suffix)]
                for each in (self._named, self._suspected)
            )
            possible = named, suspected
            if len(self._by_extension) < _MOST_EXTENSIONS:
                self._by_extension[extension] = possible
        return possible

    def take(self, path: str) -> bool:
        """Whether a plugin may claim the file by its path, which is relative to the logdir."""
        above, _, name = path.rpartition("/")
        return bool(Directory(self, above).matches(name))

    def suspects(self, path: str) -> Sequence[Match]:
        """The patterns that claim the file if it begins as they say."""
        above, _, name = path.rpartition("/")
        return Directory(self, above).suspects(name, ())


def _those_of(patterns: Iterable[FilePattern], name: str) -> list[FilePattern]:
    return [each for each in patterns if each.literal in name and _compiled(each.name).match(name)]


@define
class AwaitedFile:
    """A file that plugins may claim; its run is known once all directories were walked."""

    path: str
    name: str  # relative to the logdir
    matches: Sequence[Match]
    info: os.stat_result | None
    reason: str = ""  # if ``info`` is missing
    is_link: bool = False


class TakenFile(NamedTuple):
    """A file of a run that plugins claim."""

    directory: str  # of the run, relative to the logdir
    tag: str  # the path relative to that; with .. where the file is above
    claims: tuple[tuple[str, FileName], ...]  # by plugin
    format: LogFormat | None  # that reads it


@define
class Directory:
    """The patterns for files of one directory; each pattern is compared with its path once."""

    names: FileNames
    path: str  # relative to the logdir
    _above: dict[FilePattern, list[int]] = Factory(dict)
    _takes_any_name: bool | None = None

    def matches(self, name: str) -> Sequence[Match]:
        """The patterns that a file of this name may match."""
        if self._takes_any_name is None:
            self._takes_any_name = any(map(self._above_of, self.names.of_any_name))
        if not self._takes_any_name and not self.names.may_match(name):
            return ()
        found = [(pattern, self._above_of(pattern)) for pattern in self.names.matching(name)]
        return [match for match in found if match[1]]

    def suspects(self, name: str, matches: Sequence[Match]) -> Sequence[Match]:
        """The patterns that claim a file of this name if it begins as they say; none of plugins that claim it
        by ``matches`` anyway."""
        suspected = self.names.suspected(name)
        if not suspected:  # as for most names
            return ()
        plugins = {pattern.plugin for pattern, _ in matches}
        found = [(each, self._above_of(each)) for each in suspected if each.plugin not in plugins]
        return [match for match in found if match[1]]

    def _above_of(self, pattern: FilePattern) -> list[int]:
        above = self._above.get(pattern)
        if above is None:
            above = []
            if pattern.way in self.path:
                above = pattern.above(self.path.split("/") if self.path else [])
            self._above[pattern] = above
        return above


def made_runs(path: str, matches: Iterable[Match], holding: set[str]) -> set[str]:
    """Directories that are runs because of this file; ``holding`` are directories with event files."""
    names = path.split("/")
    return {_run_of(names, above, holding) for pattern, above in matches if pattern.claim.makes_run is True}


def to_be_told(
    path: str, matches: Iterable[Match], runs: set[str]
) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Directories outside ``runs`` that become runs if a function accepts the first bytes of the file.

    Also returns these functions.
    """
    names = path.split("/")
    return [
        ("/".join(names[: above[0]]), pattern.claim.makes_run)
        for pattern, above in _of_own_format(matches)
        if callable(pattern.claim.makes_run) and _nearest(names, above, runs) is None
    ]


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
    path: str,
    matches: Iterable[Match],
    holding: set[str],
    runs: set[str],
    in_order: Callable[[], Sequence[str]],
    begins_like: Callable[[Callable[[bytes], bool]], bool],
) -> list[TakenFile]:
    """The file at ``path``, relative to the logdir, once for each run in which plugins claim it.

    ``runs``: all directories that are runs; ``in_order`` gives them sorted. ``begins_like``: whether the file
    begins as a format wants it.
    """
    names = path.split("/")
    found: dict[str, dict[str, FilePattern]] = {}
    plugins: set[str] = set()
    for pattern, above in matches:
        makes_run = pattern.claim.makes_run
        if pattern.plugin in plugins:
            continue
        if pattern.format is not None and callable(makes_run) and not begins_like(makes_run):
            continue
        if makes_run is True:
            directory: str | None = _run_of(names, above, holding)
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
