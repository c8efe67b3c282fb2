"""Settings of a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

from insight_core.isolation import DEFAULT_LIMITS, Limits
from insight_core.plugin import InvalidArgument, Reason
from insight_core.plugin.context import CACHE_SIZE

if TYPE_CHECKING:
    from insight_core.own_hooks import Guests

HEARTBEAT = 15.0  # seconds between comments on a quiet stream: proxies time out after 30 to 60


def _built_page() -> Path:
    from insight_frontend import STATIC

    return STATIC


def _prefix(text: str) -> str:
    """Normalises a path prefix to ``/a/b``, or the empty string for the root."""
    parts = [part for part in text.strip().split("/") if part]
    for part in parts:
        if part in (".", "..") or re.search(r"[?#%\\\s\x00-\x1f]", part):
            raise InvalidArgument(f"the path prefix {text!r} cannot be part of a URL")
    return "".join(f"/{part}" for part in parts)


def _no_notices() -> Sequence[Reason]:
    return ()


@frozen
class HostSettings:
    """Settings of a host. ``bound_host`` is the address it listens on.

    ``allowed_hosts`` are further accepted host names, ``*`` for any. ``frame_ancestors`` are sources, as in a
    Content-Security-Policy, of further pages that may show the host in a frame. ``notices``, of logs that
    cannot be read, is called for each request of the run table. ``unread_files`` tells of each
    kind of files that nothing reads: it may walk over the logdirs.
    """

    window_title: str = ""
    path_prefix: str = field(default="", converter=_prefix)
    bound_host: str = "127.0.0.1"
    allowed_hosts: Sequence[str] = ()
    frame_ancestors: Sequence[str] = ()
    max_streams: int = 64  # event streams at a time
    heartbeat: float = HEARTBEAT
    follows: bool = True  # whether what is written after the start is shown
    notices: Callable[[], Sequence[Reason]] = _no_notices
    unread_files: Callable[[], Sequence[Reason]] = tuple
    cache_directory: Path | None = None  # for caches of plugins
    cache_size: int = CACHE_SIZE  # bytes of all caches
    state_directory: Path | None = None  # for what plugins keep
    guests: Guests | None = None
    limits: Limits = DEFAULT_LIMITS  # of calls into plugins
    page: Path = field(factory=_built_page)  # directory with index.html
