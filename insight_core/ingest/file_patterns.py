"""Matches the file names that plugins claim (``FileName``)."""

from __future__ import annotations

import fnmatch
import functools
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, Self, TypeAlias

from attrs import Factory, define, frozen

from insight_core.plugin import FileName, Flaw, LogFormat, Plugin, StoreFormat

_ANY_DIRECTORIES = "**"
_MOST_EXTENSIONS = 1_000  # of names whose patterns are kept
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
    lies_apart: bool  # whether files may be of a run that is not around them

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
            bool(claim.of_run) or claim.run_below,
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
    run: str | None = None  # the directory of a run that is not around it: ``FileName.of_run``, ``run_below``


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
