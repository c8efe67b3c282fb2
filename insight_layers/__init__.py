"""Reads what runs record of layers and finds faulty ones: the library of the plugins health and diagnose."""

from __future__ import annotations

from insight_layers.digests import ReadSoFar as ReadSoFar
from insight_layers.faults import LayerFault as LayerFault
from insight_layers.faults import causes as causes
from insight_layers.names import KINDS as KINDS
from insight_layers.names import MEASURES as MEASURES
from insight_layers.names import Kind as Kind
from insight_layers.names import Measure as Measure
from insight_layers.names import is_bias as is_bias
from insight_layers.reader import EVERY_STEP as EVERY_STEP
from insight_layers.reader import LayerReader as LayerReader
from insight_layers.table import LayerPlugins as LayerPlugins
from insight_layers.table import LayerRow as LayerRow
from insight_layers.table import LayerTable as LayerTable
from insight_layers.table import has_layers as has_layers
from insight_layers.tracks import FlagTrack as FlagTrack
from insight_layers.tracks import MeasureTrack as MeasureTrack
from insight_layers.tracks import Tracks as Tracks
