"""Log output and a status line on the terminal that shows the progress of loading."""

from __future__ import annotations

import logging
import math
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, TextIO

from insight_core.cli.text_table import printable, width
from insight_core.plugin import Unavailable
from insight_core.plugin.data import Progress

_LEVELS = {
    "error": logging.ERROR,
    "warning": logging.WARNING,
    "info": logging.INFO,
    "debug": logging.DEBUG,
}
_SHORT = 2.0  # seconds
_LOOKS = 25  # recent measurements that determine the reading speed
_ERASE = "\r\x1b[2K"


class StatusLine:
    """The last line of a terminal. Without a terminal (a pipe, a file) it is never shown."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._text = ""
        self.visible = stream.isatty()

    def show(self, text: str) -> None:
        """Replaces the line; an empty text removes it."""
        if not self.visible:
            return
        columns = max(shutil.get_terminal_size().columns - 1, 10)
        while width(text) > columns:
            text = text[:-1]
        with self._lock:
            if text != self._text:
                self._text = text
                self._write(_ERASE + text)

    def print(self, text: str) -> None:
        """Prints a line above the status line."""
        with self._lock:
            if self._text:
                self._write(f"{_ERASE}{text}\n{self._text}")
            else:
                self._write(text + "\n")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self.visible = False  # the terminal was closed


class _OneLine(logging.Formatter):
    """Formats a message as one line, with control characters escaped; traceback lines are indented."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: ANN401  # as logging has it
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(super().formatStack(stack_info))


def _indented(text: str) -> str:
    return "\n".join(f"  {printable(line)}" for line in text.splitlines())


class _StatusLineLog(logging.Handler):
    def __init__(self, line: StatusLine) -> None:
        super().__init__()
        self._line = line

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
        except Exception:
            self.handleError(record)
            return
        self._line.print(text)


def open_terminal(verbosity: str) -> StatusLine:
    """Sends the log to stderr, above a status line; characters that cannot be encoded are escaped."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    line = StatusLine(sys.stderr)
    shown = _StatusLineLog(line)
    shown.setFormatter(_OneLine("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=_LEVELS[verbosity], handlers=[shown], force=True)
    return line


class LoadingDisplay:
    """Shows the progress of loading, in a thread, until everything was loaded once."""

    def __init__(self, line: StatusLine, progress: Callable[[], Progress], runs: Callable[[], int]) -> None:
        self._line, self._progress, self._runs = line, progress, runs
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="loading-display", daemon=True)

    def start(self) -> None:
        """Starts the display if stderr is a terminal."""
        if self._line.visible:
            self._thread.start()

    def stop(self) -> None:
        """Ends the display and erases its line."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=1)
        self._line.show("")

    def _follow(self) -> None:
        pace = Pace()
        while not self._ended.is_set():
            try:
                progress = self._progress()
                runs = self._runs()
            except Unavailable as error:  # a data server that is being started
                self._line.show(printable(str(error)))
                self._ended.wait(0.2)
                continue
            except Exception:  # a failure of the display must not end the host
                logging.getLogger(__name__).debug("no progress to show", exc_info=True)
                break
            if progress.loaded_once:
                self._line.show("")
                self._line.print(f"Loaded {_count(runs, 'run')}, {megabytes(progress.bytes_read)}.")
                return
            self._line.show(progress_text(progress, runs) + pace.text(progress))
            self._ended.wait(0.2)
        self._line.show("")


class Pace:
    """Measures the reading speed and estimates the remaining time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looks: deque[tuple[float, int]] = deque(maxlen=_LOOKS)  # seconds, bytes read until then

    def text(self, progress: Progress) -> str:
        """Reading speed and remaining time, or empty text while they are unknown."""
        self._looks.append((self._clock(), progress.bytes_read))
        (began, before), (now, read) = self._looks[0], self._looks[-1]
        left = progress.bytes_total - read
        if now - began < _SHORT or read <= before or left <= 0:
            return ""
        rate = (read - before) / (now - began)
        return f", {megabytes(int(rate))}/s, {math.ceil(left / rate)} s left"


def progress_text(progress: Progress, runs: int) -> str:
    """Bytes read, bytes in all, and number of runs."""
    share = f" ({100 * progress.bytes_read // progress.bytes_total} %)" if progress.bytes_total else ""
    of_all = f"{megabytes(progress.bytes_read)} of {megabytes(progress.bytes_total)}{share}"
    return f"Loading: {of_all}, {_count(runs, 'run')}"


def megabytes(count: int) -> str:
    """A number of bytes in MB."""
    return f"{count / 1e6:.1f} MB"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
