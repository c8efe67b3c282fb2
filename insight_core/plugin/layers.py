"""What runs record of layers, and which layers are faulty, without a promise to others."""

from __future__ import annotations

from insight_core.layers.digests import ReadSoFar as ReadSoFar
from insight_core.layers.faults import LayerFault as LayerFault
from insight_core.layers.faults import causes as causes
from insight_core.layers.names import KINDS as KINDS
from insight_core.layers.names import MEASURES as MEASURES
from insight_core.layers.names import Kind as Kind
from insight_core.layers.names import Measure as Measure
from insight_core.layers.names import is_bias as is_bias
from insight_core.layers.reader import EVERY_STEP as EVERY_STEP
from insight_core.layers.reader import LayerReader as LayerReader
from insight_core.layers.table import LayerPlugins as LayerPlugins
from insight_core.layers.table import LayerRow as LayerRow
from insight_core.layers.table import LayerTable as LayerTable
from insight_core.layers.table import has_layers as has_layers
from insight_core.layers.tracks import FlagTrack as FlagTrack
from insight_core.layers.tracks import MeasureTrack as MeasureTrack
from insight_core.layers.tracks import Tracks as Tracks
