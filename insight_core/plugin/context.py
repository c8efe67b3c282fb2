"""Services of the host for one plugin: data, decoded values, options, annotations, run columns."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol

from attrs import frozen

from insight_core.encoding import nbytes_of
from insight_core.moved import OldContext
from insight_core.plugin.annotations import Annotations
from insight_core.plugin.data.places import RecordPlace
from insight_core.plugin.data.provider import DataProvider, SeriesKey, ShownAttempts
from insight_core.plugin.own_data import OwnData

if TYPE_CHECKING:  # a data server loads no web code
    from typing_extensions import TypeVar  # with a default; only type checkers need it

    from insight_core.own_page import OwnPage
    from insight_core.plugin.findings.answer import FindFaults
    from insight_core.plugin.sql.rows import ContributedTable

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    T_co = TypeVar("T_co", covariant=True)
D = TypeVar("D")


class Values(Protocol[T_co]):
    """Decoded records of a plugin, in a cache of ``CachePolicy.payload_bytes``.

    A record is decoded once for all threads that ask for it at the same time. Methods raise NotFound for a
    record that does not exist, Undecodable (with run, tag, step and cause) for one that cannot be decoded.
    """

    def get(self, key: SeriesKey, index: int, attempts: ShownAttempts = "last") -> T_co:
        """The decoded record at an index of the series, as ``DataProvider.records`` counts."""
        ...

    def at(self, place: RecordPlace) -> T_co:
        """The decoded record. Raises NotFound when another record has its index by now."""
        ...

    def derived(self, make: Callable[[T_co], D], size_of: Callable[[D], int] = nbytes_of) -> Values[D]:
        """Values computed from decoded ones, kept in the same cache.

        ``make`` raises ValueError for a value it cannot be computed from. The decoded values themselves are
        not added to the cache, so that small results of large records do not displace each other.
        """
        ...


class Ask(Protocol):
    """Asks another plugin by its URL, without importing it."""

    def __call__(self, plugin: str, route: str, **parameters: str | int | Sequence[str]) -> object:
        """The decoded JSON that ``route`` of the plugin answers to GET with these parameters.

        Raises NotFound without such a plugin or route, Unavailable if the plugin fails or does not answer
        in JSON, and the InsightError that the plugin raises.
        """
        ...


@frozen
class HostAnswer:
    """What the host answers to a GET: ``media_type`` is without parameters (``text/html``)."""

    media_type: str
    data: bytes


class Get(Protocol):
    """Sends a GET request to the host, as a page does: for the page, its modules or data."""

    def __call__(self, path: str, **parameters: str | int | Sequence[str]) -> HostAnswer:
        """The answer to GET of ``path`` (``/data/run_table``) with these parameters.

        Raises NotFound if nothing answers there, Unavailable for any other answer than 200, and the
        InsightError of a route. Encodings and event streams are not asked for.
        """
        ...


@frozen
class RunCells:
    """A column of the run table as plugins read it: ``values`` are its cells by run.

    ``plugin`` is the name of the plugin that has the column; the other members are those of ``RunColumn``.
    """

    plugin: str
    name: str
    title: str
    titles: Mapping[str, str]
    kind: str
    group: str
    values: Mapping[str, str | int | float | bool]


class ReadRunColumns(Protocol):
    """Reads columns that plugins add to the run table with ``insight_run_columns``."""

    def __call__(self, names: Collection[str]) -> Sequence[RunCells]:
        """The columns of these names, whichever plugin has them; ``["all"]`` gives all of them.

        Unknown names are left out. Raises Unavailable if a plugin fails to give its columns.
        """
        ...


CACHE_SIZE = 10 << 30  # bytes that all caches may take together by default


@frozen(eq=False)
class PluginContext(OldContext, Generic[T_co]):
    """What ``routes`` and ``is_active`` of a plugin receive. May be kept and used from any thread.

    ``PluginContext[Bins]`` is that of a plugin whose ``decoder.decode`` returns Bins. ``data`` is that of all
    plugins, ``own`` the part that the plugin claims, ``values`` are its decoded records. ``options`` are
    those of the plugin's own command-line options by name. ``cache_directory`` is for files that took long to
    make; None where nothing may be kept. It need not exist, its files may be removed at any time, and other
    hosts share it: write a file under another name and rename it. All caches together may take ``cache_size``
    bytes. ``state_directory`` is for files that cannot be made again; None with ``--read-only`` and where
    nothing may be kept. It need not exist, and hosts of other logs share it.
    ``annotations()`` returns the current ones, ``run_columns(names)`` columns of the run table,
    ``findings(runs)`` what the rules of all plugins find, ``query_tables()`` the tables of all for SQL.
    ``own_page`` accepts requests that write, of the host's own page alone.
    ``on_close`` registers a function that is called when the host ends; it has 0.8 s.
    """

    name: str
    data: DataProvider
    own: OwnData
    values: Values[T_co]
    options: Mapping[str, Any]
    cache_directory: Path | None
    state_directory: Path | None
    annotations: Callable[[], Annotations]
    ask: Ask
    get: Get
    run_columns: ReadRunColumns
    own_page: OwnPage
    findings: FindFaults
    query_tables: Callable[[], Sequence[ContributedTable]]
    log: logging.Logger  # insight.plugin.<name>
    on_close: Callable[[Callable[[], None]], None]
    cache_size: int = CACHE_SIZE
