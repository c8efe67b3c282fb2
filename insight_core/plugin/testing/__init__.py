"""For tests of plugins: a host without a port, event files as training writes them, data in memory.

``host_of`` is for whole tests, ``context_of`` with a ``FakeProvider`` for routes alone, ``read_all`` for log
formats, ``provider_contract`` for data providers. Nothing here needs pytest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from insight_core.plugin.testing import histograms, tensors, wire
from insight_core.plugin.testing.event_writer import START_TIME, EventWriter
from insight_core.plugin.testing.scalar_block import scalar_events

if TYPE_CHECKING:
    from insight_core.plugin.testing.contexts import context_of
    from insight_core.plugin.testing.contract import WrittenSeries, provider_contract
    from insight_core.plugin.testing.fake import FakeProvider
    from insight_core.plugin.testing.formats import read_all
    from insight_core.plugin.testing.host import HostClient, host_of

_LAZY = {  # who writes event files needs no host
    "FakeProvider": "fake",
    "HostClient": "host",
    "WrittenSeries": "contract",
    "context_of": "contexts",
    "host_of": "host",
    "provider_contract": "contract",
    "read_all": "formats",
}


if not TYPE_CHECKING:  # a type checker then finds names that do not exist

    def __getattr__(name: str) -> object:
        """Imports each name on first use."""
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        found = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
        globals()[name] = found
        return found


__all__ = [
    "START_TIME",
    "EventWriter",
    "FakeProvider",
    "HostClient",
    "WrittenSeries",
    "context_of",
    "histograms",
    "host_of",
    "provider_contract",
    "read_all",
    "scalar_events",
    "tensors",
    "wire",
]
