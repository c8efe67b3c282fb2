"""Messages of TensorBoard and its histograms, without a promise to others."""

from __future__ import annotations

from insight_core.formats.histogram_messages import HistogramProto as HistogramProto
from insight_core.formats.histogram_messages import histogram_proto as histogram_proto
from insight_core.formats.histogram_messages import mindspore_histogram as mindspore_histogram
from insight_core.rpc.schema import tensorboard_pb2 as tensorboard_pb2
