"""Reads MindSpore 2.x profiles: ``{host}_{pid}_{time}_ascend_ms/``.

The name says Ascend on a CPU too, where nothing of a device is in it.
"""

from __future__ import annotations

from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.reading.ascend import has_device, read_device
from insight_profiler.reading.minddata import read_minddata
from insight_profiler.reading.mindspore_cpu import read_cpu
from insight_profiler.reading.mindspore_files import ProfileParts, host_of


def read(files: Files, building: Building) -> None:
    """Reads one profile directory. Raises Unreadable if no file is readable."""
    parts = ProfileParts(files, building)
    building.host = host_of(building.worker)
    if has_device(parts):
        read_device(parts)
    else:
        building.platform = "cpu"
        read_cpu(parts)
    read_minddata(parts)
    parts.require_something()
