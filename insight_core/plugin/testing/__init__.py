"""For tests of plugins: event files as training writes them, and a data provider in memory."""

from insight_core.plugin.testing import histograms, tensors, wire
from insight_core.plugin.testing.event_writer import START_TIME, EventWriter
from insight_core.plugin.testing.scalar_block import scalar_events

__all__ = ["START_TIME", "EventWriter", "histograms", "scalar_events", "tensors", "wire"]
