"""Decides which files plugins claim by their first bytes (``FileName.begins``)."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence

from attrs import evolve

from insight_core.ingest.beginnings import Beginnings, Tells
from insight_core.ingest.file_patterns import AwaitedFile, FileNames, Match

log = logging.getLogger(__name__)

TOGETHER = 64  # files that are asked about at once: their beginnings are fetched together
_MOST_ALIKE = 256  # files with names alike that a function may refuse before it is asked no more
_MOST_REFUSED = 100_000  # files that it may refuse in all: some seconds, once
_FETCHED_SHARE = 32  # where beginnings have to be fetched: the limits are divided by it
_NUMBER = re.compile("[0-9A-Fa-f]*[0-9][0-9A-Fa-f]*")  # decimal, or hexadecimal as in hashes


class Suspects:
    """The files of one walk of which only the first bytes tell whether a plugin claims them."""

    def __init__(self, beginnings: Beginnings) -> None:
        self._beginnings = beginnings
        self._share = _FETCHED_SHARE if beginnings.are_fetched else 1
        self._refused: dict[tuple[Tells, str], int] = {}  # files, by names alike; "" for all
        self._accepted: set[tuple[Tells, str]] = set()  # names of which some were accepted

    def asked(self, name: str, suspecting: Sequence[Match]) -> Sequence[Match]:
        """Those of these patterns whose functions are still asked about files of such a name."""
        return [match for match in suspecting if self._is_asked(name, match)]

    def decide(self, files: Sequence[tuple[AwaitedFile, Sequence[Match]]]) -> list[AwaitedFile]:
        """The files that plugins may claim, with those of the patterns that accept them."""
        self._beginnings.fetch_ahead([file.path for file, _ in files])
        found = []
        for file, suspecting in files:
            accepting = [match for match in suspecting if self._accepts(file, match)]
            if accepting or file.matches:
                found.append(evolve(file, matches=[*file.matches, *accepting]))
        return found

    def _is_asked(self, name: str, match: Match) -> bool:
        tells = match[0].claim.begins
        assert tells is not None
        is_open = self._refused.get((tells, ""), 0) < _MOST_REFUSED // self._share
        if not is_open and not self._beginnings.is_limited:
            self._beginnings.is_limited = True
            log.warning(
                "there are very many files whose names do not tell what they are; not all of them are looked "
                "into, so that traces of unusual names may be missing"
            )
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
        is_accepted = self._beginnings.say(file.path, file.info, tells)
        alike = tells, _NUMBER.sub("#", name)
        if is_accepted:
            self._accepted.add(alike)
        else:
            for key in (alike, (tells, "")):
                self._refused[key] = self._refused.get(key, 0) + 1
        return is_accepted


def is_claimed(names: FileNames, path: str, relative: str) -> bool:
    """Whether a plugin may claim the local file at ``path``, by its path relative to the logdir or else by
    its first bytes."""
    if names.take(relative):
        return True
    try:
        info = os.stat(path)
    except OSError:
        return False
    return any(
        pattern.claim.begins is not None and Beginnings().say(path, info, pattern.claim.begins)
        for pattern, _ in names.suspects(relative)
    )
