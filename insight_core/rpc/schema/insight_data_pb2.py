"""The whole DataProvider over gRPC (``insight_data.proto``)."""

from insight_core.rpc.schema.pool import define

define(globals(), "insight_data")
