"""The process of a command: its garbage collection and address space from the start on, and its end."""

from __future__ import annotations

import atexit
import gc
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, Self

_OBJECTS_BETWEEN_COLLECTIONS = 1_000_000
_MANY_OBJECTS = 10_000
_STACK = 1 << 20  # bytes
_M_ARENA_MAX = -8  # of mallopt(3)
_LEFT_BEHIND = 1.5  # seconds that threads of plugins have to end
_CLOSING = 0.8  # seconds that all others have
_SAVING = 5.0  # seconds more while the index is written: the next start would read the logs again
_PAUSE = 0.05  # seconds


def prepare_imports() -> None:
    """Called before numpy is imported."""
    # numpy's OpenBLAS would start a busy thread for each core, and nothing here multiplies matrices
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # nearly all objects of a start live until the end


def settle_imports() -> None:
    """Called when the command has imported its modules: enables garbage collection, of new objects only."""
    gc.freeze()
    gc.enable()


class _RareCollections:
    """Contexts of ``rare_collections``: the first changes the thresholds, the last restores them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entered = 0
        self._before = (0, 0, 0)  # thresholds
        self._collections = 0  # until the first was entered

    def enter(self) -> None:
        with self._lock:
            self._entered += 1
            if self._entered > 1:
                return
            self._before, self._collections = gc.get_threshold(), _collections()
            if self._before[0]:  # else collections are disabled
                gc.set_threshold(max(self._before[0], _OBJECTS_BETWEEN_COLLECTIONS), *self._before[1:])

    def leave(self) -> None:
        with self._lock:
            self._entered -= 1
            if self._entered:
                return
            # the count alone goes back to zero when temporary objects are deleted after a collection
            if gc.get_count()[0] > _MANY_OBJECTS or _collections() > self._collections:
                gc.freeze()  # later collections need not search the loaded objects either
            gc.set_threshold(*self._before)


def _collections() -> int:
    return int(gc.get_stats()[0]["collections"])


_RARE_COLLECTIONS = _RareCollections()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collects cyclic garbage less often within the context, which several threads may enter.

    Loading creates many long-lived objects: a collection takes longer than creating them.
    """
    _RARE_COLLECTIONS.enter()
    try:
        yield
    finally:
        _RARE_COLLECTIONS.leave()


def spare_memory() -> None:
    """Has all threads share one heap, and a smaller stack if the address space is limited. Called before
    threads are started.

    With glibc a thread has an arena of its own, from which memory of objects that live on does not come back:
    of 20,000 runs 20 MB, and a tenth of the processor time. It reserves 64 MB for that, and a stack of 8 MB,
    and uses next to nothing of them: a few threads would reach a limit, and no further thread could start.
    """
    import ctypes  # numpy needs it too

    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        threading.stack_size(_STACK)


def wait_for(closing: threading.Thread) -> bool:
    """Waits for the thread that closes everything; returns whether it has ended."""
    closing.join(_CLOSING)
    from insight_core.ingest.index.writer import is_finishing  # commands without a host do without

    until = time.monotonic() + _SAVING
    while closing.is_alive() and is_finishing() and time.monotonic() < until:
        closing.join(_PAUSE)
    return not closing.is_alive()


def end_now(code: int) -> NoReturn:
    """Ends the process once what is registered with ``atexit`` has run; its threads have 1.5 s.

    The interpreter is not taken down: it stops daemon threads wherever they are, and one that is in C++ of a
    library (Arrow, gRPC) then aborts the process.
    """
    until = time.monotonic() + _LEFT_BEHIND
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join(max(0.0, until - time.monotonic()))
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _ending_signals() -> list[int]:
    """SIGINT, SIGTERM, and SIGHUP unless it is ignored (nohup)."""
    signals: list[int] = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # not on Windows
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        signals.append(hang_up)
    return signals


class Ending:
    """Created, waited for and closed by the main thread; any thread may call ``ask``.

    The system may deliver a signal to any thread, or just before the main thread waits for a lock; Python
    would then handle it only after the wait. The interpreter also writes each signal into a socket, and the
    main thread waits for that.
    """

    def __init__(self) -> None:
        self._alarm, self._bell = socket.socketpair()
        self._bell.setblocking(False)
        # first, so that no signal is lost between the old handlers and the wait
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _ignored) for number in _ending_signals()}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._let_go)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(-1)
        self._alarm.close()
        self._bell.close()

    def ask(self) -> None:
        """Asks the main thread to end the process. Callable from any thread, any number of times."""
        with suppress(OSError):  # closed, or full of requests
            self._bell.send(b"\0")

    def wait(self) -> int:
        """Returns the number of the signal that came; 0 if ``ask`` was called."""
        return self._alarm.recv(1)[0]

    def _let_go(self) -> None:
        """Restores the signal handlers in a forked child, so that a signal ends the child, not its parent."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            if signal.getsignal(number) is _ignored:
                signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _ignored(number: int, frame: FrameType | None) -> None:
    """The wake-up socket reports the signal; without a handler the signal would end the process."""
