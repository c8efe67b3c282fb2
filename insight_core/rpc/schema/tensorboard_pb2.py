"""TensorBoard's messages below the data provider (``tensorboard.proto``)."""

from insight_core.rpc.schema.pool import define

define(globals(), "tensorboard")
