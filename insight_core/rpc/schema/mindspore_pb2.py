"""MindSpore's summary values (``mindspore.proto``)."""

from insight_core.rpc.schema.pool import define

define(globals(), "mindspore")
