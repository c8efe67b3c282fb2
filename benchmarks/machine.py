"""What a figure was measured on."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from insight_core.cli.version import version_text


def describe_machine(directory: Path) -> str:
    """The machine, the system, our version and the load by others, a line each."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    load = ", ".join(f"{number:.2f}" for number in os.getloadavg())
    return "\n".join(
        [
            f"{_processor()}, {os.cpu_count()} cores, {size / 1e9:.0f} GB of memory; load average {load}",
            f"{platform.platform()}, logs on {_filesystem(directory)}",
            version_text(),
        ]
    )


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _filesystem(directory: Path) -> str:
    """The type of the file system that holds a directory: proc_pid_mountinfo(5)."""
    target, found, kind = os.path.realpath(directory), "", "an unknown file system"
    for line in _lines("/proc/self/mountinfo"):
        left, _, right = line.partition(" - ")
        mount = left.split()[4]
        if len(mount) >= len(found) and (target + "/").startswith(mount.rstrip("/") + "/"):
            found, kind = mount, right.split()[0]
    return kind


def _lines(path: str) -> Sequence[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return ()
