"""Opens log files, and rejects pipes and devices without blocking."""

from __future__ import annotations

import errno
import os
import stat


def open_regular(path: str) -> int:
    """A descriptor to read the file at a path. Raises OSError, also if it is not a regular file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor
