"""The directory for event files that are made of other trackers' stores."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import threading
import time
from collections.abc import Iterable
from pathlib import Path

from insight_core.ingest.found import FoundStore
from insight_core.ingest.locked_directory import ProcessDirectory
from insight_core.ingest.walk import size_below
from insight_core.plugin.context import CACHE_SIZE

_UNUSED = 30 * 24 * 3600.0  # seconds after which a translation is deleted
_SHARE = 2.5  # the cache is so many times as large as all translations may be
_MEASURED_EVERY = 1.0  # seconds
_SOURCE = "source"  # a file with the path of the store; its time is that of the last use


class TranslationDirectory:
    """Gives each store a directory that no other process uses. Thread-safe."""

    def __init__(self, cache_directory: Path | None, cache_size: int | None = None) -> None:
        """Without ``cache_directory``, or where it cannot be written, everything is deleted by ``close``.

        Translations have two fifths of ``cache_size`` bytes, by default 10 GiB.
        """
        self._most_bytes = int((cache_size or CACHE_SIZE) / _SHARE)
        self._sizes: dict[Path, int] = {}  # bytes of the directories of stores, as far as they are known
        self._measured: dict[Path, float] = {}  # when, in monotonic seconds, by directory of an open store
        cache = None if cache_directory is None else cache_directory / "plugins" / "translations"
        self._root = ProcessDirectory(cache, "translations", _tidy)
        self._making = threading.Lock()
        self.holds, self.close = self._root.holds, self._root.close

    def of(self, found: FoundStore) -> Path:
        """The directory of a store, made if need be. Raises OSError."""
        with self._making:
            place = self._root.path() / _name_of(found)
            place.mkdir(exist_ok=True)
            (place / _SOURCE).write_bytes(os.fsencode(os.path.abspath(found.path)))
            target = place / "events"
            target.mkdir(exist_ok=True)
            self._measured.setdefault(place, -math.inf)
            return target

    def keep_open(self, stores: Iterable[FoundStore]) -> None:
        """Lets the translations of all other stores be deleted when space runs out."""
        with self._making:
            if (root := self._root.made) is not None:
                kept = {root / _name_of(found) for found in stores}
                self._measured = {place: when for place, when in self._measured.items() if place in kept}

    def has_room(self, target: Path) -> bool:
        """Whether all translations are within the limit; ``target`` is about to be written.

        Those of stores that are not open are deleted first.
        """
        with self._making:
            if (root := self._root.made) is None:
                return True
            for place in root.iterdir() if not self._sizes else ():
                if place.is_dir():
                    self._sizes[place] = size_below(place)
            place = target.parent
            if time.monotonic() - self._measured.get(place, -math.inf) > _MEASURED_EVERY:
                self._sizes[place] = size_below(place)
                self._measured[place] = time.monotonic()
            if sum(self._sizes.values()) > self._most_bytes:
                self._evict()
            return sum(self._sizes.values()) <= self._most_bytes

    def _evict(self) -> None:
        """Deletes translations of stores that are not open, those that were used longest ago first."""
        for place in sorted(self._sizes.keys() - self._measured.keys(), key=_last_use):
            shutil.rmtree(place, ignore_errors=True)
            del self._sizes[place]
            if sum(self._sizes.values()) <= self._most_bytes:
                return


def _name_of(found: FoundStore) -> str:
    """The name of the directory of a store."""
    about = f"{found.format.name}\0{found.format.version}\0{os.path.abspath(found.path)}"
    return hashlib.blake2b(os.fsencode(about), digest_size=15).hexdigest()


def _last_use(place: Path) -> float:
    try:
        return (place / _SOURCE).stat().st_mtime
    except OSError:
        return 0.0


def _tidy(root: Path) -> None:
    """Deletes translations of stores that are gone, or that nobody has looked at for long."""
    for place in root.iterdir():
        if not place.is_dir():
            continue
        try:
            source = (place / _SOURCE).read_bytes()
            is_used = time.time() - (place / _SOURCE).stat().st_mtime < _UNUSED
        except OSError:
            source, is_used = b"", False
        if not is_used or not os.path.exists(source):
            shutil.rmtree(place, ignore_errors=True)
