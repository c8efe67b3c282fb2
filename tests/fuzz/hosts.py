"""A host over a logdir with every plugin that reads logs, and the names that its routes know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from werkzeug.test import Client

from insight_core.ingest.discover import Logdir
from insight_core.plugin import LogFormat
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings

PLUGINS = (
    "audio", "graph", "histogram", "image", "landscape", "lineage", "metric_logs", "profiler", "scalar",
    "tensor", "text",
)  # fmt: skip


@contextmanager
def loaded_host(logdir: Path) -> Iterator[tuple[Host, LocalProvider]]:
    """A host whose logs are loaded; it is closed with the block."""
    modules = {name: import_module(f"insight_{name}") for name in PLUGINS}
    registry = Registry.of([(name, partial(_given, module)) for name, module in modules.items()])
    assert not registry.failures
    formats = [given.value for given in registry.collected("insight_log_formats", LogFormat)]
    provider = LocalProvider(
        [Logdir(str(logdir))], list(registry.plugins.values()), reload_interval=0, log_formats=formats
    )
    provider.load()
    host = Host(registry, provider, HostSettings())
    try:
        yield host, provider
    finally:
        host.close()
        provider.close()


def _given(module: ModuleType) -> ModuleType:
    return module


def known_values(host: Host, provider: LocalProvider) -> dict[str, list[str]]:
    """Values of parameters that name something in the logs, by parameter, the first few of each plugin."""
    found: dict[str, list[str]] = {"plugin": list(PLUGINS), "index": ["0", "1"], "id": ["", "0"]}
    for name in provider.plugins():
        for info in list(provider.series(name))[:40]:
            found.setdefault("run", []).append(info.key.run)
            found.setdefault("tag", []).append(info.key.tag)
    listed = Client(host).get("/data/plugin/profiler/profiles").get_json()["profiles"]
    found["profile"] = [each["profile"] for each in listed]
    return {name: list(dict.fromkeys(values)) for name, values in found.items()}
