"""Opens the hosting of TensorBoard with the settings of the command line."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.cli.options import Options
from insight_core.cli.tensorboard_flags import plugin_flags
from insight_core.ingest.discover import run_prefixes
from insight_core.ingest.logdir import Logdir, is_remote
from insight_core.plugin.data import DataProvider
from insight_core.registry import Registry
from insight_core.tensorboard.mount import TensorBoardMount
from insight_core.tensorboard.settings import TensorBoardSettings


def open_tensorboard(
    options: Options, provider: DataProvider, logdirs: Sequence[Logdir], registry: Registry
) -> TensorBoardMount:
    """The hosted plugins and page of TensorBoard, not started yet."""
    return TensorBoardMount(provider, _settings(options, logdirs, registry))


def _settings(options: Options, logdirs: Sequence[Logdir], registry: Registry) -> TensorBoardSettings:
    taken = {*registry.plugins, *registry.failures}
    return TensorBoardSettings(
        logdirs=[
            (prefix, logdir.path)
            for prefix, logdir in zip(run_prefixes(logdirs), logdirs, strict=True)
            if not is_remote(logdir.path)
        ],
        path_prefix=options.path_prefix,
        window_title=options.window_title,
        host=options.host,
        samples=options.samples_per_plugin,
        reload_interval=options.reload_interval,
        taken=taken,
        known=taken | registry.disabled | registry.pending,
        flags=plugin_flags(registry),
        disabled=options.disable_plugin,
    )
