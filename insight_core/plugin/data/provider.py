"""What routes know of the data: runs, series, queries, and the provider that answers them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import BinaryIO, Literal, Protocol, Self, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.dialects import Dialect
from insight_core.plugin.claims import Claim
from insight_core.plugin.data.files import PayloadPlaces, RunFile
from insight_core.plugin.data.series_tables import SeriesField, SeriesTable
from insight_core.summaries import ScalarSummaries
from insight_record.formats.reason import Reason


@frozen
class Payload:
    """The bytes of one claimed message as they stand in the file (an ``Image``, a ``TensorProto``), or those
    of a whole file that is claimed by its name.

    ``claim`` says which it is. A value without a message (hparams keep theirs in the summary metadata)
    has no bytes.
    """

    data: bytes
    claim: Claim


@frozen(eq=False)
class PayloadStream:
    """The bytes of a payload, or a part of them, read as they are needed. To be closed; ``with`` does that.

    ``file`` is read by one thread at a time. Where the bytes are on this machine it is seekable, and its
    positions are those in the whole payload. Reading raises an InsightError if fewer bytes come than were
    promised.
    """

    file: BinaryIO
    size: int  # bytes of the whole payload
    claim: Claim

    def close(self) -> None:
        """Closes the file; the server of a remote stream stops sending."""
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


@frozen(order=True)
class SeriesKey:
    """Names a series of a plugin: a tag of a run."""

    run: str
    tag: str


@frozen
class Run:
    """One directory of logs, named by its path relative to the logdir (``.`` for the root)."""

    name: str
    dialects: tuple[Dialect, ...] = ()
    start_time: float | None = None  # smallest wall time seen, seconds since the epoch
    loading: bool = False  # known bytes are still unread
    damage: int = 0  # how many entries damage(run) has


@frozen
class SeriesInfo:
    """What one plugin has under one tag of one run, without the data."""

    key: SeriesKey
    points: int  # that the writer recorded and that were readable
    kept: int  # of these, retained under the plugin's cache policy
    first_step: int
    last_step: int
    # of scalars: at last_step, or of a result (``add_hparams``) that was recorded after it
    last_value: float | None = None
    last_wall_time: float = 0.0  # of the point at last_step, seconds since the epoch
    attempts: int = 1  # how often writing (re)started at an earlier step, or a session purged points
    display_name: str = ""
    description: str = ""
    claims: tuple[Claim, ...] = ()  # by which its values were taken, in the order of their first
    content: bytes = b""  # of the summary metadata of the first value; see ``RecordDecoder.last_content``
    data_class: int = 0  # of the summary metadata: 1 scalar, 2 tensor, 3 blob sequence, 0 not said

    def as_tag(self) -> dict[str, object]:
        """What every plugin's ``/tags`` says of a series (docs/http_api.md)."""
        return {
            "display_name": self.display_name,
            "description": self.description,
            "points": self.points,
            "first_step": self.first_step,
            "last_step": self.last_step,
        }


XAxis: TypeAlias = Literal["step", "relative", "wall"]  # Steps, seconds since the start, or wall times.
ShownAttempts: TypeAlias = Literal["last", "all"]  # "last" hides what is overwritten or purged.


@frozen
class ScalarQuery:
    """Which points of a scalar series, and how they are reduced.

    ``window`` is in units of ``x`` (steps, or seconds), both ends included, either end open when
    None. ``width`` is the number of equal columns the window is cut into (equal in log space for
    ``log_x``); each keeps its first, smallest, largest and last value and its first NaN, +Inf and
    -Inf. ``smoothing`` is the weight of TensorBoard's debiased exponential moving average, applied
    to the full series before any point is omitted. ``attempts`` "last" hides steps that a restart
    overwrote; "all" keeps every point in file order. ``nearest`` selects the one point nearest to it.
    """

    x: XAxis = "step"
    log_x: bool = False
    window: tuple[float | None, float | None] = (None, None)
    width: int | None = None
    smoothing: float = 0.0
    attempts: ShownAttempts = "last"
    nearest: float | None = None


@frozen(eq=False)
class ScalarColumns:
    """An answer to a scalar query, by column; all columns are of equal length.

    ``values`` holds float32 or float64 as written, float64 when smoothed. ``origin`` is the wall
    time (seconds since the epoch) from which relative time counts: the first finite one of the points shown.
    """

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float32] | NDArray[np.float64]
    points: int  # in the window, before decimation
    total: int  # in the series as the writer recorded it
    hidden: int  # of total, omitted because a later attempt overwrote them or a session purged them
    kept: int  # of total, retained under the cache policy
    origin: float
    extent: tuple[float, float]  # smallest and largest x over the whole (not windowed) series
    restarts: NDArray[np.int64]  # step at which each later attempt begins
    breaks: NDArray[np.int64]  # index in the columns at which each later line begins, with attempts "all"
    nonfinite: tuple[int, int, int]  # NaN, +Inf, -Inf in the window, before smoothing and decimation
    purged: int = 0  # of hidden: a session began at or before these steps (SessionLog.START, purge_step)

    @property
    def decimated(self) -> bool:
        """Whether points of the window were left out."""
        return len(self.steps) < self.points


@frozen(eq=False)
class RecordTable:
    """Where the payloads of a series are; all columns are of equal length.

    The last attempt is in the order of steps, all attempts are in that of the files.
    """

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    sizes: NDArray[np.int64]  # bytes of each payload; -1 where only reading it would tell
    total: int  # in the series as the writer recorded it
    kept: int  # of total, retained under the cache policy
    hidden: int  # of kept, omitted because a later attempt overwrote them or a session purged them
    purged: int = 0  # of hidden: a session began at or before these steps (SessionLog.START, purge_step)


