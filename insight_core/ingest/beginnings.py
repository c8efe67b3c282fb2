"""Asks plugins about the first bytes of files (``FileName.makes_run``, ``begins``), and keeps the answers."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from attrs import evolve

from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.ingest.file_patterns import AwaitedFile, Match
from insight_core.plugin import BEGINNING, FileChanged

log = logging.getLogger(__name__)

Tells: TypeAlias = Callable[[bytes], bool]

TOGETHER = 64  # files that are asked about at once: their beginnings are fetched together
_MOST_ALIKE = 256  # files with names alike that a function may refuse before it is asked no more
_MOST_REFUSED = 4000  # files that it may refuse in all
_FETCHED_SHARE = 8  # where beginnings have to be fetched: the limits are divided by it
_NUMBER = re.compile("[0-9A-Fa-f]*[0-9][0-9A-Fa-f]*")  # decimal, or hexadecimal as in hashes


class Beginnings:
    """Answers of plugins about files, cached until the file changes."""

    def __init__(self, fetch: Fetch | None = None) -> None:
        self._fetch = fetch
        self._before: dict[tuple[str, Tells], tuple[int, int, bool]] = {}  # size, mtime in ns, answer
        self._now: dict[tuple[str, Tells], tuple[int, int, bool]] = {}
        self._refused: dict[tuple[Tells, str], int] = {}  # files of this walk, by names alike; "" for all
        self._accepted: set[tuple[Tells, str]] = set()  # names of which some were accepted in this walk
        self._share = 1 if fetch is None else _FETCHED_SHARE

    def asked(self, name: str, suspects: Sequence[Match]) -> Sequence[Match]:
        """Those of ``suspects`` whose functions are still asked about files of such a name."""
        return [match for match in suspects if self._is_asked(name, match)]

    def decide(self, files: Sequence[tuple[AwaitedFile, Sequence[Match]]]) -> list[AwaitedFile]:
        """The files that plugins may claim, with the patterns among their suspects that accept them."""
        asked = [file for file, suspects in files if suspects]
        if self._fetch is not None and len(asked) > 1:
            with suppress(OSError, FileChanged):  # each is fetched again when it is asked about
                self._fetch([FilePart(file.path, 0, BEGINNING) for file in asked])
        found = []
        for file, suspects in files:
            accepting = [match for match in suspects if self._accepts(file, match)]
            if accepting or file.matches:
                found.append(evolve(file, matches=[*file.matches, *accepting]))
        return found

    def _is_asked(self, name: str, match: Match) -> bool:
        tells = match[0].claim.begins
        assert tells is not None
        is_open = self._refused.get((tells, ""), 0) < _MOST_REFUSED // self._share
        if not is_open and not self._accepted:
            return False
        alike = tells, _NUMBER.sub("#", name)
        return alike in self._accepted or (
            is_open and self._refused.get(alike, 0) < _MOST_ALIKE // self._share
        )

    def _accepts(self, file: AwaitedFile, match: Match) -> bool:
        tells, name = match[0].claim.begins, os.path.basename(file.path)
        if tells is None or file.info is None or not file.info.st_size or not self._is_asked(name, match):
            return False
        is_accepted = self.say(file.path, file.info, tells)
        alike = tells, _NUMBER.sub("#", name)
        if is_accepted:
            self._accepted.add(alike)
        else:
            for key in (alike, (tells, "")):
                self._refused[key] = self._refused.get(key, 0) + 1
        return is_accepted

    def say(self, path: str, info: os.stat_result, tells: Tells) -> bool:
        """The answer of ``tells`` for the file; False if it cannot be read."""
        key = path, tells
        known = self._before.get(key)
        if known is None or known[:2] != (info.st_size, info.st_mtime_ns):
            if self._fetch is not None and info.st_size > 0:
                try:
                    self._fetch([FilePart(path, 0, BEGINNING)])
                except (OSError, FileChanged):
                    return False  # asked again by the next walk
            known = info.st_size, info.st_mtime_ns, info.st_size > 0 and told(path, tells)
        self._now[key] = known
        return known[2]

    def forget_others(self) -> None:
        """Drops answers that were not requested since the last call."""
        self._before, self._now = self._now, {}
        self._refused, self._accepted = {}, set()


def told(path: str, tells: Tells) -> bool:
    """The answer of ``tells`` for a local file; False if it cannot be read."""
    try:
        with opened(path) as file:
            beginning = file.read(BEGINNING)
    except OSError:
        return False
    try:
        return bool(tells(beginning))
    except Exception:  # an error of a plugin must not end the walk
        log.exception("makes_run failed for %s", path)
        return False
