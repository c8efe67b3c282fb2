"""TensorBoard's messages below the data provider (``tensorboard.proto``)."""

from insight_core.proto.pool import define

define(globals(), "tensorboard")
