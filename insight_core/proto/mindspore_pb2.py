"""MindSpore's summary values (``mindspore.proto``)."""

from insight_core.proto.pool import define

define(globals(), "mindspore")
