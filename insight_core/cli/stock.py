"""What was made for TensorBoard, as the command line wants it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from insight_core.api import DataProvider
from insight_core.cli.options import Options
from insight_core.loading.logdir import Logdir, run_prefixes
from insight_core.stock.mount import Stock
from insight_core.stock.settings import StockSettings


def open_stock(
    options: Options, provider: DataProvider, logdirs: Sequence[Logdir], taken: Collection[str]
) -> Stock:
    """Not started. ``taken`` are names of plugins of our own."""
    settings = StockSettings(
        logdirs=[
            (prefix, logdir.path) for prefix, logdir in zip(run_prefixes(logdirs), logdirs, strict=True)
        ],
        path_prefix=options.path_prefix,
        window_title=options.window_title,
        host=options.host,
        samples=options.samples_per_plugin,
        reload_interval=options.reload_interval,
        taken=taken,
        flags=[word for text in options.plugin_flag for word in shlex.split(text)],
        disabled=options.disable_plugin,
    )
    return Stock(provider, settings)
