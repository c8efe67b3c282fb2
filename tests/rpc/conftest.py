"""A data server in this process, and clients of both its services."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import grpc
import insight_scalar
import pytest
from attrs import frozen
from insight_tensorboard.service import services

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Plugin
from insight_core.plugin.data import DataProvider
from insight_core.providers.local import LocalProvider
from insight_core.rpc.schema.services import INSIGHT, MESSAGE_OPTIONS, TENSORBOARD, ServiceStub
from insight_core.rpc.serving import Protection, serve


@frozen
class Client:
    port: int
    channel: grpc.Channel
    tensorboard: ServiceStub
    insight: ServiceStub


Connect: TypeAlias = Callable[..., Client]
Load: TypeAlias = Callable[..., LocalProvider]


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Serves a provider, and connects to that server."""
    with ExitStack() as opened:

        def open_client(provider: DataProvider, protection: Protection | None = None) -> Client:
            protection = protection or Protection()
            server = serve(
                provider, "127.0.0.1", 0, version="1.2.3", protection=protection, services=services(provider)
            )
            opened.callback(server.stop)
            channel = grpc.insecure_channel(f"127.0.0.1:{server.port}", options=MESSAGE_OPTIONS)
            opened.callback(channel.close)
            return Client(
                server.port, channel, ServiceStub(channel, TENSORBOARD), ServiceStub(channel, INSIGHT)
            )

        yield open_client


@pytest.fixture
def load_with(tmp_path: Path) -> Iterator[Load]:
    """A provider of the logs in tmp_path, with the scalar plugin and those given."""
    with ExitStack() as opened:

        def load(*plugins: Plugin) -> LocalProvider:
            provider = LocalProvider(
                [Logdir(str(tmp_path))], [insight_scalar.insight_plugin(), *plugins], reload_interval=0
            )
            opened.callback(provider.close)
            provider.load()
            return provider

        yield load
