"""The thread of a process that sends what it records, and what the process says at its end."""

from __future__ import annotations

import _thread
import logging
import os
import random
import sys
import threading
import time
import weakref
from _thread import LockType
from contextlib import suppress
from pathlib import Path, PurePath
from queue import Empty, SimpleQueue

from insight_record.sending.destination import Destination
from insight_record.sending.names import path_parts
from insight_record.sending.sending import Sending
from insight_record.sending.spool import Spool

log = logging.getLogger(__name__)

_INTERVAL = 1.0  # seconds between two looks at the files
_LONGEST_PAUSE = 60.0  # seconds between two attempts while the host does not answer
_PATIENCE = 60.0  # seconds that ``close`` waits while the host takes data
_RECENT = 5.0  # seconds for which a failed attempt is not repeated at the end

_senders: dict[Destination, Sender] = {}


class Sender:
    """Sends the files below ``spool.directory`` from a thread, which begins with the first record.

    As in ``RecordWriter``, threads communicate only through primitives implemented in C.
    """

    def __init__(self, destination: Destination) -> None:
        destination.token()  # a missing token is reported when the training starts, not by a thread later
        self.destination = destination
        self.spool = Spool.new(destination.spool_directory(), destination.spool_size)
        self._at_end = weakref.finalize(self, _finish, weakref.ref(self))
        self._begin()

    def _begin(self) -> None:
        self._sending = Sending(self.destination, self.spool)
        self._starting = threading.RLock()  # a signal handler may record, too
        self._runs: LockType | None = None  # locked while there is a thread
        self._calls: SimpleQueue[LockType | None] = SimpleQueue()
        self._failure: Exception | None = None
        self._failed_at = 0.0
        self._told = ""  # the failure that was logged last
        self._is_full = False

    def begin_in_child(self) -> None:
        """Resets the sender in a forked child, which sends after its parent has ended."""
        self.spool.forget()
        self._sending.connection.forget()
        self._begin()

    def directory(self, log_dir: Path) -> Path:
        """Where files of a run wait. Raises ValueError for a name that the host does not take."""
        named = PurePath(os.path.normpath(log_dir)).as_posix()
        if log_dir.is_absolute() or named == ".":
            raise ValueError(
                f"log_dir={os.fspath(log_dir)!r} names the run on {self.destination.url}: give a relative "
                "path, such as runs/first"
            )
        path_parts(named)
        return self.spool.directory / named

    def has_room(self) -> bool:
        """Whether a record may be written; called before each write, by the thread of a writer."""
        self.start()
        has_room = self.spool.has_room()
        if not has_room and not self._is_full:
            log.warning(
                "insight_record: the spool %s is full while %s takes nothing (%s): records are dropped",
                self.spool.directory,
                self.destination.url,
                self._failure or "it is slow",
            )
        self._is_full = not has_room
        return has_room

    def start(self) -> None:
        """Starts the thread, unless this process has one already."""
        with self._starting:
            if self._runs is not None and self._runs.locked():
                return
            runs = threading.Lock()
            runs.acquire()
            with suppress(RuntimeError):  # no new threads at exit
                _thread.start_new_thread(self._run, (runs,))
                self._runs = runs
        processes = sys.modules.get("multiprocessing.process")
        if processes is not None and processes.parent_process() is not None:
            util = sys.modules["multiprocessing.util"]  # such a process may run no exit functions but these
            util.Finalize(None, self.finish, exitpriority=-1)

    def wait(self, log_dir: Path) -> None:
        """Waits until the host has what was recorded by now, or fails to take it, and says so."""
        self.start()
        self._attempt()
        left = self._sending.unsent(log_dir.as_posix()) if self.spool.is_claimed else 0
        if left:
            log.warning(
                "insight_record: %d bytes of %s are not sent to %s yet: %s; this process tries until it ends",
                left,
                log_dir,
                self.destination.url,
                self._failure or "it is slow",
            )

    def finish(self) -> None:
        """Sends what is left at the end of the process, deletes the spool, or says what was not sent."""
        if self._runs is not None:
            self._calls.put(None)
            with suppress(RuntimeError):
                self._runs.acquire(timeout=_PATIENCE)
            self._runs = None
        elif self.spool.directory.is_dir() and self.spool.claim():  # nothing was recorded but empty files
            self._attempted(0.0, is_last=True)
        if not (self.spool.is_claimed and self.spool.directory.is_dir()):
            return
        left = self._sending.unsent()
        if not left and self._failure is None:
            self.spool.end()
            return
        log.warning(
            "insight_record: %d bytes were not sent to %s: %s. They are in %s; send them with\n"
            "  python -m insight_record.push %s %s",
            left,
            self.destination.url,
            self._failure or "the process ends",
            self.spool.directory,
            self.spool.directory,
            self.destination.url,
        )

    def _attempt(self) -> None:
        """Returns after an attempt that began now, or after a time."""
        if self._runs is None or not self._runs.locked():
            return
        done = threading.Lock()
        done.acquire()
        self._calls.put(done)
        done.acquire(timeout=_PATIENCE)

    def _run(self, runs: LockType) -> None:
        pause, ends = 0.0, False
        try:
            while not ends:
                waiting: list[LockType] = []
                with suppress(Empty):
                    call = self._calls.get(timeout=pause)
                    while True:
                        ends = ends or call is None
                        waiting += [] if call is None else [call]
                        call = self._calls.get_nowait()
                is_known_to_fail = self._failure is not None and time.monotonic() < self._failed_at + _RECENT
                if ends and is_known_to_fail:
                    pass
                elif self.spool.claim():
                    pause = self._attempted(pause, is_last=ends)
                else:  # the process that this one was forked from sends
                    pause = _INTERVAL
                for done in waiting:
                    done.release()
        finally:
            self._sending.connection.close()
            runs.release()

    def _attempted(self, pause: float, *, is_last: bool) -> float:
        """Sends once; returns the seconds until the next time."""
        try:
            failure = self._sending.send(is_last=is_last)
        except Exception as error:  # the training goes on whatever happens here
            failure = error
        self._failure = failure
        if failure is None:
            if self._told:
                log.warning("insight_record: %s takes data again", self.destination.url)
            self._told = ""
            return _INTERVAL
        self._failed_at = time.monotonic()
        text = f"{type(failure).__name__}: {failure}"
        if text != self._told:
            log.warning(
                "insight_record: %s does not take data: %s; trying again while the training goes on",
                self.destination.url,
                failure,
            )
        self._told = text
        return min(_LONGEST_PAUSE, max(_INTERVAL, 2 * pause)) * random.uniform(0.75, 1.0)


def sender_for(destination: Destination) -> Sender:
    """The one sender of this process for a destination. Raises ValueError without a token, and OSError."""
    found = _senders.get(destination)
    if found is None:
        found = _senders[destination] = Sender(destination)
    return found


def _finish(sender: weakref.ref[Sender]) -> None:
    alive = sender()
    if alive is not None:
        alive.finish()


def _begin_in_child() -> None:
    for sender in _senders.values():
        sender.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
