"""Clients and services of data servers, without a promise to others. Importing it loads gRPC."""

from __future__ import annotations

from insight_core.formats.columns import Columns as Columns
from insight_core.providers.child import ChildLink as ChildLink
from insight_core.providers.common import SERIES_FIELDS as SERIES_FIELDS
from insight_core.providers.common import by_start_time as by_start_time
from insight_core.providers.common import series_of_tables as series_of_tables
from insight_core.providers.common import unknown_series as unknown_series
from insight_core.providers.followed import FollowedProvider as FollowedProvider
from insight_core.providers.followed import LinkedProvider as LinkedProvider
from insight_core.providers.link import LONG as LONG
from insight_core.providers.link import Link as Link
from insight_core.providers.link import Method as Method
from insight_core.providers.merged import MergedProvider as MergedProvider
from insight_core.providers.payload_streams import check_size as check_size
from insight_core.providers.payload_streams import stream_of_pieces as stream_of_pieces
from insight_core.rpc import errors as errors
from insight_core.rpc.schema import packed_scalars_pb2 as packed_scalars_pb2
from insight_core.rpc.schema import services as services
from insight_core.rpc.schema import tensorboard_data_pb2 as tensorboard_data_pb2
from insight_core.rpc.tokens import read_token as read_token
from insight_core.store.scalars import answer as answer
from insight_core.store.snapshot import Snapshot as Snapshot
from insight_core.store.snapshot import snapshot_of as snapshot_of
from insight_core.store.views import ViewCache as ViewCache
