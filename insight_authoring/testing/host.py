"""A host in the process of a test: plugins, logs that have been read, and a client without a port."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any

from attrs import evolve, frozen
from werkzeug.test import Client, TestResponse

from insight_core.ingest.logdir import Logdir
from insight_core.isolation import DEFAULT_LIMITS
from insight_core.own_page import TOKEN_HEADER
from insight_core.plugin import (
    AppSettings,
    Ask,
    InvalidArgument,
    LogFormat,
    Plugin,
    PluginContext,
    StoreFormat,
    Unavailable,
    encode_json,
    hookimpl,
)
from insight_core.plugin.data import Damage, DataProvider
from insight_core.providers.common import unread_reasons
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.registry.modules import DISTRIBUTION, Candidate, Origin, installed
from insight_core.web import Host, HostSettings
from insight_core.web.plugin_services import Services

_WRAP = "insight_wrap_app"
_ORIGIN = Origin("the plugins of this test")


@frozen
class HostResponse:
    """What the host answered."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as UTF-8."""
        return self.content.decode()

    def json(self) -> Any:  # noqa: ANN401
        """The content as JSON. Raises AssertionError, with the content, if it is something else."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise AssertionError(f"no JSON, status {self.status}: {self.content[:2000]!r}") from None


class HostClient:
    """Asks a host that has read its logs. Made by ``host_of``."""

    def __init__(self, host: Host, client: Client, data: DataProvider) -> None:
        self._host, self._client = host, client
        self.data = data

    def get(
        self, path: str, headers: Mapping[str, str] | None = None, **query: str | int | Sequence[str]
    ) -> HostResponse:
        """GET of a path such as ``/data/plugin/notes/texts``, with its query or with the query in names."""
        if query:
            return _of(self._client.get(path, headers=headers, query_string=query))
        return _of(self._client.get(path, headers=headers))

    def post(self, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> HostResponse:
        """POST as the host's own page sends it, with its token: bytes as they are, anything else as JSON.

        ``headers`` replace those of the page: ``{"Origin": "http://elsewhere"}`` is another page.
        """
        data = body if isinstance(body, bytes) else encode_json(body)
        page = self.get("/data/annotations")
        token = page.json()["token"] if page.status == 200 else None  # middleware refuses, or guests
        own = {"Origin": "http://localhost", TOKEN_HEADER: token or "", "Content-Type": "application/json"}
        return _of(self._client.post(path, data=data, headers={**own, **(headers or {})}))

    def damage(self) -> Sequence[Damage]:
        """Every place where the logs could not be read."""
        return self.data.damage()

    def load(self) -> None:
        """Reads what was written since into the log directory. Returns when done."""
        if isinstance(self.data, LocalProvider):
            self.data.load()

    def context(self, plugin: str) -> PluginContext:
        """What the routes of a plugin receive. Raises NotFound for an unknown plugin."""
        return self._host.context_of(plugin)


def _of(answer: TestResponse) -> HostResponse:
    with answer:
        return HostResponse(answer.status_code, dict(answer.headers), answer.get_data())


@contextmanager
def host_of(
    *plugins: ModuleType | Plugin,
    logdir: str | PathLike[str] | None = None,
    data: DataProvider | None = None,
    options: Mapping[str, Any] | None = None,
    built_ins: bool | Collection[str] = False,
) -> Iterator[HostClient]:
    """A host with these plugins, in this process; everything is closed at the end.

    Parameters
    ----------
    *plugins : module or Plugin
        A module brings all of its hooks, with log formats and middleware.
    logdir : path, optional
        Read once and whole before the client answers; without it and ``data`` the host has no runs.
    data : DataProvider, optional
        Asked in the place of a log directory. The host closes it.
    options : mapping, optional
        Values of the plugins' own flags, by name with ``_``. The others have their defaults; variables of
        the environment are not read.
    built_ins : bool or collection of str
        Whether the plugins of insight-host are there too, or the names of those that are. The guard that asks
        for a token is not: a test needs none.

    Raises
    ------
    Unavailable
        A plugin did not load; the text has its traceback.
    InvalidArgument
        No plugin has an option of the name, or the middleware refused it.
    """
    registry = _registry(plugins, built_ins)
    _take_options(registry, options or {})
    formats: dict[str, LogFormat | StoreFormat] = {}
    for found in registry.collected("insight_log_formats", (LogFormat, StoreFormat)):
        formats.setdefault(found.value.name, found.value)
    _raise_failures(registry)
    with TemporaryDirectory(prefix="insight-test-", ignore_cleanup_errors=True) as kept:
        cache, state = Path(kept) / "cache", Path(kept) / "state"
        provider = data or LocalProvider(
            [] if logdir is None else [Logdir(str(Path(logdir).absolute()))],
            registry.plugins.values(),
            log_formats=formats.values(),
            reload_interval=0,
            cache_directory=cache,
        )
        try:
            if isinstance(provider, LocalProvider):
                provider.load()
            settings = HostSettings(
                follows=False,
                unread_files=lambda: unread_reasons(provider),
                cache_directory=cache,
                state_directory=state,
            )
            host = Host(registry, provider, settings)
            try:
                host.begin()
                yield HostClient(host, Client(_wrapped(host, registry)), provider)
            finally:
                host.close()
        finally:
            provider.close()


def _registry(plugins: Sequence[ModuleType | Plugin], built_ins: bool | Collection[str]) -> Registry:
    candidates = []
    for plugin in plugins:
        module = _module_of(plugin) if isinstance(plugin, Plugin) else plugin
        name = str(plugin.name) if isinstance(plugin, Plugin) else plugin.__name__.rpartition(".")[2]
        candidates.append(
            Candidate(name, _ORIGIN, partial(_same, module), is_middleware=hasattr(module, _WRAP))
        )
    if built_ins:
        for one in installed():
            is_wanted = built_ins is True or (not isinstance(built_ins, bool) and one.name in built_ins)
            is_wanted = is_wanted and one.origin.distribution == DISTRIBUTION and not one.is_middleware
            if is_wanted and one.load() not in plugins:
                candidates.append(one)
    limits = evolve(DEFAULT_LIMITS, start=DEFAULT_LIMITS.imports + DEFAULT_LIMITS.hook)
    registry = Registry(candidates, limits=limits, environment={})
    _raise_failures(registry)
    return registry


def _same(module: object) -> object:
    return module


def _module_of(plugin: Plugin) -> object:
    def insight_plugin() -> Plugin:
        return plugin

    return SimpleNamespace(insight_plugin=hookimpl(insight_plugin))


def _raise_failures(registry: Registry) -> None:
    for name, failure in registry.failures.items():
        raise Unavailable(f"the plugin {name} did not load: {failure.reason}\n{failure.traceback}")


def _take_options(registry: Registry, options: Mapping[str, Any]) -> None:
    known = {option.key for module in registry.modules for option in module.options}
    if unknown := sorted(options.keys() - known):
        there = ", ".join(sorted(known)) or "none"
        raise InvalidArgument(f"no plugin has the option {unknown[0]!r}; there are: {there}")
    registry.take_flags(options)


def _wrapped(host: Host, registry: Registry) -> Any:  # noqa: ANN401
    app: Any = host
    for module in reversed(registry.implementing(_WRAP)):
        settings = AppSettings(options=module.values)
        app = module.call(_WRAP, DEFAULT_LIMITS.hook, app=app, settings=settings)
    return app


def context_of(
    plugin: Plugin,
    data: DataProvider,
    *,
    options: Mapping[str, Any] | None = None,
    ask: Ask | None = None,
    cache_directory: Path | None = None,
) -> PluginContext:
    """With decoded values, but without annotations and other plugins.

    ``options`` are all values of the plugin's own flags, by name with ``_``. ``ask`` answers in the place of
    other plugins; without it there are none. Files that took long to make are kept in a directory below
    ``cache_directory``.
    """
    services = Services(
        data, options=lambda: {str(plugin.name): options or {}}, cache_directory=cache_directory
    )
    return (services if ask is None else evolve(services, ask=ask)).context_of(plugin)
