"""Whether a host may write into the state directory, and why not."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from insight_core.plugin import InsightError, Unavailable
from insight_core.web.state.state_file import StateFile
from insight_record.formats.reason import ReasonKind

_STATE_REFUSED = ReasonKind("state_refused", "{what} cannot be written: {cause}")


class Moment(Protocol):
    """The values at one moment."""

    @property
    def generation(self) -> int:
        """A number that changes whenever the values do."""
        raise NotImplementedError


M = TypeVar("M", bound=Moment)


class SharedState(Generic[M]):
    """Values in a file of a state directory, written by this host and others.

    Without a ``directory`` the values stay those of ``empty``. ``refusal`` is the reason if writing is
    disabled.
    """

    what = "state"  # for messages: what is in the file

    def __init__(self, empty: M, directory: Path | None, refusal: str | None, *, read_only: bool) -> None:
        if directory is None and refusal is None:
            refusal = "this host has no state directory"
        self.read_only = read_only
        self.may_change = directory is not None  # by any host
        self._refusal = "this host was started with --read-only" if read_only else refusal
        self._failure: str | None = None  # of the last look
        self._lock = threading.Lock()
        self._now = empty

    def generation(self) -> int:
        """A number that changes whenever the values do. Checks the file for changes of other hosts."""
        return self.now().generation

    def now(self) -> M:
        """The current values, including those of other hosts. Checks the file for changes.

        During a write it returns the previous values: every request may call this, and a disk may be slow.
        """
        if self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._now

    def _look(self) -> None:
        """Takes what was written since the last look. Called with the lock."""
        raise NotImplementedError

    def write_refusal(self) -> str | None:
        """Why values cannot be written now; None if they can. Tests it on disk."""
        if self._refusal or self._failure:
            return self._refusal or self._failure
        try:
            self._writable_file().check_writable()
        except InsightError as error:
            return str(error)
        return None

    def _writable_file(self) -> StateFile:
        """The file to write to. Raises Unavailable if writing is disabled."""
        file = self._open_file() if self._refusal is None else None
        if file is None:
            raise Unavailable(_STATE_REFUSED(what=self.what, cause=self._refusal))
        return file

    def _open_file(self) -> StateFile | None:
        """The file with the values; None without a directory."""
        raise NotImplementedError
