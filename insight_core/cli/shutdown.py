"""The wait for the end: a signal that says so, or something that failed."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import suppress
from types import FrameType
from typing import Self

_LEFT_BEHIND = 1.5  # seconds that what plugins of TensorBoard leave behind has to end


def end_soon(code: int) -> None:
    """Ends the process, whatever threads plugins have left in it, if it has not ended by itself soon."""
    late = threading.Timer(_LEFT_BEHIND, os._exit, [code])
    late.daemon = True
    late.start()


def ending_signals() -> list[int]:
    """Ctrl-C, what the system asks, and the terminal that is closed, unless that is ignored (nohup)."""
    signals: list[int] = [signal.SIGINT, signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # not on Windows
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        signals.append(hang_up)
    return signals


class Ending:
    """Made, waited for and closed by the main thread; ``ask`` may be called by any.

    The system may give a signal to any thread, or between a look for signals and the wait for a lock: Python
    would then not see it before the wait is over. What the interpreter writes into a socket is always seen.
    """

    def __init__(self) -> None:
        self._alarm, self._bell = socket.socketpair()
        self._bell.setblocking(False)
        # first, so that no signal falls between the handlers before and the wait
        signal.set_wakeup_fd(self._bell.fileno(), warn_on_full_buffer=False)
        self._before = {number: signal.signal(number, _ignored) for number in ending_signals()}
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
        with suppress(OSError):  # it is over already, or was asked for so often that the socket is full
            self._bell.send(b"\0")

    def wait(self) -> int:
        """Returns the number of the signal that came; 0 if ``ask`` was called."""
        return self._alarm.recv(1)[0]

    def _let_go(self) -> None:
        """A process that a plugin forks off ends by a signal itself, and does not end its parent by one."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            if signal.getsignal(number) is _ignored:
                signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _ignored(number: int, frame: FrameType | None) -> None:
    """The wake-up is what counts; without a handler the signal would end the process."""
