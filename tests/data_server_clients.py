"""A connection to a data server, as the host makes one, without what it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.locations import credentials_for, is_location, parse_location


@contextmanager
def connected(
    address: str, *, token_file: str | None = None, ca_file: str | None = None
) -> Iterator[InsightProvider]:
    """The provider of a server that answers. Raises Unavailable without one."""
    location = parse_location(address if is_location(address) else f"grpc://{address}")
    provider = InsightProvider(Link(location.address, credentials_for(location, token_file, ca_file)))
    try:
        provider.location()
        yield provider
    finally:
        provider.close()
