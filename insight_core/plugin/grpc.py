"""Clients and services of gRPC data servers, without a promise to others; needs the extra ``grpc``."""

from __future__ import annotations

from insight_core.providers.child import ChildLink as ChildLink
from insight_core.providers.followed import LinkedProvider as LinkedProvider
from insight_core.providers.link import LONG as LONG
from insight_core.providers.link import Link as Link
from insight_core.providers.link import Method as Method
from insight_core.rpc import errors as errors
from insight_core.rpc.schema import packed_scalars_pb2 as packed_scalars_pb2
from insight_core.rpc.schema import services as services
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard_data_pb2