@frozen
class Damage:
    """One place where a log could not be read. The rest was."""

    run: str
    file: str  # path relative to the logdir
    offset: int  # bytes from the start of the file
    reason: str
    skipped: int = 0  # bytes that hold no readable record because of it


@frozen
class Progress:
    """How far loading is: bytes read of bytes known, over all runs."""

    bytes_read: int = 0
    bytes_total: int = 0
    loaded_once: bool = False  # every file that was there at the start has been read to its end


@frozen
class Changes:
    """What changed after a generation; ``series`` is None when too much did, or too long ago.

    Series that disappeared are among the ``series``; a plugin that lists these again does not find them.
    """

    generation: int
    series: Mapping[str, Collection[SeriesKey]] | None  # by plugin
    runs: bool = False  # the run table changed: runs, damage, loading state
    gone: bool = False  # some series may have disappeared


MOST_AT_ONCE = 256 << 20  # Bytes of a claimed file that DataProvider.payload returns at most.


class DataProvider(Protocol):
    """All that a route may know of the data; local, over gRPC, or a fake, routes cannot tell.

    Every method may be called from any thread. Unknown runs, tags and plugins are left out of mappings,
    and raise NotFound where one thing is asked for. A provider that cannot reach its data raises
    Unavailable without delay: no call waits longer than the ``timeout`` of ``changes``.

    Values that no plugin claims are kept too, as series of a plugin named by their claim
    (``str(claim)``: ``plugin:text``, ``tensorboard:audio``).
    """

    def plugins(self) -> Collection[str]:
        """Names of plugins that have series; unclaimed values count under their claim."""

    def runs(self) -> Sequence[Run]:
        """Every run, in any order. Those that the host itself reads come earliest first."""

    def series(
        self, plugin: str, *, runs: Collection[str] | None = None, tags: Collection[str] | None = None
    ) -> Sequence[SeriesInfo]:
        """The series of a plugin without their data: all, or those of the given runs and tags, in any order.

        The cost follows what is asked for, not what there is.
        """

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """What ``series`` answers, as one table for each run that has series; only these fields are read."""

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = ...
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """Points of scalar series, reduced as the query says. Keys without a series are left out.

        Raises InvalidArgument for a window that ends before it begins.
        """

    def records(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of one series, without their payloads.

        Raises NotFound for a series that does not exist.
        """

    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        """The bytes of one record; ``index`` counts the rows of ``records`` for the same ``attempts``.

        ``limit`` asks for at most so many of the first bytes; then the checksum is not verified, since the
        rest is not read. Raises NotFound for a record that does not exist, Undecodable for one that cannot
        be read (``damage`` then lists a record with a wrong checksum), and InvalidArgument for a claimed
        file of more than MOST_AT_ONCE bytes asked for without a limit: ``open_payload`` gives those.
        """

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
        """The bytes of one record as a stream, of whatever size; raises as ``payload`` does.

        ``offset`` and ``length`` ask for at most ``length`` bytes from the byte ``offset`` on (None: to the
        end). Only these bytes of a claimed file are read and sent; other records are read whole, so that
        their checksum is verified. With ``length`` 0 nothing is read: the stream only tells the size.
        """

    def damage(self, run: str | None = None) -> Sequence[Damage]:
        """Places where logs could not be read, of one run or of all; none of an unknown run."""

    def progress(self) -> Progress:
        """Bytes read and bytes known of all runs, and whether every file was read once."""

    def location(self) -> str:
        """Where the data comes from, for the user: directories, or the address of a server."""

    def generation(self) -> int:
        """A number that grows whenever the data changes: the ETag of every answer."""

    def changes(self, since: int, *, timeout: float = 0.0) -> Changes:
        """What changed after the generation ``since``.

        Waits up to ``timeout`` seconds for a change; without one ``generation`` of the answer is ``since``.
        """

    def close(self) -> None:
        """Releases files, threads and connections. Further calls may raise Unavailable."""

    # --- what few providers have: ``ProviderBase`` has the answers of the others ---

    def notices(self) -> Sequence[Reason]:
        """What users should know of the data as a whole, such as a server that is away; the page shows it.

        Asked with every run table, after ``runs``: answers without delay.
        """

    def compute(self, plugin: str, name: str, request: bytes) -> Iterator[bytes]:
        """The answers of ``Plugin.computations[name]`` where the data is, as they come.

        Raises NotComputed before the first one if that is not possible: ``insight_core.plugin.compute`` then
        computes in the host.
        """

    def payload_places(self, plugin: str, key: SeriesKey) -> PayloadPlaces | None:
        """Where in files the payloads of a series are; None if that is not known.

        Raises NotFound for an unknown series or file.
        """

    def scalar_summaries(
        self, plugin: str, *, runs: Collection[str] | None = None
    ) -> Sequence[ScalarSummaries] | None:
        """Counts and extremes of scalar series, of all runs or of these, in any number of parts.

        None if they are not known without reading the points.
        """

    def run_files(self) -> Sequence[RunFile] | None:
        """Every file of every run, by a new walk over the logdirs: not for each request of a page.

        A file of several runs, as in logdirs that overlap, is there for each of them. None if not all runs
        are files that this provider reads itself.
        """
