"""The tracks of a trace: processes, threads or streams, and their names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from insight_profiler.building import Building
from insight_profiler.model import Track
from insight_profiler.reading.json_events import readable
from insight_profiler.reading.trace_kinds import device_of

_UNORDERED = 1 << 20  # after those whose order is said


class TraceTracks:
    """Tracks come into being when the first event of theirs does, their names may come at any time.

    ``threads``: those that are there, by process and thread.
    """

    def __init__(self, building: Building) -> None:
        self._building = building
        self.threads: dict[tuple[Hashable, Hashable], int] = {}
        self._processes: dict[Hashable, int] = {}
        self._said: dict[tuple[str, Hashable, Hashable], Any] = {}
        self._streams: dict[int, int] = {}  # track -> device
        self._is_labelled = True

    def place(self, process: Hashable, thread: Hashable) -> int:
        """The track number of a thread; adds tracks for a new process or thread."""
        found = self.threads.get((process, thread))
        if found is None:
            self._is_labelled = False
            if process not in self._processes:
                self._processes[process] = self._building.track(Track("process", ""))
            found = self.threads[process, thread] = self._building.track(Track("thread", ""))
        return found

    def is_stream(self, track: int, device: int) -> None:
        """A track on which a device works."""
        if track not in self._streams:
            self._streams[track] = device
            self._is_labelled = False

    def tell(self, name: str, process: Hashable, thread: Hashable, arguments: Mapping[str, Any]) -> None:
        """A metadata event."""
        self._is_labelled = False
        for key in ("name", "labels", "sort_index"):
            if key in arguments:
                self._said[name, process, thread if name.startswith("thread") else None] = arguments[key]

    def process_name(self, process: Hashable) -> str:
        """The process name in the trace; empty if unknown."""
        found = self._said.get(("process_name", process, None))
        return readable(str(found)) if found is not None else ""

    def thread_name(self, process: Hashable, thread: Hashable) -> str:
        """The thread name in the trace; empty if unknown."""
        found = self._said.get(("thread_name", process, thread))
        return readable(str(found)) if found is not None else ""

    def device_of(self, process: Hashable) -> tuple[str, int]:
        """The kind and number of the device that the process is; empty and -1 if its name and labels do not
        say so."""
        labels = str(self._said.get(("process_labels", process, None)) or "")
        found = device_of(labels)
        return found if found[0] else device_of(self.process_name(process))

    def label(self) -> None:
        """Gives tracks the names that are known by now."""
        if self._is_labelled:
            return
        self._is_labelled = True
        devices = {
            process: self._streams[track]
            for (process, _), track in self.threads.items()
            if track in self._streams
        }
        tracks = self._building.tracks
        for process, place in self._processes.items():
            order = self._order("process_sort_index", process, None)
            label = self._process_label(process, is_device=process in devices)
            tracks[place] = Track("process", label, device=devices.get(process, -1), order=order)
        for (process, thread), place in self.threads.items():
            is_stream = place in self._streams
            name = self._said.get(("thread_name", process, thread))
            kind, number = "stream" if is_stream else "thread", _text(thread)
            label = readable(str(name)) if name else f"{kind} {number.removeprefix(kind).strip()}"
            tracks[place] = Track(
                "stream" if is_stream else "thread",
                label.strip(),
                self._processes[process],
                self._streams.get(place, devices.get(process, -1)),
                self._order("thread_sort_index", process, thread),
            )

    def _process_label(self, process: Hashable, *, is_device: bool) -> str:
        name = self.process_name(process)
        labels = readable(str(self._said.get(("process_labels", process, None)) or ""))
        if is_device and labels:
            return labels
        number = _text(process)
        if not name or name == number:
            return f"process {number}" if number.isdecimal() else number
        return name if not number.isdecimal() or is_device else f"{name} ({number})"

    def _order(self, name: str, process: Hashable, thread: Hashable) -> int:
        found = self._said.get((name, process, thread))
        return found if isinstance(found, int) and abs(found) < _UNORDERED else _UNORDERED


def _text(value: Hashable) -> str:
    return readable(str(value))
