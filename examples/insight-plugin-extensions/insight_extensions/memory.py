"""A data source without files. A real one implements the methods of ``insight_core.plugin.DataProvider``."""

from __future__ import annotations

from insight_core.plugin import DataProvider, Run
from insight_core.plugin.testing.fake import FakeProvider


def runs_in_memory(count: int) -> DataProvider:
    """``count`` runs, the n-th with n points of ``loss``."""
    provider = FakeProvider(f"mem://{count}")
    for number in range(1, count + 1):
        provider.add_run(Run(f"run{number}"))
        provider.add_scalars(f"run{number}", "loss", [1 / step for step in range(1, number + 1)])
    return provider
