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

from insight_core.plugin import Annotations, Messages, Reason, Unavailable
from insight_core.plugin.data import DataProvider, Run
from insight_core.plugin.http import required_text
from insight_core.registry import DISTRIBUTION, Registry
from insight_core.web.answers import json_answer, tag_by_content
from insight_core.web.catalog import SeriesCatalog
from insight_core.web.front_ends import SharedModules, front_end, shared_modules
from insight_core.web.live_events import EventStream, Streams, changes_as_dict, changes_since, since_of
from insight_core.web.mounted_plugins import MountedPlugin, MountedPlugins
from insight_core.web.mounting import Endpoint, UrlRule
from insight_core.web.run_columns import RunColumnTable
from insight_core.web.run_table import RunTableView
from insight_core.web.settings import HostSettings
from insight_record.formats.json_text import encode_json


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
        views: list[tuple[str, Callable[..., Response], bool]] = [
            ("/data/start", self.start, False),
            ("/data/environment", self.environment, False),
            ("/data/runs", self.runs, True),
            ("/data/plugins_listing", self.plugins_listing, False),
            ("/data/run_table", self.run_table.view, False),
            ("/data/run_columns", self.run_columns, False),
            ("/data/run_matches", self.run_matches, False),
            ("/data/catalog", self.catalog.view, True),
            ("/data/damage", self.damage, True),
            ("/data/records", self.records, True),
            ("/data/blob", self.blob, True),
            ("/data/changes", self.changes, False),
            ("/data/events", self.events, False),
            *(
                (f"/data/{name}", partial(self._answer, value), False)
                for name, value in self._fixed().items()
            ),
        ]
        return [
            UrlRule(path, endpoint=Endpoint(view, follows_data=follows), methods=["GET"])
            for path, view, follows in views
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

    def start(self, request: Request) -> Response:
        """The first answers that a page needs, by path: one round trip, while its modules load.

        The catalogue of the ``tab`` is included.
        """
        # the run table comes first: changes after its generation come by the stream of events
        views = {
            "run_table": self.run_table.view,
            "plugins_listing": self.plugins_listing,
            "environment": self.environment,
        }
        answers = {f"data/{name}": view(request).get_data() for name, view in views.items()}
        tab = request.args.get("tab", "")
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

    def runs(self, request: Request) -> Response:
        """Names of runs, sorted by start time, then name."""

        def start(run: Run) -> tuple[float, str]:
            unknown = run.start_time is None or math.isnan(run.start_time)
            return (math.inf if unknown else run.start_time or 0.0, run.name)

        return json_answer([run.name for run in sorted(self.provider.runs(), key=start)])

    def plugins_listing(self, request: Request) -> Response:
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
            asked_for = request.args.getlist("experimentalPlugin")
            for name, row in self.settings.guests.listing(asked_for).items():
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
        for key, state in (("step_state", plugin.step_state), ("tag_state", plugin.tag_state)):
            if state:
                row[key] = dict(state)
        if mounted.calls.troubles:
            row["warnings"] = mounted.calls.troubles
        return row

    def run_columns(self, request: Request) -> Response:
        """All columns of the run table without cells, or those that are named, with a cell for each run."""
        keys = request.args.getlist("column")
        columns = self.columns
        return tag_by_content(request, json_answer(columns.with_keys(keys) if keys else columns.listed()))

    def run_matches(self, request: Request) -> Response:
        """Runs for which the expression ``where`` over their columns holds."""
        from insight_core.web.run_filter import matching_runs  # no page needs it to start

        where = request.args.get("where", "")
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

    def damage(self, request: Request) -> Response:
        """Damaged places of one run or all runs."""
        found = self.provider.damage(request.args.get("run"))
        entries = [asdict(entry) | Reason.of(entry.reason).fields("reason") for entry in found]
        return json_answer({"damage": entries, "messages": self._messages(entries)})

    def _messages(self, reasons: Sequence[Mapping[str, object]]) -> dict[str, dict[str, str]]:
        """Texts of plugins for the codes of these reasons, as ``Reason.fields`` gives them, by locale."""
        given = self.registry.collected("insight_messages", Messages) if reasons else ()
        return Messages.said_in(reasons, (one.value for one in given))

    def records(self, request: Request) -> Response:
        """Steps, wall times and sizes of a series of any plugin, unclaimed values included."""
        from insight_core.http.records import records_response  # no page asks for it

        return records_response(request, self.provider, required_text(request, "plugin"))

    def blob(self, request: Request) -> Response:
        """The bytes of one record of any plugin, unclaimed values included."""
        from insight_core.web.record_routes import blob_response  # no page asks for it

        return blob_response(request, self.provider, required_text(request, "plugin"))

    def changes(self, request: Request) -> Response:
        """Changes since a generation."""
        changes = changes_since(self.provider, since_of(request, self.boot, default=0))
        answer = changes_as_dict(changes, self.boot, self.plugins.names(), self.streams.others())
        return tag_by_content(request, json_answer(answer))

    def events(self, request: Request) -> Response:
        """Changes as server-sent events. Raises Unavailable if too many streams are open."""
        since = since_of(request, self.boot, default=self.provider.generation())
        headers = {"X-Accel-Buffering": "no"}  # nginx would buffer events
        if request.method == "HEAD":
            return Response(mimetype="text/event-stream", headers=headers)
        address: str = request.environ.get("REMOTE_ADDR", "")
        if not self.streams.take(address):
            raise Unavailable(
                "too many event streams are open: poll /data/changes instead", code="many_streams"
            )
        stream = EventStream(
            self.provider,
            self.streams,
            since,
            boot=self.boot,
            plugins=self.plugins.names,
            heartbeat=self.settings.heartbeat,
            client=request.environ.get("werkzeug.socket"),
            address=address,
        )
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
