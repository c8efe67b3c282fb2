"""TensorBoard's data provider (``tensorboard_data.proto``)."""

from insight_core.proto.pool import define

define(globals(), "tensorboard_data")
