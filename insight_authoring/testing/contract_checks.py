"""The checks of what every data provider promises: ``provider_contract``."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import get_args

import numpy as np

from insight_authoring.testing.contract_data import (
    LOOK,
    PATIENCE,
    SCALAR,
    ContractData,
    MakeProvider,
    WriteMore,
    WrittenSeries,
    raising,
    same,
    scalars,
    settled,
    wait_for,
)
from insight_core.plugin import InsightError, InvalidArgument, NotFound
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesField, SeriesKey

__all__ = ["WrittenSeries", "provider_contract"]


class ContractChecks(ContractData):
    """What is promised, a method for each."""

    def by_name(self) -> dict[str, Callable[[], None]]:
        """The checks that can be made, in the order in which they are written here."""
        checks: list[Callable[[], None]] = [
            self.runs_and_series_are_those_written,
            self.names_choose_series,
            self.tables_say_what_series_say,
            self.every_point_comes_back,
            self.windows_are_inclusive,
            self.width_keeps_extremes,
            self.smoothing_sees_the_whole_series,
            self.nearest_is_one_point,
            self.the_last_attempt_wins,
            self.unknown_names_are_left_out,
            self.several_threads_may_ask,
            self.nobody_waits_for_a_closed_provider,
        ]
        if self.plugin:
            checks += [
                self.payloads_are_those_written,
                self.records_have_attempts,
                self.a_part_of_a_payload_is_read,
            ]
        if self.write_more is not None:
            checks.append(self.changes_name_what_was_appended)
        return {check.__name__: check for check in checks}

    # --- runs and series ---------------------------------------------------------------------------

    def runs_and_series_are_those_written(self) -> None:
        """Runs and series are there once, with the figures of their points."""
        with self.opened(scalars("a", "loss", [3, 5, 8]), scalars("b/c", "loss", [1])) as (provider, _):
            same("runs()", sorted(run.name for run in provider.runs()), ["a", "b/c"])
            same("plugins()", SCALAR in provider.plugins(), True)
            infos = {info.key: info for info in provider.series(SCALAR)}
            same("keys of series()", sorted(infos), [SeriesKey("a", "loss"), SeriesKey("b/c", "loss")])
            info = infos[SeriesKey("a", "loss")]
            same("points", (info.points, info.kept), (3, 3))
            same("steps", (info.first_step, info.last_step), (3, 8))
            same("last value", (info.last_value, info.last_wall_time), (8.0, 102.5))
            same("attempts", info.attempts, 1)
            same("damage()", list(provider.damage()), [])
        with self.opened() as (provider, _):
            same("runs() of no data", list(provider.runs()), [])

    def names_choose_series(self) -> None:
        """``runs`` and ``tags`` choose; empty ones choose nothing."""
        written = [scalars(run, tag, [1, 2]) for run in "ab" for tag in ("x", "y")]
        with self.opened(*written) as (provider, _):
            for chosen, wanted in (
                ({"runs": ["b"]}, {("b", "x"), ("b", "y")}),
                ({"tags": ["y", "none"]}, {("a", "y"), ("b", "y")}),
                ({"runs": ["a", "none"], "tags": ["x"]}, {("a", "x")}),
                ({"runs": []}, set()),
                ({"tags": []}, set()),
            ):
                keys = {SeriesKey(*each) for each in wanted}
                same(f"series({chosen})", self.keys(provider, **chosen), keys)
                tables = provider.series_tables(SCALAR, (), **chosen)
                found = {SeriesKey(table.run, tag) for table in tables for tag in table.tags}
                same(f"series_tables({chosen})", found, keys)

    def tables_say_what_series_say(self) -> None:
        """``series_tables`` has the fields of ``series``, one table for each run."""
        fields = get_args(SeriesField)
        written = [scalars("a", "x", [1, 2]), scalars("a", "y", [3]), scalars("b", "x", [4])]
        with self.opened(*written) as (provider, _):
            tables = provider.series_tables(SCALAR, fields)
            same("runs of tables", sorted(table.run for table in tables), ["a", "b"])
            found = {
                SeriesKey(table.run, tag): {field: table.column(field)[at] for field in fields}
                for table in tables
                for at, tag in enumerate(table.tags)
            }
            infos = provider.series(SCALAR)
            wanted = {info.key: {field: getattr(info, field) for field in fields} for info in infos}
            same("series_tables()", found, wanted)
            same("tables of nothing", list(provider.series_tables("nothing", fields)), [])

    # --- scalars -----------------------------------------------------------------------------------

    def _columns(self, provider: DataProvider, query: ScalarQuery | None = None) -> ScalarColumns:
        key = SeriesKey("a", "x")
        found = provider.scalars(SCALAR, [key], query or ScalarQuery())
        same("keys of scalars()", list(found), [key])
        return found[key]

    def every_point_comes_back(self) -> None:
        """Large steps, fractions of seconds, NaN and infinities come back as they were written."""
        values = [0.5, math.nan, math.inf, -math.inf, 1e-45, -3.4e38]
        steps = [step * 10**12 for step in range(6)]
        with self.opened(scalars("a", "x", steps, values)) as (provider, _):
            columns = self._columns(provider)
            same("steps", columns.steps.tolist(), steps)
            same("wall times", columns.wall_times.tolist(), [100.5 + at for at in range(6)])
            found = columns.values.astype(np.float32).view(np.uint32)[2:].tolist()
            same("values", found, np.array(values, np.float32).view(np.uint32)[2:].tolist())
            same("not finite", columns.nonfinite, (1, 1, 1))
            same("points", (columns.points, columns.total, columns.hidden), (6, 6, 0))

    def windows_are_inclusive(self) -> None:
        """A window is in units of x, with both ends; one that ends before it begins is refused."""
        with self.opened(scalars("a", "x", range(0, 200, 2))) as (provider, _):
            for query, wanted in (
                (ScalarQuery(window=(10, 14)), [10, 12, 14]),
                (ScalarQuery(window=(196, None)), [196, 198]),
                (ScalarQuery(x="relative", window=(1.0, 2.0)), [2, 4]),
                (ScalarQuery(x="wall", window=(None, 101.5)), [0, 2]),
                (ScalarQuery(window=(1e6, None)), []),
            ):
                same(f"steps of {query}", self._columns(provider, query).steps.tolist(), wanted)
            same("extent", self._columns(provider, ScalarQuery(window=(0, 2))).extent, (0.0, 198.0))
            with raising(InvalidArgument, "a window that ends before it begins"):
                self._columns(provider, ScalarQuery(window=(3, 2)))

    def width_keeps_extremes(self) -> None:
        """Few points stand for many, with the first, the last and the largest."""
        values = [99.0 if step == 1234 else math.sin(step) for step in range(5000)]
        with self.opened(scalars("a", "x", range(5000), values)) as (provider, _):
            columns = self._columns(provider, ScalarQuery(width=50))
            same("points", (columns.points, columns.decimated, len(columns.steps) <= 200), (5000, True, True))
            same("ends", (int(columns.steps[0]), int(columns.steps[-1])), (0, 4999))
            same("the largest value is there", 1234 in columns.steps, True)

    def smoothing_sees_the_whole_series(self) -> None:
        """Smoothing comes before the window."""
        with self.opened(scalars("a", "x", range(1000), [step % 7 for step in range(1000)])) as (
            provider,
            _,
        ):
            whole = self._columns(provider, ScalarQuery(smoothing=0.9)).values
            part = self._columns(provider, ScalarQuery(smoothing=0.9, window=(500, 510))).values
            same("smoothed values", part.tolist(), whole[500:511].tolist())

    def nearest_is_one_point(self) -> None:
        """``nearest`` chooses one point."""
        with self.opened(scalars("a", "x", [0, 10, 20])) as (provider, _):
            same("steps", self._columns(provider, ScalarQuery(nearest=13.0)).steps.tolist(), [10])

    def the_last_attempt_wins(self) -> None:
        """Points that a restart overwrote are hidden, and there if they are asked for."""
        steps = [*range(10), *range(5, 8)]
        values = [*range(10), 105, 106, 107]
        with self.opened(scalars("a", "x", steps, values)) as (provider, _):
            last = self._columns(provider)
            same("values", last.values.tolist(), [0, 1, 2, 3, 4, 105, 106, 107])
            same("restarts", (last.hidden, last.total, last.restarts.tolist()), (5, 13, [5]))
            every = self._columns(provider, ScalarQuery(attempts="all"))
            same("steps of all attempts", every.steps.tolist(), steps)
            same("breaks", (every.breaks.tolist(), every.hidden), ([10], 0))
            [info] = provider.series(SCALAR)
            same("series", (info.points, info.attempts, info.last_step), (13, 2, 7))

    # --- records -----------------------------------------------------------------------------------

    def payloads_are_those_written(self) -> None:
        """Each record has its payload, of one of the claims of its series."""
        written = self.pictures("x", [0, 10, 20])
        with self.opened(written) as (provider, _):
            plugin, key = self.plugin, written.key
            [info] = provider.series(plugin)
            same("points", (info.points, info.first_step, info.last_step), (3, 0, 20))
            table = provider.records(plugin, key)
            same("steps", table.steps.tolist(), [0, 10, 20])
            same("wall times", table.wall_times.tolist(), list(written.wall_times))
            same("last wall time", info.last_wall_time, written.wall_times[-1])
            same("records", (table.total, table.kept, table.hidden), (3, 3, 0))
            for index, content in enumerate(written.values):
                payload = provider.payload(plugin, key, index)
                same(f"payload {index} contains what was written", content in payload.data, True)
                same("its claim is one of the series", payload.claim in info.claims, True)
                same("size", int(table.sizes[index]) in (-1, len(payload.data)), True)
            for index in (3, -1):
                with raising(NotFound, f"payload {index}"):
                    provider.payload(plugin, key, index)
                with raising(NotFound, f"open_payload {index}"):
                    provider.open_payload(plugin, key, index)

    def records_have_attempts(self) -> None:
        """Records that a restart overwrote are hidden, and there if they are asked for."""
        written = self.pictures("x", [0, 1, 2, 3, 1, 2])
        with self.opened(written) as (provider, _):
            plugin, key = self.plugin, written.key
            last, every = provider.records(plugin, key), provider.records(plugin, key, "all")
            same("last attempt", (last.steps.tolist(), last.total, last.hidden), ([0, 1, 2], 6, 3))
            same("all attempts", (every.steps.tolist(), every.hidden), (list(written.steps), 0))
            for index, attempts, at in ((2, "last", 5), (2, "all", 2), (5, "all", 5)):
                content = provider.payload(plugin, key, index, attempts).data  # type: ignore[arg-type]
                same(f"payload {index} of {attempts}", written.values[at] in content, True)
            with raising(NotFound, "payload 3 of the last attempt"):
                provider.payload(plugin, key, 3)

    def a_part_of_a_payload_is_read(self) -> None:
        """``limit``, ``offset`` and ``length`` give parts."""
        written = self.pictures("x", [0, 1])
        with self.opened(written) as (provider, _):
            plugin, key = self.plugin, written.key
            whole = provider.payload(plugin, key, 1)
            size = len(whole.data)
            for limit in (0, 1, size, 1 << 30):
                head = provider.payload(plugin, key, 1, limit=limit)
                same(f"limit {limit}", (head.data, head.claim), (whole.data[:limit], whole.claim))
            for offset, length in ((0, 0), (0, 5), (5, 10), (5, None), (size, 1), (1 << 20, None)):
                with provider.open_payload(plugin, key, 1, offset=offset, length=length) as stream:
                    end = None if length is None else offset + length
                    same(f"from {offset}, {length} bytes", stream.file.read(), whole.data[offset:end])
                    same("size and claim of the whole", (stream.size, stream.claim), (size, whole.claim))

    # --- everything --------------------------------------------------------------------------------

    def unknown_names_are_left_out(self) -> None:
        """Unknown names are left out of mappings; one that is asked for raises NotFound."""
        with self.opened(scalars("a", "x", [1])) as (provider, _):
            known = SeriesKey("a", "x")
            for key in (SeriesKey("a", "none"), SeriesKey("none", "x")):
                same("scalars() of unknown keys", list(provider.scalars(SCALAR, [key, known])), [known])
                with raising(NotFound, "records() of an unknown series"):
                    provider.records("nothing", key)
                with raising(NotFound, "payload() of an unknown series"):
                    provider.payload("nothing", key, 0)
            same("series() of an unknown plugin", list(provider.series("nothing")), [])
            same("damage() of an unknown run", list(provider.damage("none")), [])

    def several_threads_may_ask(self) -> None:
        """Threads that ask at the same time get the same answers."""
        written = [scalars("a", "x", range(100)), *(scalars("b", f"t{at}", [1, 2]) for at in range(20))]
        with self.opened(*written) as (provider, _):
            wanted = self.keys(provider), self._columns(provider).values.tolist()
            failures: list[object] = []

            def ask() -> None:
                try:
                    for _ in range(5):
                        found = self.keys(provider), self._columns(provider).values.tolist()
                        same("answers of one of several threads", found, wanted)
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=ask) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
            same("failures of threads", failures, [])

    def nobody_waits_for_a_closed_provider(self) -> None:
        """``close`` ends waits for changes; generations that were never given out are from another time."""
        with self.opened(scalars("a", "x", [1])) as (provider, _):
            generation = provider.generation()
            same("changes() of a later generation", provider.changes(generation + 10**9).series, None)
            same("changes() ends in time", provider.changes(generation).generation >= generation, True)

            def wait() -> None:
                with suppress(InsightError):
                    provider.changes(provider.generation(), timeout=10 * PATIENCE)

            thread = threading.Thread(target=wait, daemon=True)
            thread.start()
            time.sleep(LOOK)
            provider.close()
            thread.join(PATIENCE)
            same("a thread waits for changes of a closed provider", thread.is_alive(), False)

    def changes_name_what_was_appended(self) -> None:
        """Appended points and new runs begin a generation, and wake who waits."""
        assert self.write_more is not None
        with self.opened(scalars("a", "x", [1]), scalars("a", "y", [1])) as (provider, place):
            before = settled(provider)
            same("changes() without a change", dict(provider.changes(before).series or {}), {})
            self.write_more(place, [scalars("a", "y", [2])])
            wait_for("a change", lambda: provider.changes(before, timeout=1.0).generation > before)
            wait_for("the point", lambda: provider.series(SCALAR, tags=["y"])[0].points == 2)

            def is_named() -> bool:
                named = provider.changes(before).series
                return named is None or SeriesKey("a", "y") in named.get(SCALAR, ())

            wait_for("a change that names the series, or anything", is_named)
            before = settled(provider)
            self.write_more(place, [scalars("new", "x", [1])])
            wait_for("a change of the run table", lambda: provider.changes(before, timeout=1.0).runs)
            wait_for("the new run", lambda: "new" in {run.name for run in provider.runs()})


def provider_contract(
    make_provider: MakeProvider, *, records: str | None = "image", write_more: WriteMore | None = None
) -> Mapping[str, Callable[[], None]]:
    """Checks by name, each to be called by a test; one that fails raises AssertionError.

    Parameters
    ----------
    make_provider : callable
        ``make_provider(directory, written, settings)`` returns a provider, started, that shows exactly these
        series, with data in an empty directory that is there until the check ends. The check closes it.
    records : str or None
        The plugin of series whose values are bytes; None: the provider has scalars only.
    write_more : callable, optional
        ``write_more(directory, written)`` appends to the data while a provider shows them: points of series
        that are there, or other series. Without it changes are not checked.
    """
    return ContractChecks(make_provider, records, write_more).by_name()
