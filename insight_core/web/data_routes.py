"""The host's own URLs below ``/data/``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import quote_plus

from attrs import asdict, field, frozen
from werkzeug import Request, Response

from insight_core.http.answers import LINK_TOKEN, accepts_gzip
from insight_core.http.records import RECORDS_READ
from insight_core.plugin import Annotations, Messages, Reason, Route, Unavailable
from insight_core.plugin.data import DataProvider, Run
from insight_core.plugin.http import record_of, records_response, text, texts
from insight_core.registry import DISTRIBUTION, Registry
from insight_core.web.answers import json_answer, tag_by_content
from insight_core.web.catalog import CATALOG_READS, SeriesCatalog
from insight_core.web.front_ends import SharedModules, front_end, shared_modules
from insight_core.web.live_events import (
    CURSOR,
    SINCE,
    EventStream,
    Streams,
    changes_as_dict,
    changes_since,
    generation_of,
)
from insight_core.web.mounted_plugins import MountedPlugin, MountedPlugins
from insight_core.web.mounting import BLOB_ANSWERS, RECORDS_ANSWERS, UrlRule, rule_of
from insight_core.web.run_columns import RunColumnTable
from insight_core.web.run_table import RunTableView
from insight_core.web.settings import HostSettings
from insight_record.formats.json_text import encode_json

_JSON = ("application/json",)
_KEPT = ("*/*", "application/json")  # a client may have it already
_STREAMS = {503: ("many_streams",)}
_PLUGIN = text("plugin", required=True)


def installed_version() -> str:
    """The version of the installed distribution; "unknown" in a source tree."""
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "unknown"


@frozen(eq=False)
class DataRoutes:
    """Views of the provider and the registry."""

    registry: Registry
    provider: DataProvider
    settings: HostSettings
    streams: Streams
    boot: str
    plugins: MountedPlugins
    annotations: Callable[[], Annotations]
    run_table: RunTableView = field(init=False)

    @run_table.default
    def _run_table(self) -> RunTableView:
        return RunTableView(self.provider, self.settings, self.boot, lambda: self.columns, self._messages)

    @property
    def catalog(self) -> SeriesCatalog:
        """The series of plugins."""
        return SeriesCatalog(self.provider, self.boot, self.plugins.names)

    def rules(self) -> list[UrlRule]:
        """The URL rules. Views that depend on more than the data set an ETag of their content."""
        run_table = (SINCE, texts("columns"))
        tensorboard = texts("experimentalPlugin").named("experimental")
        routes = [
            Route("/data/start", self.start, reads=(text("tab", ""), tensorboard, *run_table), answers=_KEPT),
            Route("/data/environment", self.environment, answers=_KEPT),
            Route("/data/link", self.link, answers=_JSON),
            Route("/data/plugins_listing", self.plugins_listing, reads=[tensorboard], answers=_KEPT),
            Route("/data/run_table", self.run_table.view, reads=run_table, answers=_KEPT),
            Route("/data/run_columns", self.run_columns, reads=[texts("column")], answers=_KEPT),
            Route("/data/run_matches", self.run_matches, reads=[text("where", "")], answers=_KEPT),
            Route("/data/unread", self.unread, answers=_KEPT),
            Route("/data/changes", self.changes, reads=[CURSOR], answers=_KEPT),
            Route("/data/events", self.events, reads=[CURSOR], answers=["text/event-stream"], codes=_STREAMS),
            *(
                Route(f"/data/{name}", partial(self._answer, value), answers=_KEPT)
                for name, value in self._fixed().items()
            ),
        ]
        of_any = record_of(self.provider, "")  # of which plugin is a parameter
        of_data = [
            Route("/data/runs", self.runs, answers=_JSON),
            Route("/data/catalog", self.catalog.view, reads=CATALOG_READS, answers=_JSON),
            Route("/data/damage", self.damage, reads=[text("run")], answers=_JSON),
            Route(
                "/data/records",
                self.records,
                reads=[_PLUGIN],
                also_reads=RECORDS_READ,
                answers=RECORDS_ANSWERS,
            ),
            Route("/data/blob", self.blob, reads=[_PLUGIN], also_reads=[of_any], **BLOB_ANSWERS),
        ]
        return [
            *(rule_of(route) for route in routes),
            *(rule_of(route, follows_data=True) for route in of_data),
        ]

    def _fixed(self) -> dict[str, Callable[[], object]]:
        """Answers for TensorBoard's clients, which know a single experiment without a name."""
        return {
            "logdir": lambda: {"logdir": self.provider.location()},
            "window_properties": lambda: {"window_title": self.settings.window_title},
            "experiments": list,
            "experiment_runs": list,
            "notifications": lambda: {"notifications": []},
        }

    def _answer(self, value: Callable[[], object], request: Request) -> Response:
        """For TensorBoard's clients."""
        return tag_by_content(request, json_answer(value()))

    def start(
        self,
        request: Request,
        *,
        tab: str,
        experimental: Sequence[str],
        since: str | None,
        columns: Sequence[str],
    ) -> Response:
        """The first answers that a page needs, by path: one round trip, while its modules load.

        The catalogue of the ``tab`` is included.
        """
        # the run table comes first: changes after its generation come by the stream of events
        first = {
            "run_table": self.run_table.view(request, since=since, columns=columns),
            "plugins_listing": self.plugins_listing(request, experimental=experimental),
            "environment": self.environment(request),
        }
        answers = {f"data/{name}": answer.get_data() for name, answer in first.items()}
        if tab in self.plugins.names():
            answers[f"data/catalog?plugin={quote_plus(tab)}"] = self.catalog.first(tab).get_data()
        body = b",".join(b"%s:%s" % (encode_json(name), answer) for name, answer in answers.items())
        return tag_by_content(request, Response(b"{%s}" % body, mimetype="application/json"))

    def environment(self, request: Request) -> Response:
        """TensorBoard's description of the host and its data."""
        starts = [run.start_time for run in self.provider.runs() if run.start_time is not None]
        answer = {
            "version": installed_version(),
            "data_location": self.provider.location(),
            "window_title": self.settings.window_title,
            "experiment_name": "",
            "experiment_description": "",
            "creation_time": min((start for start in starts if math.isfinite(start)), default=0.0),
        }
        return tag_by_content(request, json_answer(answer))

    def link(self, request: Request) -> Response:
        """Whether a reader of a link needs a token, and the one for guests, if the host has it."""
        token = request.environ.get(LINK_TOKEN)
        answer = json_answer({"needs_token": token is not None, "guest_token": token or None})
        answer.cache_control.no_store = True
        return answer

    def runs(self, request: Request) -> Response:
        """Names of runs, sorted by start time, then name."""

        def start(run: Run) -> tuple[float, str]:
            unknown = run.start_time is None or math.isnan(run.start_time)
            return (math.inf if unknown else run.start_time or 0.0, run.name)

        return json_answer([run.name for run in sorted(self.provider.runs(), key=start)])

    def plugins_listing(self, request: Request, *, experimental: Sequence[str]) -> Response:
        """One row for each plugin, plugins that failed included, in tab order."""
        until = time.monotonic() + self.settings.limits.listing
        generation = self.provider.generation()
        mounted_plugins = list(self.plugins)
        for mounted in mounted_plugins:
            mounted.activity.ask(generation)
        shared = shared_modules(self.settings.page)
        listing = {
            str(mounted.plugin.name): self._listed(mounted, until, shared) for mounted in mounted_plugins
        }
        for name, failure in self.registry.failures.items():
            origin = f" (from {failure.distribution})" if failure.distribution else ""
            listing[name] = _row(name, False, {"type": "NONE"}, {}, failure.reason + origin)
        if self.settings.guests is not None:
            for name, row in self.settings.guests.listing(experimental).items():
                listing.setdefault(name, dict(row))
        return tag_by_content(request, json_answer(listing))

    def _listed(self, mounted: MountedPlugin, until: float, shared: SharedModules) -> dict[str, object]:
        plugin, active, error = mounted.plugin, mounted.activity.answer(until), mounted.error
        mechanism: dict[str, object] = {"type": "NONE"}
        if error is None and plugin.frontend is not None:
            found = front_end(plugin.frontend, shared, tab=plugin.tab)
            if found.error is None:
                mechanism = found.mechanism(str(plugin.name), shared.api)
            error = found.error
        row = _row(plugin.title, active and error is None, mechanism, plugin.titles, error)
        if not plugin.tab:
            row["tab"] = False
        if plugin.tab_group:
            row["tab_group"] = plugin.tab_group
        if plugin.decoder is not None:
            row["values"] = str(plugin.decoder.kind)
        for key in ("step_state", "tag_state", "run_state"):
            if state := getattr(plugin, key):
                row[key] = dict(state)
        if mounted.calls.troubles:
            row["warnings"] = mounted.calls.troubles
        return row

    def run_columns(self, request: Request, *, column: Sequence[str]) -> Response:
        """All columns of the run table without cells, or those that are named, with a cell for each run."""
        found = self.columns.with_keys(column) if column else self.columns.listed()
        return tag_by_content(request, json_answer(found))

    def run_matches(self, request: Request, *, where: str) -> Response:
        """Runs for which the expression ``where`` over their columns holds."""
        from insight_core.web.run_filter import matching_runs  # no page needs it to start

        return tag_by_content(request, json_answer({"runs": matching_runs(self.columns, where)}))

    @property
    def columns(self) -> RunColumnTable:
        """The columns of the run table, the host's and those that plugins add."""
        return RunColumnTable(
            self.registry,
            self.provider,
            self.settings.limits,
            self.plugins.context_of,
            self.annotations,
        )

    def damage(self, request: Request, *, run: str | None) -> Response:
        """Damaged places of one run or all runs."""
        found = self.provider.damage(run)
        entries = [asdict(entry) | Reason.of(entry.reason).fields("reason") for entry in found]
        return json_answer({"damage": entries, "messages": self._messages(entries)})

    def unread(self, request: Request) -> Response:
        """Files next to logs that nothing reads: a text for each kind. Walks over the logdirs."""
        kinds = [kind.fields() for kind in self.settings.unread_files()]
        return tag_by_content(request, json_answer({"unread": kinds}))

    def _messages(self, reasons: Sequence[Mapping[str, object]]) -> dict[str, dict[str, str]]:
        """Texts of plugins for the codes of these reasons, as ``Reason.fields`` gives them, by locale."""
        given = self.registry.collected("insight_messages", Messages) if reasons else ()
        return Messages.said_in(reasons, (one.value for one in given))

    def records(self, request: Request, *, plugin: str) -> Response:
        """Steps, wall times and sizes of a series of any plugin, unclaimed values included."""
        return records_response(request, self.provider, plugin)

    def blob(self, request: Request, *, plugin: str) -> Response:
        """The bytes of one record of any plugin, unclaimed values included."""
        from insight_core.web.record_routes import blob_response  # no page asks for it

        return blob_response(request, self.provider, record_of(request, self.provider, plugin))

    def changes(self, request: Request, *, cursor: str | None) -> Response:
        """Changes since a generation."""
        since = 0 if cursor is None else generation_of(cursor, self.boot)
        changes = changes_since(self.provider, since)
        answer = changes_as_dict(changes, self.boot, self.plugins.names(), self.streams.others())
        return tag_by_content(request, json_answer(answer))

    def events(self, request: Request, *, cursor: str | None) -> Response:
        """Changes as server-sent events. Raises Unavailable if too many streams are open."""
        since = self.provider.generation() if cursor is None else generation_of(cursor, self.boot)
        headers = {"X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}  # nginx would buffer events
        if request.method == "HEAD":
            return Response(mimetype="text/event-stream", headers=headers)
        address: str = request.environ.get("REMOTE_ADDR", "")
        if not self.streams.take(address):
            raise Unavailable(
                "too many event streams are open: poll /data/changes instead", code="many_streams"
            )
        stream = EventStream(
            self.streams,
            since,
            boot=self.boot,
            plugins=self.plugins.names,
            heartbeat=self.settings.heartbeat,
            client=request.environ.get("werkzeug.socket"),
            address=address,
            is_packed=accepts_gzip(request),
        )
        if stream.is_packed:
            headers["Content-Encoding"] = "gzip"
        return Response(stream, mimetype="text/event-stream", headers=headers)


def _row(
    title: str, enabled: bool, mechanism: Mapping[str, object], titles: Mapping[str, str], error: str | None
) -> dict[str, object]:
    row: dict[str, object] = {
        "disable_reload": False,
        "enabled": enabled,
        "remove_dom": False,
        "tab_name": title,
        "loading_mechanism": mechanism,
        "titles": dict(titles),
    }
    if error is not None:
        row["error"] = error
    return row
