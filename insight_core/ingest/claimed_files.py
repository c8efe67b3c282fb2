"""Adds the files that plugins claim by name to the store, with the damage that their ``check`` finds."""

from __future__ import annotations

import errno
import io
import logging
import math
import os
import stat
import threading
import time
from collections.abc import Mapping
from types import MappingProxyType

from insight_core.formats.batch import Flaw, unreadable
from insight_core.ingest.fetching import Fetch, opened
from insight_core.ingest.file_patterns import FileCheck
from insight_core.ingest.file_record import FlawList
from insight_core.store.held_file import NamedFile
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store
from insight_record.formats.reason import Reason, ReasonKind

log = logging.getLogger(__name__)


_UNREADABLE = Flaw(0, unreadable(PermissionError(errno.EACCES, os.strerror(errno.EACCES))))
_CHECK_FAILED = ReasonKind("check_failed", "checking failed: {cause}")


class NamedFiles:
    """The claimed files in the store. ``checks`` are functions that find damage, by plugin."""

    def __init__(
        self,
        store: Store,
        checks: Mapping[str, FileCheck] = MappingProxyType({}),
        fetch: Fetch | None = None,
    ) -> None:
        self._store = store
        self._checks = checks
        self._fetch = fetch
        self._due: dict[tuple[str, str], float] = {}  # monotonic seconds at which a file is to be checked
        self._flaws: dict[tuple[str, str], list[Flaw]] = {}  # by run and path
        self._files: dict[tuple[str, str], NamedFile] = {}  # by run and path
        self._by_path: dict[str, set[tuple[str, str]]] = {}
        self._places: dict[tuple[str, FileOrder], str] = {}  # paths
        self._unreadable: set[tuple[str, str]] = set()

    def path_of(self, run: str, order: FileOrder) -> str | None:
        """The path of a file of a run, by its order among the run's files; None if unknown."""
        return self._places.get((run, order))

    @property
    def next_check(self) -> float:
        """The time of the next check, in monotonic seconds; infinite if no file is due."""
        return min(self._due.values(), default=math.inf)

    def check(self, stop: threading.Event) -> None:
        """Checks the files that are due, until ``stop`` is set."""
        now = time.monotonic()
        for key in [key for key, due in self._due.items() if due <= now]:
            if stop.is_set():
                return
            del self._due[key]
            self._flaws[key] = self._flaws_of(self._files[key])
            self._say(key)

    def reconcile(self, found: Mapping[tuple[str, str], NamedFile], settling: float) -> None:
        """Replaces the list of files. Changed files are checked ``settling`` seconds after their last change,
        because they may be half written."""
        for key in [key for key in self._files if key not in found]:
            self._forget(key)
        for key, file in found.items():
            before = self._files.get(key)
            if before is not None and before.claims != file.claims:
                self._forget(key)
            self._have(key, file, settling)

    def look_at(self, path: str, settling: float) -> bool:
        """Updates the file at a path; returns False if it is unknown or was deleted."""
        keys = self._by_path.get(path)
        if keys is None:
            return False
        try:
            info = os.stat(path)
        except OSError:
            return False
        if not stat.S_ISREG(info.st_mode):
            return False
        for key in keys:
            file = self._files[key]._replace(size=info.st_size, mtime_ns=info.st_mtime_ns)
            self._have(key, file, settling)
        return True

    def _have(self, key: tuple[str, str], file: NamedFile, settling: float) -> None:
        if self._files.get(key) != file:
            self._files[key] = file
            self._by_path.setdefault(file.path, set()).add(key)
            self._places[(file.run, file.order)] = file.path
            self._store.put_file(file)
            self._plan_check(key, settling)
        if _is_forbidden(file.path) != (key in self._unreadable):
            self._unreadable ^= {key}
            self._say(key)
            self._plan_check(key, settling)

    def _plan_check(self, key: tuple[str, str], settling: float) -> None:
        if any(plugin in self._checks for plugin, _ in self._files[key].claims):
            self._due[key] = time.monotonic() + settling

    def _say(self, key: tuple[str, str]) -> None:
        file = self._files[key]
        flaws = [_UNREADABLE] if key in self._unreadable else self._flaws.get(key, [])
        self._store.set_damage(file.run, file.name, flaws)

    def _flaws_of(self, file: NamedFile) -> list[Flaw]:
        found = FlawList()
        for plugin, claim in file.claims:
            if plugin not in self._checks:
                continue
            try:
                with io.BufferedReader(opened(file.path, self._fetch)) as content:
                    found.extend(list(self._checks[plugin](content, claim)))
            except FileNotFoundError:  # the next walk handles that
                continue
            except OSError as error:
                found.extend([Flaw(0, unreadable(error))])
            except Exception as error:  # an error of a plugin must not stop the loader
                log.exception("plugin %s failed to check %s", plugin, file.path)
                cause = Reason.of(error) or Reason(type(error).__name__)
                found.extend([Flaw(0, _CHECK_FAILED(cause=cause))])
        return found.entries()

    def _forget(self, key: tuple[str, str]) -> None:
        file = self._files.pop(key)
        self._store.drop_file(file.run, file.name, file.order)
        self._unreadable.discard(key)
        self._due.pop(key, None)
        self._flaws.pop(key, None)
        del self._places[(file.run, file.order)]
        self._by_path[file.path].discard(key)
        if not self._by_path[file.path]:
            del self._by_path[file.path]


def _is_forbidden(path: str) -> bool:
    return not os.access(path, os.R_OK) and os.path.exists(path)
