"""``DataProvider`` that reads logdirs in this process."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from attrs import evolve

from insight_core.formats.compiled import require
from insight_core.formats.stored_block import Lost
from insight_core.ingest.discover import may_count_below
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.known_files import run_files, unread_files
from insight_core.ingest.loader import Loader
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.translation.translations import Translations
from insight_core.plugin import CachePolicy, FileName, LogFormat, Plugin, Reason, StoreFormat
from insight_core.plugin.data import (
    Changes,
    Damage,
    NotComputed,
    Payload,
    PayloadPlaces,
    PayloadStream,
    Progress,
    RecordTable,
    Run,
    RunFile,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.providers.common import by_start_time
from insight_core.providers.record_answers import RecordAnswers
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.snapshot import Snapshot
from insight_core.store.store import Store

if TYPE_CHECKING:  # a host that does without does not load them
    from insight_core.ingest.fetching import MirrorSet, RequestCounts
    from insight_core.ingest.index.cache import IndexCache
    from insight_core.ingest.watch import Watcher
    from insight_core.store.views import ViewCache

T = TypeVar("T")

log = logging.getLogger(__name__)

_EVERY_POINT = ScalarQuery()
_MOST_LOST = 10  # log files that are read again for one request


class LocalProvider:
    """Reads logdirs into memory and answers queries from there. ``policies`` override those of plugins, by
    name.

    An index for the next start and translations of stores are kept below ``cache_directory``, of at most
    ``cache_size`` bytes (default 10 GiB). Columns beyond ``max_memory`` bytes are stored in files below
    ``spill_directory``. With ``watch`` the file system reports changes where it can; otherwise all files are
    polled every ``reload_interval`` seconds (0: read once). Symbolic links that lead out of the logdirs are
    followed with ``follow_symlinks``; without it, only those directly in a logdir are. With ``folds``, what
    ``add_hparams`` writes below a run counts in that run. Only runs whose names ``accepts_run`` accepts are
    read. ``while_loading`` is entered for each load: a program may tune its
    process there. ``mirrors`` has the logdirs that are mirrors of remote ones; they are closed with the
    provider.
    """

    def __init__(
        self,
        logdirs: Sequence[Logdir],
        plugins: Iterable[Plugin],
        *,
        log_formats: Iterable[LogFormat | StoreFormat] = (),
        policies: Mapping[str, CachePolicy] | None = None,
        reload_interval: float = 1.0,
        watch: bool = True,
        cache_directory: Path | None = None,
        cache_size: int | None = None,
        max_memory: int | None = None,
        spill_directory: Path | None = None,
        follow_symlinks: bool = False,
        folds: bool = True,
        accepts_run: Callable[[str], bool] | None = None,
        while_loading: Callable[[], AbstractContextManager[object]] = nullcontext,
        mirrors: MirrorSet | None = None,
    ) -> None:
        require("insight_core.store._reduction")  # the first request imports it
        self._mirrors = mirrors
        self._logdirs = tuple(logdirs)
        plugins = list(plugins)
        self._plugins = {plugin.name for plugin in plugins}
        self._names = FileNames(plugins, log_formats)
        memory = ColumnMemory(max_memory, spill_directory)
        self._store = Store(plugins, policies or {}, memory)
        fetch = None if mirrors is None else mirrors.fetch
        self._translations = translations = Translations(cache_directory, fetch, cache_size=cache_size)
        self._loader = Loader(
            self._store,
            self._logdirs,
            reload_interval,
            names=self._names,
            translations=translations,
            cache=_open_cache(cache_directory, self._logdirs, cache_size),
            follow_symlinks=follow_symlinks,
            folds=folds,
            accepts_run=accepts_run,
            while_loading=while_loading,
            fetch=fetch,
            before_first_walk=None if mirrors is None else mirrors.list_first,
        )
        if mirrors is not None:
            mirrors.may_evict = self._loader.is_read
        self._follow_symlinks = follow_symlinks
        self._watches = watch and reload_interval > 0
        self._records = RecordAnswers(
            self._store,
            self._snapshot,
            self._loader.path_of,
            fetch=None if mirrors is None else mirrors.fetch_current,
            shown_path=self._location_of,
            translated=translations.holds,
            passing=translations.values.holds,
        )

    def start(self) -> None:
        """Loads in the background, newest runs first, then tails the files."""
        if self._mirrors is not None:
            self._mirrors.follow(self._loader.follow, self._store.touch_runs)
        self._loader.start(self._open_watcher() if self._watches else None)

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets the values that were unclaimed so far."""
        known = plugin.name in self._plugins
        self._plugins.add(plugin.name)
        if known:
            return
        self._intact(lambda: self._store.admit(plugin))
        if any(isinstance(claim, FileName) for claim in (plugin.decoder.claims if plugin.decoder else ())):
            self._names.add([plugin])
            self._loader.look_again()

    def admit_log_formats(self, log_formats: Sequence[LogFormat | StoreFormat]) -> None:
        """Files of these formats are read too."""
        self._names.add((), log_formats)
        self._loader.look_again()

    def load(self) -> None:
        """Reads everything that exists now and returns when done."""
        if self._mirrors is not None:
            self._mirrors.list_now()
        self._loader.load()

    def close(self) -> None:
        """Stops background threads and releases connections, files and memory."""
        self._store.end()
        if self._mirrors is not None:
            self._mirrors.close()  # first: reading may wait for it
        self._loader.stop()

    @property
    def _locations(self) -> Mapping[str, str]:
        """The remote locations of which logdirs are mirrors, by local path."""
        return {} if self._mirrors is None else self._mirrors.locations

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return self._store.plugins()

    def runs(self) -> Sequence[Run]:
        """All runs."""
        return by_start_time(self._store.runs())

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""
        return self._intact(lambda: self._store.infos(plugin, runs, tags))

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        return self._intact(lambda: self._store.tables(plugin, fields, runs, tags))

    @functools.cached_property
    def _views(self) -> ViewCache:  # imported by the first request: a host listens without it
        from insight_core.store.views import ViewCache

        return ViewCache()

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        from insight_core.store.scalars import answer

        self._loader.prefer(frozenset(key.run for key in keys))
        answers: dict[SeriesKey, ScalarColumns] = {}
        for key in keys:
            snapshot = self._snapshot(plugin, key)
            if snapshot is None or snapshot.columns.values is None:
                continue
            view = self._views.view((plugin, key, query.attempts, query.smoothing), snapshot, query)
            answers[key] = answer(snapshot, view, query)
        return answers

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        self._loader.prefer(frozenset((key.run,)))
        return self._records.table(plugin, key, attempts)

    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        """The bytes of one record; see ``DataProvider.payload`` for limits and errors."""
        return self._records.payload(plugin, key, index, attempts, limit=limit)

    def open_payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        offset: int = 0,
        length: int | None = None,
    ) -> PayloadStream:
        """The bytes of one record, or a part of them, as a stream; see ``DataProvider.open_payload``."""
        return self._records.open_payload(plugin, key, index, attempts, offset=offset, length=length)

    def payload_places(self, plugin: str, key: SeriesKey) -> PayloadPlaces:
        """Where the payloads of a series are. Raises NotFound for an unknown series or file."""
        return self._records.places(plugin, key)

    def _snapshot(self, plugin: str, key: SeriesKey) -> Snapshot | None:
        return self._intact(lambda: self._store.snapshot(plugin, key))

    def _open_watcher(self) -> Watcher:
        from insight_core.ingest.watch import Watcher

        return Watcher(
            [logdir.path for logdir in self._logdirs if logdir.path not in self._locations],
            may_count_below(self._logdirs, self._names),
            follow_symlinks=self._follow_symlinks,
        )

    def _intact(self, read: Callable[[], T]) -> T:
        """What ``read`` returns; log files whose stored points cannot be read are read again first."""
        for _ in range(_MOST_LOST):
            try:
                return read()
            except Lost as error:
                log.warning("%s; the file is read again", error)
                self._loader.load()
        return read()

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        return sorted(self._store.damage(run), key=lambda d: (d.run, d.file, d.offset))

    def run_files(self) -> Sequence[RunFile]:
        """Every file of every run, by a new walk over the logdirs."""
        locations = self._locations
        files = run_files(self._logdirs, self._names, self._loader.folded)
        return (
            [evolve(file, location=locations.get(file.logdir, "")) for file in files] if locations else files
        )

    def scalar_summaries(self, plugin: str, *, runs: Collection[str] | None = None) -> None:
        """Not known: the points are in this process."""

    def unread_files(self) -> Mapping[str, int]:
        """Files that nothing reads, by what they hold, by a new walk over the logdirs."""
        stores = self._translations.read_files()
        return unread_files(self._logdirs, self._names, stores, follow_symlinks=self._follow_symlinks)

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """Raises NotComputed: the data is in this process."""
        raise NotComputed("the logs are read in this process")

    def notices(self) -> Sequence[Reason]:
        """Remote stores that are away, and what of them cannot be read."""
        return [] if self._mirrors is None else self._mirrors.notices()

    def requests(self) -> Mapping[str, RequestCounts]:
        """Requests to remote stores so far, by location."""
        return {} if self._mirrors is None else self._mirrors.counts()

    def _location_of(self, path: str) -> str:
        """The path of a local file, or the location in a remote store of which it is a copy."""
        for logdir, location in self._locations.items():
            if path.startswith(f"{logdir}/"):
                return location.rstrip("/") + path[len(logdir) :]
        return path

    def unclaimed(self) -> Mapping[str, Mapping[str, int]]:
        """Values that no plugin claims: by run, the number for each claim."""
        found: dict[str, dict[str, int]] = {}
        for name in self._store.plugins() - self._plugins:
            for info in self.series(name):
                counts = found.setdefault(info.key.run, {})
                counts[name] = counts.get(name, 0) + info.points
        return found

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        return self._loader.progress()

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        shown = [(logdir.name, self._locations.get(logdir.path, logdir.path)) for logdir in self._logdirs]
        return ",".join(f"{name}:{path}" if name else path for name, path in shown)

    def generation(self) -> int:
        """A number that grows whenever the data changes."""
        return self._store.generation

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """Changes after the generation ``since``; waits up to ``timeout`` seconds for a change."""
        return self._store.changes(since, timeout)


def _open_cache(
    directory: Path | None, logdirs: Sequence[Logdir], most_bytes: int | None
) -> IndexCache | None:
    if directory is None:
        return None
    from insight_core.ingest.index.cache import IndexCache

    return IndexCache(directory, [logdir.path for logdir in logdirs], most_bytes=most_bytes)
