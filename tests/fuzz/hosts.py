"""A host over a logdir with every plugin that reads logs, and the names that its routes know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType

from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
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


Names = dict[str, str]  # values of parameters that together name something in the logs


def known_names(host: Host, provider: LocalProvider) -> dict[str, list[Names]]:
    """By plugin what its routes can be asked about: records of its series, and profiles."""
    found: dict[str, list[Names]] = {}
    for name in provider.plugins():
        series = list(provider.series(name))
        found[name] = [{"run": info.key.run, "tag": info.key.tag, "index": "0"} for info in series]
    listed = Client(host).get("/data/plugin/profiler/profiles").get_json()["profiles"]
    for each in listed:
        one = {"run": each["run"], "profile": each["profile"]}
        found.setdefault("profiler", []).append({**one, **{f"base_{name}": one[name] for name in one}})
    return found
