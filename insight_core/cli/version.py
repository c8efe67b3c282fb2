"""Versions, read from package metadata: nothing heavy is imported to tell them."""

from __future__ import annotations

import platform
from importlib import metadata

DISTRIBUTION = "insight-host"


def host_version() -> str:
    return _version_of(DISTRIBUTION)


def version_line() -> str:
    return f"insight-host {host_version()} (Python {platform.python_version()}, numpy {_version_of('numpy')})"


def _version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"  # run from a source tree that was never installed
