"""The same logs, opened from a directory, from the URL of a host, from a data server and from a lake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import insight_host
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from insight_host.sources import open_source
from tests.hosts import served
from tests.lakes import LakeBuild

KINDS = ("directory", "http", "grpc")  # that follow logs which grow
STORED = (*KINDS, "lake")


@contextmanager
def opened_as(kind: str, logdir: Path) -> Iterator[insight_host.Logs]:
    """A directory of logs as one of STORED; servers and lakes end with it."""
    with ExitStack() as opened:
        place = str(logdir)
        if kind != "directory":
            source = open_source(logdir)
            opened.callback(source.provider.close)
            plugins = source.registry.plugins.values()
            if kind == "lake":
                lake = opened.enter_context(TemporaryDirectory())
                LakeBuild([place], lake, plugins).run()
                place = f"lake:{lake}"
            elif kind == "http":
                place = opened.enter_context(served(source.provider, plugins))
            else:
                assert isinstance(source.provider, LocalProvider)
                server = serve(source.provider, "127.0.0.1", 0, version="test")
                opened.callback(server.stop)
                place = f"grpc://127.0.0.1:{server.port}"
        yield opened.enter_context(insight_host.open(place, timeout=60))
