"""``DataProvider`` client of a running host: its full-precision routes (docs/http_api.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from insight_core.plugin import (
    DataKind,
    FileName,
    InvalidArgument,
    NotFound,
    Plugin,
    PluginNameEnum,
    ProviderSettings,
    Reason,
    Unavailable,
)
from insight_core.plugin.data import (
    Damage,
    Payload,
    PayloadStream,
    Progress,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesInfo,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.plugin.data.tables import runs_with_equal_tags, tags_by_run
from insight_core.plugin.servers import (
    SERIES_FIELDS,
    FollowedProvider,
    check_size,
    read_token,
    series_of_tables,
)
from insight_remote.host_client.decoding import (
    changes_of,
    damage_of,
    nearest_point,
    reason_of,
    records_of,
    run_of,
    scalars_of,
    tables_of_catalog,
)
from insight_remote.host_client.session import Address, Blob, HttpSession

_OF_OLD_HOSTS = PluginNameEnum.SCALAR  # whose scalars a host serves that does not say it
_VALUES = "values"  # what a row of the listing says of a plugin
_NOTHING = "\x7f"  # the name of no plugin
_EVERY_POINT = ScalarQuery()
_LONGEST_QUERY = 16_000  # characters of names in a URL; a host accepts 64 KiB
_KEYS_AT_ONCE = 20_000


class HttpProvider(FollowedProvider):
    """``DataProvider`` over the routes of a host, asked for changes every ``interval`` seconds."""

    def __init__(self, address: Address, *, interval: float = 1.0) -> None:
        super().__init__([], [("host-changes", self._follow)] if interval > 0 else [])
        self._session = HttpSession(address)
        self._interval = interval
        self._cursor: tuple[str, int] | None = None  # boot and generation of the host
        self._notices: Sequence[Reason] = ()
        self._scalars: Collection[str] = ()  # plugins of the host whose values are numbers

    def admit(self, plugin: Plugin) -> None:
        """Does nothing: the host has its own plugins."""

    def close(self) -> None:
        """Ends the thread and closes the connections."""
        self._ended.set()
        self._session.close()
        super().close()

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        found = {name for name in self._names() if self._catalog([("plugin", name), ("limit", "1")])["total"]}
        rest = self._catalog([("plugin", _NOTHING), ("unclaimed", "1"), ("columns", "plugin")])
        return found.union(rest["columns"]["plugin"]["values"])

    def runs(self) -> Sequence[Run]:
        """All runs."""
        table = self._session.json("data/run_table")
        self._notices = [reason_of(notice, "error") for notice in table.get("notices", ())]
        return [run_of(row) for row in table["runs"]]

    def notices(self) -> Sequence[Reason]:
        """Those that the host sent with the last answer of ``runs``."""
        return self._notices

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags."""
        return series_of_tables(self.series_tables(plugin, SERIES_FIELDS, runs=runs, tags=tags))

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series of a plugin as one table for each run, with these fields."""
        wanted = [name for name in SERIES_FIELDS if name in fields]
        asked = [("plugin", plugin), ("columns", ",".join(wanted) or "points")]
        if tags is not None and len(tags) == 1 and (tag := next(iter(tags))):
            asked.append(("q", tag))  # contains it: the host need not send all others
        found: list[SeriesTable] = []
        for some in [None] if runs is None else _parts(runs):
            names = [] if some is None else [("run", run) for run in some]
            found += tables_of_catalog(self._catalog([*asked, *names]), wanted)
        if tags is not None:
            tags = frozenset(tags)
            found = [table.of_tags(tags) for table in found]
        return [table for table in found if table.tags]

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        low, high = query.window
        if low is not None and high is not None and low > high:
            raise InvalidArgument("the window ends before it begins")
        if not keys or not self._has_scalars(plugin):  # no other plugin answers with points
            return {}
        asked = list(_query_parameters(query))
        found: dict[SeriesKey, ScalarColumns] = {}
        for runs, tags in runs_with_equal_tags(tags_by_run(keys)):
            together = max(1, _KEYS_AT_ONCE // len(tags))
            for begin in range(0, len(runs), together):
                names = [("run", run) for run in runs[begin : begin + together]]
                parameters = [*asked, *names, *(("tag", tag) for tag in tags)]
                answer = self._session.post(f"data/plugin/{quote(plugin)}/series", parameters)
                found.update(scalars_of(answer.body))
        if query.nearest is not None:
            for key, columns in found.items():
                found[key] = nearest_point(columns, query.x, query.nearest)
        return {key: found[key] for key in keys if key in found}

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        parameters = [("plugin", plugin), ("format", "safetensors"), *_names(key, attempts)]
        return records_of(self._session.ask("GET", "data/records", parameters).body)

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
        with self.open_payload(plugin, key, index, attempts, length=limit) as stream:
            if isinstance(stream.claim, FileName) and limit is None:
                check_size(stream.size, stream.claim)
            return Payload(stream.file.read(), stream.claim)

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
        if index < 0:  # which a host would not take for a number of a record
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        parameters = [("plugin", plugin), *_names(key, attempts), ("index", str(index))]
        return Blob(self._session, parameters).stream(offset, length)

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        parameters = [] if run is None else [("run", run)]
        return [damage_of(row) for row in self._session.json("data/damage", parameters)["damage"]]

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        return Progress(**self._session.json("data/run_table")["progress"])

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        return str(self._session.json("data/logdir")["logdir"])

    def _names(self) -> Collection[str]:
        return [str(name) for name in self._listing()]

    def _listing(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = self._session.json("data/plugins_listing")
        return found

    def _has_scalars(self, plugin: str) -> bool:
        """Whether the values of this plugin of the host are numbers. Plugins may come late."""
        if plugin not in self._scalars:
            rows = self._listing()
            says_it = any(_VALUES in row for row in rows.values())
            found = [name for name, row in rows.items() if row.get(_VALUES) == DataKind.SCALAR]
            self._scalars = found if says_it else [_OF_OLD_HOSTS]
        return plugin in self._scalars

    def _catalog(self, parameters: Sequence[tuple[str, str]]) -> dict[str, Any]:
        found: dict[str, Any] = self._session.json("data/catalog", parameters)
        return found

    def _follow(self) -> float:
        since = [] if self._cursor is None else [("since", "-".join(map(str, self._cursor)))]
        try:
            answer = self._session.json("data/changes", since)
        except Unavailable:
            if self._cursor is not None:  # anything may have changed when it comes back
                self._cursor = None
                self._base_log.note({}, runs=True)
            raise
        before, self._cursor = self._cursor, (answer["boot"], answer["generation"])
        if before != self._cursor:
            changes = changes_of(answer)
            everything = before is None or before[0] != self._cursor[0]
            series = None if everything else changes.series
            self._base_log.note(series, runs=changes.runs, gone=changes.gone)
        return self._interval


def _names(key: SeriesKey, attempts: ShownAttempts) -> list[tuple[str, str]]:
    return [("run", key.run), ("tag", key.tag), ("attempts", attempts)]


def _query_parameters(query: ScalarQuery) -> Iterator[tuple[str, str]]:
    """What asks the scalar plugin for the same; a nearest point is chosen among all that it answers."""
    low, high = query.window
    yield "format", "safetensors"
    yield "attempts", query.attempts
    yield "x", query.x
    if query.log_x:
        yield "xscale", "log"
    if low is not None:
        yield "from", repr(float(low))
    if high is not None:
        yield "to", repr(float(high))
    if query.width is not None and query.nearest is None:
        yield "width", str(query.width)
    if query.smoothing:
        yield "smoothing", repr(query.smoothing)


def _parts(names: Collection[str]) -> Iterator[list[str]]:
    """The names in lists that fit into a URL."""
    part: list[str] = []
    size = 0
    for name in names:
        length = len(quote(name, errors="surrogatepass"))
        if part and size + length > _LONGEST_QUERY:
            yield part
            part, size = [], 0
        part.append(name)
        size += length + len("&run=")
    if part:
        yield part


def open_host(location: str, settings: ProviderSettings) -> HttpProvider:
    """The logs of the host at this address, not started yet. Raises InvalidArgument."""
    token = None if settings.token_file is None else read_token(settings.token_file, "token file")
    address = Address.of(location, token=token, ca_file=settings.ca_file)
    return HttpProvider(address, interval=settings.reload_interval)
