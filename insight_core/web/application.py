"""The WSGI application: routes requests to the page, the data routes, plugins and guests."""

from __future__ import annotations

import json
import logging
import re
import secrets
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from werkzeug import Request, Response
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.exceptions import NotFound as Unknown
from werkzeug.routing import Map
from werkzeug.test import EnvironBuilder

from insight_core.isolation import Busy, Overdue
from insight_core.old_findings import RuleChecks, checks_of
from insight_core.own_page import READ_ONLY_CLIENT, OwnPage
from insight_core.plugin import (
    HostAnswer,
    InsightError,
    NotFound,
    PluginContext,
    RunCells,
    Unavailable,
)
from insight_core.plugin.data import DataProvider
from insight_core.plugin.findings import Findings
from insight_core.plugin.http import may_save
from insight_core.plugin.sql import ContributedTable, QueryTable
from insight_core.registry import Registry
from insight_core.web.answers import (
    error_answer,
    finish,
    framing,
    http_error_answer,
    not_modified,
)
from insight_core.web.content_tags import content_tag
from insight_core.web.data_routes import DataRoutes
from insight_core.web.findings import FindingsTable
from insight_core.web.findings.merging import HYPERPARAMETERS, NamedColumn
from insight_core.web.front_ends import FileState, files_of
from insight_core.web.host_names import HostNames
from insight_core.web.live_events import Streams
from insight_core.web.mounted_plugins import PATH, MountedPlugins
from insight_core.web.mounting import Endpoint, new_map
from insight_core.web.page import page_rules
from insight_core.web.plugin_services import Services
from insight_core.web.posted_query import as_get
from insight_core.web.settings import HostSettings
from insight_core.web.shared_answers import SharedAnswers, Version, known_generation
from insight_core.web.state.annotation_routes import AnnotationRoutes
from insight_core.web.state.annotations import AnnotationStore
from insight_core.web.state.saved import SavedStore
from insight_core.web.state.saved_routes import SavedRoutes
from insight_core.web.traffic import RequestTraffic

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

log = logging.getLogger(__name__)

_LOOK = 0.25  # seconds between two looks at front ends
_MAY_NAME_WHERE = re.compile(
    rb"(?:^|&)(?:w|%77)"
)  # in a query: the names of thousands of runs take long to parse


