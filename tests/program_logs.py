"""Logs that other programs wrote, and what a provider shows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import insight_image
import insight_lineage
import insight_scalar
from insight_lineage.hparams import session_of
from insight_metric_logs import FORMATS

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

PROGRAMS = Path(__file__).parents[1] / "plugins/metric_logs/tests/fixtures"
Points = list[tuple[int, float]]
Load = Callable[[], LocalProvider]


@contextmanager
def looked_at(logdir: Path) -> Iterator[Load]:
    """Gives what looks at the logs again: a provider with the tabs that show what the formats give."""
    plugins = [each.insight_plugin() for each in (insight_scalar, insight_image, insight_lineage)]
    provider = LocalProvider([Logdir(str(logdir))], plugins, log_formats=FORMATS, reload_interval=0)

    def look() -> LocalProvider:
        provider.load()
        return provider

    try:
        yield look
    finally:
        provider.close()


def curves(provider: LocalProvider, run: str) -> dict[str, Points]:
    tags = [info.key.tag for info in provider.series("scalar") if info.key.run == run]
    found = provider.scalars("scalar", [SeriesKey(run, tag) for tag in tags])
    return {
        key.tag: list(zip(one.steps.tolist(), one.values.tolist(), strict=True)) for key, one in found.items()
    }


def settings(provider: LocalProvider, run: str) -> dict[str, object]:
    every: dict[str, object] = {}
    for info in provider.series("lineage", runs=[run]):
        every |= session_of(info.content).hparams
    return every
