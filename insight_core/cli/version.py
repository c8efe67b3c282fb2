"""The versions for ``--version``, from package metadata, and the scanner in use."""

from __future__ import annotations

import platform
from importlib import metadata

from insight_core.formats.compiled import kernel_name

DISTRIBUTION = "insight-host"


def host_version() -> str:
    """The installed version of insight-host."""
    return _version_of(DISTRIBUTION)


def version_text() -> str:
    """Versions of insight-host, Python and numpy, and the scanner in use."""
    python, numpy = platform.python_version(), _version_of("numpy")
    return f"insight-host {host_version()} (Python {python}, numpy {numpy})\nscanner: {kernel_name()}"


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"  # run from a source tree that was never installed
