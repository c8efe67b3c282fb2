"""TensorBoard's data provider (``tensorboard_data.proto``)."""

from insight_core.rpc.schema.pool import define

define(globals(), "tensorboard_data")
