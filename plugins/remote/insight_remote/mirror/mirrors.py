"""The mirrors of a host: fetches for all of them, within one bound on disk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.plugin import FileChanged, Reason, RemoteFiles
from insight_core.plugin.own import RequestCounts
from insight_remote.mirror.directory import MirrorDirectory, drop_unused
from insight_remote.mirror.mirror import ListingChange, Mirror
from insight_remote.mirror.requests import Requests, StoreAway

if TYPE_CHECKING:
    from insight_core.ingest.fetching import FilePart

log = logging.getLogger(__name__)

_AT_ONCE = 32  # requests
_DEFAULT_MOST = 10 << 30  # bytes
_LOOKS = 50  # times that the bound is looked at while as much is fetched as it allows


class Mirrors:
    """The mirrors of several locations; ``close`` ends them all."""

    def __init__(self, cache: Path | None, most_bytes: int | None = None, interval: float = 0.0) -> None:
        """``cache``: the cache directory, None for a temporary one. ``interval`` in seconds; 0: list once."""
        self._cache, self._most, self._interval = cache, most_bytes or _DEFAULT_MOST, interval
        self._mirrors: list[Mirror] = []
        self._pieces = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="insight-fetch")
        self._fetches = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="insight-fetch-file")
        self._unlisted: list[Mirror] = []
        self._changed: Callable[[frozenset[str] | None], None] | None = None
        self._evicting = threading.Lock()
        self._looked_at = 0  # bytes fetched when the bound was last looked at
        self.may_evict: Callable[[str], bool] = lambda path: False  # of local files
        if cache is not None:
            drop_unused(cache, self._most)

    def add(self, location: str, open_files: Callable[[], RemoteFiles]) -> str:
        """Mirrors a location; returns the local directory. Raises what ``open_files`` does, OSError."""
        requests = Requests(location, open_files)
        mirror = Mirror(MirrorDirectory.of(location, self._cache), requests, self._pieces)
        self._mirrors.append(mirror)
        self._unlisted.append(mirror)
        return mirror.path

    @property
    def locations(self) -> dict[str, str]:
        """The location of each local directory."""
        return {mirror.path: mirror.location for mirror in self._mirrors}

    def list_first(self) -> None:
        """Lists each location that was not listed yet; a store that is away is a notice."""
        unlisted, self._unlisted = self._unlisted, []
        for listing in [self._fetches.submit(mirror.refresh) for mirror in unlisted]:
            self._wait_for(listing)
        self._follow_listed()

    def list_now(self) -> None:
        """Lists every location."""
        self._unlisted = list(self._mirrors)
        self.list_first()

    def follow(self, changed: Callable[[frozenset[str] | None], None], noticed: Callable[[], None]) -> None:
        """Lists the locations again and again, from their first listing on.

        ``changed`` is called with the local files that have other content, None if files came or went;
        ``noticed`` when a store goes away or comes back.
        """
        self._changed = changed
        for mirror in self._mirrors:
            mirror.requests.noticed = noticed
        self._follow_listed()

    def fetch(self, parts: Sequence[FilePart]) -> None:
        """Makes parts of local files present, several at once; paths elsewhere are left alone.

        Fetches all that can be fetched, then raises the first error: FileChanged, StoreAway, OSError.
        """
        wanted = [(mirror, part) for part in parts if (mirror := self._mirror_of(part.path)) is not None]
        if len(wanted) == 1:
            self._fetch(*wanted[0])
            self._evict()
            return
        fetches = [self._fetches.submit(self._fetch, *each) for each in wanted]
        errors = [error for fetch in fetches if (error := fetch.exception()) is not None]
        self._evict()
        if errors:
            raise errors[0]

    def fetch_current(self, parts: Sequence[FilePart]) -> None:
        """``fetch`` for readers that cannot wait for the next listing. Raises OSError."""
        try:
            self.fetch(parts)
        except FileChanged as error:
            raise OSError("the file has changed in the store; try again") from error

    def notices(self) -> list[Reason]:
        """What users should know of the stores."""
        return [notice for mirror in self._mirrors for notice in mirror.notices()]

    def counts(self) -> dict[str, RequestCounts]:
        """Requests so far, by location."""
        return {mirror.location: mirror.requests.counts for mirror in self._mirrors}

    def close(self) -> None:
        """Ends requests, and keeps what was fetched."""
        for mirror in self._mirrors:
            mirror.close()
        self._fetches.shutdown(wait=False, cancel_futures=True)
        self._pieces.shutdown(wait=False, cancel_futures=True)

    def _evict(self) -> None:
        """Frees content beyond the bound, of files that were read."""
        fetched = sum(mirror.requests.counts.bytes for mirror in self._mirrors)
        if fetched - self._looked_at < self._most // _LOOKS or not self._evicting.acquire(blocking=False):
            return
        try:
            self._looked_at = fetched
            excess = sum(mirror.held() for mirror in self._mirrors) - self._most
            for mirror in self._mirrors:
                if excess > 0:
                    excess -= mirror.evict(excess, self.may_evict)
        finally:
            self._evicting.release()

    def _follow_listed(self) -> None:
        if self._changed is None or self._interval <= 0:
            return
        for mirror in self._mirrors:
            if mirror not in self._unlisted:
                mirror.follow(self._interval, self._changed)

    def _mirror_of(self, path: str) -> Mirror | None:
        return next((each for each in self._mirrors if path.startswith(f"{each.path}/")), None)

    def _fetch(self, mirror: Mirror, part: FilePart) -> None:
        mirror.fetch(part.path, part.start, part.end, grows=part.grows)

    def _wait_for(self, listing: Future[ListingChange]) -> None:
        try:
            listing.result()
        except StoreAway:
            pass  # a notice
        except Exception:
            log.exception("a remote log directory could not be listed; it will be retried")
