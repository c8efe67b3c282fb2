"""How much memory this machine lets a process use."""

from __future__ import annotations

import os


def physical_memory() -> int:
    """Bytes of memory that this process may use: the machine's, or fewer where a control group says so."""
    limits = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                limits.append(int(file.read()))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return min(limits)