class Host:
    """Serves the page, the data and the plugins of a registry over any WSGI server.

    Without their stores, annotations and saved entries are empty and read-only.
    """

    def __init__(
        self,
        registry: Registry,
        provider: DataProvider,
        settings: HostSettings | None = None,
        annotations: AnnotationStore | None = None,
        saved: SavedStore | None = None,
    ) -> None:
        self.settings = settings if settings is not None else HostSettings()
        self._registry = registry
        self._provider = provider
        self._boot = secrets.token_hex(4)
        self._traffic = RequestTraffic()
        self._names = HostNames(self.settings.bound_host, self.settings.allowed_hosts)
        self._annotations = annotations if annotations is not None else AnnotationStore()
        saved = saved if saved is not None else SavedStore()
        page = OwnPage(self._names.is_own_page, self._annotations.read_only)
        self._streams = Streams(
            provider, self.settings.max_streams, {"annotations": self._annotations, "saved": saved}
        )
        services = Services(
            provider,
            self._annotations.now,
            self._ask,
            self.settings.cache_directory,
            lambda: registry.options,
            self.run_columns,
            self.settings.state_directory,
            self._get,
            page,
            self.findings,
            self._query_tables,
            self.settings.cache_size,
        )
        self._plugins = MountedPlugins(
            services, self.settings.limits, self._streams.listing_changed, self._traffic.give_way
        )
        self._plugins.add(registry.plugins.values())
        self._shared = SharedAnswers()
        self._data_routes = DataRoutes(
            registry=registry,
            provider=provider,
            settings=self.settings,
            streams=self._streams,
            boot=self._boot,
            plugins=self._plugins,
            annotations=self._annotations.now,
        )
        self._findings = FindingsTable(
            registry,
            provider,
            self.settings.limits,
            self._plugins.context_of,
            self._hyperparameters,
            self._traffic.give_way,
        )
        rules = [
            *page_rules(self.settings.page, self._plugins, saved, self._urls),
            *self._data_routes.rules(),
            *AnnotationRoutes(self._annotations, provider, page, self._streams).rules(),
            *SavedRoutes(saved, self._plugins.names, page, self._streams).rules(),
        ]
        self._map = new_map(rules)
        registry.follow(lambda plugin: self._plugins.add([plugin]), self._streams.listing_changed)
        if self.settings.guests is not None:
            self.settings.guests.follow(self._streams.listing_changed)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        self.begin()
        self._traffic.note()
        request = Request(environ)
        answer = finish(request, self._answer(request), self.settings.frame_ancestors)
        self._traffic.note()
        return answer(environ, start_response)

    def matching_runs(self, where: str) -> Sequence[str]:
        """The names of the runs for which an expression over columns holds. Raises ExpressionError."""
        from insight_core.web.run_filter import matching_runs  # the command line alone needs it

        return matching_runs(self._data_routes.columns, where)

    def begin(self) -> None:
        """Asks the plugins for their routes. Called when the host listens, or else by the first request."""
        self._plugins.begin()

    def context_of(self, plugin: str) -> PluginContext:
        """What the routes of a plugin receive. Raises NotFound for an unknown plugin."""
        return self._plugins.named(plugin).context

    def findings(
        self,
        runs: Sequence[str] | None = None,
        roles: Mapping[str, str] = MappingProxyType({}),
        *,
        rules: Collection[str] | None = None,
        seconds: float | None = None,
        profile: str | None = None,
    ) -> Findings:
        """See insight_core.plugin.findings.answer.FindFaults."""
        return self._findings.find(runs, roles, rules=rules, seconds=seconds, profile=profile)

    def check_rules(self, runs: Sequence[str], roles: Mapping[str, str] = MappingProxyType({})) -> RuleChecks:
        """What ``findings`` says, by run and rule."""
        return checks_of(self.findings(runs, roles))

    def watch_front_ends(self) -> None:
        """Reports front ends that change from now on, until the host closes: for authors of plugins."""
        watch = partial(self._watch, self._front_ends())
        threading.Thread(target=watch, name="front ends", daemon=True).start()

    def _watch(self, told: dict[Path, tuple[FileState, ...]]) -> None:
        before = dict(told)
        while not self._streams.stopped.wait(_LOOK):
            now = self._front_ends()
            for root, files in now.items():
                is_at_rest = files == before.get(root)  # a build is not writing any more
                if is_at_rest and (root / "index.js").is_file() and told.setdefault(root, files) != files:
                    told[root] = files
                    self._streams.listing_changed()
            before = now

    def _front_ends(self) -> dict[Path, tuple[FileState, ...]]:
        """The files of the front ends by directory.

        Not their content: a build may give the same again, after the page was told that nothing is there.
        """
        roots = (each.plugin.frontend for each in self._plugins)
        return {root: files_of(root) for root in roots if root is not None}

    def close(self) -> None:
        """Ends event streams and calls the plugins' ``on_close``; the caller closes the provider."""
        self._streams.stop()
        self._plugins.close()

    def _answer(self, request: Request) -> Response:
        if not self._names.allow(request.environ.get("HTTP_HOST"), request.environ.get("SERVER_NAME")):
            return error_answer("this Host is not served here; allow it with --allowed-host", 403)
        if request.method not in ("GET", "HEAD") and request.headers.get("Sec-Fetch-Site") == "cross-site":
            return error_answer("another site may not change anything here", 403)
        if request.method == "OPTIONS" and request.environ["PATH_INFO"] == "*":
            return _allowed(["DELETE", "GET", "HEAD", "POST", "PUT"])
        owner = "the host"
        try:
            path = self._below_prefix(request)
            if isinstance(path, Response):
                return path
            try:
                endpoint, variables = self._match(path, request.method)
            except Unknown:
                guests = self.settings.guests
                app = guests.app_for(path) if guests is not None else None
                if guests is None or app is None:
                    raise
                owner = guests.owner
                is_reading = request.method in ("GET", "HEAD") or guests.is_reading(path)
                if not (is_reading or may_save(request)):
                    return error_answer(READ_ONLY_CLIENT, 403, "read_only")
                return self._answer_of_guests(request, app)
            owner = endpoint.owner
            if not (may_save(request) or endpoint.is_reading(request.method)):
                return error_answer(READ_ONLY_CLIENT, 403, "read_only")
            request, chosen = self._with_runs(request, endpoint)
            is_posted = request.method == "POST" and endpoint.reads_body
            if not endpoint.follows_data or not (is_posted or request.method in ("GET", "HEAD")):
                return endpoint.answer(request, variables)
            # computed before the view runs, so that data loaded meanwhile are not missed
            now = Version(self._provider.generation(), f"{self._annotations.now().generation}{chosen}")
            known = known_generation(request, self._boot)
            if is_posted or endpoint.route.age:  # an answer with an age may change while the data do not
                return self._shared.answer(request, now, endpoint, variables, known)[0]
            if request.if_none_match.contains_weak(tag := self._tag(now)):
                return not_modified(tag)
            answer, version = self._shared.answer(request, now, endpoint, variables, known)
            tag = self._tag(version)
            if (
                answer.status_code == 200
                and "ETag" not in answer.headers
                and not answer.cache_control.no_store
            ):
                answer.set_etag(tag, weak=True)
            return answer
        except MethodNotAllowed as error:
            if request.method == "OPTIONS":
                return _allowed(error.valid_methods or [])
            return http_error_answer(error)
        except HTTPException as error:
            return http_error_answer(error)
        except InsightError as error:
            if error.status >= 500 and not isinstance(error, Unavailable):
                log.error("%s could not answer %s", owner, request.path, exc_info=True)
            return error_answer(str(error), error.status, error.code, error.details)
        except Overdue as error:
            return error_answer(f"plugin {owner}: {error}", 504, "plugin_hangs", {"plugin": owner})
        except Busy as error:
            return error_answer(f"plugin {owner}: {error}", 503, "plugin_hangs", {"plugin": owner})
        except (Exception, SystemExit):  # the application of guests runs in this thread
            log.exception("%s failed on %s %s", owner, request.method, request.path)
            guests = self.settings.guests
            is_plugin = owner != "the host" and (guests is None or owner != guests.owner)
            who = f"plugin {owner}" if is_plugin else owner
            text = f"{who} failed to answer; the log of the host says why"
            return error_answer(text, 500, "failed", {"who": who})

    def _tag(self, version: Version) -> str:
        return f"{self._boot}-{version.generation}-{version.rest}"

    def _with_runs(self, request: Request, endpoint: Endpoint) -> tuple[Request, str]:
        """The request with runs in the place of ``where``, and their tag: a status changes by itself."""
        if not endpoint.route.takes_where or not (endpoint.reads_body or request.method in ("GET", "HEAD")):
            return request, ""
        parameters = as_get(request) if request.method == "POST" else request
        if not _MAY_NAME_WHERE.search(parameters.query_string):
            return request, ""
        from insight_core.web.run_filter import with_matching_runs  # no page needs it to start

        found = with_matching_runs(request, self._data_routes.columns)
        return found, "" if found is request else f"-{content_tag(found.query_string)}"

    def _match(self, path: str, method: str) -> tuple[Endpoint, Mapping[str, Any]]:
        mounted = self._plugins.of_path(path)
        return (
            self._map.bind("host").match(path, method=method)
            if mounted is None
            else mounted.match(path, method)
        )

    def _answer_of_guests(self, request: Request, app: WSGIApplication) -> Response:
        """The answer of ``app``; its script policy is not restricted, as in its own program."""
        environ = request.environ
        prefix = self.settings.path_prefix
        path = "/" + environ.get("PATH_INFO", "").lstrip("/")
        below = environ | {
            "SCRIPT_NAME": environ.get("SCRIPT_NAME", "") + prefix.encode().decode("latin1"),
            "PATH_INFO": path[len(prefix.encode()) :],
        }
        answer = Response.from_app(app, below)
        answer.headers.setdefault("Content-Security-Policy", framing(self.settings.frame_ancestors))
        return answer

    def _query_tables(self) -> Sequence[ContributedTable]:
        """The tables that plugins contribute; of those with one name the first."""
        found: dict[str, ContributedTable] = {}
        for one in self._registry.collected("insight_tables", QueryTable):
            ctx = self._plugins.context_of(one.module)
            found.setdefault(one.value.name, one.value.within(one.owner, ctx))
        return list(found.values())

    def run_columns(self, names: Collection[str]) -> Sequence[RunCells]:
        """Columns of the run table with these names; see insight_core.plugin.ReadRunColumns."""
        return self._data_routes.columns.cells(names)

    def _hyperparameters(self, runs: Sequence[str]) -> Sequence[NamedColumn]:
        """The columns that the runs of a finding may have in common."""
        found = self._data_routes.columns.found(runs, lambda _, column: column.group in HYPERPARAMETERS)
        return [NamedColumn(one.column.title, one.by_run(runs)) for one in found.columns]

    def _ask(self, plugin: str, route: str, **parameters: str | int | Sequence[str]) -> object:
        """See insight_core.plugin.Ask."""
        answer = self._get(f"{PATH}{plugin}{route}", **parameters)
        if answer.media_type != "application/json":
            raise Unavailable(f"plugin {plugin} answered {route} with 200 OK and {answer.media_type}")
        decoded: object = json.loads(answer.data)
        return decoded

    def _get(self, path: str, **parameters: str | int | Sequence[str]) -> HostAnswer:
        """See insight_core.plugin.Get."""
        pairs = [
            (name, str(value))
            for name, values in parameters.items()
            for value in ([values] if isinstance(values, str | int) else values)
        ]
        inner = Request(EnvironBuilder(path=path, query_string=MultiDict(pairs)).get_environ())
        try:
            endpoint, variables = self._match(path, "GET")
        except HTTPException as error:
            raise NotFound(f"nothing answers {path}") from error
        owner = f"plugin {endpoint.owner}" if path.startswith(PATH) else endpoint.owner
        try:
            answer = endpoint.answer(self._with_runs(inner, endpoint)[0], variables)
            data = answer.get_data()
        except InsightError:
            raise
        except Unknown as error:  # a file that is missing
            raise NotFound(f"nothing answers {path}") from error
        except (Overdue, Busy) as error:
            raise Unavailable(f"{owner}: {error}") from error
        except Exception as error:
            log.exception("%s failed on %s", owner, path)
            raise Unavailable(f"{owner} failed to answer") from error
        if answer.status_code != 200:
            raise Unavailable(f"{owner} answered {path} with {answer.status}")
        return HostAnswer(answer.mimetype or "", data)

    def _below_prefix(self, request: Request) -> str | Response:
        """The path below the prefix, or the answer to a request outside it."""
        prefix, path = self.settings.path_prefix, request.path
        if not prefix:
            return path
        if path == prefix:
            # relative, so that it works behind a proxy that adds a prefix
            query = request.query_string.decode("latin1")
            answer = Response(status=301)
            answer.headers["Location"] = f"{prefix.rpartition('/')[2]}/" + (f"?{query}" if query else "")
            return answer
        if not path.startswith(f"{prefix}/"):
            return error_answer(f"everything is below {prefix}/ here", 404)
        return path[len(prefix) :]

    def _urls(self) -> Sequence[Map]:
        return [self._map, *(mounted.urls() for mounted in self._plugins)]


def _allowed(methods: Iterable[str]) -> Response:
    """The answer to OPTIONS."""
    return Response(status=204, headers={"Allow": ", ".join([*sorted(methods), "OPTIONS"])})
