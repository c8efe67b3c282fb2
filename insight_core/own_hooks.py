"""Hooks that modules of this repository implement, and what they give, without a promise to others."""

# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pluggy
from attrs import field, frozen

from insight_core.ingest.fetching import MirrorSet
from insight_core.plugin import Claim
from insight_core.plugin.data import DataProvider
from insight_core.references import reference

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_hookspec = pluggy.HookspecMarker("insight")


@frozen
class GuestSettings:
    """What the hosting of another program's plugins needs to know of the host.

    ``logdirs`` are pairs of the prefix of the runs and the path. ``taken`` are names of our own plugins,
    ``known`` also those of disabled ones.
    """

    logdirs: Sequence[tuple[str, str]] = ()
    path_prefix: str = ""
    window_title: str = ""
    host: str = "127.0.0.1"
    samples: Mapping[str, int] = {}  # points of a series by plugin, 0: all
    reload_interval: float = 1.0  # seconds
    taken: Collection[str] = ()
    known: Collection[str] = ()
    disabled: Collection[str] = ()  # names of entry points or plugins
    options: Mapping[str, Any] = {}  # of the module's insight_options, by key


class Guests(Protocol):
    """Hosted plugins that were made for another program, and that program's own page.

    Methods may be called from any thread, and return quickly.
    """

    owner: str  # of its application, as errors name it

    def start(self) -> None:
        """Starts to search for plugins and to load them."""

    def close(self) -> None:
        """Ends the processes that plugins started, and deletes temporary files."""

    def wait_until_loaded(self, timeout: float) -> bool:
        """Waits up to ``timeout`` seconds; returns whether every plugin has loaded or failed."""

    def app_for(self, path: str) -> WSGIApplication | None:
        """The application for a path (below the prefix) that the host does not serve; None if unknown.

        The application receives the prefix in SCRIPT_NAME and the path in PATH_INFO.
        """

    def is_reading(self, path: str) -> bool:
        """Whether a POST to this path changes nothing, so that clients that may not save may send it."""

    def listing(self, experimental: Collection[str] = ()) -> Mapping[str, Mapping[str, object]]:
        """Rows of ``/data/plugins_listing`` by name, including plugins that failed.

        Experimental plugins are listed only if ``experimental`` contains their name.
        """

    def follow(self, changed: Callable[[], None]) -> None:
        """``changed`` is called whenever the listing changes."""

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Rows of ``insight-host plugins``, in the order of loading, then what was disabled."""


@frozen
class OtherProgram:
    """What a module knows of another program for training logs. Each function may be given by name.

    ``guests(data, settings)`` hosts its plugins, not started yet. ``names()`` returns the names by which
    users may mean one of them, and whether one may have another name. ``claims(name)`` returns the claims of
    values that its plugin shows. ``services(data)`` are gRPC services, by full name, that a data server has
    next to its own: their methods are those of the descriptors in ``insight_core.rpc.schema``.
    ``client(link, interval)`` is a provider of a server with such a service; raises InsightError.
    """

    guests: Callable[[DataProvider, GuestSettings], Guests] = field(converter=reference)
    names: Callable[[], tuple[Collection[str], bool]] = field(converter=reference)
    claims: Callable[[str], frozenset[Claim]] = field(converter=reference)
    services: Callable[[DataProvider], Mapping[str, object]] = field(converter=reference)
    client: Callable[[Any, float], Any] = field(converter=reference)


@_hookspec
def insight_other_program() -> OtherProgram:
    """How data and plugins of another program are served. Called once, when they are first needed."""


@_hookspec
def insight_logdirs(options: Mapping[str, Any]) -> Iterable[str]:
    """Directories that the module fills, by its own flags: they are shown as log directories are."""


@_hookspec(firstresult=True)
def insight_mirror(cache: Path | None, most_bytes: int, interval: float) -> MirrorSet:
    """An empty set of mirrors of remote logdirs, of at most so many bytes on disk, all together.

    ``cache`` is the cache directory, None for a temporary one. Locations are listed every ``interval``
    seconds, once if it is 0. Called where a logdir is remote: see ``insight_open_files``.
    """
