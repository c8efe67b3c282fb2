"""Opens the local provider and the state, and finds the directories of cache and state."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from insight_core.cli.flag_types import without_token
from insight_core.cli.flags import Options
from insight_core.cli.process import rare_collections
from insight_core.cli.text_table import printable
from insight_core.ingest.discover import run_prefixes
from insight_core.ingest.logdir import Logdir, is_remote
from insight_core.machine import physical_memory
from insight_core.plugin import CachePolicy, InvalidArgument, LogFormat, StoreFormat
from insight_core.plugin.data import DataProvider
from insight_core.registry import Registry

if TYPE_CHECKING:
    from insight_core.providers.local import LocalProvider
    from insight_core.web.state.annotations import AnnotationStore
    from insight_core.web.state.saved import SavedStore

log = logging.getLogger(__name__)
_MEMORY_SHARE = 0.5  # of what there is
_HOOK = "insight_log_formats"


def open_local(
    options: Options,
    logdirs: Sequence[Logdir],
    registry: Registry,
    policies: Mapping[str, CachePolicy],
    reload_interval: float,
    accepts_run: Callable[[str], bool] | None = None,
) -> LocalProvider:
    """A provider of these logdirs, not started yet. Raises InvalidArgument."""
    from insight_core.cli.logdirs import cache_shares, open_mirrors
    from insight_core.providers.local import LocalProvider

    directory = _writable_directory(options, logdirs)
    cache = directory if options.cache else None
    _, cache_size = cache_shares(options, logdirs)
    logdirs, mirrors = open_mirrors(options, logdirs, registry, reload_interval, cache)
    provider = LocalProvider(
        logdirs,
        registry.plugins.values(),
        policies=policies,
        reload_interval=reload_interval,
        cache_directory=cache,
        cache_size=cache_size,
        max_memory=options.max_memory or int(_MEMORY_SHARE * physical_memory()),
        spill_directory=directory,
        follow_symlinks=options.follow_symlinks,
        folds=options.fold,
        accepts_run=accepts_run,
        while_loading=rare_collections,
        mirrors=mirrors,
    )
    follow_log_formats(registry, provider.admit_log_formats)
    return provider


def cache_directory(options: Options) -> Path:
    """Absolute path of the cache directory, which need not exist."""
    return _directory(options.cache_dir, "user_cache_path")


def _writable_directory(options: Options, logdirs: Sequence[Logdir]) -> Path | None:
    """The cache directory; None, with a warning, if the default one lies in a logdir.

    Raises InvalidArgument if the user chose a directory in a logdir, where nothing is ever written.
    """
    directory = cache_directory(options)
    where = _where_in_logdir(directory, logdirs)
    if where is None:
        return directory
    if options.cache_dir is not None:
        raise InvalidArgument(f"{options.origin('cache_dir')}: {where}, and nothing is written there")
    log.warning("the index is disabled: %s; choose another directory with --cache-dir", where)
    return None


def plugin_cache_directory(options: Options, logdirs: Sequence[Logdir]) -> Path | None:
    """The directory for caches of plugins; None with ``--no-cache``, or if it lies in a logdir."""
    directory = cache_directory(options)
    return directory if options.cache and _where_in_logdir(directory, logdirs) is None else None


def plugin_state_directory(options: Options, logdirs: Sequence[Logdir]) -> Path | None:
    """The directory for state of plugins; None with ``--read-only``, or if it lies in a logdir."""
    directory = state_directory(options)
    return directory if not options.read_only and _where_in_logdir(directory, logdirs) is None else None


def open_state(
    options: Options, logdirs: Sequence[Logdir], provider: DataProvider
) -> tuple[AnnotationStore, SavedStore]:
    """The annotations of the provider's runs, and what is saved for these logdirs.

    They are read-only if the default state directory lies in a logdir. Raises InvalidArgument if the user
    chose a state directory in a logdir.
    """
    # imported late: loading has begun by then
    from insight_core.web.state.annotations import AnnotationStore, Place
    from insight_core.web.state.saved import SavedStore

    directory = state_directory(options)
    where = _where_in_logdir(directory, logdirs)
    if where is not None and options.state_dir is not None:
        raise InvalidArgument(f"{options.origin('state_dir')}: {where}, and nothing is written there")
    refusal = None if where is None else f"{where}; choose another directory with --state-dir"

    def places() -> list[Place]:
        found = [
            Place(prefix, logdir.path if is_remote(logdir.path) else os.path.realpath(logdir.path))
            for prefix, logdir in zip(run_prefixes(logdirs), logdirs, strict=True)
        ]
        if options.data_provider is not None:
            location = without_token(options.data_provider)
            found.append(Place("", location if logdirs else f"{location}/{provider.location()}"))
        return found

    def locations() -> list[str]:
        return [place.location for place in places()]

    root = directory if where is None else None
    return (
        AnnotationStore(root, places, refusal, read_only=options.read_only),
        SavedStore(root, locations, refusal, read_only=options.read_only),
    )


def state_directory(options: Options) -> Path:
    """Absolute path of the state directory, which need not exist."""
    return _directory(options.state_dir, "user_state_path")


def _directory(given: str | None, default: str) -> Path:
    if given is not None:
        return Path(os.path.abspath(os.path.expanduser(given)))
    import platformdirs  # imported only if needed

    path: Path = getattr(platformdirs, default)("insight-host")
    return path


def _where_in_logdir(directory: Path, logdirs: Sequence[Logdir]) -> str | None:
    """A text that says in which logdir the directory lies; None if it is outside all of them."""
    return where_in_directories(directory, [each.path for each in logdirs if not is_remote(each.path)])


def where_in_directories(directory: Path, logdirs: Iterable[str]) -> str | None:
    """A text that says in which of these log directories the directory lies; None: in none of them."""
    inside = next((logdir for logdir in logdirs if _is_inside(directory, logdir)), None)
    if inside is None:
        return None
    return f"{printable(str(directory))} lies in the log directory {printable(inside)}"


def _is_inside(directory: Path, logdir: str) -> bool:
    inner, outer = os.path.realpath(directory), os.path.realpath(logdir)
    return os.path.commonpath([inner, outer]) == outer


def follow_log_formats(registry: Registry, came: Callable[[Sequence[LogFormat | StoreFormat]], None]) -> None:
    """Calls ``came`` with the log formats that are new, now and later; any thread may call it.

    Of formats with one name the first is used. The modules of the others are listed as failures.
    """
    used: dict[str, LogFormat | StoreFormat] = {}
    seen: set[int] = set()  # ids of formats, which the registry keeps
    lock = threading.Lock()

    def look() -> None:
        new: list[LogFormat | StoreFormat] = []
        for contribution in registry.collected(_HOOK, (LogFormat, StoreFormat)):
            log_format: LogFormat | StoreFormat = contribution.value
            with lock:
                if id(log_format) in seen:
                    continue
                seen.add(id(log_format))
                is_used = used.setdefault(log_format.name, log_format) is log_format
            if is_used:
                new.append(log_format)
                continue
            reason = InvalidArgument(f"a log format named {log_format.name!r} is already there")
            registry.hook_failed(contribution.module, _HOOK, reason)
        if new:
            came(new)

    look()
    registry.follow(lambda plugin: None, look)
