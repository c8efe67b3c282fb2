"""What collectors wrote, read by the host."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import insight_graph
import insight_histogram
import insight_image
import insight_lineage
import insight_scalar
import insight_tensor
from insight_lineage.mindspore import joined, lineage_of

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

_PLUGINS = (insight_graph, insight_histogram, insight_image, insight_lineage, insight_scalar, insight_tensor)


@contextmanager
def opened(logdir: Path) -> Iterator[LocalProvider]:
    """Everything below a directory; none of it is damaged."""
    plugins = [plugin.insight_plugin() for plugin in _PLUGINS]
    provider = LocalProvider([Logdir(str(logdir))], plugins, reload_interval=0)
    try:
        provider.load()
        assert not provider.damage()
        yield provider
    finally:
        provider.close()


def tags(data: LocalProvider, plugin: str, run: str = "run") -> list[str]:
    return sorted(info.key.tag for info in data.series(plugin, runs=[run]))


def steps(data: LocalProvider, plugin: str, tag: str, run: str = "run") -> list[int]:
    return [int(step) for step in data.records(plugin, SeriesKey(run, tag)).steps]


def decoded(data: LocalProvider, plugin: ModuleType, tag: str, run: str = "run") -> list[Any]:
    """The values of all steps."""
    described, key = plugin.insight_plugin(), SeriesKey(run, tag)
    count = len(steps(data, described.name, tag, run))
    return [described.decoder.decode(data.payload(described.name, key, index)) for index in range(count)]


def scalars(data: LocalProvider, tag: str, run: str = "run") -> dict[int, float]:
    """Numbers by their step."""
    key = SeriesKey(run, tag)
    found = data.scalars("scalar", [key])[key]
    return dict(zip(found.steps.tolist(), found.values.tolist(), strict=True))


def graphs(data: LocalProvider, run: str = "run") -> int:
    """How many there are, pipelines of data aside."""
    return sum(not tag.endswith("_lineage") for tag in tags(data, "graph", run))


def lineage(run: Path) -> dict[str, Any]:
    """The row of a run, of all its lineage files."""
    files = sorted(run.glob("*_lineage"))
    return dict(joined(lineage_of(path.read_bytes()) for path in files).cells)
