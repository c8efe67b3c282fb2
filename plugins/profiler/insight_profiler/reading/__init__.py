"""Readers of profiles, one for each source; a reader is loaded when a profile of its source is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import TypeAlias

from insight_profiler.building import Building
from insight_profiler.files import Files
from insight_profiler.model import Source

Reader: TypeAlias = Callable[[Files, Building], None]


def _read(module: str, files: Files, building: Building) -> None:
    import_module(f"insight_profiler.reading.{module}").read(files, building)


READERS: Mapping[Source, Reader] = {
    source: partial(_read, module)
    for source, module in {
        Source.TORCH: "trace",
        Source.CHROME: "trace",
        Source.XPLANE: "xplane",
        Source.MINDSPORE: "mindspore",
        Source.ASCEND: "ascend",
        Source.MINDINSIGHT: "mindinsight",
        Source.NSIGHT: "nsight",
        Source.ROCPD: "rocpd",
        Source.PERFETTO: "perfetto",
        Source.SNAPSHOT: "snapshot",
        Source.FLIGHT: "flight",
        Source.RANK_STEPS: "rank_steps",
        Source.FOLDED: "folded",
        Source.SPEEDSCOPE: "speedscope",
        Source.PPROF: "pprof",
        Source.CLUSTER: "ascend_cluster",
    }.items()
}
