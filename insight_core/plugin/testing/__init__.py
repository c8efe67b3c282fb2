"""For tests of plugins and of the host: event files as training writes them, growing and damaged ones."""

from insight_core.plugin.testing import histograms, tensors, wire
from insight_core.plugin.testing.damaged_logdir import DamagedRun, ExpectedDamage, damaged_logdir
from insight_core.plugin.testing.event_writer import START_TIME, EventWriter
from insight_core.plugin.testing.growing_file import GrowingFile
from insight_core.plugin.testing.pictures import png
from insight_core.plugin.testing.points import scalar_points
from insight_core.plugin.testing.scalar_block import scalar_events

__all__ = [
    "START_TIME",
    "DamagedRun",
    "EventWriter",
    "ExpectedDamage",
    "GrowingFile",
    "damaged_logdir",
    "histograms",
    "png",
    "scalar_events",
    "scalar_points",
    "tensors",
    "wire",
]
