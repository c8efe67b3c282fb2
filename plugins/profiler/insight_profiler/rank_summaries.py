"""Summaries of ranks in memory, as many as some bytes hold; the others are on disk."""

from __future__ import annotations

import threading
from pathlib import Path

from cachetools import LRUCache

from insight_profiler.model import Profile
from insight_profiler.storage import UnusableProfile, load_summary

MEMORY = 256 << 20  # bytes


class RankSummaries:
    """For any thread."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._lock = threading.Lock()
        self._held: LRUCache[str, Profile] = LRUCache(memory, getsizeof=_size)

    def get(self, key: str, cache: Path | None) -> Profile | None:
        """The summary of a profile by its key, from memory or from what is kept below ``cache``."""
        with self._lock:
            found: Profile | None = self._held.get(key)
        if found is not None or cache is None:
            return found
        try:
            found = load_summary(cache / key)
        except (OSError, UnusableProfile):  # it will be read again
            return None
        self.add(key, found)
        return found

    def add(self, key: str, summary: Profile) -> None:
        """Holds a summary while there is room."""
        if _size(summary) <= self._held.maxsize:
            with self._lock:
                self._held[key] = summary


def _size(summary: Profile) -> int:
    columns = sum(column.nbytes for table in summary.tables.values() for column in table.values())
    return columns + 4096
