"""``DataProvider`` client of the gRPC service ``insight.data.v1.DataProvider``."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from insight_core.plugin import FileName, InsightError, Plugin, Reason
from insight_core.plugin.data import (
    Changes,
    Damage,
    NotComputed,
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
from insight_core.providers.common import SERIES_FIELDS, series_of_tables
from insight_core.providers.followed import READING, RETRY, LinkedProvider
from insight_core.providers.link import LONG, Link, Method, NotServed
from insight_core.providers.payload_streams import check_size, stream_of_pieces
from insight_core.rpc.messages import (
    changes_of,
    claim_of,
    damage_of,
    key_message,
    notice_of,
    query_message,
    records_of,
    run_of,
    scalars_of,
)
from insight_core.rpc.schema import insight_data_pb2 as pb
from insight_core.rpc.schema.services import INSIGHT, LARGEST_REQUEST
from insight_core.rpc.series_tables import tables_of_responses

_SERVICE = f"/{INSIGHT}"
INFO = Method(f"{_SERVICE}/Info", pb.InfoResponse.FromString)
_PLUGINS = Method(f"{_SERVICE}/Plugins", pb.PluginsResponse.FromString)
_RUNS = Method(f"{_SERVICE}/Runs", pb.RunsResponse.FromString)
_TABLES = Method(f"{_SERVICE}/SeriesTables", pb.SeriesTablesResponse.FromString)
_SCALARS = Method(f"{_SERVICE}/Scalars", pb.ScalarsResponse.FromString)
_RECORDS = Method(f"{_SERVICE}/Records", pb.RecordsResponse.FromString)
_PAYLOAD = Method(f"{_SERVICE}/Payload", pb.PayloadResponse.FromString)
_COMPUTE = Method(f"{_SERVICE}/Compute", pb.ComputeResponse.FromString)
_DAMAGE = Method(f"{_SERVICE}/Damage", pb.DamageResponse.FromString)
_PROGRESS = Method(f"{_SERVICE}/Progress", pb.ProgressResponse.FromString)
_WATCH = Method(f"{_SERVICE}/Watch", pb.ChangesResponse.FromString)

Asked = TypeVar("Asked")

_EVERY_POINT = ScalarQuery()
_NAMES = LARGEST_REQUEST // 4  # bytes of a list of names in a request
_OVERHEAD = 16  # bytes of a name or a key beyond its text, at most


class InsightProvider(LinkedProvider):
    """``DataProvider`` over ``insight.data.v1``: one RPC per method, and a stream that reports changes.

    When the stream breaks, for example because the server ended, everything may have changed. A server that
    comes back is used when it has read its logs, at the latest after ten seconds.
    """

    def __init__(self, link: Link) -> None:
        super().__init__(link, "data-server-watch", self._watch)
        self._location = ""
        self._notices: Sequence[Reason] = ()

    def admit(self, plugin: Plugin) -> None:
        """Does nothing: the server discovers its own plugins."""

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series, and claims of values that no plugin claims."""
        return set(self._asked().unary(_PLUGINS, pb.PluginsRequest()).names)

    def runs(self) -> Sequence[Run]:
        """All runs."""
        answers = list(self._asked().stream(_RUNS, pb.RunsRequest()))
        self._notices = [notice_of(notice) for answer in answers for notice in answer.notices]
        return [run_of(run) for answer in answers for run in answer.runs]

    def notices(self) -> Sequence[Reason]:
        """Those that the server sent with the last answer of ``runs``."""
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
        tables: list[SeriesTable] = []
        for some_runs, some_tags in itertools.product(_parts_of(runs), _parts_of(tags)):
            request = pb.SeriesTablesRequest(plugin=plugin, fields=fields)
            for names, asked in ((request.runs, some_runs), (request.tags, some_tags)):
                if asked is not None:
                    names.SetInParent()
                    names.names.extend(asked)
            tables += tables_of_responses(self._asked().stream(_TABLES, request, LONG))
        return tables

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced by the query. Keys without a series are omitted."""
        found: dict[SeriesKey, ScalarColumns] = {}
        for some in _parts(keys, lambda key: _length(key.run) + _length(key.tag)):
            request = pb.ScalarsRequest(
                plugin=plugin, keys=map(key_message, some), query=query_message(query)
            )
            received = scalars_of(self._asked().stream(_SCALARS, request, LONG))
            found.update((some[index], columns) for index, columns in received.items())
        return found

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        request = pb.RecordsRequest(plugin=plugin, key=key_message(key), all_attempts=attempts == "all")
        return records_of(self._asked().stream(_RECORDS, request, LONG))

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
        request = pb.PayloadRequest(
            plugin=plugin, key=key_message(key), index=index, all_attempts=attempts == "all", limit=limit
        )
        first, pieces = self._pieces(request, LONG)
        claim = claim_of(first.claim)
        if isinstance(claim, FileName) and limit is None:
            check_size(first.size, claim)
        data = b"".join((first.data, *(piece.data for piece in pieces)))
        if len(data) != first.size:
            raise InsightError(f"{key.tag!r} of run {key.run!r}, record {index}: it arrived incomplete")
        return Payload(data, claim)

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
        request = pb.PayloadRequest(
            plugin=plugin,
            key=key_message(key),
            index=index,
            all_attempts=attempts == "all",
            offset=offset,
            length=length,
        )
        first, pieces = self._pieces(request, None)
        if not first.HasField("whole") and (offset or length is not None):
            pieces.close()
            raise InsightError("the data server is older than this host and sends no parts: update it")
        whole = first.whole if first.HasField("whole") else first.size
        data = itertools.chain([first.data], (piece.data for piece in pieces))
        return stream_of_pieces(data, first.size, whole, claim_of(first.claim), pieces.close)

    def _pieces(
        self, request: pb.PayloadRequest, deadline: float | None
    ) -> tuple[pb.PayloadResponse, Generator[pb.PayloadResponse]]:
        """The first chunk of a payload and the following ones."""
        pieces = self._asked().stream(_PAYLOAD, request, deadline)
        first = next(pieces, None)
        if first is None:
            key = request.key
            raise InsightError(f"{key.tag!r} of run {key.run!r}, record {request.index}: it did not arrive")
        return first, pieces

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """The answers of a computation of the server's plugin, as they come; see ``DataProvider.compute``."""
        asked = pb.ComputeRequest(plugin=plugin, name=name, request=request)
        if asked.ByteSize() > LARGEST_REQUEST:
            raise NotComputed(f"a data server accepts requests of at most {LARGEST_REQUEST} bytes")
        answer = bytearray()
        try:
            for piece in self._asked().stream(_COMPUTE, asked, None):
                answer += piece.data
                if not piece.more:
                    yield bytes(answer)
                    answer.clear()
        except NotServed as error:
            raise NotComputed(str(error)) from error

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all runs."""
        answers = self._asked().stream(_DAMAGE, pb.DamageRequest(run=run))
        return [damage_of(place) for answer in answers for place in answer.damage]

    def progress(self) -> Progress:
        """Bytes read of all known bytes."""
        answer = self._asked().unary(_PROGRESS, pb.ProgressRequest())
        return Progress(answer.bytes_read, answer.bytes_total, answer.loaded_once)

    def location(self) -> str:
        """The source of the data, as shown to the user."""
        if not self._location:
            self._location = self._link.unary(INFO, pb.InfoRequest()).location
        return self._location

    def _watch(self) -> float:
        try:
            if self._was_there:
                self._catch_up()
            generation = self._link.unary(INFO, pb.InfoRequest()).generation
            watching = self._link.stream(_WATCH, pb.WatchRequest(since=generation), deadline=None)
            for count, answer in enumerate(watching):
                if not count:  # another server than before, perhaps with other logs
                    self._was_there, self._location, self._catching_up = True, "", None
                    self._base_log.note(None)
                else:
                    self._note(changes_of(answer))
        finally:
            self._link.suspect()
        return RETRY

    def _catch_up(self) -> None:
        """Waits until a server that came back has read its logs. Raises Unavailable if it goes away again."""
        self._catching_up, self._since = READING, time.monotonic()
        while self._may_catch_up() and not self._ended.is_set():
            progress = self._link.unary(_PROGRESS, pb.ProgressRequest())
            if progress.loaded_once:
                return
            share = 100 * progress.bytes_read // max(1, progress.bytes_total)
            self._catching_up = f"{READING} ({share} %)"
            self._ended.wait(RETRY)

    def _note(self, changes: Changes) -> None:
        if changes.series is None or changes.series or changes.runs:
            self._base_log.note(changes.series, runs=changes.runs, gone=changes.gone)


def _parts_of(names: Collection[str] | None) -> Iterable[Sequence[str] | None]:
    """Names in parts that fit into requests; None stands for all names."""
    if names is None or not names:
        return [names if names is None else []]
    return _parts(names, _length)


def _length(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def _parts(asked: Collection[Asked], size: Callable[[Asked], int]) -> list[list[Asked]]:
    parts: list[list[Asked]] = []
    left = 0
    for each in asked:
        needed = size(each) + _OVERHEAD
        if needed > left:
            parts.append([])
            left = max(needed, _NAMES)
        parts[-1].append(each)
        left -= needed
    return parts
