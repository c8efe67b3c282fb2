"""TensorBoard's data server in Rust, one for each logdir, next to a provider of what MindSpore wrote."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib import import_module

from insight_core.ingest.discover import Logdir, run_prefixes
from insight_core.plugin import CachePolicy, Keep, Plugin
from insight_core.providers.child import ChildLink
from insight_core.providers.forwarding import StartableProvider
from insight_core.providers.merged import MergedProvider
from insight_core.providers.tensorboard_client.listing import Naming, Shape
from insight_core.providers.tensorboard_client.provider import TensorBoardProvider

# The server keeps a sample of these unless it is told to keep more; TensorBoard's names.
_SAMPLED = (
    *("scalars", "histograms", "text", "hparams", "pr_curves", "mesh", "custom_scalars", "images", "audio"),
    *("graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model"),
    "graph_tagged_run_metadata",
)


def rust_server() -> str:
    """The program of the package tensorboard-data-server. Raises ImportError or OSError if it is missing."""
    program: str | None = import_module("tensorboard_data_server").server_binary()  # it has no types
    if program is None or not os.access(program, os.X_OK):
        raise FileNotFoundError("the package tensorboard-data-server has no server for this machine")
    return program


def open_rust_servers(
    logdirs: Sequence[Logdir],
    plugins: Mapping[str, Plugin],
    policies: Mapping[str, CachePolicy],
    reload_interval: float,
    mindspore: StartableProvider,
) -> MergedProvider:
    """Not started yet. Raises what ``rust_server`` raises."""
    samples = ",".join(f"{name}={count}" for name, count in _samples(plugins, policies).items())
    reload = max(1, int(reload_interval)) if reload_interval else "once"
    flags = [rust_server(), f"--reload={reload}", f"--samples-per-plugin={samples}"]
    servers = [
        TensorBoardProvider(
            ChildLink(
                [*flags, f"--logdir={logdir.path}"],
                f"the data server of {prefix}" if prefix else "the data server",
            ),
            plugins.values(),
            interval=reload_interval,
            prefix=prefix,
        )
        for logdir, prefix in zip(logdirs, run_prefixes(logdirs), strict=True)
    ]
    return MergedProvider([*servers, mindspore])


def _samples(plugins: Mapping[str, Plugin], policies: Mapping[str, CachePolicy]) -> Mapping[str, int | str]:
    """How many points the server keeps of a series, by TensorBoard's name of the plugin."""
    naming = Naming.of(plugins.values())
    samples: dict[str, int | str] = {}
    for source in _SAMPLED:
        shape = Shape.SCALARS if source == "scalars" else Shape.TENSORS
        plugin = plugins.get(naming.plugin(naming.claim(source, "__run_graph__"), shape))
        policy = policies.get(plugin.name, plugin.cache) if plugin is not None else CachePolicy()
        samples[source] = "all" if policy.keep is Keep.ALL else policy.points or "all"
    return samples
