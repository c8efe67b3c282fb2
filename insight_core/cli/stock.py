"""What was made for TensorBoard, as the command line wants it."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.cli.options import Options
from insight_core.cli.tensorboard_flags import plugin_flags
from insight_core.ingest.discover import Logdir, run_prefixes
from insight_core.plugin import DataProvider
from insight_core.registry import Registry
from insight_core.tensorboard.mount import Stock
from insight_core.tensorboard.settings import StockSettings


def open_stock(
    options: Options, provider: DataProvider, logdirs: Sequence[Logdir], registry: Registry
) -> Stock:
    """Not started."""
    return Stock(provider, _settings(options, logdirs, registry))


def _settings(options: Options, logdirs: Sequence[Logdir], registry: Registry) -> StockSettings:
    taken = {*registry.plugins, *registry.failures}
    return StockSettings(
        logdirs=[
            (prefix, logdir.path) for prefix, logdir in zip(run_prefixes(logdirs), logdirs, strict=True)
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
