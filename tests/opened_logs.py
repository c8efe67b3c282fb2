"""The same logs, opened from a directory, from the URL of a host and from a data server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import insight_host
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from insight_host.sources import open_source
from tests.hosts import served

KINDS = ("directory", "http", "grpc")


@contextmanager
def opened_as(kind: str, logdir: Path) -> Iterator[insight_host.Logs]:
    """A directory of logs as one of KINDS; servers end with it."""
    with ExitStack() as opened:
        place = str(logdir)
        if kind != "directory":
            source = open_source(logdir)
            opened.callback(source.provider.close)
            plugins = source.registry.plugins.values()
            if kind == "http":
                place = opened.enter_context(served(source.provider, plugins))
            else:
                assert isinstance(source.provider, LocalProvider)
                server = serve(source.provider, "127.0.0.1", 0, version="test")
                opened.callback(server.stop)
                place = f"grpc://127.0.0.1:{server.port}"
        yield opened.enter_context(insight_host.open(place, timeout=60))
