"""Processors, memory, disk and network of the machine: from ``/proc`` on Linux, elsewhere by psutil."""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Numbers: TypeAlias = dict[str, float]

_MB = 1e6  # bytes
_PROC = Path("/proc")
_SECTOR = 512  # bytes, of /proc/diskstats


def counters_of_system(log_dir: Path) -> Callable[[], Numbers]:
    """A function that returns the current numbers; rates are those since its last call.

    ``cpu_percent`` is of all processors, ``process_cpu_percent`` of one; memory and disk in percent,
    ``process_memory_MB``, rates in MB a second. ``disk_used_percent`` is of the disk of ``log_dir``.
    """
    read = _of_proc if _PROC.joinpath("stat").exists() else _of_psutil()
    before, then = read(), time.monotonic()
    spent = time.process_time()

    def numbers() -> Numbers:
        nonlocal before, then, spent
        now, moment, used = read(), time.monotonic(), time.process_time()
        seconds = max(moment - then, 1e-9)
        found = {name: value for name, value in now.items() if not name.startswith("_")}
        busy, total = (now.get(name, 0) - before.get(name, 0) for name in ("_busy", "_total"))
        if total > 0:
            found["cpu_percent"] = 100 * busy / total
        found["process_cpu_percent"] = 100 * (used - spent) / seconds
        for name in ("disk_read", "disk_write", "network_received", "network_sent"):
            if f"_{name}" in now and f"_{name}" in before:
                found[f"{name}_MB_s"] = (now[f"_{name}"] - before[f"_{name}"]) / seconds / _MB
        with contextlib.suppress(OSError, AttributeError):
            disk = os.statvfs(log_dir)
            found["disk_used_percent"] = 100 * (1 - disk.f_bavail / disk.f_blocks) if disk.f_blocks else 0.0
        before, then, spent = now, moment, used
        return found

    return numbers


def _of_proc() -> Numbers:
    """Names that begin with ``_`` are counters."""
    found: Numbers = {}
    for part in (_processors, _memory, _process, _disks, _network):
        with contextlib.suppress(OSError, ValueError, IndexError, KeyError):  # a container may hide some
            found.update(part())
    return found


def _processors() -> Numbers:
    ticks = [int(one) for one in (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]  # waiting for a disk too
    return {"_busy": sum(ticks) - idle, "_total": sum(ticks)}


def _memory() -> Numbers:
    lines = (line.split() for line in (_PROC / "meminfo").read_text().splitlines())
    sizes = {words[0]: int(words[1]) for words in lines}
    return {"memory_percent": 100 * (1 - sizes["MemAvailable:"] / sizes["MemTotal:"])}


def _process() -> Numbers:
    pages = int((_PROC / "self/statm").read_text().split()[1])
    return {"process_memory_MB": pages * os.sysconf("SC_PAGE_SIZE") / _MB}


def _disks() -> Numbers:
    """Counts bytes of whole disks: a sector of a partition is a sector of its disk too."""
    whole = set(os.listdir("/sys/block"))
    read = written = 0
    for line in (_PROC / "diskstats").read_text().splitlines():
        words = line.split()
        if words[2] in whole and not words[2].startswith(("loop", "ram", "dm-", "md")):
            read, written = read + int(words[5]), written + int(words[9])
    return {"_disk_read": read * _SECTOR, "_disk_write": written * _SECTOR}


def _network() -> Numbers:
    received = sent = 0
    for line in (_PROC / "net/dev").read_text().splitlines()[2:]:
        name, _, rest = line.partition(":")
        if name.strip() != "lo":
            words = rest.split()
            received, sent = received + int(words[0]), sent + int(words[8])
    return {"_network_received": received, "_network_sent": sent}


def _of_psutil() -> Callable[[], Numbers]:
    """Nothing but what Python itself knows, if psutil is not installed."""
    try:
        psutil = importlib.import_module("psutil")
    except ImportError:
        return dict

    def read() -> Numbers:
        times = psutil.cpu_times()
        disk, network = psutil.disk_io_counters(), psutil.net_io_counters()
        found: Numbers = {
            "_busy": sum(times) - times.idle,
            "_total": sum(times),
            "memory_percent": psutil.virtual_memory().percent,
            "process_memory_MB": psutil.Process().memory_info().rss / _MB,
        }
        if disk is not None:
            found |= {"_disk_read": disk.read_bytes, "_disk_write": disk.write_bytes}
        if network is not None:
            found |= {"_network_received": network.bytes_recv, "_network_sent": network.bytes_sent}
        return found

    return read
