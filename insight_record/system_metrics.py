"""Records the load of the machine every few seconds, in a thread of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from insight_record.accelerators import accelerators
from insight_record.environment import environment_texts
from insight_record.summary_record import SummaryRecord
from insight_record.system_counters import counters_of_system

log = logging.getLogger(__name__)

PREFIX = "system/"
SYSTEM_SECONDS = 15.0  # between samples, by default


class SystemMetrics:
    """Adds scalars ``system/...`` to a record every ``every`` seconds until ``close``; 0 for never.

    Their step is the number of seconds since the start. With ``environment`` the texts of the environment are
    recorded first. Nothing of it runs in the caller's thread, and no failure reaches it: what cannot be read
    is left out.
    """

    def __init__(self, record: SummaryRecord, every: float, *, environment: bool = True) -> None:
        if not 0 <= every < float("inf"):
            raise ValueError(f"system_every is a number of seconds, 0 for never, not {every!r}")
        self._ended = threading.Event()
        self._every = every
        self._texts = environment
        self._thread: threading.Thread | None = None
        if every or environment:
            place = Path.cwd()
            self._thread = threading.Thread(
                target=self._run, args=(weakref.ref(record), place), name="system metrics", daemon=True
            )
            with contextlib.suppress(RuntimeError):  # no more threads
                self._thread.start()

    def close(self) -> None:
        """Ends the thread; returns when it no longer writes, or after a second."""
        self._ended.set()
        if self._thread is not None and self._thread.ident is not None:
            self._thread.join(1.0)

    def _run(self, record: Callable[[], SummaryRecord | None], place: Path) -> None:
        lowest_priority()
        try:
            if self._texts:
                self._record_texts(record, place)
            if self._every:
                self._record_numbers(record)
        except ValueError:
            pass  # the record is closed
        except Exception as error:  # a training goes on without its metrics
            log.warning("no system metrics: %s: %s", type(error).__name__, error)

    def _record_texts(self, record: Callable[[], SummaryRecord | None], place: Path) -> None:
        for tag, text in environment_texts(place).items():
            if (found := record()) is None or self._ended.is_set():
                return
            found.put_value(0, time.time(), "text", tag, text)

    def _record_numbers(self, record: Callable[[], SummaryRecord | None]) -> None:
        began = time.monotonic()
        first = record()
        counters = counters_of_system(Path(".") if first is None else first.log_dir)
        del first
        kinds = accelerators()
        while not self._ended.wait(self._every):
            numbers: dict[str, float] = dict(counters())
            for kind in kinds:
                with contextlib.suppress(Exception):  # a device that was lost, a program that hangs
                    numbers.update(kind.read())
            if (found := record()) is None:
                return
            found.put_numbers(round(time.monotonic() - began), time.time(), _named(numbers))
            del found


def _named(numbers: Mapping[str, float]) -> dict[str, float]:
    return {f"{PREFIX}{name}": number for name, number in numbers.items()}


def lowest_priority() -> None:
    """Lets the calling thread give way to all others, where the system can do so for a thread."""
    if sys.platform == "linux":  # elsewhere this number is not that of a thread
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
