"""What the command line decides about a host."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from attrs import field, frozen

from insight_core.isolation import DEFAULT_LIMITS, Limits
from insight_core.plugin import InvalidArgument

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HEARTBEAT = 15.0  # seconds between signs of life on a quiet stream: proxies give up after 30 to 60


def _built_page() -> Path:
    from insight_frontend import STATIC

    return STATIC


def _prefix(text: str) -> str:
    """``/a/b`` for every spelling of it, the empty string for the root."""
    parts = [part for part in text.strip().split("/") if part]
    for part in parts:
        if part in (".", "..") or re.search(r"[?#%\\\s\x00-\x1f]", part):
            raise InvalidArgument(f"the path prefix {text!r} cannot be part of a URL")
    return "".join(f"/{part}" for part in parts)


def _no_notices() -> Sequence[Notice]:
    return ()


@frozen
class Notice:
    """Something the user should know about the data as a whole.

    ``code`` is by which the page translates it, ``subject`` what it is about (a path), ``text`` the
    whole in English.
    """

    code: str
    subject: str
    text: str


class StockPart(Protocol):
    """What was made for TensorBoard and is served beside our own: plugins, and its page.

    Methods may be called from any thread, and are quick.
    """

    def app_for(self, path: str) -> WSGIApplication | None:
        """Who answers a path below the prefix that the host does not know. It finds the prefix in
        SCRIPT_NAME and the path in PATH_INFO."""
        ...

    def listing(self, experimental: Collection[str] = ()) -> Mapping[str, Mapping[str, object]]:
        """Rows of ``/data/plugins_listing`` by name, those of plugins that failed included.

        ``experimental`` are names of plugins that are listed only to who asks for them.
        """
        ...

    def follow(self, changed: Callable[[], None]) -> None:
        """``changed`` is called whenever the listing changes."""
        ...


@frozen
class HostSettings:
    """How a host presents itself. ``bound_host`` is the address it listens on.

    ``allowed_hosts`` are further names it answers to, ``*`` for any; ``frame_ancestors`` sources, as in a
    Content-Security-Policy, of further pages that may show it in a frame. ``notices`` is asked whenever
    the run table is.
    """

    window_title: str = ""
    path_prefix: str = field(default="", converter=_prefix)
    bound_host: str = "127.0.0.1"
    allowed_hosts: Sequence[str] = ()
    frame_ancestors: Sequence[str] = ()
    max_streams: int = 64
    heartbeat: float = HEARTBEAT
    follows: bool = True  # whether what is written after the start is shown
    notices: Callable[[], Sequence[Notice]] = _no_notices
    cache_directory: Path | None = None  # where plugins may keep what took long to make
    stock: StockPart | None = None
    limits: Limits = DEFAULT_LIMITS  # of calls into plugins
    page: Path = field(factory=_built_page)  # directory with index.html
