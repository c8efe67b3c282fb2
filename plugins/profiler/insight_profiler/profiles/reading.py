"""One profile while it is read by another process, and what is known of it since."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

from attrs import evolve, frozen

from insight_core.plugin.worker import WorkerFailed, WorkerJob, WorkerLimits, physical_memory
from insight_profiler.files import pass_over
from insight_profiler.model import Note, Profile, Source
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.storage import UnusableProfile, load

_SETTLED = 2.0  # seconds that files must stay as they are before a profile is read again
_GROWS = 10.0  # seconds after which what was appended to files that grow is read
_AGAIN = 60.0  # seconds after which a profile is tried again whose reader died
_GZIP = ".gz"
_AT = "\0"  # between a name and a place, as no name has it
_GROWING = {Source.RANK_STEPS}  # whose readers go on where files ended when they were read last
_RATIO = 8  # of packed files, about: bytes of columns to bytes of the file
_MEMORY_SHARE = 0.5  # of the machine's memory that reading one may take
MEMORY = 2 << 30  # bytes that all profiles that are read at a time may take together, estimated
SECONDS = 120.0  # of processor time that reading a profile may take,
_SECONDS_A_BYTE = 10e-6  # and what it may take for each byte: logs take a hundredth, packed ones a third
# what a worker calls its failures, as the page knows those of profiles
_CODES = {
    "worker_died": "reader_died",
    "worker_failed": "reader_failed",
    "worker_not_started": "reader_died",
    "worker_memory": "out_of_memory",
    "worker_seconds": "out_of_time",
    "worker_unreadable": "unreadable_file",
}


def limits() -> WorkerLimits:
    """What reading a profile may take. It has no deadline: its files may come from far away."""
    return WorkerLimits(int(_MEMORY_SHARE * physical_memory()), SECONDS, deadline=None, answer=1 << 16)


@frozen(eq=False)
class Look:
    """A profile as it is known now. ``read`` and ``total`` are bytes of its files; ``version`` grows whenever
    ``profile`` changes."""

    files: ProfileFiles
    state: Literal["reading", "ready", "failed"] = "reading"
    read: int = 0
    total: int = 0
    profile: Profile | None = None
    version: int = 0
    failure: Note | None = None


def place_in(name: str, offset: int) -> str:
    """What the reader asks for to have a file from a place on."""
    return f"{name}{_AT}{offset}"


class ProfileReading(WorkerJob):
    """One profile, of files as they were at one time. For any thread.

    ``opener`` opens one of the files; ``is_through`` is called when all is read.
    """

    function = "insight_profiler.profiles.worker:read"

    def __init__(
        self,
        files: ProfileFiles,
        key: str,
        cache: Path | None,
        before: ProfileReading | None,
        opener: Callable[[ProfileFiles, str], BinaryIO],
        is_through: Callable[[ProfileReading], None],
    ) -> None:
        self._opener = opener
        self._is_through = is_through
        self.key = key
        self.read_at = -1  # generation of the data at which it was ready and up to date
        self._cache = cache
        goes_on = before is not None and files.source in _GROWING and before.look().state == "ready"
        self._before = before.directory if before is not None and goes_on else None
        # while it is read: for looks, and where nothing is kept for all of it, until it is mapped
        self._own: Path | None = None
        self._lock = threading.Lock()
        self._changed_to: tuple[str, float] | None = None  # a key, and since when
        self._ended = 0.0
        # what was there before is shown until there is something newer
        old = before.look() if before is not None else Look(files)
        total = sum(file.size for file in files.files.values())
        self._look = Look(files, total=total, profile=old.profile, version=old.version)
        self.more_seconds = _SECONDS_A_BYTE * total
        self.memory = sum(
            file.size * (_RATIO if name.endswith(_GZIP) else 1) for name, file in files.files.items()
        )

    @property
    def directory(self) -> Path | None:
        """Where it is kept; None where it is kept nowhere."""
        return None if self._cache is None else self._cache / self.key

    def look(self) -> Look:
        """The profile as it is known now."""
        return self._look

    def is_outdated(self, key: str) -> bool:
        """Whether the files have changed and stayed so for a while, or have grown for a while, or a reader
        that died should have another try."""
        with self._lock:
            if self._look.state == "reading":
                return False
            now = time.monotonic()
            if key == self.key:
                self._changed_to = None
                failure = self._look.failure
                died = failure is not None and failure.code in ("reader_died", "out_of_memory")
                return died and now - self._ended > _AGAIN
            grows = self._look.files.source in _GROWING  # a running job writes to its logs all the time
            if self._changed_to is None or (self._changed_to[0] != key and not grows):
                self._changed_to = key, now
            return now - self._changed_to[1] > (_GROWS if grows else _SETTLED)

    def is_kept(self) -> bool:
        """Whether it was read before, and is there at once."""
        if self._cache is None:
            return False
        try:
            profile = load(self._cache / self.key)
        except OSError:
            return False
        except UnusableProfile:
            shutil.rmtree(self._cache / self.key, ignore_errors=True)
            return False
        self._shows(profile, state="ready")
        return True

    def _shows(self, profile: Profile | None, **changes: Any) -> None:  # noqa: ANN401 - fields of Look
        with self._lock:
            if profile is not None:
                changes |= {"profile": profile, "version": self._look.version + 1}
            if changes.get("state", "reading") != "reading":
                changes["read"] = self._look.total
                self._ended = time.monotonic()
            self._look = evolve(self._look, **changes)
        if self._own is not None and self._look.state != "reading":
            shutil.rmtree(self._own, ignore_errors=True)  # what is mapped stays

    # --- as the job of a worker -------------------------------------------------------------------

    def begin(self) -> Mapping[str, object]:
        files = self._look.files
        self._own = Path(tempfile.mkdtemp(prefix="insight-host-profile-"))
        return {
            "source": files.source,
            "files": {name: file.size for name, file in files.files.items()},
            "rank": files.rank,
            "worker": files.name,
            "directory": str((self._cache or self._own) / self.key),
            "looks": str(self._own),
            "before": str(self._before or ""),
        }

    def open(self, name: str) -> BinaryIO:
        plain, _, offset = name.partition(_AT)
        file = self._opener(self._look.files, plain)
        if offset:
            pass_over(file, int(offset))
        return file

    def has_sent(self, count: int) -> None:
        self._shows(None, read=min(self._look.total, self._look.read + count))

    def has_said(self, message: Mapping[str, object]) -> None:
        directory = Path(str(message["look"]))
        with suppress(UnusableProfile, OSError):
            self._shows(load(directory, is_new=True))
        shutil.rmtree(directory, ignore_errors=True)  # what is mapped stays

    def is_done(self, answer: bytes) -> None:
        try:
            profile = load(Path(answer.decode()), is_new=True)
        except (UnusableProfile, OSError) as error:
            text = f"what was read cannot be loaded: {error}"
            self._fails(Note("not_kept", {"reason": str(error)}, text))
            return
        self._shows(profile, state="ready")
        if self._before is not None and self._before != self.directory:
            shutil.rmtree(self._before, ignore_errors=True)  # all of it is in this one, too
        self._is_through(self)

    def has_failed(self, failure: WorkerFailed) -> None:
        text = "there is not enough memory to read it" if failure.code == "worker_memory" else str(failure)
        self._fails(Note(_CODES.get(failure.code, failure.code), failure.details, text))

    def _fails(self, note: Note) -> None:
        self._shows(None, state="failed", failure=note)
