"""Parses the log directories of the command line, checks local ones, and opens and mirrors remote ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import evolve

from insight_core.cli.flags import Options
from insight_core.cli.text_table import printable
from insight_core.ingest.discover import run_prefixes
from insight_core.ingest.logdir import Logdir, is_remote, parse_logdir
from insight_core.isolation import in_one_line
from insight_core.plugin import InsightError, InvalidArgument, Reason, ReasonKind, RemoteFiles, Unavailable
from insight_core.plugin.context import CACHE_SIZE
from insight_core.registry import Module, Registry

if TYPE_CHECKING:
    from insight_core.ingest.fetching import MirrorSet

_LOGDIR_NO_DIRECTORY = ReasonKind("logdir_no_directory", "{path} is not a directory.")
_LOGDIR_UNREADABLE = ReasonKind(
    "logdir_unreadable", "The log directory {path} is not readable by the user who runs this host."
)
_HOOK = "insight_open_files"
_MIRROR = "insight_mirror"
_FILLED = "insight_logdirs"
_OPENING = 30.0  # seconds that a module may take to open a location
_LEAST_INTERVAL = 5.0  # seconds, where no interval is asked for: each listing costs money


def open_logdirs(options: Options) -> list[Logdir]:
    """The parsed --logdir values. Raises InvalidArgument, which names the flag or variable.

    Paths are absolute, because a plugin may change the current directory.
    """
    logdirs = []
    for text in options.logdir:
        try:
            logdir = parse_logdir(text)
            path = logdir.path if is_remote(logdir.path) else os.path.abspath(logdir.path)
            logdirs.append(evolve(logdir, path=path))
        except (InsightError, ValueError) as error:
            raise InvalidArgument(f"{options.origin('logdir')}: {error}") from error
    return logdirs


def filled_directories(registry: Registry) -> list[str]:
    """Directories that modules fill themselves, as their flags say: absolute paths."""
    found = registry.collected(_FILLED, str)
    return [os.path.abspath(os.path.expanduser(one.value)) for one in found]


def with_filled(logdirs: Sequence[Logdir], registry: Registry) -> list[Logdir]:
    """The logdirs, and the directories that modules fill where no logdir has them already."""
    roots = [os.path.join(os.path.realpath(one.path), "") for one in logdirs if not is_remote(one.path)]
    return [
        *logdirs,
        *(
            Logdir(path)
            for path in filled_directories(registry)
            if not os.path.join(os.path.realpath(path), "").startswith(tuple(roots))
        ),
    ]


def problems(logdirs: Sequence[Logdir], *, follows: bool) -> list[Reason]:
    """Why local log directories cannot be read now; ``follows`` is whether the host looks again later."""
    found = []
    for logdir in logdirs:
        path = logdir.path
        if is_remote(path):  # its provider says that
            continue
        shown = printable(path)
        later = " Its runs appear as soon as it does." if follows else ""
        if not os.path.exists(path):
            code = "logdir_missing" if follows else "logdir_missing_once"
            found.append(Reason(f"The log directory {shown} does not exist.{later}", code, path=shown))
        elif not os.path.isdir(path):
            found.append(_LOGDIR_NO_DIRECTORY(path=shown))
        elif not os.access(path, os.R_OK | os.X_OK):
            found.append(_LOGDIR_UNREADABLE(path=shown))
    return found


class UnknownStore(InvalidArgument):
    """No plugin opens the location of a logdir."""


def open_mirrors(
    options: Options,
    logdirs: Sequence[Logdir],
    registry: Registry,
    reload_interval: float,
    cache: Path | None,
) -> tuple[Sequence[Logdir], MirrorSet | None]:
    """The logdirs with local directories for remote ones, and their mirrors, None without any.

    Without a ``cache`` directory, mirrors are temporary.

    Raises InvalidArgument for locations that no plugin opens, or that are malformed, and Unavailable where no
    module mirrors them.
    """
    if not any(is_remote(logdir.path) for logdir in logdirs):
        return logdirs, None
    interval = reload_interval
    if reload_interval and "reload_interval" not in options.origins:
        interval = max(_LEAST_INTERVAL, reload_interval)
    mirrors = _mirrors(registry, cache, cache_shares(options, logdirs)[0], interval)
    try:
        opened = []
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True):
            if not is_remote(logdir.path):
                opened.append(evolve(logdir, name=prefix or None))
                continue
            path = mirrors.add(without_password(logdir.path), partial(_opened, logdir.path, registry))
            opened.append(evolve(logdir, path=path, name=prefix or None))
        return opened, mirrors
    except BaseException:
        mirrors.close()
        raise


def cache_shares(options: Options, logdirs: Sequence[Logdir]) -> tuple[int, int]:
    """Bytes of ``--cache-size`` for mirrors, and for all other caches: half each if a logdir is remote."""
    size = options.cache_size or CACHE_SIZE
    mirrors = size // 2 if any(is_remote(logdir.path) for logdir in logdirs) else 0
    return mirrors, size - mirrors


def opens_files(location: str, registry: Registry) -> bool:
    """Whether a plugin opens the location as a logdir. Raises InvalidArgument for a malformed one."""
    try:
        _opened(location, registry).close()
    except UnknownStore:
        return False
    return True


def without_password(location: str) -> str:
    """The location as it may be shown."""
    return re.sub(r"^([A-Za-z0-9+.-]+://[^/@:]*):[^/@]*@", r"\1@", location)


def modules_with(hook: str, registry: Registry) -> Iterator[Module]:
    """The modules that implement a hook; those last that take longer to import than a start waits."""
    asked: set[Module] = set()
    for wait in (False, True):
        if wait:
            registry.wait_until_loaded()
        for module in registry.implementing(hook):
            if module not in asked:
                asked.add(module)
                yield module


def asked(module: Module, hook: str, limit: float, **arguments: object) -> Any:  # noqa: ANN401
    """What a hook of a module returns within ``limit`` seconds. Raises InsightError."""
    try:
        return module.call(hook, limit, **arguments)
    except InsightError:
        raise
    except Exception as error:
        raise Unavailable(f"{hook}() of {module.name} failed: {in_one_line(error)}") from error


def _mirrors(registry: Registry, cache: Path | None, most_bytes: int, interval: float) -> MirrorSet:
    for module in modules_with(_MIRROR, registry):
        arguments = {"cache": cache, "most_bytes": most_bytes, "interval": interval}
        answer: MirrorSet | None = asked(module, _MIRROR, _OPENING, **arguments)
        if answer is not None:
            return answer
    raise Unavailable(
        "no plugin mirrors remote log directories: leave out --disable-plugin for the one that does"
    )


def _opened(location: str, registry: Registry) -> RemoteFiles:
    for module in modules_with(_HOOK, registry):
        answer = asked(module, _HOOK, _OPENING, location=location)
        if answer is not None:
            if not hasattr(answer, "pages"):
                kind = type(answer).__name__
                raise Unavailable(f"{_HOOK}() of {module.name} returned a {kind}, not RemoteFiles")
            return answer  # type: ignore[no-any-return]
    scheme = location.partition(":")[0]
    raise UnknownStore(f'unknown protocol "{scheme}" in logdir {without_password(location)}')
