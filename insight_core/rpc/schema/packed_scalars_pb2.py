"""TensorBoard's scalars by column (``packed_scalars.proto``)."""

from insight_core.rpc.schema.pool import define

define(globals(), "packed_scalars")
