"""What providers of data elsewhere share, without a promise to others; of gRPC: ``plugin.grpc``."""

from __future__ import annotations

from insight_core.formats.columns import Columns as Columns
from insight_core.providers.common import SERIES_FIELDS as SERIES_FIELDS
from insight_core.providers.common import by_start_time as by_start_time
from insight_core.providers.common import series_of_tables as series_of_tables
from insight_core.providers.common import unknown_series as unknown_series
from insight_core.providers.followed import FollowedProvider as FollowedProvider
from insight_core.providers.locations import require_grpc as require_grpc
from insight_core.providers.merged import MergedProvider as MergedProvider
from insight_core.providers.payload_streams import check_size as check_size
from insight_core.providers.payload_streams import stream_of_pieces as stream_of_pieces
from insight_core.rpc.tokens import read_token as read_token
from insight_core.store.scalars import answer as answer
from insight_core.store.snapshot import Snapshot as Snapshot
from insight_core.store.snapshot import snapshot_of as snapshot_of
from insight_core.store.views import ViewCache as ViewCache
