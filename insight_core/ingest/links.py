"""Decides which symbolic links below the logdirs are followed."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence

from insight_core.ingest.walk import listed

log = logging.getLogger(__name__)

_MOST_NAMED = 3  # links in a message


class Links:
    """The rule of docs/reference/formats.md for links below some ``roots``.

    A place is inside if it lies below a root, or below a directory to which a link at the top level of a root
    leads. With ``everywhere`` links are followed wherever they lead.
    """

    def __init__(self, roots: Sequence[str], *, everywhere: bool = False) -> None:
        self._roots = roots
        self._tops = {os.path.dirname(os.path.join(root, "_")) for root in roots}  # as `dirname` spells them
        self._everywhere = everywhere
        self._below_roots: frozenset[str] | None = None  # real directories; most trees have no links
        self._below_tops: frozenset[str] | None = None

    def follow(self, path: str) -> bool:
        """Whether the link at a path is followed: one at the top level, or to a place inside."""
        return os.path.dirname(path) in self._tops or self.lead_inside(path)

    def lead_inside(self, path: str) -> bool:
        """Whether what is at a path lies inside, with all links resolved; True with ``everywhere``."""
        if self._everywhere:
            return True
        place = os.path.realpath(path)
        if self._below_roots is None:
            self._below_roots = _real(self._roots)
        if _is_below(place, self._below_roots):
            return True
        if self._below_tops is None:
            tops = [entry for root in self._roots for entry in listed(root) if entry.is_symlink()]
            self._below_tops = _real([entry.path for entry in tops if os.path.isdir(entry.path)])
        return _is_below(place, self._below_tops)


def _real(directories: Sequence[str]) -> frozenset[str]:
    return frozenset(map(os.path.realpath, directories))


def _is_below(place: str, directories: frozenset[str]) -> bool:
    """Whether an absolute path is one of the directories or lies below one."""
    while place not in directories:
        above = os.path.dirname(place)
        if above == place:
            return False
        place = above
    return True


def leads_back(path: str, root: str, relative: str) -> bool:
    """Whether a directory is one of those on the way from ``root`` to it."""
    try:
        target, above = os.stat(path), root
        for part in ["", *relative.split("/")]:
            above = os.path.join(above, part) if part else above
            if os.path.samestat(target, os.stat(above)):
                return True
    except OSError:  # deleted: the walk handles that
        return False
    return False


class ReportedLinks:
    """Logs each link that is not followed once."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def report(self, links: Sequence[str]) -> None:
        """Logs those of these links that are new."""
        new = [link for link in links if link not in self._known]
        self._known.update(new)
        if new:
            named = ", ".join(new[:_MOST_NAMED])
            rest = f" and {len(new) - _MOST_NAMED} more" if len(new) > _MOST_NAMED else ""
            named = named.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            log.warning(
                "symbolic links that lead out of the log directories are not followed: %s%s; "
                "--follow-symlinks follows them",
                named,
                rest,
            )
