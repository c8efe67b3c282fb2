"""Hosts in this process, for plugins that nothing has installed."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

from insight_core.plugin import Plugin, hookimpl
from insight_core.plugin.data import DataProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_core.web.http_server import listen


@contextmanager
def host_of(plugins: Sequence[Plugin], provider: DataProvider) -> Iterator[str]:
    """Serves these plugins while the context lasts; gives the URL."""

    def module_of(plugin: Plugin) -> object:
        return SimpleNamespace(insight_plugin=hookimpl(lambda: plugin, specname="insight_plugin"))

    host = Host(Registry.of([(plugin.name, partial(module_of, plugin)) for plugin in plugins]), provider)
    server = listen(host, "127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}/"
    finally:
        server.stop()
        thread.join()
        host.close()
