"""A server of buckets for tests of remote logdirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from insight_remote.mirror import requests

from tests.remote.stores import Bucket, S3Server, s3_server


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_server() as server:
        Bucket.create(server)
        yield server


@pytest.fixture
def s3(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """The server with fresh counts, and tries that do not wait."""
    monkeypatch.setattr(requests, "_PAUSES", (0.0, 0.0, 0.0))
    server.reset()
    yield server
    server.reset()
