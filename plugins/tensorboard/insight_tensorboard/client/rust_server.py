"""Opens ``--load rust``: TensorBoard's data server for each logdir, and a reader of MindSpore's logs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from insight_core.plugin import CachePolicy, InvalidArgument, Keep, Plugin, ProviderSettings
from insight_core.plugin.data import DataProvider
from insight_core.plugin.grpc import ChildLink
from insight_core.plugin.servers import MergedProvider
from insight_tensorboard.client.listing import Naming, Shape
from insight_tensorboard.client.provider import TensorBoardProvider

_NAME = "the data server"
# The server keeps a sample of these plugins (TensorBoard's names), unless a flag asks for more.
_SAMPLED = (
    *("scalars", "histograms", "text", "hparams", "pr_curves", "mesh", "custom_scalars", "images", "audio"),
    *("graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model"),
    "graph_tagged_run_metadata",
)


def rust_server() -> str:
    """The program of the package tensorboard-data-server. Raises ImportError or OSError if it is missing."""
    try:
        program: str | None = import_module("tensorboard_data_server").server_binary()  # it has no types
    except ModuleNotFoundError:
        text = "tensorboard-data-server is not installed: pip install 'insight-host[rust]'"
        raise FileNotFoundError(text) from None
    if program is None or not os.access(program, os.X_OK):
        raise FileNotFoundError("the package tensorboard-data-server has no server for this machine")
    return program


def open_rust_servers(settings: ProviderSettings, mindspore: DataProvider) -> MergedProvider:
    """The provider of the logdirs of ``settings``, not started yet. Raises InvalidArgument."""
    try:
        program = rust_server()
    except (ImportError, OSError) as error:
        raise InvalidArgument(f"--load rust: {error}") from error
    plugins, interval = settings.plugins, settings.reload_interval
    samples = ",".join(f"{name}={count}" for name, count in _samples(plugins, settings.policies).items())
    reload = max(1, int(interval)) if interval else "once"
    flags = [program, f"--reload={reload}", f"--samples-per-plugin={samples}"]
    parts = [
        TensorBoardProvider(
            ChildLink([*flags, f"--logdir={path}"], f"the data server of {prefix}" if prefix else _NAME),
            plugins.values(),
            interval=interval,
            prefix=prefix,
        )
        for prefix, path in settings.logdirs
    ]
    return MergedProvider([*parts, cast("Any", mindspore)])


def _samples(plugins: Mapping[str, Plugin], policies: Mapping[str, CachePolicy]) -> Mapping[str, int | str]:
    """The number of points of a series that the server should keep, by TensorBoard's name of the plugin."""
    naming = Naming.of(plugins.values())
    samples: dict[str, int | str] = {}
    for source in _SAMPLED:
        shape = Shape.SCALARS if source == "scalars" else Shape.TENSORS
        plugin = plugins.get(naming.plugin(naming.claim(source, "__run_graph__"), shape))
        policy = policies.get(plugin.name, plugin.cache) if plugin is not None else CachePolicy()
        samples[source] = "all" if policy.keep is Keep.ALL else policy.points or "all"
    return samples
