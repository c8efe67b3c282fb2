"""Where a plugin may keep what took long to make."""

from __future__ import annotations

from pathlib import Path

from werkzeug import Request


def cache_directory(request: Request, plugin: str) -> Path | None:
    """The directory of a plugin below the host's cache directory; None where nothing may be kept.

    It need not exist. What is in it may go at any time, and other hosts use it too: write a file under
    another name and rename it.
    """
    found = request.environ.get("insight.cache_directory")
    return found / "plugins" / plugin if isinstance(found, Path) else None
