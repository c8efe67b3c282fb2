"""Opens what ``insight_host.open`` is given: directories in this process, servers by their address."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from attrs import evolve, frozen

from insight_core.cli.data_source import open_data
from insight_core.cli.flags import SERVE_FLAGS, Options
from insight_core.cli.logdirs import open_logdirs, opens_files
from insight_core.cli.options import read_flags
from insight_core.cli.policies import open_whole_registry
from insight_core.ingest.logdir import Logdir, is_remote
from insight_core.plugin import InvalidArgument, NotFound, Unavailable
from insight_core.plugin.data import DataProvider
from insight_core.providers.common import StartableProvider
from insight_core.registry import Registry

if TYPE_CHECKING:
    from insight_core.web import Host

Place: TypeAlias = str | os.PathLike[str]
Places: TypeAlias = Place | Sequence[Place] | Mapping[str, Place]

_LOCATION = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[^0-9]")
_PATIENCE = 5.0  # seconds for a server to answer for the first time
_PAUSE = 0.05  # seconds between two questions
_WAIT = 1.0  # seconds of one wait for changes


@frozen(eq=False)
class OpenedSource:
    """A provider that has started, and what it was opened with."""

    provider: DataProvider
    registry: Registry
    options: Options
    logdirs: Sequence[Logdir]
    is_host: bool = False  # one running host, which answers at once or is away


@contextmanager
def host_of(source: OpenedSource) -> Iterator[Host]:
    """A host of the logs in this process, until the block ends."""
    from insight_core.cli.serve import open_host  # the web half is loaded where it is needed

    host = open_host(source.options, source.registry, source.provider, source.logdirs)
    try:
        yield host
    finally:
        host.close()


@contextmanager
def service_of(source: OpenedSource, name: str) -> Iterator[Callable[..., Any]]:
    """A service of whichever plugin has it, in a host of the logs in this process; see ``Plugin.services``.

    The plugin reads the same payloads from every kind of source. Raises NotFound without such a plugin.
    """
    found = source.registry.service(name)
    if found is None:
        raise NotFound(f"no plugin that is installed has the service {name!r}")
    plugin, function = found
    with host_of(source) as host:
        yield partial(function, host.context_of(plugin))


def is_location(place: Place) -> bool:
    """Whether this is the address of a server or a location that a plugin opens, not a directory."""
    return isinstance(place, str) and bool(_LOCATION.match(place)) and not os.path.exists(place)


def open_source(
    places: Places,
    token: str | None = None,
    *,
    token_file: Place | None = None,
    ca_file: Place | None = None,
) -> OpenedSource:
    """Opens what ``insight_host.open`` is given; raises as ``open_named`` does."""
    files = {"data-provider-token-file": token_file, "data-provider-ca": ca_file}
    flags = [f"--{name}={os.fspath(path)}" for name, path in files.items() if path is not None]
    return open_named(_named(places), token, flags)


def open_named(
    named: Sequence[tuple[str | None, Place]], token: str | None = None, flags: Sequence[str] = ()
) -> OpenedSource:
    """Opens directories and locations, several as one. The names of runs begin with those of directories.

    A location of files (``s3://bucket/prefix``) is read as a logdir; any other one is opened as
    ``insight-host --data-provider`` does: by ``insight_open_provider`` of any plugin.
    ``flags`` are further flags of ``insight-host``. Raises NotFound for a directory that does not exist,
    InvalidArgument for what cannot be opened.
    """
    if not named or not all(os.fspath(place) for _, place in named):
        raise InvalidArgument("nothing to open: give a directory or the address of a server")
    registry = open_whole_registry(_options([*flags, "--logdir=."]))

    def is_logdir(place: Place) -> bool:
        return not is_location(place) or (is_remote(str(place)) and opens_files(str(place), registry))

    directories = [(name, os.fspath(place)) for name, place in named if is_logdir(place)]
    locations = [(name, str(place)) for name, place in named if not is_logdir(place)]
    for _, place in directories:
        path = Path(place)
        if not path.is_dir() and not is_location(place):
            raise NotFound(f"{path}: {'not a directory' if path.exists() else 'no such directory'}")
    for name, location in locations:
        if name is not None:
            raise InvalidArgument(f"{name}: only directories can be named, not {_shown(location)}")
    logdir_flags = [f"--logdir={name}:{path}" if name else f"--logdir={path}" for name, path in directories]
    location_flags = [f"--data-provider={_with_token(location, token)}" for _, location in locations]
    options = _options([*flags, *(logdir_flags or location_flags[:1])])
    logdirs = open_logdirs(options)
    opened: list[StartableProvider] = []
    try:
        if directories:
            opened.append(open_data(options, registry, logdirs))
        for flag in location_flags:
            opened.append(open_data(_options([*flags, flag]), registry, []))
        provider = opened[0] if len(opened) == 1 else _merged(opened)
        provider.start()
    except BaseException:
        for one in opened:
            one.close()
        raise
    is_host = not directories and len(locations) == 1 and _is_url(locations[0][1])
    return OpenedSource(provider, registry, evolve(options, read_only=True), logdirs, is_host)


def wait_until_read(provider: DataProvider, timeout: float | None, *, is_host: bool = False) -> None:
    """Waits until every file that was there has been read. ``is_host``: see ``OpenedSource``.

    Raises Unavailable if a server does not answer for five seconds, TimeoutError after ``timeout`` seconds.
    """
    began = time.monotonic()
    answered = False
    while True:
        waited = time.monotonic() - began
        try:
            generation = provider.generation()
            progress = provider.progress()
            answered = True
            if progress.loaded_once:
                if not is_host:
                    _check_found(provider)
                return
        except Unavailable:
            # gRPC connects in the background
            if answered or waited > _PATIENCE or is_host:
                raise
            time.sleep(_PAUSE)
            continue
        if timeout is not None and waited > timeout:
            raise TimeoutError(f"{progress.bytes_read:,} of {progress.bytes_total:,} bytes have been read")
        provider.changes(generation, timeout=_WAIT if timeout is None else min(_WAIT, timeout))


def _check_found(provider: DataProvider) -> None:
    """Raises Unavailable if nothing was read because a remote store is away.

    A host has other notices, such as that its logdir does not exist yet.
    """
    if not provider.runs() and (notices := provider.notices()):
        raise Unavailable(str(notices[0]))


def _is_url(location: str) -> bool:
    return location.startswith(("http:", "https:"))


def _merged(opened: Sequence[StartableProvider]) -> StartableProvider:
    from insight_core.providers.merged import MergedProvider

    return MergedProvider(opened)


def _named(places: Places) -> list[tuple[str | None, Place]]:
    if isinstance(places, Mapping):
        return list(places.items())
    if isinstance(places, str | os.PathLike):
        return [(None, places)]
    return [(None, place) for place in places]


def _with_token(location: str, token: str | None) -> str:
    if token is None or not _is_url(location):
        return location
    before, hash_, after = location.partition("#")
    return f"{before}{'&' if '?' in before else '?'}token={quote(token, safe='')}{hash_}{after}"


def _shown(location: str) -> str:
    return location.partition("?")[0]


def _options(flags: Sequence[str]) -> Options:
    """The flags and variables of ``insight-host``: INSIGHT_HOST_CACHE_DIR and so on."""
    try:
        return read_flags("read", "reads logs", SERVE_FLAGS, flags)
    except SystemExit as error:  # the parser has printed why
        raise InvalidArgument(f"{' '.join(map(_shown, flags))}: not accepted") from error
