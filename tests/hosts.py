"""Hosts that tests ask over HTTP, in this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Plugin, hookimpl
from insight_core.plugin.data import DataProvider
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_core.web.http_server import listen

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


def with_hooks(**hooks: Callable[..., object]) -> object:
    """A module, as an entry point loads it, with these hooks: ``with_hooks(rules=lambda: [rule])``."""
    named = {f"insight_{name}": hook for name, hook in hooks.items()}
    return SimpleNamespace(**{name: hookimpl(hook, specname=name) for name, hook in named.items()})


def module_of(plugin: Plugin) -> object:
    return with_hooks(plugin=lambda: plugin)


def registry_of(*plugins: Plugin) -> Registry:
    registry = Registry.of([(plugin.name, partial(module_of, plugin)) for plugin in plugins])
    assert not registry.failures
    return registry


@contextmanager
def client_of(logs: Path, **modules: object) -> Iterator[Client]:
    """A client of a host of these logs, read once, and of these modules of plugins, by name."""
    registry = Registry.of([(name, partial(modules.get, name)) for name in modules])
    assert not registry.failures
    provider = LocalProvider([Logdir(str(logs))], registry.plugins.values(), reload_interval=0)
    provider.load()
    try:
        yield Client(Host(registry, provider))
    finally:
        provider.close()


@contextmanager
def served(provider: DataProvider, plugins: Iterable[Plugin]) -> Iterator[str]:
    """The URL of a host of a provider and these plugins."""
    with closing(Host(registry_of(*plugins), provider)) as host, listening(host) as url:
        yield url


@contextmanager
def listening(application: WSGIApplication) -> Iterator[str]:
    """The URL of an application on a free port of this machine."""
    server = listen(application, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
