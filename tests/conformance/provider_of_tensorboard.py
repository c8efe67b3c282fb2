"""TensorBoard's own data provider of a logdir, every point kept, for our provider suite."""

from __future__ import annotations

import importlib
from typing import Any


def open_provider(logdir: str) -> Any:  # noqa: ANN401
    events = "tensorboard.backend.event_processing"
    multiplexers = importlib.import_module(f"{events}.plugin_event_multiplexer")
    multiplexer = multiplexers.EventMultiplexer(
        tensor_size_guidance=dict.fromkeys(("scalars", "images", "text", "custom"), 0)
    )
    multiplexer.AddRunsFromDirectory(logdir)
    multiplexer.Reload()
    return importlib.import_module(f"{events}.data_provider").MultiplexerDataProvider(multiplexer, logdir)
