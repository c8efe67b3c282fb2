"""``insight_host.open``: training logs as tables, from directories and running servers alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np

from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin, Unavailable
from insight_core.plugin.data import (
    Changes,
    DataProvider,
    Payload,
    ScalarColumns,
    ScalarQuery,
    SeriesKey,
    SeriesTable,
    ShownAttempts,
)
from insight_core.plugin.payloads import HISTO, Histogram, Tensor
from insight_host.choosing import Chosen, batches, chosen_of, tables_of_chosen
from insight_host.diagnosis import diagnosed, findings_table, rules_table
from insight_host.followed_points import changes_from, new_points, points_table
from insight_host.records import LoggedPayload, LoggedPictures, LoggedValue, payloads_of, texts_of
from insight_host.series_rows import LISTED, compared, series_table
from insight_host.services import hyperparameters, queried
from insight_host.sources import (
    OpenedSource,
    Place,
    Places,
    host_of,
    open_source,
    wait_until_read,
)
from insight_host.tables import LogTable, numbers, texts

Steps: TypeAlias = tuple[int | None, int | None]  # The first and the last, None without end.

# values by what every plugin that shows them takes
_IMAGE, _TENSOR = EventField(Dialect.TENSORBOARD, "image"), EventField(Dialect.TENSORBOARD, "tensor")
_TEXT = SummaryPlugin("text")
_F64, _I64, _BOOL = np.float64, np.int64, np.bool_


def open(
    places: Places,
    *,
    token: str | None = None,
    token_file: Place | None = None,
    ca_file: Place | None = None,
    timeout: float | None = None,
) -> Logs:
    """Opens training logs and returns when all that was written so far has been read.

    Raises NotFound for a directory that does not exist, InvalidArgument for other bad locations, Unavailable
    for a server that does not answer. Nothing is ever written into a directory of logs.

    Parameters
    ----------
    places : path, str, sequence or mapping
        A directory (a run or any tree of runs), the URL of a running host (``http://127.0.0.1:6006/``),
        ``grpc://HOST:PORT`` of a data server (``grpcs://`` over TLS, ``grpc+unix:///PATH``), a location that
        a plugin opens (``insight_open_provider``), or several of these. Runs of several directories begin
        with the name of their directory, as with ``--logdir`` given several times, or with the keys of a
        mapping.
    token : str, optional
        The token of a host that asks for one; ``?token=`` in its URL does the same.
    token_file : path, optional
        A file whose first line is the token of a server. That of a data server of this user on this machine
        is found without.
    ca_file : path, optional
        Certificates (PEM) that may sign that of a server with TLS, by default those of the system.
    timeout : float, optional
        Seconds; TimeoutError if reading takes longer.
    """
    source = open_source(places, token, token_file=token_file, ca_file=ca_file)
    try:
        wait_until_read(source.provider, timeout, is_host=source.is_host)
    except BaseException:
        source.provider.close()
        raise
    return Logs(source)


class Logs:
    """Logs that were opened, and what is appended to them. To be closed; ``with`` does that.

    ``runs`` and ``tags`` of all methods choose by name: one name, several, a compiled regular expression that
    is searched for, or None for all; ``runs(where=...)["run"]`` names those that an expression matches. Rows
    are in the order of runs, tags and steps. Any thread may use it.
    """

    def __init__(self, source: OpenedSource) -> None:
        self._source = source
        self._closed = False

    def __enter__(self) -> Logs:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Releases threads, connections and memory, and ends ``follow``. Tables stay valid."""
        self._closed = True
        self._source.provider.close()

    @property
    def provider(self) -> DataProvider:
        """What answers: queries that reduce points (``ScalarQuery``) are asked here."""
        return self._source.provider

    @property
    def logdirs(self) -> list[str]:
        """The directories that are read in this process."""
        return [logdir.path for logdir in self._source.logdirs]

    @property
    def location(self) -> str:
        """Where the logs are."""
        return self.provider.location()

    def plugins(self) -> list[str]:
        """Sorted names of what there is: ``scalar``; unclaimed values are named by their claim."""
        return sorted(map(str, self.provider.plugins()))

    def runs(self, *, runs: Chosen = None, where: str | None = None) -> LogTable:
        """``run``, ``start_time`` (seconds since the epoch), ``dialect``, ``loading``, ``damage`` (count), as
        the run table has them ``status`` (finished, failed, running, stopped) and ``duration`` (seconds).

        ``where`` leaves the runs for which an expression over columns of the run table holds, as the filter
        of the page has it: ``"val_acc > 0.96 and optimizer = 'adam'"``. The last part of a name may stand for
        it. Raises InvalidArgument for a mistake, with names to try.
        """
        found = sorted(self.provider.runs(), key=lambda run: run.name)
        wanted = set(chosen_of([run.name for run in found], runs))
        with host_of(self._source) as host:
            more = host.run_columns(("status", "duration"))
            if where is not None:
                wanted.intersection_update(host.matching_runs(where))
        own: dict[str, Mapping[str, Any]] = {one.name: one.values for one in more if one.plugin == "run"}
        status, duration = own.get("status", {}), own.get("duration", {})
        found = [run for run in found if run.name in wanted]
        return LogTable(
            {
                "run": texts([run.name for run in found]),
                "start_time": numbers([run.start_time for run in found], _F64),
                "dialect": texts(["+".join(run.dialects) or None for run in found]),
                "loading": numbers([run.loading for run in found], _BOOL),
                "damage": numbers([run.damage for run in found], _I64),
                "status": texts([status.get(run.name) for run in found]),
                "duration": numbers([duration.get(run.name) for run in found], _F64),
            }
        )

    def series(
        self,
        plugin: str | None = None,
        *,
        runs: Chosen = None,
        tags: Chosen = None,
        changed: Changes | None = None,
    ) -> LogTable:
        """Every series of a plugin, or of all: ``plugin``, ``run``, ``tag``, ``points`` (written), ``kept``,
        ``first_step``, ``last_step``, ``last_value`` (of scalars), ``last_wall_time``, ``attempts``.

        ``changed``, a change that ``changes`` gave, leaves those that it names and that are still there.
        """
        names = self.plugins() if plugin is None else [plugin]
        return series_table(
            [
                (name, table)
                for name in names
                for table in tables_of_chosen(self.provider, name, LISTED, runs, tags, changed)
            ]
        )

    def scalars(
        self,
        *,
        runs: Chosen = None,
        tags: Chosen = None,
        plugin: str | None = None,
        steps: Steps | None = None,
        attempts: ShownAttempts = "last",
    ) -> LogTable:
        """Every point: ``run``, ``tag``, ``step``, ``wall_time`` and ``value``.

        ``plugin`` is the one of scalars, unless another one with numbers is named.

        ``wall_time`` is in seconds since the epoch, as it was written: float64 has more than a timestamp can,
        such as NaN of a broken clock. ``value`` is float64, which holds every float32 exactly; NaN stays NaN.

        ``steps`` is the first and last step, both included, None without end. ``attempts`` "last" leaves out
        points that a restart overwrote or a session purged, "all" has every point in the order of the files,
        and its ``attempt`` (from 1).
        """
        parts = self._points(self._scalars(plugin), runs, tags, _query(steps, attempts))
        points = ((key, columns) for part in parts for key, columns in part.items())
        return points_table(points, has_attempts=attempts == "all")

    def scalar_tables(
        self,
        *,
        runs: Chosen = None,
        tags: Chosen = None,
        plugin: str | None = None,
        steps: Steps | None = None,
        attempts: ShownAttempts = "last",
    ) -> Iterator[LogTable]:
        """The rows of ``scalars`` in one or more tables of about two million points, for logs larger than the
        memory.
        """
        parts = self._points(self._scalars(plugin), runs, tags, _query(steps, attempts))
        for part in itertools.chain([next(parts, {})], parts):
            yield points_table(part.items(), has_attempts=attempts == "all")

    def compare(
        self,
        *,
        runs: Chosen = None,
        tags: Chosen = None,
        plugin: str | None = None,
        steps: Steps | None = None,
    ) -> LogTable:
        """A row for each series: ``run``, ``tag``, ``points``, ``nonfinite`` (how many are not finite),
        ``first``, ``last``, and of the finite values ``min``, ``min_step``, ``max``, ``max_step``, ``mean``.
        """
        parts = self._points(self._scalars(plugin), runs, tags, _query(steps, "last"))
        return compared((key, columns) for part in parts for key, columns in part.items())

    def images(
        self, *, runs: Chosen = None, tags: Chosen = None, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedValue[LoggedPictures]]:
        """Images; ``read()`` gives ``encoded``, the files of one or more pictures, and their size."""
        return self._values(_IMAGE, runs, tags, attempts)

    def histograms(
        self, *, runs: Chosen = None, tags: Chosen = None, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedValue[Histogram]]:
        """Histograms; ``read()`` gives edges and counts."""
        return self._values(HISTO, runs, tags, attempts)

    def tensors(
        self, *, runs: Chosen = None, tags: Chosen = None, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedValue[Tensor]]:
        """Tensors; ``read()`` gives type, shape and values."""
        return self._values(_TENSOR, runs, tags, attempts)

    def texts(
        self, *, runs: Chosen = None, tags: Chosen = None, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedValue[tuple[str, ...]]]:
        """Texts; ``read()`` gives the strings of one summary."""
        plugin = self._source.registry.decoding(_TEXT)
        names = [str(_TEXT)] if plugin is None else [str(plugin.name), str(_TEXT)]
        return self._records(names, texts_of, runs, tags, attempts)

    def payloads(
        self, plugin: str, *, runs: Chosen = None, tags: Chosen = None, attempts: ShownAttempts = "last"
    ) -> Iterator[LoggedPayload]:
        """The values of a plugin as they stand in the logs, not decoded; ``read()`` gives bytes and claim."""
        for table in tables_of_chosen(self.provider, plugin, (), runs, tags):
            for tag in table.tags:
                yield from payloads_of(self.provider, plugin, SeriesKey(table.run, tag), attempts)

    def hparams(self, *, runs: Chosen = None) -> LogTable:
        """A row for each run with its hyperparameters, data sets, model and metrics, as the Lineage tab has
        them: ``run``, and a column for each. Raises NotFound if that tab is not installed.
        """
        return hyperparameters(self._source, runs)

    def diagnose(self, *, runs: Chosen = None, roles: Mapping[str, str] | None = None) -> LogTable:
        """What the rules of all plugins find, the worst first, a row for each run: ``finding`` (a number;
        rows of several runs with the same fault have the same), ``run``, ``severity`` (error, warning, hint,
        good), ``plugin``, ``rule``, ``tag``, ``first_step``, ``last_step`` (where the evidence is), ``saw``,
        ``change`` (texts in English), ``shared`` (hyperparameters that only these runs have),
        ``saves_low``, ``saves_high`` (share of the time of ``saves_of``: step or run), ``confidence``.

        ``roles`` maps tags to their roles (``loss``, ``val_loss``, ``accuracy``, ``val_accuracy``, ``lr``,
        ``grad_norm``, or "" for none) where their names do not say them.
        """
        return findings_table(diagnosed(self._source, runs, roles or {}))

    def checked_rules(self, *, runs: Chosen = None, roles: Mapping[str, str] | None = None) -> LogTable:
        """What ``diagnose`` looked for: ``run``, ``plugin``, ``rule``, ``state`` (checked, unchecked,
        failed), ``findings`` (count), ``reason`` (why a rule could not be checked).
        """
        return rules_table(diagnosed(self._source, runs, roles or {}))

    def sql(self, query: str, *, rows: int | None = None, seconds: float = 600.0) -> LogTable:
        """The answer of a query in SQL (of DuckDB) over the tables ``runs``, ``series``, ``scalars``,
        ``summaries``, ``records``, ``damage``, ``hparams``, ``operators`` and others: ``describe scalars``.

        ``rows`` is the greatest number of rows, None for all. Raises InvalidArgument for a query that is not
        accepted, TooLarge or Unavailable if it needs more memory (2 GiB) or time than it may, Unavailable
        without the extra ``sql`` (``pip install 'insight-host[sql]'``).
        """
        return queried(self._source, query, rows, seconds)[0]

    def damage(self, *, runs: Chosen = None) -> LogTable:
        """Places that could not be read: ``run``, ``file``, ``offset``, ``skipped`` (bytes), ``reason``."""
        found = list(self.provider.damage())
        wanted = set(chosen_of([place.run for place in found], runs))
        found = [place for place in found if place.run in wanted]
        return LogTable(
            {
                "run": texts([place.run for place in found]),
                "file": texts([place.file for place in found]),
                "offset": numbers([place.offset for place in found], _I64),
                "skipped": numbers([place.skipped for place in found], _I64),
                "reason": texts([str(place.reason) for place in found]),
            }
        )

    def follow(
        self, *, runs: Chosen = None, tags: Chosen = None, plugin: str | None = None
    ) -> Iterator[LogTable]:
        """Points that are appended from now on, of all attempts, as tables like those of ``scalars``.

        Waits for them, until the logs are closed.
        """

        name = self._scalars(plugin)

        def listed() -> list[SeriesTable]:
            return tables_of_chosen(self.provider, name, ("points", "last_step"), runs, tags)

        return new_points(self.provider, name, listed, lambda: self._closed)

    def changes(self) -> Iterator[Changes]:
        """What changes from now on: runs, and series by plugin. Waits for it, until the logs are closed.

        ``series`` of a change is None when any may have changed, as after a server was away.
        """
        return changes_from(self.provider, self.provider.generation(), lambda: self._closed)

    @property
    def plugin_of_scalars(self) -> str:
        """The plugin whose values are numbers: the one that is meant where none is named."""
        return self._source.registry.plugin_of_scalars

    def _scalars(self, plugin: str | None) -> str:
        return self.plugin_of_scalars if plugin is None else plugin

    def _points(
        self, plugin: str, runs: Chosen, tags: Chosen, query: ScalarQuery
    ) -> Iterator[Mapping[SeriesKey, ScalarColumns]]:
        """The points of the series in the order of their keys, some million at a time."""
        sizes = {
            SeriesKey(table.run, tag): int(str(kept))
            for table in tables_of_chosen(self.provider, plugin, ["kept"], runs, tags)
            for tag, kept in zip(table.tags, table.column("kept"), strict=True)
        }
        for keys in batches(sorted(sizes), sizes):
            yield self.provider.scalars(plugin, keys, query)

    def _values(
        self, claim: Claim, runs: Chosen, tags: Chosen, attempts: ShownAttempts
    ) -> Iterator[LoggedValue[Any]]:
        """Those of the plugin that takes values with this claim, and of no plugin with any of its claims."""
        plugin = self._source.registry.decoding(claim)
        decoder = None if plugin is None else plugin.decoder
        if plugin is None or decoder is None or decoder.decode is None:
            raise Unavailable(f"no plugin that is installed decodes these values ({claim})")
        names = (str(plugin.name), *map(str, decoder.claims))
        return self._records(names, decoder.decode, runs, tags, attempts)

    def _records(
        self,
        plugins: Sequence[str],
        decode: Callable[[Payload], Any],
        runs: Chosen,
        tags: Chosen,
        attempts: ShownAttempts,
    ) -> Iterator[LoggedValue[Any]]:
        for name in sorted(set(plugins).intersection(self.provider.plugins())):
            for payload in self.payloads(name, runs=runs, tags=tags, attempts=attempts):
                yield LoggedValue(payload, decode)


def _query(steps: Steps | None, attempts: ShownAttempts) -> ScalarQuery:
    return ScalarQuery(window=steps or (None, None), attempts=attempts)
