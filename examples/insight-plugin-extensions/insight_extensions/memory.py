"""A data source without files. A real one derives from ``insight_core.plugin.ProviderBase``."""

from __future__ import annotations

import numpy as np

from insight_core.plugin.data import DataProvider, Run
from insight_core.plugin.payloads import image_payload, png
from insight_core.plugin.testing import FakeProvider


def runs_in_memory(count: int) -> DataProvider:
    """``count`` runs, the n-th with n points of ``loss``, and a picture each."""
    provider = FakeProvider(f"mem://{count}")
    for number in range(1, count + 1):
        provider.add_run(Run(f"run{number}"))
        provider.add_scalars(f"run{number}", "loss", [1 / step for step in range(1, number + 1)])
        picture = image_payload(png(np.full((16, 16, 3), 40 * number % 256, np.uint8)))
        provider.add_records("image", f"run{number}", "colour", [picture.data], claim=picture.claim)
    return provider
